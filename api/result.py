"""The result of one service call, before the envelope, with the totals and links of its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.engine.release import Release
    from schema.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class ServiceResult:
    """A body without provenance and notice, the release it comes from, and the ids of its sources."""

    body: JsonObject
    release: Release
    sources: Sequence[str] = ()


def page_links(path: str, params: Sequence[tuple[str, str]], total: int, limit: int, offset: int) -> JsonObject:
    """Return the totals and relative links of one page of a list. `params` are those of the request, without offset."""

    def link(to: int) -> str:
        return f"{path}?{urlencode([*params, ('offset', str(to))])}"

    return {
        "total": total,
        "limit": limit,
        "offset": offset,
        "next": link(offset + limit) if offset + limit < total else None,
        "prev": link(max(0, min(offset, total) - limit)) if offset > 0 else None,
    }


def single_page(total: int, limit: int) -> JsonObject:
    """Return the totals of a list that has a single page of at most `limit` items."""
    return {"total": total, "limit": limit, "offset": 0, "next": None, "prev": None}
