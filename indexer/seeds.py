"""What recommend reads of a seed, made ready at build time. Pure.

A condition, limitation or function has needs, and solutions that stand under them with a number from 0 to 1: how usual
they are there. An occupation has demands: how much it leans on each ability, from 0 to 1. A need and an occupation
meet where the limitation limits an ability.

Who has no lists of its own takes those of its relatives (`kin`). A broad entity has few kinds, so theirs are written
out for it. A narrow condition has only the ids of those that speak for it, for there may be thousands.

`under` and all beside it rest on the lists for work; `school` holds what is named for school and testing. The reader
chooses by the setting that is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from indexer.graph import STATED
from indexer.kin import Relative
from indexer.placing import settings_of
from indexer.school import School

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.graph import Graph
    from indexer.rows import Entity

Document = dict[str, Any]
LEVEL_MAX = 7.0  # of O*NET's level scale
STAND_IN = 0.5  # what relatives list counts half where a condition has a need that nobody lists anything for
LISTED = 0.7  # what being listed counts; the rest is how usual that listing is
MAIN = 3.0  # a main need counts as much as three others of its kind
HEADINGS = ("limitation", "workrelatedfunction")
WHOLE = 0.01  # a need of its own at school carries next to no weight beside those that bring it at work
DIGITS = 4


@dataclass(slots=True)
class Lists:
    """What is known of a seed: `weights` of its needs, `under[solution][need]`, and where it comes from.

    `bases[solution]` is source, derived or inherited; `usual[solution]` are the needs for which it is not listed but
    usual elsewhere, and `whence[solution]` the relatives that list it.
    """

    weights: dict[str, float] = field(default_factory=dict)
    main: set[str] = field(default_factory=set)
    trust: dict[str, float] = field(default_factory=dict)
    under: defaultdict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    bases: dict[str, str] = field(default_factory=dict)
    usual: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    whence: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    relatives: list[Relative] = field(default_factory=list)


def seed_document(
    graph: Graph, entity: Entity, cards: Mapping[str, Document], speaking: Sequence[str] = ()
) -> Document | None:
    """The seed data of one entity, given the conditions that speak for it; None for types that cannot be seeds."""
    if entity.type == "occupation":
        return _document(graph, entity.id, Lists(), cards) | {"demands": _demands(graph, entity.id)}
    if entity.type in HEADINGS:
        return _document(graph, entity.id, of_need(graph, entity.id), cards)
    if entity.type != "disability":
        return None
    if speaking:
        named = _named([Relative(one, "broader") for one in speaking], cards)
        told = {"inherits": named, "heir_of": list(speaking), "whole": graph.guidance.whole.get(entity.id, {})}
        return _document(graph, entity.id, Lists(), cards) | told
    return _document(graph, entity.id, of_condition(graph, entity.id), cards)


def inherits(graph: Graph, entity: Entity, cards: Mapping[str, Document]) -> list[Document]:
    """Whose lists an entity uses because it has none: empty for all that have their own, or nobody to take from."""
    listings, kin = graph.listings, graph.kin
    if entity.type == "limitation" and entity.id not in listings.rates:
        return _named(kin.relatives(entity.id, listings.rates), cards)
    if entity.type == "disability" and graph.silent(entity.id):
        relatives = kin.relatives(entity.id, listings.by_disability)
        return _named([one for one in relatives if one.relation == "narrower"], cards)
    return []


def _named(relatives: Iterable[Relative], cards: Mapping[str, Document]) -> list[Document]:
    return [{"id": one.node, "name": cards[one.node]["name"], "relation": one.relation} for one in relatives]


def of_need(graph: Graph, need: str, listed: float = LISTED) -> Lists:
    """A limitation or function: what is listed under it, else what is under its relatives.

    `listed` is what being listed at all counts; the rest is how usual that is.
    """
    rates = graph.listings.rates
    if need in rates:
        weights = {need: graph.listings.telling(need)}
        under = {solution: {need: listed + (1 - listed) * rate} for solution, rate in rates[need].items()}
        return Lists(weights, under=defaultdict(dict, under), bases=dict.fromkeys(under, "source"))
    found = Lists(relatives=graph.kin.relatives(need, rates))
    for one in found.relatives:
        found.weights[one.node] = graph.listings.telling(one.node) * one.likeness
        found.trust[one.node] = one.likeness
        for solution, rate in rates[one.node].items():
            found.under[solution][one.node] = (listed + (1 - listed) * rate) * one.likeness
            found.bases[solution] = "inherited"
            found.whence[solution].append(one.node)
    if not found.weights:
        found.weights[need] = graph.listings.telling(need)
    return found


def of_condition(graph: Graph, node: str) -> Lists:
    """A condition: what a source lists for it, and what is usual for those of its needs where none is listed."""
    if graph.silent(node):
        return _of_kinds(graph, graph.kin.relatives(node, graph.listings.by_disability))
    found = Lists()
    for solution, rows in graph.listings.by_disability.get(node, {}).items():
        found.bases[solution] = "source"
        for via in sorted({row.via for row in rows}):
            found.under[solution][via] = LISTED + (1 - LISTED) * graph.listings.rates[via][solution]
    _add_needs(graph, node, found)
    return found


def _add_needs(graph: Graph, node: str, found: Lists) -> None:
    main = graph.guidance.main.get(node, frozenset())
    listed = {need for under in found.under.values() for need in under}
    stated = [edge.target for name in STATED for edge in graph.of(node, name)]
    for need in (*stated, *sorted(listed - set(stated))):
        factor = MAIN if need in main else 1.0
        standing_in = [need] if need in listed else _usual(graph, need, found)
        for one in standing_in:  # relatives that stand in for a need share its weight
            weight = factor * found.trust.get(one, 1.0) * graph.listings.telling(need) / len(standing_in)
            found.weights[one] = max(weight, found.weights.get(one, 0.0))
            if need in main:
                found.main.add(one)


def _usual(graph: Graph, need: str, found: Lists) -> list[str]:
    """Add what is usual for a need; return the need, or the relatives whose lists stand in for its own."""
    own = of_need(graph, need, listed=0.0)
    for one in own.weights:
        if one != need:
            found.trust[one] = STAND_IN * own.trust.get(one, 1.0)
    for solution, under in own.under.items():
        for one, rate in under.items():
            found.usual[solution].append(one)
            pages = graph.listings.disabilities_with[one]
            usual_here = rate * pages / (pages + 1)  # what stands on two pages is less sure than what stands on twenty
            usual_here *= 1.0 if one == need else STAND_IN
            found.under[solution][one] = max(usual_here, found.under[solution].get(one, 0.0))
        found.bases.setdefault(solution, "derived")
    return list(own.weights)


def _of_kinds(graph: Graph, kinds: list[Relative]) -> Lists:
    """A broad condition: the mean over its kinds."""
    found = Lists(relatives=kinds)
    for kind in kinds:
        part = of_condition(graph, kind.node)
        found.main |= part.main
        for need, weight in part.weights.items():
            found.weights[need] = found.weights.get(need, 0.0) + weight / len(kinds)
        for solution, under in part.under.items():
            found.bases[solution] = "inherited"
            found.whence[solution].append(kind.node)
            for need, usual_there in under.items():
                found.under[solution][need] = found.under[solution].get(need, 0.0) + usual_there / len(kinds)
    return found


def _document(graph: Graph, node: str, found: Lists, cards: Mapping[str, Document]) -> Document:
    school = at_school(graph, node, found.relatives)
    there = dict.fromkeys(need for told in school.values() for need in told["under"] if need not in found.weights)
    return {
        "card": cards[node],
        "inherits": _named(found.relatives, cards),
        "needs": [
            *(_need(graph, need, found, cards) for need in found.weights),
            *(_need(graph, need, found, cards) | {"school": True} for need in there),
        ],
        "solutions": [
            _solution(graph, node, one, found, cards) | ({"school": school[one]} if one in school else {})
            for one in sorted({*found.under, *school})
        ],
        "demands": {},
    }


def usual_document(graph: Graph, condition: str, cards: Mapping[str, Document]) -> Document:
    """The seed data of a condition as if no source listed anything for it: what is usual for its needs."""
    found = Lists()
    _add_needs(graph, condition, found)
    blind = replace(graph, school=School(), guidance=replace(graph.guidance, whole={}))
    return _document(blind, condition, found, cards)


def at_school(graph: Graph, node: str, relatives: Iterable[Relative]) -> dict[str, Document]:
    """What is named for school, each with what it answers there; for a broad condition, the mean of its kinds too."""
    own = {solution: _named_for(graph, node, solution) for solution in graph.school.solutions(node)}
    kinds = [one.node for one in relatives if one.relation == "narrower" and node.startswith("disability:")]
    theirs: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    whence: defaultdict[str, list[str]] = defaultdict(list)
    for kind in kinds:
        for solution in sorted(set(graph.school.solutions(kind)) - own.keys()):
            whence[solution].append(kind)
            for need, rate in graph.school.under(kind, solution, graph.listings).items():
                theirs[solution][need] += rate / len(kinds)
    inherited = {
        solution: _school_row(graph, solution, under, "inherited") | {"from": whence[solution]}
        for solution, under in theirs.items()
    }
    return own | inherited


def _named_for(graph: Graph, node: str, solution: str) -> Document:
    told = graph.school.stated.get(node, {}).get(solution)
    under = graph.school.under(node, solution, graph.listings)
    if told:
        return _school_row(graph, solution, under, told.basis) | {"sources": list(told.sources)}
    return _school_row(graph, solution, under, "derived") | {"usual": list(under)}


def _school_row(graph: Graph, solution: str, under: Mapping[str, float], basis: str) -> Document:
    rates = {need: round(rate, DIGITS) for need, rate in under.items()}
    rarity = round(graph.school.rarity(solution), DIGITS)
    return {"under": rates, "rarity": rarity, "basis": basis, "sources": [], "usual": [], "from": []}


def _solution(graph: Graph, node: str, solution: str, found: Lists, cards: Mapping[str, Document]) -> Document:
    under = found.under.get(solution, {})
    chosen = graph.guidance.first
    first = {need: chosen[need, solution] for need in under if (need, solution) in chosen}
    return {
        "id": solution,
        "name": cards[solution]["name"],
        "settings": settings_of(graph.nodes[solution]),
        "basis": found.bases.get(solution, "source"),
        "under": {need: round(usual_there, DIGITS) for need, usual_there in under.items()},
        "first": first,
        "whole": graph.guidance.whole.get(node, {}).get(solution, 0.0),
        "rarity": round(graph.listings.rarity(solution), DIGITS),
        "made_for": list(graph.guidance.made_for.get(solution, ())),
        "usual": found.usual.get(solution, []),
        "from": found.whence.get(solution, []),
    }


def _need(graph: Graph, need: str, found: Lists, cards: Mapping[str, Document]) -> Document:
    limits = {
        edge.target: {"strength": edge.weight, "name": cards[edge.target]["name"]} for edge in graph.of(need, "limits")
    }
    weight = round(found.weights.get(need, WHOLE), DIGITS)
    return {"entity": cards[need], "weight": weight, "main": need in found.main, "limits": limits}


def _demands(graph: Graph, occupation: str) -> dict[str, float]:
    """How much the job leans on each ability it requires: importance times level, each as a share of its scale."""
    return {
        edge.target: round(edge.weight * edge.facts["level"] / LEVEL_MAX, DIGITS)
        for edge in graph.of(occupation, "requires")
    }
