"""What sources list for a seed: its weighted needs, and the solutions under each with their rates: how usual they are.

An entity without lists uses those of related entities: a broad condition the mean of its descendants, a need those of
related needs. `under` and the fields beside it count the lists for work; `school` has what is named for school and
testing.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from api.graph.listings import Condition, Listings, ListOwner, Need
from api.recommend.seed_needs import NeedRow, SchoolListing, SeedNeeds, SolutionRow
from schema.json_types import JsonObject

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
    related: Sequence[ListOwner] = ()


def needs_of_seed(seed: str, listings: Listings) -> SeedNeeds:
    """Return the needs and solutions of a condition, limitation or function."""
    if (condition := listings.conditions.get(seed)) is not None:
        needs = _seed_needs(seed, condition.card, condition.sources, _lists_of_condition(seed, listings), listings)
        return {**needs, "choices_by_setting": condition.choices_by_setting}
    need = listings.needs[seed]
    return _seed_needs(seed, need.card, need.sources, _lists_of_need(seed, listings), listings)


def needs_without_lists(condition: Condition, listings: Listings) -> SeedNeeds:
    """Return the needs of a condition as if no source listed anything for it: what is usual for its needs."""
    lists = SeedLists()
    _add_needs(condition, lists, listings)
    return _seed_needs(condition.card["id"], condition.card, condition.sources, lists, listings)


def _lists_of_need(seed: str, listings: Listings, listed_weight: float = LISTED_WEIGHT) -> SeedLists:
    """Return what sources list for a limitation or function, or else for entities related to it."""
    need = listings.needs[seed]
    if need.rates:
        solutions = {
            solution: {seed: listed_weight + (1 - listed_weight) * rate} for solution, rate in need.rates.items()
        }
        weights = {seed: need.specificity}
        return SeedLists(weights, rates=defaultdict(dict, solutions), bases=_bases(need))
    lists = SeedLists(related=need.inherits)
    for owner in need.inherits:
        owner_need = listings.needs[owner.id]
        lists.weights[owner.id] = owner_need.specificity * owner.similarity
        lists.factors[owner.id] = owner.similarity
        for solution, rate in owner_need.rates.items():
            lists.rates[solution][owner.id] = (listed_weight + (1 - listed_weight) * rate) * owner.similarity
            lists.bases[solution] = "inherited"
            lists.inherited_from[solution].append(owner.id)
    if not lists.weights:
        lists.weights[seed] = need.specificity
    return lists


def _lists_of_condition(seed: str, listings: Listings) -> SeedLists:
    """Return what sources list for a condition, and what is usual for needs for which they list nothing."""
    condition = listings.conditions[seed]
    if condition.inherits:
        return _mean_of_owners(condition.inherits, listings)
    lists = SeedLists()
    lists.bases = _bases(condition)
    for solution, headings in condition.listed.items():
        for heading in headings:
            rate = listings.needs[heading].rates[solution]
            lists.rates[solution][heading] = LISTED_WEIGHT + (1 - LISTED_WEIGHT) * rate
    _add_needs(condition, lists, listings)
    return lists


def _bases(owner: Condition | Need) -> dict[str, str]:
    """Return the basis of each solution that is listed for a condition or need itself."""
    listed = owner.listed if isinstance(owner, Condition) else owner.rates
    return {solution: "editorial" if solution in owner.editorial else "source" for solution in listed}


def _add_needs(condition: Condition, lists: SeedLists, listings: Listings) -> None:
    """Add the needs of a condition to its lists, and what is usual for those under which sources list nothing."""
    listed = {need for rates in lists.rates.values() for need in rates}
    stated = condition.stated_needs
    for need in (*stated, *sorted(listed - set(stated))):
        factor = MAIN_NEED_FACTOR if need in condition.main_needs else 1.0
        substitutes = [need] if need in listed else _add_usual_solutions(need, lists, listings)
        specificity = listings.needs[need].specificity
        for substitute in substitutes:  # these share the weight of the need
            weight = factor * lists.factors.get(substitute, 1.0) * specificity / len(substitutes)
            lists.weights[substitute] = max(weight, lists.weights.get(substitute, 0.0))
            if need in condition.main_needs:
                lists.main_needs.add(substitute)


def _add_usual_solutions(need: str, lists: SeedLists, listings: Listings) -> list[str]:
    """Add what is usual for a need; return the need, or the related entities whose lists replace its own."""
    need_lists = _lists_of_need(need, listings, listed_weight=0.0)
    for substitute in need_lists.weights:
        if substitute != need:
            lists.factors[substitute] = RELATED_FACTOR * need_lists.factors.get(substitute, 1.0)
    for solution, rates in need_lists.rates.items():
        for substitute, rate in rates.items():
            lists.usual_for[solution].append(substitute)
            pages = listings.needs[substitute].conditions
            smoothed = rate * pages / (pages + 1)  # two pages prove less than twenty
            smoothed *= 1.0 if substitute == need else RELATED_FACTOR
            lists.rates[solution][substitute] = max(smoothed, lists.rates[solution].get(substitute, 0.0))
        lists.bases.setdefault(solution, "derived")
    return list(need_lists.weights)


def _mean_of_owners(owners: Sequence[ListOwner], listings: Listings) -> SeedLists:
    """Return the mean over the conditions whose lists a condition uses, mostly its descendants."""
    mean = SeedLists(related=owners)
    for owner in owners:
        lists = _lists_of_condition(owner.id, listings)
        mean.main_needs |= lists.main_needs
        for need, weight in lists.weights.items():
            mean.weights[need] = mean.weights.get(need, 0.0) + weight / len(owners)
        for solution, rates in lists.rates.items():
            mean.bases[solution] = "inherited"
            mean.inherited_from[solution].append(owner.id)
            for need, rate in rates.items():
                mean.rates[solution][need] = mean.rates[solution].get(need, 0.0) + rate / len(owners)
    return mean


def _seed_needs(seed: str, card: JsonObject, sources: Sequence[str], lists: SeedLists, listings: Listings) -> SeedNeeds:
    school = _school_rows(seed, lists.related, listings)
    school_needs = dict.fromkeys(need for row in school.values() for need in row["under"] if need not in lists.weights)
    related = [owner.id for owner in lists.related]
    named = [_sources_of(need, listings) for need in (*lists.weights, *school_needs, *related)]
    return SeedNeeds(
        card=card,
        inherits=lists.related,
        needs=[
            *(_need_row(need, lists, listings) for need in lists.weights),
            *(_need_row(need, lists, listings, school=True) for need in school_needs),
        ],
        solutions=[
            solution_row(seed, solution, lists, school.get(solution), listings)
            for solution in sorted({*lists.rates, *school})
        ],
        demands={},
        sources=list(dict.fromkeys(source for group in (sources, *named) for source in group)),
    )


def _sources_of(id_: str, listings: Listings) -> Sequence[str]:
    return (listings.needs.get(id_) or listings.conditions[id_]).sources


def _school_rows(seed: str, related: Iterable[ListOwner], listings: Listings) -> dict[str, SchoolListing]:
    """Return what is named for school by solution; for a broad condition, the mean of its descendants too."""
    named = {solution: _named_school_row(seed, solution, listings) for solution in listings.school_solutions(seed)}
    is_condition = seed in listings.conditions
    descendants = [owner.id for owner in related if owner.relation == "narrower" and is_condition]
    means: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    inherited_from: defaultdict[str, list[str]] = defaultdict(list)
    for descendant in descendants:
        for solution in sorted(set(listings.school_solutions(descendant)) - named.keys()):
            inherited_from[solution].append(descendant)
            for need, rate in listings.school_weights(descendant, solution).items():
                means[solution][need] += rate / len(descendants)
    for solution, rates in means.items():
        named[solution] = _school_row(solution, rates, "inherited", listings)
        named[solution]["from"] = inherited_from[solution]
    return named


def _named_school_row(seed: str, solution: str, listings: Listings) -> SchoolListing:
    rates = listings.school_weights(seed, solution)
    owner = listings.conditions.get(seed) or listings.needs[seed]
    if (statement := owner.school.get(solution)) is not None:
        row = _school_row(solution, rates, statement.basis, listings)
        row["sources"] = statement.sources
        return row
    row = _school_row(solution, rates, "derived", listings)
    row["usual"] = list(rates)
    return row


def _school_row(solution: str, rates: Mapping[str, float], basis: str, listings: Listings) -> SchoolListing:
    rounded = {need: round(rate, DIGITS) for need, rate in rates.items()}
    rarity = round(listings.solutions[solution].school_rarity, DIGITS)
    return {"under": rounded, "rarity": rarity, "basis": basis, "sources": [], "usual": [], "from": []}


def solution_row(
    seed: str, solution: str, lists: SeedLists, school: SchoolListing | None, listings: Listings
) -> SolutionRow:
    """Return the row of a solution in the lists of a seed."""
    rates = lists.rates.get(solution, {})
    facts = listings.solutions[solution]
    owner = listings.conditions.get(seed) or listings.needs[seed]
    row: SolutionRow = {
        "id": solution,
        "name": facts.card["name"],
        "settings": facts.settings,
        "basis": lists.bases.get(solution, "source"),
        "under": {need: round(rate, DIGITS) for need, rate in rates.items()},
        "first": {
            need: choices[solution] for need in rates if solution in (choices := listings.needs[need].first_choices)
        },
        "whole": owner.own_choices.get(solution, 0.0),
        "rarity": round(facts.rarity, DIGITS),
        "made_for": facts.made_for,
        "usual": lists.usual_for.get(solution, []),
        "from": lists.inherited_from.get(solution, []),
    }
    if school is not None:
        row["school"] = school
    return row


def _need_row(need: str, lists: SeedLists, listings: Listings, *, school: bool = False) -> NeedRow:
    owner = listings.needs.get(need)
    row: NeedRow = {
        "entity": owner.card if owner else listings.conditions[need].card,
        "weight": round(lists.weights.get(need, SCHOOL_NEED_WEIGHT), DIGITS),
        "main": need in lists.main_needs,
        "limits": owner.limits if owner else {},
    }
    if school:
        row["school"] = True
    return row
