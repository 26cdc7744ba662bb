"""Inheritance: a narrower condition without lists of its own uses those of its nearest main conditions.

Its *inheritance sources* are the main conditions that each way up the hierarchy meets first, without those that are
ancestors of another of them. One document per source has what it passes on, shortened, so that thousands of inheriting
conditions need not repeat it. Each of these names its sources and the totals.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.graph.model import Graph, is_narrower
from schema.document_ids import INHERITED
from schema.entity_kinds import INHERITED_EDGES
from schema.json_types import JsonObject

INHERITED_PREVIEW = 3  # solutions per idea in the record of an inheriting condition; its source's record has all


@dataclass(frozen=True, slots=True)
class Inheritance:
    """What a set of sources passes on: each source with its totals, and the targets of each edge without repetition."""

    sources: Sequence[JsonObject]
    targets: Mapping[str, Sequence[str]]


def inheritance_sources_by_condition(graph: Graph) -> dict[str, tuple[str, ...]]:
    """Return the inheritance sources of every condition that has any."""
    if not graph.inheritance_sources:
        for node, entity in graph.nodes.items():
            if entity.type == "disability" and (sources := inheritance_sources(graph, node)):
                graph.inheritance_sources[node] = sources
    return graph.inheritance_sources


def inheritors(sources_by_condition: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Return the inheriting conditions of each inheritance source."""
    by_source: defaultdict[str, list[str]] = defaultdict(list)
    for condition, sources in sources_by_condition.items():
        for source in sources:
            by_source[source].append(condition)
    return dict(by_source)


def inheritance_sources(graph: Graph, node: str) -> tuple[str, ...]:
    """Return the conditions that a condition inherits from, by name; none if it has statements or no ancestor has."""
    if not is_narrower(graph.nodes[node]):
        return _nearest_with_lists(graph, node)
    nearest: dict[str, None] = {}
    seen, level = {node}, [node]
    while level:
        parents = dict.fromkeys(edge.target for child in level for edge in graph.edges_named(child, "broader"))
        for parent in parents:
            if not is_narrower(graph.nodes[parent]):
                nearest.update(dict.fromkeys(_nearest_with_lists(graph, parent) or (parent,)))
        level = [parent for parent in parents if is_narrower(graph.nodes[parent]) and parent not in seen]
        seen.update(level)
    higher = {ancestor for source in nearest for level in graph.hierarchy.ancestors(source) for ancestor in level}
    return tuple(sorted(nearest.keys() - higher, key=lambda source: (graph.nodes[source].name.casefold(), source)))


def _nearest_with_lists(graph: Graph, node: str) -> tuple[str, ...]:
    """Return the broader condition that a main condition without statements inherits from."""
    if not graph.has_no_statements(node) or node in graph.school.stated:
        return ()
    related = graph.hierarchy.entities_to_inherit_from(node, graph.listings.by_disability)
    return tuple(entity.node for entity in related if entity.relation == "broader")[:1]


def inheritance_of(graph: Graph, sources: tuple[str, ...]) -> Inheritance:
    """Return what these sources pass on together. Thousands of conditions have few distinct sets of sources."""
    targets = {
        name: list(dict.fromkeys(edge.target for source in sources for edge in graph.edges_named(source, name)))
        for name in INHERITED_EDGES
    }
    described = [
        {
            "id": source,
            "name": graph.nodes[source].name,
            "relation": "broader",
            "totals": {name: len(graph.edges_named(source, name)) for name in INHERITED_EDGES},
        }
        for source in sources
    ]
    return Inheritance(described, {name: ids for name, ids in targets.items() if ids})


def inherited_document(record: Mapping[str, Any]) -> JsonObject:
    """Return the document that a source passes on, from its record: the first edges, and the first of each idea."""
    return {
        "doc": INHERITED,
        INHERITED: {
            "edges": [group for group in record["edges"] if group["name"] in INHERITED_EDGES],
            "ideas": [
                {**idea, "total": len(idea["solutions"]), "solutions": idea["solutions"][:INHERITED_PREVIEW]}
                for idea in record["accommodation_ideas"]
            ],
            "sources": record["sources"],
        },
    }
