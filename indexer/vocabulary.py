"""The types, edges and bases of the graph, read from the one table that defines them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class EdgeKind:
    """One named relation seen from one of its ends; `pairs` are the (from, to) types it may join."""

    name: str
    inverse: str
    label: str
    direction: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All types, in the order people read them, and all edges by name, inverses included."""

    types: tuple[str, ...]
    plurals: dict[str, str]
    edges: dict[str, EdgeKind]
    bases: tuple[str, ...]

    @property
    def inverses(self) -> dict[str, str]:
        """Of each edge that is no inverse the name of its inverse."""
        return {kind.name: kind.inverse for kind in self.edges.values() if kind.direction == "out"}

    @property
    def forward(self) -> frozenset[str]:
        """The edges that are no inverses."""
        return frozenset(self.inverses)

    def edges_from(self, type_name: str) -> list[EdgeKind]:
        """Edges that may leave an entity of this type, in the order of the table."""
        return [kind for kind in self.edges.values() if any(pair[0] == type_name for pair in kind.pairs)]


def read_vocabulary(mappings: Path) -> Vocabulary:
    """Read `vocabulary.json` from the mappings folder."""
    table = orjson.loads((mappings / "vocabulary.json").read_bytes())
    edges: dict[str, EdgeKind] = {}
    for row in table["edges"]:
        name, inverse = row["name"], row["inverse"]
        pairs = tuple((source, target) for source, target in row["pairs"])
        back = tuple((target, source) for source, target in pairs)
        edges[name] = EdgeKind(name, inverse, row["label"], "out", pairs)
        edges[inverse] = EdgeKind(inverse, name, row["inverse_label"], "in", back)
    return Vocabulary(
        types=tuple(row["name"] for row in table["types"]),
        plurals={row["name"]: row["plural"] for row in table["types"]},
        edges=edges,
        bases=tuple(row["name"] for row in table["bases"]),
    )
