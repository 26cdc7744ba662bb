"""Shortens structured results to MAX_BYTES, for clients that pay for every byte; what is left out is counted.

A result that is short enough stays as it is. Otherwise it loses addresses and repetitions first, then details inside
its items, and items last. Ids, names, totals and the terms of sources are never cut.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.http.envelope import dumps
from api.mcp.text import cut
from schema.json_types import JsonObject

MAX_BYTES = 12_000
BLOCKS = ("provenance", "notice")
REST_MEMBERS = frozenset(("slug", "url", "next", "prev", "highlighted", "field", "score_parts", "short"))
SENTENCES = frozenset(("summary", "text", "why", "reason", "description", "plain", "long", "note"))
ROOT_LIMITS = {"products": 0, "coverage": 5}  # items of lists at the root: the results have products, too
IN_PROVENANCE = "sources"  # of a record
WHOLE = "cautions"  # a caution that is cut or left out may do harm
RESULT_DEPTH = 1  # entities inside of results have neither a summary nor a type beside their id
MAX_NAMES = 3  # in a list of texts
NEEDS_ATTRIBUTION = "CC BY"


@dataclass(frozen=True, slots=True)
class Level:
    """Characters of a sentence, items of a list inside an item, and whether all sources have attributions.

    `_meta` always has the full provenance.
    """

    width: int
    items: int
    attributions: bool


LEVELS = (Level(240, 5, attributions=True), Level(160, 3, attributions=False), Level(100, 2, attributions=False))
SHORTEST = Level(80, 1, attributions=False)


def as_paged(body: Mapping[str, Any], content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a body with the results that its shortened form has, so that its text leads to the page after these."""
    if not content.get("omitted", {}).get("results"):
        return body
    return {**body, "results": body["results"][: len(content["results"])], "next": True}


def shorten_result(body: Mapping[str, Any]) -> JsonObject:
    """Return a wrapped body with at most MAX_BYTES of JSON; `omitted` counts the items left out of each list."""
    if len(dumps(body)) <= MAX_BYTES:
        return dict(body)
    for level in LEVELS:
        content = _Shortening(level, ROOT_LIMITS).result(body)
        if len(dumps(content)) <= MAX_BYTES:
            return content
    limits = dict(ROOT_LIMITS)
    while True:
        content = _Shortening(SHORTEST, limits).result(body)
        size = len(dumps(content))
        lists = {name: value for name, value in content.items() if isinstance(value, list) and value}
        if size <= MAX_BYTES or not lists:
            return content
        longest = max(lists, key=lambda name: len(dumps({name: lists[name]})))
        limits[longest] = min(len(lists[longest]) - 1, len(lists[longest]) * MAX_BYTES // size)


class _Shortening:
    """Shortens a body to one level and counts what it leaves out. `limits` are those of lists at the root."""

    def __init__(self, level: Level, limits: Mapping[str, int]) -> None:
        self._level = level
        self._limits = limits
        self._omitted: Counter[str] = Counter()

    def result(self, body: Mapping[str, Any]) -> JsonObject:
        content = self._members({name: value for name, value in body.items() if name not in BLOCKS}, 0)
        return {**content, "omitted": dict(self._omitted), **self._blocks(body)}

    def _blocks(self, body: Mapping[str, Any]) -> JsonObject:
        provenance = body["provenance"]
        sources = [self._source(source) for source in provenance["sources"]]
        return {"provenance": {**provenance, "sources": sources}, "notice": body["notice"]}

    def _source(self, source: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._level.attributions or NEEDS_ATTRIBUTION in source["licence"]:
            return source
        return {name: source[name] for name in ("id", "title", "licence", "licence_url") if source.get(name)}

    def _members(self, value: Mapping[str, Any], depth: int) -> JsonObject:
        members: JsonObject = {}
        for name, member in value.items():
            is_repeated = (name == IN_PROVENANCE and not depth) or (name == "type" and depth > RESULT_DEPTH)
            has_no_room = name == "summary" and depth > RESULT_DEPTH
            if member is not None and name not in REST_MEMBERS and not is_repeated and not has_no_room:
                members[name] = self._member(name, member, depth)
        return members

    def _member(self, name: str, member: Any, depth: int) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(member, dict):
            return self._members(member, depth + 1)
        if isinstance(member, list):
            return self._items(name, member, depth)
        return cut(member, self._level.width) if depth and name in SENTENCES else member

    def _items(self, name: str, items: Sequence[Any], depth: int) -> list[Any]:
        if name == WHOLE:
            return [{member: item[member] for member in ("text", "severity")} for item in items]
        limit = self._level.items if depth else self._limits.get(name, len(items))
        limit = MAX_NAMES if depth and items and isinstance(items[0], str) else limit
        if len(items) > limit:
            self._omitted[name] += len(items) - limit
        return [self._members(item, depth + 1) if isinstance(item, dict) else item for item in items[:limit]]
