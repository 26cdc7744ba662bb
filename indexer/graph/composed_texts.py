"""Writes the one sentence of conditions without a text of their own: what each is a kind of, and what is shown."""

from collections.abc import Sequence
from dataclasses import replace

from indexer.graph.inheritance import inheritance_sources_by_condition
from indexer.graph.model import Graph
from schema.entity_kinds import ACUTE
from schema.text import join_names

MAX_NAMES = 3
PLURALS = ("Conditions", "Disorders", "Impairments", "Allergies", "Diseases", "Migraines", "Phobias", "Tumors")
STATED = "source"  # the basis of a relation that says what a condition is a kind of


def with_composed_texts(graph: Graph) -> Graph:
    """Return the graph with a sentence for each condition without a text."""
    owners = inheritance_sources_by_condition(graph)
    kinds = {
        node: [edge.target for edge in graph.edges_named(node, "broader") if edge.basis == STATED] for node in owners
    }
    texts = {
        node: _sentence(graph, kinds[node], owners[node], is_acute=entity.facts.get("course") == ACUTE)
        for node, entity in graph.nodes.items()
        if node in owners and not entity.short
    }
    nodes = {
        node: entity._replace(short=texts[node]) if node in texts else entity for node, entity in graph.nodes.items()
    }
    return replace(graph, nodes=nodes)


def _sentence(graph: Graph, kinds: Sequence[str], owners: Sequence[str], *, is_acute: bool) -> str:
    shown = _names(graph, owners)
    if is_acute:
        what = _kind(graph, kinds) if kinds else "A condition"
        after = f"what is listed for {shown} is for the time after"
        return f"{what} that comes suddenly and needs medical help at once; {after}."
    if not kinds:
        return f"Shown with the accommodations for {shown}, which come nearest."
    if set(kinds) == set(owners):
        whose = "its" if len(kinds) == 1 and not shown.endswith(PLURALS) else "their"
        return f"{_kind(graph, kinds)}, shown with {whose} accommodations."
    return f"{_kind(graph, kinds)}, shown with the accommodations for {shown}."


def _kind(graph: Graph, kinds: Sequence[str]) -> str:
    names = _names(graph, kinds)
    return f"One of the {names}" if names.endswith(PLURALS) else f"A kind of {names}"


def _names(graph: Graph, nodes: Sequence[str]) -> str:
    return join_names([graph.nodes[node].name for node in nodes], MAX_NAMES)
