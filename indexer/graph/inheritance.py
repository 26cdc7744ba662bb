"""Inheritance: a narrower condition without lists of its own uses those of its nearest main conditions.

Its *inheritance sources* are the main conditions that each way up the hierarchy meets first, without those that are
ancestors of another of them. The index stores their ids; the service merges their lists when it reads a condition.
"""

from indexer.graph.model import Graph, is_narrower


def inheritance_sources_by_condition(graph: Graph) -> dict[str, tuple[str, ...]]:
    """Return the inheritance sources of every condition that has any."""
    if not graph.inheritance_sources:
        for node, entity in graph.nodes.items():
            if entity.type == "disability" and (sources := inheritance_sources(graph, node)):
                graph.inheritance_sources[node] = sources
    return graph.inheritance_sources


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
