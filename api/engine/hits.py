"""Reads cards, sources, scores and totals from search responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.engine.release import EngineResponse
    from schema.json_types import JsonObject


def card(hit: Mapping[str, Any]) -> JsonObject:
    """Return the stored card of a hit."""
    stored: JsonObject = orjson.loads(hit["fields"]["card"][0])
    return stored


def cards(response: EngineResponse) -> list[JsonObject]:
    """Return the cards of all hits."""
    return [card(hit) for hit in response.body["hits"]["hits"]]


def hit_sources(response: EngineResponse) -> list[str]:
    """Return the ids of the sources of all hits."""
    return [source for hit in response.body["hits"]["hits"] for source in hit["fields"].get("sources", ())]


def hit_score(hit: Mapping[str, Any]) -> float:
    """Return the score of a hit. Sorted hits have it as first sort value: `track_scores` would cost another search."""
    score: float = hit["sort"][0] if "sort" in hit else hit["_score"]
    return score


def total_hits(response: EngineResponse) -> int:
    """Return the number of all hits, not only of the page."""
    value: int = response.body["hits"]["total"]["value"]
    return value
