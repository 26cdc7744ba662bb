"""The response envelope: provenance, notice, ETag and cache headers."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson
from starlette.responses import Response

from api import about
from api.clock import utc_date
from api.engine.release import Release
from api.errors import PROBLEM, InvalidError, ServiceError
from api.result import ServiceResult
from api.settings import Settings

JSON = "application/json"
ETAG_HALF_BYTES = 8  # of each half of an ETag


class Envelope:
    """Wraps bodies for one set of settings. `cache_control` is the header of cacheable responses."""

    def __init__(self, settings: Settings) -> None:
        self.notice = about.notice(settings.notice_url, settings.contact_url)
        self.cache_control = f"public, max-age={settings.cache_seconds}"

    def wrap_body(
        self, body: Mapping[str, Any], release: Release | None, sources: Iterable[str] = ()
    ) -> dict[str, Any]:
        """Return the body with provenance and notice."""
        return {**body, "provenance": provenance(release, sources), "notice": self.notice}

    def wrap_result(self, result: ServiceResult, warnings: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """Return the result with provenance and notice, and with `warnings` before its own."""
        all_warnings = [*warnings, *result.body.get("warnings", ())]
        body = {**result.body, "warnings": all_warnings} if all_warnings else result.body
        return self.wrap_body(body, result.release, result.sources)

    def respond(self, body: Mapping[str, Any], etag: str, if_none_match: str | None) -> Response:
        """Return a wrapped body with status 200, or 304 without a body if the client has this response."""
        headers = {"ETag": etag, "Cache-Control": self.cache_control}
        if if_none_match is not None and etag_matches(if_none_match, etag):
            return Response(status_code=304, headers=headers)
        return Response(dumps(body), media_type=JSON, headers=headers)

    def respond_content(
        self, content: bytes, media_type: str, if_none_match: str | None, seconds: int | None = None
    ) -> Response:
        """Return content that changes with more than the release, with an ETag of its bytes; or 304."""
        tag = f'"{hashlib.blake2b(content, digest_size=2 * ETAG_HALF_BYTES).hexdigest()}"'
        cache_control = self.cache_control if seconds is None else f"public, max-age={seconds}"
        headers = {"ETag": tag, "Cache-Control": cache_control}
        if if_none_match is not None and etag_matches(if_none_match, tag):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=media_type, headers=headers)

    def error_response(self, error: ServiceError, release: Release | None) -> Response:
        """Return an error as problem+json, a 422 in FastAPI's format. Never cached."""
        media_type = JSON if isinstance(error, InvalidError) else PROBLEM
        headers = {**error.headers, "Cache-Control": "no-store"}
        body = dumps(self.wrap_body(error.body(), release, error.sources))
        return Response(body, status_code=error.status, media_type=media_type, headers=headers)


def dumps(body: Mapping[str, Any]) -> bytes:
    """Serialize to JSON. Input that an error echoes may hold half a surrogate pair, or a number beyond 64 bits."""
    try:
        return orjson.dumps(body)
    except TypeError:
        return json.dumps(_encodable(body), ensure_ascii=False, separators=(",", ":")).encode()


def _encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {str(_encodable(key)): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | None) else str(value)


def etag(release: Release, parts: Sequence[str]) -> str:
    """Return an ETag that changes with the release, its synonym rules and pins, and the request."""
    return f'"{release_tag(release)}{_digest(parts)}"'


def release_tag(release: Release) -> str:
    """Return the prefix of all ETags of a release with its synonym rules and the pins that apply today."""
    return _release_digest(release.index, release.synonyms_version, release.expired_pins(utc_date()))


@lru_cache(maxsize=8)  # needed for each response; few releases are ever in use
def _release_digest(index: str, synonyms_version: str, expired_pins: int) -> str:
    return _digest((index, synonyms_version, str(expired_pins), about.VERSION))


def is_from_release(etag: str, tag: str) -> bool:
    """Return whether a response with this ETag is from the release with this `release_tag`."""
    return etag.startswith(f'"{tag}')


def _digest(parts: Sequence[str]) -> str:
    return hashlib.blake2b("\n".join(parts).encode("utf-8", "replace"), digest_size=ETAG_HALF_BYTES).hexdigest()


def etag_matches(if_none_match: str, etag: str) -> bool:
    """Compare weakly, as RFC 9110 requires for If-None-Match."""
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return "*" in tags or etag in tags


def provenance(release: Release | None, sources: Iterable[str]) -> dict[str, Any]:
    """Return the service, release and sources of a response: the core sources first, then its own."""
    listed: list[Any] = []
    if release is not None:
        wanted = dict.fromkeys([*release.core_sources, *sources])
        listed = [release.sources[source] for source in wanted if source in release.sources]
    return {
        "service": about.SERVICE_NAME,
        "version": about.VERSION,
        "data_version": release.data_version if release else None,
        "synonyms_version": release.synonyms_version if release else None,
        "released": release.released if release else None,
        "sources": listed,
    }
