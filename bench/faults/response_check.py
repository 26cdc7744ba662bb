"""Requests whose responses depend only on the live tables and rules, and the check of each response.

A response is compared with the expected response of its release, which is recorded before the faults start.
"""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import httpx
import orjson

Versions = tuple[str, str]  # of the tables and of the synonym rules
OK, UNCHANGED = 200, 304
REJECTION_STATUSES = frozenset((429, 503, 504))
RELEASE_TAG = slice(1, 17)  # the part of an ETag that identifies the release
MAX_ATTEMPTS = 10  # per request: a service that has just started may reject some
RULE = "zork => zork, flexible schedule\n"  # the only difference between the two sets of rules


class Verdict(StrEnum):
    """The outcome of one request."""

    CORRECT = "correct"  # the response of a release that may be live
    STALE = "stale"  # correct, from an earlier release and marked as stale
    REJECTED = "rejected"  # 429, 503 or 504 with Retry-After
    CUT = "cut"  # no complete response
    LATE = "late"  # from a release that is no longer live, not marked as stale
    WRONG = "wrong"  # no release has this response
    MIXED = "mixed"  # content, provenance and ETag are of several releases
    BROKEN = "broken"  # any other status, or a rejection without Retry-After


ACCEPTABLE = frozenset((Verdict.CORRECT, Verdict.STALE))
WRONG_VERDICTS = frozenset((Verdict.LATE, Verdict.WRONG, Verdict.MIXED, Verdict.BROKEN))


@dataclass(frozen=True, slots=True)
class Response:
    """A complete response."""

    status: int
    body: bytes
    etag: str = ""
    retry_after: str = ""
    if_none_match: str = ""  # the header of the request


@dataclass(frozen=True, slots=True)
class Parsed:
    """The parts of a response: its release, a digest of its content, and whether it is marked as stale."""

    versions: Versions
    released: str
    content: str
    stale: bool


def parse_body(body: bytes) -> Parsed:
    """Parse a response body; raise ValueError or KeyError if it has another format."""
    content: dict[str, Any] = orjson.loads(body)
    provenance = content.pop("provenance")
    versions = provenance.pop("data_version"), provenance.pop("synonyms_version")
    released, stale = provenance.pop("released"), provenance.pop("stale_seconds", None)
    rest = orjson.dumps([content, provenance], option=orjson.OPT_SORT_KEYS)
    return Parsed(versions, released, hashlib.blake2b(rest, digest_size=16).hexdigest(), stale is not None)


@dataclass(slots=True)
class Checker:
    """Checks responses. `baseline[versions][request]` is the digest of the expected content; `live` are valid now."""

    baseline: Mapping[Versions, Mapping[str, str]]
    live: set[Versions] = field(default_factory=set)
    tags: dict[str, tuple[Versions, str]] = field(default_factory=dict)
    releases: dict[tuple[Versions, str], str] = field(default_factory=dict)

    def check(self, request: str, response: Response) -> tuple[Verdict, str]:
        """Return the verdict and, if the response is not correct, the reason."""
        if response.status in REJECTION_STATUSES and response.retry_after.isdecimal():
            return Verdict.REJECTED, f"{response.status}"
        if response.status == UNCHANGED:
            return self._check_not_modified(response)
        if response.status != OK:
            return Verdict.BROKEN, f"{response.status}"
        return self._check_body(request, response)

    def _check_body(self, request: str, response: Response) -> tuple[Verdict, str]:
        try:
            parsed = parse_body(response.body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return Verdict.BROKEN, f"invalid body: {type(error).__name__}"
        if wrong := self._check_content(request, parsed):
            return wrong
        if parsed.stale:
            return Verdict.STALE, "stale"
        return self._check_tag(response.etag, parsed) or self._check_live(parsed.versions)

    def _check_content(self, request: str, parsed: Parsed) -> tuple[Verdict, str] | None:
        known = self.baseline.get(parsed.versions)
        if known is None:
            return Verdict.WRONG, f"unknown release {parsed.versions}"
        if known[request] == parsed.content:
            return None
        if any(digests[request] == parsed.content for digests in self.baseline.values()):
            return Verdict.MIXED, "content and provenance are of different releases"
        return Verdict.WRONG, "content of no release"

    def _check_tag(self, etag: str, parsed: Parsed) -> tuple[Verdict, str] | None:
        release, tag = (parsed.versions, parsed.released), etag[RELEASE_TAG]
        if not tag:
            return Verdict.MIXED, "no ETag"
        if self.tags.setdefault(tag, release) != release or self.releases.setdefault(release, tag) != tag:
            return Verdict.MIXED, "ETag and provenance are of different releases"
        return None

    def _check_not_modified(self, response: Response) -> tuple[Verdict, str]:
        if not response.if_none_match or response.etag != response.if_none_match:
            return Verdict.WRONG, "304 with an ETag that differs from If-None-Match"
        release = self.tags.get(response.etag[RELEASE_TAG])
        return (Verdict.WRONG, "304 with an unknown ETag") if release is None else self._check_live(release[0])

    def _check_live(self, versions: Versions) -> tuple[Verdict, str]:
        return (Verdict.CORRECT, "") if versions in self.live else (Verdict.LATE, f"{versions} is no longer live")


@dataclass(frozen=True, slots=True)
class Request:
    """A request."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path} {dict(self.body)}" if self.body else f"{self.method} {self.path}"


# Every entity in these requests is in the shipped tables and in the test fixture World.
PATHS = (
    "/search?query=flexible%20schedule",  # its summary differs between the tables
    "/search?query=zork&spelling=off",  # empty without the rule
    "/search?query=zork",
    "/search?query=low%20visoin",  # several requests to OpenSearch for one response
    "/search?query=qqzzqq",  # no hits: only the provenance identifies the release
    "/search?query=crohns%20disease&limit=50",
    "/search?query=screen%20magnification&scope=solution",
    "/suggest?query=flex",
    "/solution?limit=100",
    "/disability?limit=5&offset=2",
    "/occupation?ids=15-1252.00,43-4051.00",
    "/disability/low-vision",
    "/solution/flexible-schedule",
    "/occupation/15-1252.00",
    "/limitation/low-vision/neighbors?edge=recommends&limit=50",
    "/limitation/low-vision/neighbors?edge=limitation_of",
    "/occupation/15-1252.00/neighbors?edge=requires&offset=1",
    "/related_conditions/low-vision",
    "/connections?from=disability:low-vision&to=solution:flexible-schedule",
    "/graph",
)
REQUESTS = (
    *(Request("GET", path) for path in PATHS),
    Request("POST", "/recommend", {"disability": "low-vision"}),
    Request("POST", "/recommend", {"disability": "low-vision", "occupation": "15-1252.00", "limit": 50}),
    Request("POST", "/recommend", {"limitation": "low-vision"}),
)
BY_NAME = {request.name: request for request in REQUESTS}


class BaselineError(Exception):
    """A response is wrong, or a command fails, although no fault is active."""


def record_baseline(service: httpx.Client, requests: Sequence[Request] = REQUESTS) -> tuple[Versions, dict[str, str]]:
    """Send every request twice, retry rejections; return the live versions and the digest of each response."""
    versions: set[Versions] = set()
    digests: dict[str, str] = {}
    for request in (*requests, *requests):
        for _ in range(MAX_ATTEMPTS):
            response = service.request(request.method, request.path, json=request.body)
            if response.status_code not in REJECTION_STATUSES:
                break
            time.sleep(1)
        if response.status_code != OK:
            raise BaselineError(f"{request.name}: {response.status_code} {response.text[:300]}")
        parsed = parse_body(response.content)
        versions.add(parsed.versions)
        if digests.setdefault(request.name, parsed.content) != parsed.content:
            raise BaselineError(f"{request.name} has two different responses")
    if len(versions) != 1:
        raise BaselineError(f"{len(versions)} releases are live at once: {sorted(versions)}")
    return versions.pop(), digests
