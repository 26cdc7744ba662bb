"""What the live index says of itself, and an engine's answer together with the release it came from. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Release:
    """What the live index says of itself."""

    index: str
    data_version: str
    synonyms_version: str
    released: str
    counts: Mapping[str, Mapping[str, int]]
    sources: Mapping[str, Mapping[str, Any]]
    core_sources: tuple[str, ...]
    rules: tuple[Mapping[str, Any], ...]
    examples: Mapping[str, str]
    rules_since: Mapping[str, Any] | None = None
    documents_version: int = 0  # releases before 24 do not say

    @staticmethod
    def of(index: str, meta: Mapping[str, Any]) -> Release:
        """Read an index's `_meta`."""
        return Release(
            index=index,
            data_version=meta["data_version"],
            synonyms_version=meta["synonyms_version"],
            released=meta["released"],
            counts=meta["counts"],
            sources={source["id"]: source for source in meta["sources"]},
            core_sources=tuple(meta["core_sources"]),
            rules=Rules(meta["rules"]),
            examples=meta["examples"],
            rules_since=meta.get("rules_since"),
            documents_version=meta.get("documents_version", 0),
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The engine's body and the release it came from."""

    body: Mapping[str, Any]
    release: Release
