"""The metadata of a release, and a response of OpenSearch with its release, cards, scores and totals. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from schema.synonyms import SynonymMatcher, rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schema.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class Release:
    """The metadata in the `_meta` of a release's index."""

    index: str
    data_version: str
    synonyms_version: str
    released: str
    counts: Mapping[str, Mapping[str, int]]
    sources: Mapping[str, Mapping[str, Any]]
    core_sources: tuple[str, ...]
    synonyms: SynonymMatcher
    examples: Mapping[str, str]
    rules_since: Mapping[str, Any] | None = None
    documents_version: int = 0  # missing before version 24

    @staticmethod
    def of(index: str, meta: Mapping[str, Any]) -> Release:
        """Parse the `_meta` of an index."""
        return Release(
            index=index,
            data_version=meta["data_version"],
            synonyms_version=meta["synonyms_version"],
            released=meta["released"],
            counts=meta["counts"],
            sources={source["id"]: source for source in meta["sources"]},
            core_sources=tuple(meta["core_sources"]),
            synonyms=SynonymMatcher(rules_from(meta["rules"])),
            examples=meta["examples"],
            rules_since=meta.get("rules_since"),
            documents_version=meta.get("documents_version", 0),
        )


@dataclass(frozen=True, slots=True)
class EngineResponse:
    """The body of a response and the release it is from."""

    body: Mapping[str, Any]
    release: Release


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
