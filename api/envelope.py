"""Every body leaves the service through here: provenance, notice, ETag, cache headers. Pure but for the Response."""

from __future__ import annotations

import hashlib
import json
import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response

from api import results
from api.errors import PROBLEM, InvalidError, ServiceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from api.release import Release
    from api.results import Reply
    from api.settings import Settings

JSON = "application/json"
TAG_BYTES = 8  # of each half of an ETag


class Envelope:
    """Seals bodies for one set of settings. `cache` is the `Cache-Control` of what may be kept."""

    def __init__(self, settings: Settings) -> None:
        self.notice = results.notice(settings.notice_url)
        self.cache = f"public, max-age={settings.cache_seconds}"

    def seal(self, body: Mapping[str, Any], release: Release | None, sources: Iterable[str] = ()) -> dict[str, Any]:
        """The body with provenance and notice."""
        return {**body, "provenance": results.provenance(release, sources), "notice": self.notice}

    def sealed(self, found: Reply, warnings: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """An answer as both doors give it: provenance and notice, and `warnings` before its own."""
        told = [*warnings, *found.body.get("warnings", ())]
        whole = self.seal({**found.body, "warnings": told} if told else found.body, found.release, found.sources)
        if "sources" in found.body and "summaries" in found.body:  # a record names its sources itself
            whole["provenance"]["sources"] = found.body["sources"] or whole["provenance"]["sources"]
        return whole

    def answer(self, body: Mapping[str, Any], etag: str, if_none_match: str | None) -> Response:
        """A sealed 200, or a 304 without a body where the caller has this very answer."""
        headers = {"ETag": etag, "Cache-Control": self.cache}
        if if_none_match is not None and matches(if_none_match, etag):
            return Response(status_code=304, headers=headers)
        return Response(dumps(body), media_type=JSON, headers=headers)

    def error(self, error: ServiceError, release: Release | None) -> Response:
        """Any error as problem+json; 422 as FastAPI's record. Never cached."""
        media_type = JSON if isinstance(error, InvalidError) else PROBLEM
        headers = {**error.headers, "Cache-Control": "no-store"}
        body = dumps(self.seal(error.body(), release))
        return Response(body, status_code=error.status, media_type=media_type, headers=headers)


def dumps(body: Mapping[str, Any]) -> bytes:
    """JSON bytes. What callers sent and an error echoes may be half a surrogate pair, or a number beyond 64 bits."""
    try:
        return orjson.dumps(body)
    except TypeError:
        return json.dumps(_printable(body), ensure_ascii=False, separators=(",", ":")).encode()


def _printable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {str(_printable(key)): _printable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | None) else str(value)


def etag(release: Release, parts: Sequence[str]) -> str:
    """Changes with the release, its synonym rules and the request, and with nothing else."""
    return f'"{release_tag(release)}{_hashed(parts)}"'


def release_tag(release: Release) -> str:
    """What the ETags of all answers of a release, with its synonym rules, begin with."""
    return _tag(release.index, release.synonyms_version)


@lru_cache(maxsize=8)  # asked for with each answer; few releases are ever in use
def _tag(index: str, synonyms_version: str) -> str:
    return _hashed((index, synonyms_version, results.VERSION))


def of_release(given: str, tag: str) -> bool:
    """Whether an answer with this ETag came from the release of that tag."""
    return given.startswith(f'"{tag}')


def _hashed(parts: Sequence[str]) -> str:
    return hashlib.blake2b("\n".join(parts).encode("utf-8", "replace"), digest_size=TAG_BYTES).hexdigest()


def matches(if_none_match: str, current: str) -> bool:
    """Weak comparison, as RFC 9110 asks for If-None-Match."""
    given = {one.strip().removeprefix("W/") for one in if_none_match.split(",")}
    return "*" in given or current in given
