"""Entity types and edge types of the graph, read from `mappings/vocabulary.json`."""

from dataclasses import dataclass
from pathlib import Path

import orjson


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of entity. The label is what people call it: "Condition" for `disability`."""

    name: str
    label: str
    plural: str
    description: str


@dataclass(frozen=True, slots=True)
class EdgeType:
    """A relation as seen from one of its ends; `pairs` are the (from, to) types that it may join."""

    name: str
    inverse: str
    label: str
    direction: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All entity types, in display order, and all edge types by name, inverses included."""

    types: dict[str, EntityType]
    edges: dict[str, EdgeType]

    @property
    def inverses(self) -> dict[str, str]:
        """The inverse of every edge type."""
        return {edge.name: edge.inverse for edge in self.edges.values()}

    @property
    def forward(self) -> dict[str, str]:
        """The edge types that the table defines, each with its inverse."""
        return {edge.name: edge.inverse for edge in self.edges.values() if edge.direction == "out"}

    def edges_from(self, type_name: str) -> list[EdgeType]:
        """Return the edge types that may leave an entity of this type, in the order of the table."""
        return [edge for edge in self.edges.values() if any(pair[0] == type_name for pair in edge.pairs)]


def read_vocabulary(mappings: Path) -> Vocabulary:
    """Read `vocabulary.json` from the mappings folder."""
    table = orjson.loads((mappings / "vocabulary.json").read_bytes())
    edges: dict[str, EdgeType] = {}
    for row in table["edges"]:
        name, inverse = row["name"], row["inverse"]
        pairs = tuple((source, target) for source, target in row["pairs"])
        reversed_pairs = tuple((target, source) for source, target in pairs)
        edges[name] = EdgeType(name, inverse, row["label"], "out", pairs)
        edges[inverse] = EdgeType(inverse, name, row["inverse_label"], "in", reversed_pairs)
    types = [EntityType(row["name"], row["label"], row["plural"], row["description"]) for row in table["types"]]
    return Vocabulary({type_.name: type_ for type_ in types}, edges)
