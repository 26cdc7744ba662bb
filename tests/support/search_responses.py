"""Responses of OpenSearch to searches, and the release that they come from."""

import base64
from collections.abc import Mapping
from typing import Any

import orjson

from api.engine.release import EngineResponse, Hit, Release
from api.search.features import Feature, encode
from api.search.names import all_names
from schema.exact_keys import name_lines
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
    "sides": {"heat": {"label": "heat", "axis": "cold"}, "cold": {"label": "cold", "axis": "cold"}},
    "side_words": [{"need": "limitation:warmth", "side": "heat", "forms": ["toohot"]}],
    "body_parts": [{"entities": ["limitation:walking"], "keys": ["part:ankle", "sign:check lock"]}],
    "hidden_names": {"epileptic": "Epilepsy"},
    "rules": [WFH],
    "examples": {"recommends": "disability:a", "recommended_for": "solution:telework"},
}
RELEASE = Release.of("akg-entities-20261121t120000z", META)


def card(type_name: str, name: str) -> JsonObject:
    slug = name.lower().replace(" ", "-")
    about = {"id": f"{type_name}:{slug}", "type": type_name, "slug": slug, "name": name}
    return {**about, "summary": "A sentence.", "url": f"/{type_name}/{slug}"}


TELEWORK = card("solution", "Telework")


def hit(shown: JsonObject, score: float = 1.0, **fields: list[str]) -> JsonObject:
    doc_values = {"card": [orjson.dumps(shown).decode()], **fields}
    return {"_index": RELEASE.index, "_score": score, "fields": doc_values}


def search_hit(shown: JsonObject, features: int = Feature.NAME, fit: float = 0.0, **payload: Any) -> Hit:  # noqa: ANN401 - JSON
    """Return a hit of a search; `payload` are further members of what a search reads of an entity."""
    body = {"card": shown, "aliases": [], "sources": ["atlas"], "prior": 0.0, "standing": 0.0, **payload}
    body["words"] = name_lines(all_names(body))
    encoded = base64.b64encode(orjson.dumps(body)).decode().rstrip("=")  # OpenSearch sends it without padding
    return Hit(score=encode(features, fit), fields={"hit": [encoded]})


def found(*hits: Hit, total: int | None = None, types: Mapping[str, int] | None = None) -> EngineResponse:
    """Return the response to a search; without `types`, it has no counts by type."""
    buckets = {} if types is None else {"types": types}
    return EngineResponse(RELEASE, hits, len(hits) if total is None else total, buckets)


def response(*hits: JsonObject, **more: Any) -> EngineResponse:  # noqa: ANN401 - further members of the body
    return EngineResponse.parse({"hits": {"total": {"value": 41}, "hits": list(hits)}, **more}, RELEASE)
