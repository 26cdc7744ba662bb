"""Builders of entities, edges and graphs, for tests of cases that the test world lacks."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from indexer.content.rows import Content, Entity, Recommendation
from indexer.graph.build import build_graph
from indexer.graph.model import Edge, Graph
from indexer.graph.needs import Listings
from schema.vocabulary import Vocabulary

EMPTY = Content((), (), (), (), (), (), (), {}, "1.0.0+0")


def entity(node: str, name: str = "", **facts: str) -> Entity:
    type_name, _, key = node.partition(":")
    return Entity(node, type_name, key, name or key.title(), "", "", "", ("atlas",), facts)


def edge(name: str, source: str, target: str, weight: float = 1.0, basis: str = "source", **facts: object) -> Edge:
    return Edge(name, source, target, weight, basis, (), facts)


def listings(*rows: Iterable[str]) -> Listings:
    """Return the listings of rows of condition, need and solution."""
    return Listings.from_rows(
        Recommendation(disability, need, solution, "", ("atlas",)) for disability, need, solution in rows
    )


def built(vocabulary: Vocabulary, entities: Iterable[str | Entity], **rows: Any) -> Graph:  # noqa: ANN401
    """Return the graph that a build makes of these entities and of the rows of other tables."""
    nodes = tuple(entity(item) if isinstance(item, str) else item for item in entities)
    return build_graph(replace(EMPTY, entities=nodes, **rows), vocabulary)


def graph_of(entities: Iterable[str | Entity], edges: Iterable[Edge] = (), **parts: Any) -> Graph:  # noqa: ANN401
    """Return a graph of these entities and edges, in this order, without inverses; `parts` are other fields."""
    nodes = {node.id: node for node in (entity(item) if isinstance(item, str) else item for item in entities)}
    collected: dict[str, dict[str, list[Edge]]] = {}
    for item in edges:
        collected.setdefault(item.source, {}).setdefault(item.name, []).append(item)
    by_node = {node: {name: tuple(named) for name, named in by_name.items()} for node, by_name in collected.items()}
    defaults = {"aliases": {}, "sources": {}, "redirects": {}, "listings": Listings.from_rows(()), "version": "1.0.0+0"}
    return Graph(nodes=nodes, edges=by_node, **{**defaults, **parts})
