"""Requests with the same response whenever the same tables and rules are live, and the check of each response.

Each is compared with the expected response of its release, which is recorded beforehand.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import httpx


Versions = tuple[str, str]  # of the tables and of the synonym rules
OK, UNCHANGED = 200, 304
REFUSALS = frozenset((429, 503, 504))
TAG = slice(1, 17)  # the part of an ETag that stands for the release
PATIENT = 10  # attempts per request until it succeeds: a machine that has just started is slow
RULE = "zork => zork, flexible schedule\n"  # the only rule that tells the two sets of rules apart


class Verdict(StrEnum):
    """What became of one request."""

    RIGHT = "right"  # the answer of a release that may be live
    STALE = "stale"  # an earlier answer, right and marked as such
    REFUSED = "refused"  # 429, 503 or 504 that says when to come back
    CUT = "cut"  # no whole answer
    LATE = "late"  # unmarked, from a release that is no longer live
    WRONG = "wrong"  # no release gives this answer
    MIXED = "mixed"  # content, provenance and ETag are of several releases
    BROKEN = "broken"  # any other status, or a refusal that does not say when to come back


FINE = frozenset((Verdict.RIGHT, Verdict.STALE))
FAULTS = frozenset((Verdict.LATE, Verdict.WRONG, Verdict.MIXED, Verdict.BROKEN))


@dataclass(frozen=True, slots=True)
class Given:
    """One whole answer."""

    status: int
    body: bytes
    etag: str = ""
    retry_after: str = ""
    had: str = ""  # the ETag that the request named


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer taken apart: whose it says it is, a digest of everything else, and its age if it stands in."""

    versions: Versions
    released: str
    content: str
    stale: bool


def parse_body(body: bytes) -> Parsed:
    """Read an answer; ValueError or KeyError where it is none of ours."""
    found: dict[str, Any] = orjson.loads(body)
    said = found.pop("provenance")
    versions = said.pop("data_version"), said.pop("synonyms_version")
    released, stale = said.pop("released"), said.pop("stale_seconds", None)
    rest = orjson.dumps([found, said], option=orjson.OPT_SORT_KEYS)
    return Parsed(versions, released, hashlib.blake2b(rest, digest_size=16).hexdigest(), stale is not None)


@dataclass(slots=True)
class Checker:
    """Judges answers. `truth[versions][question]` is the digest of what that release answers; `live` may answer now."""

    truth: Mapping[Versions, Mapping[str, str]]
    live: set[Versions] = field(default_factory=set)
    tags: dict[str, tuple[Versions, str]] = field(default_factory=dict)
    releases: dict[tuple[Versions, str], str] = field(default_factory=dict)

    def judge(self, question: str, given: Given) -> tuple[Verdict, str]:
        """The verdict, and why where it is not good."""
        if given.status in REFUSALS and given.retry_after.isdecimal():
            return Verdict.REFUSED, f"{given.status}"
        if given.status == UNCHANGED:
            return self._unchanged(given)
        if given.status != OK:
            return Verdict.BROKEN, f"{given.status}"
        return self._whole(question, given)

    def _whole(self, question: str, given: Given) -> tuple[Verdict, str]:
        try:
            parsed = parse_body(given.body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return Verdict.BROKEN, f"a body of another form: {type(error).__name__}"
        if wrong := self._content(question, parsed):
            return wrong
        if parsed.stale:
            return Verdict.STALE, "an earlier answer"
        return self._tag(given.etag, parsed) or self._current(parsed.versions)

    def _content(self, question: str, parsed: Parsed) -> tuple[Verdict, str] | None:
        known = self.truth.get(parsed.versions)
        if known is None:
            return Verdict.WRONG, f"nobody published {parsed.versions}"
        if known[question] == parsed.content:
            return None
        if any(other[question] == parsed.content for other in self.truth.values()):
            return Verdict.MIXED, "the content of another release than the provenance says"
        return Verdict.WRONG, "a content that no release has"

    def _tag(self, etag: str, parsed: Parsed) -> tuple[Verdict, str] | None:
        release, tag = (parsed.versions, parsed.released), etag[TAG]
        if not tag:
            return Verdict.MIXED, "no ETag"
        if self.tags.setdefault(tag, release) != release or self.releases.setdefault(release, tag) != tag:
            return Verdict.MIXED, "the ETag of another release than the provenance says"
        return None

    def _unchanged(self, given: Given) -> tuple[Verdict, str]:
        if not given.had or given.etag != given.had:
            return Verdict.WRONG, "304 for another ETag than the request named"
        release = self.tags.get(given.etag[TAG])
        return (Verdict.WRONG, "304 for an ETag that nobody gave") if release is None else self._current(release[0])

    def _current(self, versions: Versions) -> tuple[Verdict, str]:
        return (Verdict.RIGHT, "") if versions in self.live else (Verdict.LATE, f"{versions} is no longer live")


@dataclass(frozen=True, slots=True)
class Question:
    """One request."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.method} {self.path} {dict(self.body)}" if self.body else f"{self.method} {self.path}"


def _get(*paths: str) -> tuple[Question, ...]:
    return tuple(Question("GET", path) for path in paths)


# Every entity that is named here is in the shipped tables and in the small world of the tests.
QUESTIONS: tuple[Question, ...] = (
    *_get(
        "/search?query=flexible%20schedule",  # its summary tells the tables apart
        "/search?query=zork&spelling=off",  # empty but for the rule
        "/search?query=zork",
        "/search?query=low%20visoin",  # several requests to the engine in one answer
        "/search?query=qqzzqq",  # none of the hits says which release it was
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
    ),
    Question("POST", "/recommend", {"disability": "low-vision"}),
    Question("POST", "/recommend", {"disability": "low-vision", "occupation": "15-1252.00", "limit": 50}),
    Question("POST", "/recommend", {"limitation": "low-vision"}),
)
BY_NAME = {question.name: question for question in QUESTIONS}


class UntrueError(Exception):
    """Already without any fault the service does not answer as it must."""


def take_truth(service: httpx.Client, questions: Sequence[Question] = QUESTIONS) -> tuple[Versions, dict[str, str]]:
    """Send every request twice; return the versions that answered and the digest of each answer. Retry rejections."""
    versions: set[Versions] = set()
    found: dict[str, str] = {}
    for question in (*questions, *questions):
        for _ in range(PATIENT):
            answer = service.request(question.method, question.path, json=question.body)
            if answer.status_code not in REFUSALS:
                break
            time.sleep(1)
        if answer.status_code != OK:
            raise UntrueError(f"{question.name}: {answer.status_code} {answer.text[:300]}")
        parsed = parse_body(answer.content)
        versions.add(parsed.versions)
        if found.setdefault(question.name, parsed.content) != parsed.content:
            raise UntrueError(f"{question.name} has two answers")
    if len(versions) != 1:
        raise UntrueError(f"{len(versions)} releases answer at once: {sorted(versions)}")
    return versions.pop(), found
