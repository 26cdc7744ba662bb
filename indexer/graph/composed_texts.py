"""Writes the one sentence of conditions without a text of their own: what each is a kind of, and what is shown."""

from collections import defaultdict
from dataclasses import replace

from indexer.graph.inheritance import inheritance_sources_by_condition
from indexer.graph.model import Graph
from schema.entity_kinds import ACUTE
from schema.text import join_names

MAX_NAMES = 3
STATED = "source"  # the basis of a relation that says what a condition is a kind of


def with_composed_texts(graph: Graph) -> Graph:
    """Return the graph with a sentence for each condition without a text."""
    owners = inheritance_sources_by_condition(graph)
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for node in owners:
        kinds[node] = [edge.target for edge in graph.edges_named(node, "broader") if edge.basis == STATED]
    texts = {
        node: _sentence(graph, kinds[node], owners[node], is_acute=entity.facts.get("course") == ACUTE)
        for node, entity in graph.nodes.items()
        if node in owners and not entity.short
    }
    nodes = {
        node: entity._replace(short=texts[node]) if node in texts else entity for node, entity in graph.nodes.items()
    }
    return replace(graph, nodes=nodes)


def _sentence(graph: Graph, kinds: list[str], owners: tuple[str, ...], *, is_acute: bool) -> str:
    def names(nodes: list[str] | tuple[str, ...]) -> str:
        return join_names([graph.nodes[node].name for node in nodes], MAX_NAMES)

    if is_acute:
        what = f"A kind of {names(kinds)}" if kinds else "A condition"
        return f"{what} that comes suddenly and needs medical help at once; what is listed is for the time after."
    if not kinds:
        return f"Shown with the accommodations for {names(owners)}, which come nearest."
    if set(kinds) == set(owners):
        return f"A kind of {names(kinds)}, shown with {'its' if len(kinds) == 1 else 'their'} accommodations."
    return f"A kind of {names(kinds)}, shown with the accommodations for {names(owners)}."
