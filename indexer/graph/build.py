"""Builds the graph from the content's rows: merges statements, weighs edges, and adds each edge's inverse."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.graph.editorial import EditorialChoices
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.model import STATED, Edge, Graph, sorted_entities
from indexer.graph.needs import Listings, strengths
from indexer.graph.school import School
from indexer.graph.weights import (
    inherited_edges,
    link_edges,
    listed_edges,
    with_first_choices,
    with_school,
    work_edges,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.content.rows import Alias, Content, Entity, GroupingMember
    from schema.vocabulary import Vocabulary


def build_graph(content: Content, vocabulary: Vocabulary) -> Graph:
    """Merge all tables into one graph in which every edge has its inverse."""
    nodes = {entity.id: entity for entity in content.entities}
    listings = Listings.from_rows(content.recommendations)
    modifications = (node for node, entity in nodes.items() if "modification" in entity.facts.get("kind", ""))
    school = School.from_rows(content.school, content.links, modifications)
    hierarchy, editorial = Hierarchy.from_links(content.links), EditorialChoices.from_content(content)
    strength = strengths(listings)
    stated = [*link_edges(content, nodes, listings, editorial), *work_edges(content, nodes)]
    with_statements = strength.keys() | {edge.source for edge in stated if edge.name in STATED}
    inherited = inherited_edges(nodes, listings, strength, hierarchy, with_statements)
    listed = [*listed_edges(listings, strength), *inherited]
    forward = [*stated, *with_first_choices(with_school(listed, school), editorial)]
    aliases: defaultdict[str, list[Alias]] = defaultdict(list)
    for alias in content.aliases:
        aliases[alias.entity].append(alias)
    groupings: defaultdict[str, list[GroupingMember]] = defaultdict(list)
    for member in content.members:
        groupings[member.entity].append(member)
    return Graph(
        nodes=nodes,
        aliases={node: tuple(rows) for node, rows in aliases.items()},
        edges=_both_ends(_merged(forward), vocabulary, nodes),
        sources={source.id: source for source in content.sources},
        redirects=dict(content.redirects),
        listings=listings,
        version=content.version,
        findings={row.entity: row for row in content.findings},
        hierarchy=hierarchy,
        editorial=editorial,
        school=school,
        groupings={node: tuple(rows) for node, rows in groupings.items()},
        first_choices=content.first_choices,
    )


def _merged(edges: Iterable[Edge]) -> Iterable[Edge]:
    """Merge several statements of one relation into its strongest edge, with the sources of all."""
    seen: dict[tuple[str, str, str], Edge] = {}
    for edge in edges:
        key = (edge.name, edge.source, edge.target)
        previous = seen.get(key)
        if previous is None:
            seen[key] = edge
            continue
        best = max(previous, edge, key=lambda candidate: candidate.weight)
        sources = tuple(dict.fromkeys(previous.sources + edge.sources))
        seen[key] = best._replace(sources=sources)
    return seen.values()


def _both_ends(
    forward: Iterable[Edge], vocabulary: Vocabulary, nodes: Mapping[str, Entity]
) -> dict[str, dict[str, tuple[Edge, ...]]]:
    """Return all edges and their inverses by node and name, best first."""
    collected: defaultdict[str, defaultdict[str, list[Edge]]] = defaultdict(lambda: defaultdict(list))
    for edge in forward:
        inverse = vocabulary.edges[edge.name].inverse
        collected[edge.source][edge.name].append(edge)
        collected[edge.target][inverse].append(edge._replace(name=inverse, source=edge.target, target=edge.source))
    order = list(vocabulary.edges)
    positions = {entity.id: position for position, entity in enumerate(sorted_entities(nodes.values()))}

    def best_first(edge: Edge) -> tuple[float, int]:
        return -edge.weight, positions[edge.target]

    return {
        node: {name: tuple(sorted(by_name[name], key=best_first)) for name in sorted(by_name, key=order.index)}
        for node, by_name in collected.items()
    }
