"""Merges what a narrower condition inherits from its parents: the only place that does.

A parent is a main condition whose edges it uses. The lists of several parents become one: each target once, with its
greatest weight, and with the headings, sources and parents of all.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from api.graph.listings import Condition
from schema.edge_documents import NestedEdge

JOINED = ("sources", "via", "school_sources", "read_at")  # of all parents


class InheritedEdge(NestedEdge):
    """An edge that a condition inherits, with the ids of the parents that have it."""

    inherited_from: Sequence[str]


def merge_edges(name: str, parents: Iterable[Condition], own_choices: Mapping[str, float]) -> list[InheritedEdge]:
    """Return the edges of this name of all parents as one list, by weight, then by name.

    Editorial first choices of the condition itself take the place of those of its parents.
    """
    merged: dict[str, dict[str, Any]] = {}
    for parent in parents:
        for edge in parent.edges.get(name, ()):
            merged[edge["target"]] = _merge_edge(merged.get(edge["target"]), edge, parent.card["id"])
    edges = [_with_choice(edge, own_choices) for edge in merged.values()] if own_choices else list(merged.values())
    edges.sort(key=lambda edge: (-edge["weight"], edge["target_name"].casefold(), edge["target"]))
    return cast("list[InheritedEdge]", [{**edge, "order": order} for order, edge in enumerate(edges)])


def _merge_edge(known: dict[str, Any] | None, edge: Mapping[str, Any], parent: str) -> dict[str, Any]:
    if known is None:
        return {**edge, "basis": "inherited", "inherited_from": [parent]}
    best = edge if edge["weight"] > known["weight"] else known
    merged = {**known, **best, "basis": "inherited", "inherited_from": [*known["inherited_from"], parent]}
    for member in JOINED:
        if joined := list(dict.fromkeys([*known.get(member, ()), *edge.get(member, ())])):
            merged[member] = joined
    if choice := max(known.get("first_choice", 0.0), edge.get("first_choice", 0.0)):
        merged["first_choice"] = choice
    if known.get("main") or edge.get("main"):
        merged["main"] = True
    return merged


def _with_choice(edge: dict[str, Any], own_choices: Mapping[str, float]) -> dict[str, Any]:
    edge = {name: value for name, value in edge.items() if name != "first_choice"}
    strength = own_choices.get(edge["target"])
    return edge if strength is None else {**edge, "first_choice": strength}
