"""Seed data: what recommend reads of a condition, limitation, function or occupation.

A condition, limitation or function has needs, and under them solutions with a number from 0 to 1: how usual they are
for the need. An occupation has demands: how strongly it depends on each ability, from 0 to 1. A need and an occupation
meet where the limitation limits an ability.

An entity without lists uses those of related entities (`indexer.graph.hierarchy`). The seed data of a broad entity
repeat the lists of its few descendants. Those of an inheriting condition have only the ids of its sources, for
thousands of conditions inherit.

`under` and the fields beside it count the lists for work; `school` has what is named for school and testing. The
service chooses by the requested setting.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexer.content.rows import Entity
from indexer.documents.entity import sources_of
from indexer.graph.hierarchy import RelatedEntity
from indexer.graph.model import STATED, Graph, solution_settings
from indexer.graph.needs import School
from schema.entity_kinds import NEED_TYPES
from schema.json_types import JsonObject

MAX_LEVEL = 7.0  # of O*NET's level scale
RELATED_FACTOR = 0.5  # for the lists of related entities where no source lists anything for a need of a condition
LISTED_WEIGHT = 0.7  # of being listed; the rest is how usual that listing is
MAIN_NEED_FACTOR = 3.0  # a main need counts as much as three others
SCHOOL_NEED_WEIGHT = 0.01  # of a need that only school sources name, beside the needs at work
DIGITS = 4


@dataclass(slots=True)
class SeedLists:
    """`weights` of the needs of a seed, and `rates[solution][need]`: how usual each solution is for them.

    `bases[solution]` is source, derived or inherited. `usual_for[solution]` has the needs for which no source lists the
    solution for this seed, though it is usual elsewhere, `inherited_from[solution]` the related entities that list it.
    """

    weights: dict[str, float] = field(default_factory=dict)
    main_needs: set[str] = field(default_factory=set)
    factors: dict[str, float] = field(default_factory=dict)
    rates: defaultdict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    bases: dict[str, str] = field(default_factory=dict)
    usual_for: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    inherited_from: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    related: list[RelatedEntity] = field(default_factory=list)


def seed_data(
    graph: Graph, entity: Entity, cards: Mapping[str, JsonObject], inheritance_sources: Sequence[str] = ()
) -> JsonObject | None:
    """Return the seed data of an entity; None for types that cannot be seeds."""
    if entity.type == "occupation":
        return _seed_json(graph, entity.id, SeedLists(), cards) | {"demands": _demands(graph, entity.id)}
    if entity.type in NEED_TYPES:
        return _seed_json(graph, entity.id, _lists_of_need(graph, entity.id), cards)
    if entity.type != "disability":
        return None
    if inheritance_sources:
        sources = [RelatedEntity(source, "broader") for source in inheritance_sources]
        return _seed_json(graph, entity.id, SeedLists(), cards) | {
            "inherits": _related_json(sources, cards),
            "inheritance_sources": list(inheritance_sources),
            "sources": sources_of(graph, [entity.id, *inheritance_sources]),
            "whole": graph.editorial.first_choices_by_seed.get(entity.id, {}),
        }
    return _seed_json(graph, entity.id, _lists_of_condition(graph, entity.id), cards)


def list_sources(graph: Graph, entity: Entity, cards: Mapping[str, JsonObject]) -> list[JsonObject]:
    """Return the entities whose lists an entity uses; empty if it has lists or inherits from main conditions."""
    listings, hierarchy = graph.listings, graph.hierarchy
    if entity.type == "limitation" and entity.id not in listings.rates:
        return _related_json(hierarchy.entities_to_inherit_from(entity.id, listings.rates), cards)
    if entity.type == "disability" and graph.has_no_statements(entity.id):
        related = hierarchy.entities_to_inherit_from(entity.id, listings.by_disability)
        return _related_json([descendant for descendant in related if descendant.relation == "narrower"], cards)
    return []


def _related_json(related: Iterable[RelatedEntity], cards: Mapping[str, JsonObject]) -> list[JsonObject]:
    return [{"id": entity.node, "name": cards[entity.node]["name"], "relation": entity.relation} for entity in related]


def _lists_of_need(graph: Graph, need: str, listed_weight: float = LISTED_WEIGHT) -> SeedLists:
    """Return what sources list for a limitation or function, or else for entities related to it."""
    rates = graph.listings.rates
    if need in rates:
        weights = {need: graph.listings.specificity(need)}
        solutions = {
            solution: {need: listed_weight + (1 - listed_weight) * rate} for solution, rate in rates[need].items()
        }
        return SeedLists(weights, rates=defaultdict(dict, solutions), bases=dict.fromkeys(solutions, "source"))
    lists = SeedLists(related=graph.hierarchy.entities_to_inherit_from(need, rates))
    for related in lists.related:
        lists.weights[related.node] = graph.listings.specificity(related.node) * related.similarity
        lists.factors[related.node] = related.similarity
        for solution, rate in rates[related.node].items():
            lists.rates[solution][related.node] = (listed_weight + (1 - listed_weight) * rate) * related.similarity
            lists.bases[solution] = "inherited"
            lists.inherited_from[solution].append(related.node)
    if not lists.weights:
        lists.weights[need] = graph.listings.specificity(need)
    return lists


def _lists_of_condition(graph: Graph, node: str) -> SeedLists:
    """Return what sources list for a condition, and what is usual for needs for which they list nothing."""
    if graph.has_no_statements(node):
        return _mean_of_descendants(graph, graph.hierarchy.entities_to_inherit_from(node, graph.listings.by_disability))
    lists = SeedLists()
    for solution, rows in graph.listings.by_disability.get(node, {}).items():
        lists.bases[solution] = "source"
        for via in sorted({row.via for row in rows}):
            lists.rates[solution][via] = LISTED_WEIGHT + (1 - LISTED_WEIGHT) * graph.listings.rates[via][solution]
    _add_needs(graph, node, lists)
    return lists


def _add_needs(graph: Graph, node: str, lists: SeedLists) -> None:
    main_needs = graph.editorial.main_needs.get(node, frozenset())
    listed = {need for rates in lists.rates.values() for need in rates}
    stated = [edge.target for name in STATED for edge in graph.edges_named(node, name)]
    for need in (*stated, *sorted(listed - set(stated))):
        factor = MAIN_NEED_FACTOR if need in main_needs else 1.0
        substitutes = [need] if need in listed else _add_usual_solutions(graph, need, lists)
        for substitute in substitutes:  # these share the weight of the need
            weight = factor * lists.factors.get(substitute, 1.0) * graph.listings.specificity(need) / len(substitutes)
            lists.weights[substitute] = max(weight, lists.weights.get(substitute, 0.0))
            if need in main_needs:
                lists.main_needs.add(substitute)


def _add_usual_solutions(graph: Graph, need: str, lists: SeedLists) -> list[str]:
    """Add what is usual for a need; return the need, or the related entities whose lists replace its own."""
    need_lists = _lists_of_need(graph, need, listed_weight=0.0)
    for substitute in need_lists.weights:
        if substitute != need:
            lists.factors[substitute] = RELATED_FACTOR * need_lists.factors.get(substitute, 1.0)
    for solution, rates in need_lists.rates.items():
        for substitute, rate in rates.items():
            lists.usual_for[solution].append(substitute)
            pages = graph.listings.disabilities_with[substitute]
            smoothed = rate * pages / (pages + 1)  # two pages prove less than twenty
            smoothed *= 1.0 if substitute == need else RELATED_FACTOR
            lists.rates[solution][substitute] = max(smoothed, lists.rates[solution].get(substitute, 0.0))
        lists.bases.setdefault(solution, "derived")
    return list(need_lists.weights)


def _mean_of_descendants(graph: Graph, descendants: list[RelatedEntity]) -> SeedLists:
    """Return the mean over the descendants of a broad condition."""
    mean = SeedLists(related=descendants)
    for descendant in descendants:
        lists = _lists_of_condition(graph, descendant.node)
        mean.main_needs |= lists.main_needs
        for need, weight in lists.weights.items():
            mean.weights[need] = mean.weights.get(need, 0.0) + weight / len(descendants)
        for solution, rates in lists.rates.items():
            mean.bases[solution] = "inherited"
            mean.inherited_from[solution].append(descendant.node)
            for need, rate in rates.items():
                mean.rates[solution][need] = mean.rates[solution].get(need, 0.0) + rate / len(descendants)
    return mean


def _seed_json(graph: Graph, node: str, lists: SeedLists, cards: Mapping[str, JsonObject]) -> JsonObject:
    school = _school_rows(graph, node, lists.related)
    school_needs = dict.fromkeys(need for row in school.values() for need in row["under"] if need not in lists.weights)
    named = [node, *lists.weights, *school_needs, *(related.node for related in lists.related)]
    return {
        "card": cards[node],
        "inherits": _related_json(lists.related, cards),
        "needs": [
            *(_need_json(graph, need, lists, cards) for need in lists.weights),
            *(_need_json(graph, need, lists, cards) | {"school": True} for need in school_needs),
        ],
        "solutions": [
            _solution_json(graph, node, solution, lists, cards)
            | ({"school": school[solution]} if solution in school else {})
            for solution in sorted({*lists.rates, *school})
        ],
        "demands": {},
        "sources": sources_of(graph, named),
    }


def seed_data_without_lists(graph: Graph, condition: str, cards: Mapping[str, JsonObject]) -> JsonObject:
    """Return the seed data of a condition as if no source listed anything for it: what is usual for its needs."""
    lists = SeedLists()
    _add_needs(graph, condition, lists)
    without_choices = replace(graph.editorial, first_choices_by_seed={})
    return _seed_json(replace(graph, school=School(), editorial=without_choices), condition, lists, cards)


def _school_rows(graph: Graph, node: str, related: Iterable[RelatedEntity]) -> dict[str, JsonObject]:
    """Return what is named for school by solution; for a broad condition, the mean of its descendants too."""
    named = {solution: _named_school_row(graph, node, solution) for solution in graph.school.solutions(node)}
    is_condition = node.startswith("disability:")
    descendants = [entity.node for entity in related if entity.relation == "narrower" and is_condition]
    means: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    inherited_from: defaultdict[str, list[str]] = defaultdict(list)
    for descendant in descendants:
        for solution in sorted(set(graph.school.solutions(descendant)) - named.keys()):
            inherited_from[solution].append(descendant)
            for need, rate in graph.school.weights_by_need(descendant, solution, graph.listings).items():
                means[solution][need] += rate / len(descendants)
    inherited = {
        solution: _school_row(graph, solution, rates, "inherited") | {"from": inherited_from[solution]}
        for solution, rates in means.items()
    }
    return named | inherited


def _named_school_row(graph: Graph, node: str, solution: str) -> JsonObject:
    statement = graph.school.stated.get(node, {}).get(solution)
    rates = graph.school.weights_by_need(node, solution, graph.listings)
    if statement:
        return _school_row(graph, solution, rates, statement.basis) | {"sources": list(statement.sources)}
    return _school_row(graph, solution, rates, "derived") | {"usual": list(rates)}


def _school_row(graph: Graph, solution: str, rates: Mapping[str, float], basis: str) -> JsonObject:
    rounded = {need: round(rate, DIGITS) for need, rate in rates.items()}
    rarity = round(graph.school.rarity(solution), DIGITS)
    return {"under": rounded, "rarity": rarity, "basis": basis, "sources": [], "usual": [], "from": []}


def _solution_json(
    graph: Graph, node: str, solution: str, lists: SeedLists, cards: Mapping[str, JsonObject]
) -> JsonObject:
    rates = lists.rates.get(solution, {})
    choices = graph.editorial.first_choices_by_need
    return {
        "id": solution,
        "name": cards[solution]["name"],
        "settings": solution_settings(graph.nodes[solution]),
        "basis": lists.bases.get(solution, "source"),
        "under": {need: round(rate, DIGITS) for need, rate in rates.items()},
        "first": {need: choices[need, solution] for need in rates if (need, solution) in choices},
        "whole": graph.editorial.first_choices_by_seed.get(node, {}).get(solution, 0.0),
        "rarity": round(graph.listings.rarity(solution), DIGITS),
        "made_for": list(graph.editorial.intended_for.get(solution, ())),
        "usual": lists.usual_for.get(solution, []),
        "from": lists.inherited_from.get(solution, []),
    }


def _need_json(graph: Graph, need: str, lists: SeedLists, cards: Mapping[str, JsonObject]) -> JsonObject:
    limits = {
        edge.target: {"strength": edge.weight, "name": cards[edge.target]["name"]}
        for edge in graph.edges_named(need, "limits")
    }
    weight = round(lists.weights.get(need, SCHOOL_NEED_WEIGHT), DIGITS)
    return {"entity": cards[need], "weight": weight, "main": need in lists.main_needs, "limits": limits}


def _demands(graph: Graph, occupation: str) -> dict[str, float]:
    """Return how strongly a job depends on each ability: importance times level, each as a share of its scale."""
    return {
        edge.target: round(edge.weight * edge.facts["level"] / MAX_LEVEL, DIGITS)
        for edge in graph.edges_named(occupation, "requires")
    }
