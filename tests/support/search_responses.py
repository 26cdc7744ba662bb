"""Responses of OpenSearch to searches, and the release that they come from."""

from collections.abc import Sequence
from typing import Any

import orjson

from api.engine.release import EngineResponse, Release
from schema.json_types import JsonObject

ATLAS = {"id": "atlas", "title": "Atlas", "licence": "CC0-1.0", "url": None, "attribution": ""}
FAIR = {"id": "fair", "title": "Fair", "licence": "CC-BY-4.0", "url": "https://fair.example.org/", "attribution": "F."}
BOOK = {"id": "book", "title": "Book", "licence": "CC-BY-4.0", "url": None, "attribution": "B."}
WFH = {"text": "wfh => telework", "given": ["wfh"], "read_as": ["telework"], "file": "abbreviations.txt"}
META = {
    "data_version": "1.0.0+abc",
    "synonyms_version": "def",
    "released": "2026-11-21T12:00:00Z",
    "counts": {"types": {"solution": 2, "disability": 1}, "edges": {"recommends": 2, "recommended_for": 2}},
    "sources": [ATLAS, FAIR, BOOK],
    "core_sources": ["fair"],
    "groupings": ["autism"],
    "rules": [WFH],
    "examples": {"recommends": "disability:a", "recommended_for": "solution:telework"},
}
RELEASE = Release.of("akg-entities-20261121t120000z", META)


def card(type_name: str, name: str) -> JsonObject:
    slug = name.lower().replace(" ", "-")
    about = {"id": f"{type_name}:{slug}", "type": type_name, "slug": slug, "name": name}
    return {**about, "summary": "A sentence.", "url": f"/{type_name}/{slug}"}


TELEWORK = card("solution", "Telework")


def hit(shown: JsonObject, tiers: Sequence[str] = ("name",), score: float = 1.0, **fields: list[str]) -> JsonObject:
    doc_values = {"card": [orjson.dumps(shown).decode()], **fields}
    return {"_index": RELEASE.index, "_score": score, "matched_queries": list(tiers), "fields": doc_values}


def response(*hits: JsonObject, **more: Any) -> EngineResponse:  # noqa: ANN401 - further members of the body
    return EngineResponse.parse({"hits": {"total": {"value": 41}, "hits": list(hits)}, **more}, RELEASE)
