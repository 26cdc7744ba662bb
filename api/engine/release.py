"""The metadata of a release, and a response of OpenSearch with its release. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schema.synonyms import SynonymMatcher, rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping


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
