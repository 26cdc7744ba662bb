"""Builders of entities, edges and graphs, for tests of cases that the test world lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.content.rows import Content, Entity
from indexer.graph.model import Edge, Graph
from indexer.graph.needs import Listings

if TYPE_CHECKING:
    from collections.abc import Iterable

EMPTY = Content((), (), (), (), (), (), (), {}, "1.0.0+0")


def entity(node: str, name: str = "", **facts: str) -> Entity:
    """Return an entity that is called like its key unless a name is passed."""
    type_name, _, key = node.partition(":")
    return Entity(node, type_name, key, name or key.title(), "", "", "", ("atlas",), facts)


def edge(name: str, source: str, target: str, weight: float = 1.0, basis: str = "source", **facts: object) -> Edge:
    """Return an edge that names no source."""
    return Edge(name, source, target, weight, basis, (), facts)


def graph_of(entities: Iterable[str | Entity], edges: Iterable[Edge] = (), **parts: Any) -> Graph:  # noqa: ANN401
    """Return a graph of these entities and edges, in this order, without inverses; `parts` are other fields."""
    nodes = {found.id: found for found in (entity(one) if isinstance(one, str) else one for one in entities)}
    by_node: dict[str, dict[str, tuple[Edge, ...]]] = {}
    for one in edges:
        by_name = by_node.setdefault(one.source, {})
        by_name[one.name] = (*by_name.get(one.name, ()), one)
    bare = {"aliases": {}, "sources": {}, "redirects": {}, "listings": Listings.from_rows(()), "version": "1.0.0+0"}
    return Graph(nodes=nodes, edges=by_node, **{**bare, **parts})
