"""What the document of a condition says of related ones: those that often occur with it, and its siblings.

Siblings are the other children of the nearest broader condition that has any: "dyslexia" is the only reading disorder,
so its siblings are those under Learning Disability. A main condition has main siblings only.
"""

from collections import defaultdict
from collections.abc import Iterator

from indexer.content.rows import EDITORS, Alias, Entity
from indexer.content.table_specs import UNKNOWN_DATE
from indexer.graph.model import HIDDEN, NEAR, Edge, Graph, is_narrower
from schema.json_types import JsonObject
from schema.text import name_key

MAX_SIBLINGS = 50
LAY = "lay"  # the kind of an alias that is an everyday word


def related_facts(graph: Graph, entity: Entity) -> JsonObject:
    """Return `co_occurring`, `siblings` (best first) and `sibling_sources` of a condition; empty ones are left out."""
    facts: JsonObject = {}
    if pairs := graph.co_occurring.get(entity.id):
        facts["co_occurring"] = [
            {
                "id": pair.other,
                "title": pair.source_title,
                "url": pair.source_url,
                "as_of": _known_date(pair.as_of),
                "read": _known_date(pair.read),
            }
            for pair in pairs
        ]
    if entity.type == "disability" and (edges := sibling_edges(graph, entity.id)):
        stated = [*graph.edges_named(entity.id, "broader"), *edges]
        facts["siblings"] = [edge.target for edge in edges]
        facts["sibling_sources"] = list(dict.fromkeys(source for edge in stated for source in edge.sources))
    return facts


def _known_date(value: str) -> str | None:
    return None if value == UNKNOWN_DATE else value


def sibling_edges(graph: Graph, condition: str) -> list[Edge]:
    """Return the edges to at most MAX_SIBLINGS siblings, from the broader condition that they share.

    Main conditions come first, then well-known ones; of each, kinds of the broader condition before those that have its
    accommodations for another reason, and what a rule placed there last: Type 2 Diabetes before Cystic Fibrosis.
    """
    distances = _distances(graph, condition)
    related = {condition, *distances, *_descendants(graph, condition)}
    is_main = not is_narrower(graph.nodes[condition])
    ancestors_at: defaultdict[int, list[str]] = defaultdict(list)
    for ancestor, distance in distances.items():
        ancestors_at[distance].append(ancestor)
    for distance in sorted(ancestors_at):
        edges = {
            edge.target: edge
            for ancestor in sorted(ancestors_at[distance])
            for edge in graph.edges_named(ancestor, "narrower")
            if edge.target not in related and not (is_main and is_narrower(graph.nodes[edge.target]))
        }
        if edges:
            known = well_known_conditions(graph)
            return sorted(edges.values(), key=lambda edge: _sort_key(graph, edge, known))[:MAX_SIBLINGS]
    return []


def _sort_key(graph: Graph, edge: Edge, known: frozenset[str]) -> tuple[bool, bool, bool, bool, str, str]:
    entity = graph.nodes[edge.target]
    is_no_kind, is_derived = "reason" in edge.facts, edge.basis == "derived"
    return is_narrower(entity), entity.id not in known, is_no_kind, is_derived, entity.name.casefold(), entity.id


def _distances(graph: Graph, condition: str) -> dict[str, int]:
    """Return the longest distance to each ancestor: a parent that is also a grandparent is not the nearest."""
    distances: dict[str, int] = {}
    level, distance = {condition}, 0
    while level := {edge.target for child in level for edge in graph.edges_named(child, "broader")}:
        distance += 1
        distances |= dict.fromkeys(level, distance)
    return distances


def _descendants(graph: Graph, condition: str) -> set[str]:
    found, level = set[str](), {condition}
    while level := {edge.target for parent in level for edge in graph.edges_named(parent, "narrower")} - found:
        found |= level
    return found


def well_known_conditions(graph: Graph) -> frozenset[str]:
    """Return the narrower conditions that editors or people have a name for, computed once for a graph.

    Those are the editors' own, those with a lay alias or one by the editors, and those whose name is also an alias of a
    main condition ("carpal tunnel syndrome" is one of Arm Conditions).
    """
    if not graph.well_known_conditions:  # a graph may have no such condition
        graph.well_known_conditions.append(frozenset(_well_known_conditions(graph)))
    return graph.well_known_conditions[0]


def _well_known_conditions(graph: Graph) -> Iterator[str]:
    aliases_of_main = {
        name_key(alias.text)
        for node, aliases in graph.aliases.items()
        if graph.nodes[node].type == "disability" and not is_narrower(graph.nodes[node])
        for alias in aliases
        if alias.kind not in (HIDDEN, NEAR)
    }
    for node, entity in graph.nodes.items():
        if is_narrower(entity) and (
            entity.sources == EDITORS
            or any(map(_is_written_by_hand, graph.aliases.get(node, ())))
            or name_key(entity.name) in aliases_of_main
        ):
            yield node


def _is_written_by_hand(alias: Alias) -> bool:
    return alias.kind == LAY or (alias.sources == EDITORS and alias.kind not in (HIDDEN, NEAR))
