"""The types and edges the API speaks of, from the same table that the indexer reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge name as seen from the entity it leaves."""

    name: str
    inverse: str
    label: str
    direction: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Every type with what it means and what one of it is called, and every edge, inverses included."""

    types: dict[str, str]
    nouns: dict[str, str]
    plurals: dict[str, str]
    edges: dict[str, Edge]

    @property
    def inverses(self) -> dict[str, str]:
        """The inverse of each edge."""
        return {name: edge.inverse for name, edge in self.edges.items()}

    def edges_of(self, type_name: str) -> list[str]:
        """Names of the edges that entities of this type may have."""
        return [edge.name for edge in self.edges.values() if any(pair[0] == type_name for pair in edge.pairs)]


def read_vocabulary(mappings: Path) -> Vocabulary:
    """Read `vocabulary.json` from the mappings folder."""
    table = orjson.loads((mappings / "vocabulary.json").read_bytes())
    edges: dict[str, Edge] = {}
    for row in table["edges"]:
        pairs = tuple((source, target) for source, target in row["pairs"])
        back = tuple((target, source) for source, target in pairs)
        edges[row["name"]] = Edge(row["name"], row["inverse"], row["label"], "out", pairs)
        edges[row["inverse"]] = Edge(row["inverse"], row["name"], row["inverse_label"], "in", back)
    return Vocabulary(
        types={row["name"]: row["says"] for row in table["types"]},
        nouns={row["name"]: row["label"].lower() for row in table["types"]},
        plurals={row["name"]: row["plural"] for row in table["types"]},
        edges=edges,
    )
