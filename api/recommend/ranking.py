"""Scores the solutions of each seed of a request, and ranks them for all seeds.

Each need of a seed has a weight, and each solution a rate under each need: how usual it is there. A score between 0 and
1 is the sum of these parts:

* coverage: the share of the seed's needs that the solution answers, by weight, each to the extent of its rate
* evidence: how certain it is that the solution belongs to any of them (one minus the product of the remaining doubts
  of each rate and of the editors' choice for the seed itself)
* specificity: how few other conditions list it, and under how many of these needs it is listed (root of the product)
* first_choice: how far editors name it among the first to try, for the seed itself or for a share of its needs (root
  of the larger)
* fit: full for what is made for the person or job of the request, none for what is made for another

An occupation has no needs. It increases the weight of the needs that limit abilities important in the job, and halves
what is listed under the others.

With several seeds, the scores of each are scaled so that the best solution of each has the same, and a solution has
most of its score with the seed that it serves best, and the rest from its mean over all seeds: what serves several
comes first. The best of every seed stands among the first.

A condition that inherits from several parents is ranked for each of them. The best solution of each parent gets the
score of the best of all: no long list displaces others. A parent with none of the condition's main needs counts half.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

from api.graph.listings import ListOwner
from api.recommend.seed_needs import NeedRow, SeedNeeds, SolutionRow

# Chosen on one half of the conditions and measured on the other: docs/decisions/0008.
WEIGHTS = {"coverage": 0.05, "evidence": 0.41, "specificity": 0.28, "first_choice": 0.21, "fit": 0.05}
GENERAL_FIT = 0.5  # share of `fit` for a solution that is made for no group in particular
MAX_JOB_BOOST = 2.0  # a need that limits the most important ability counts up to three times
UNAFFECTED_RATE = 0.5  # of what is listed under a need that limits nothing important in the job
OCCUPATION = "occupation"
SCORE_DIGITS = 6
PART_DIGITS = 7  # one more, so that the parts add up to the score
SEVERAL = 2
OTHER_SIDE_FACTOR = 0.5  # for what serves the less usual side of a need
OTHER_SIDE_CHOSEN_FACTOR = 0.85  # for what editors chose for a seed itself all the same
OTHER_PARENT_FACTOR = 0.5  # of a parent with none of the main needs: cumulative trauma is about hands, not sore knees
JOB_CHOICE = 0.7  # a solution that is made for the job counts as chosen for the seed to this degree
MEAN_SHARE = 0.2  # of the score with several seeds: the mean over all of them, the rest is of the seed served best
FIRST_PLACES = 10  # among which the best solutions of every seed stand
BEST_OF_EACH = 3  # of these solutions, for two seeds
_COVERAGE, _EVIDENCE, _SPECIFICITY, _FIRST_CHOICE, _FIT = WEIGHTS.values()

Parts = Sequence[float]  # in the order of WEIGHTS
Scored = Mapping[str, Parts]  # the parts of each solution of a seed


@dataclass(frozen=True, slots=True)
class SeedData:
    """A resolved seed: the field of the request, its card, and its needs.

    The needs are the entity's, or those of the condition it inherits from; `inherits` names those, and is empty for
    lists of its own. With several parents the needs are merged, and `parent_needs` are those of each.
    """

    field: str
    card: Mapping[str, Any]
    needs: SeedNeeds
    inherits: Sequence[ListOwner] = ()
    parent_needs: Sequence[SeedNeeds] = ()


@dataclass(frozen=True, slots=True)
class Need:
    """A need of a seed, weighted for the request.

    `share` is its share of the weight of all needs of the seed; `job` names the ability through which the job increases
    its weight; `rate_factor` applies to the rates of what is listed under it.
    """

    card: Mapping[str, Any]
    weight: float
    share: float
    job: str
    rate_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed with its weighted needs by id. `listed_needs` counts those that the lists in use can have."""

    data: SeedData
    needs: Mapping[str, Need]
    total_weight: float
    listed_needs: int

    def by_weight(self, needs: Iterable[str]) -> list[Need]:
        """Return these of its needs, by weight, then by name."""
        return sorted((self.needs[need] for need in needs), key=lambda need: (-need.share, need.card["name"]))


SeedRows = tuple[Seed, Mapping[str, SolutionRow]]  # a seed with its solutions by id


def weigh_seed(data: SeedData, demands: Mapping[str, float]) -> Seed:
    """Return the seed with its needs weighted by the demands of the job, given by ability."""
    weighted = [(need, *_weigh_need(need, demands)) for need in data.needs["needs"]]
    total = sum(weight for _, weight, _ in weighted)
    job_matters = any(job for _, _, job in weighted)  # a job whose abilities are not limited changes nothing
    needs = {
        need["entity"]["id"]: Need(
            need["entity"],
            weight,
            round(weight / total, 4),
            job,
            UNAFFECTED_RATE if job_matters and need["limits"] and not job else 1.0,
        )
        for need, weight, job in weighted
    }
    listed = sum(not need.get("school") for need in data.needs["needs"])
    return Seed(data, needs, total, listed or len(needs))


def _weigh_need(need: NeedRow, demands: Mapping[str, float]) -> tuple[float, str]:
    """Return the weight of a need, and the name of the ability through which the job increases it."""
    limits = need["limits"] if demands else {}
    impact = {key: demands[key] * strength for key, (strength, _) in limits.items() if key in demands}
    if not impact:
        return need["weight"], ""
    strongest = max(impact, key=lambda key: (impact[key], key))
    return need["weight"] * (1 + MAX_JOB_BOOST * impact[strongest]), limits[strongest][1]


def score_solutions(seed: Seed, rows: Mapping[str, SolutionRow], requested: set[str]) -> dict[str, Parts]:
    """Return the parts of each solution with one seed. `requested` are the ids of the seeds and of their needs."""
    weights = {key: need.weight for key, need in seed.needs.items()}
    factors = {key: need.rate_factor for key, need in seed.needs.items()}
    total, listed_needs = seed.total_weight, seed.listed_needs
    scored: dict[str, Parts] = {}
    for key, row in rows.items():
        under = row["under"]
        seed_choice = max(row["whole"], JOB_CHOICE if is_for_job(row["made_for"], requested) else 0.0)
        if seed_choice:
            seed_choice *= sum(factors[need] for need in under) / len(under)
        answered, doubt, rates, chosen = 0.0, 1.0 - seed_choice, 0.0, 0.0
        for need, listed_rate in under.items():
            rate = listed_rate * factors[need]
            answered += weights[need] * rate
            doubt *= 1 - rate
            rates += rate
        for need, strength in row["first"].items():
            chosen += weights[need] * strength * under[need] * factors[need]
        scored[key] = (
            _COVERAGE * answered / total,
            _EVIDENCE * (1 - doubt),
            _SPECIFICITY * sqrt(rates / listed_needs * row["rarity"]),
            _FIRST_CHOICE * sqrt(max(chosen / total, seed_choice)),
            _FIT * fit(row["made_for"], requested),
        )
    return scored


def fit(made_for: Sequence[str], requested: set[str]) -> float:
    """Return 1 if the solution is made for a requested entity, 0 if it is made for others only."""
    if not made_for:
        return GENERAL_FIT
    return float(bool(matching_audience(made_for, requested)))


def matching_audience(made_for: Sequence[str], requested: Iterable[str]) -> list[str]:
    """Return the requested entities that a solution is made for: itself, or the group of the job."""
    if not made_for:
        return []
    groups = tuple(group for group in made_for if group.startswith(f"{OCCUPATION}:"))
    return sorted(id_ for id_ in requested if id_ in made_for or id_.startswith(groups))


def is_for_job(made_for: Iterable[str], requested: set[str]) -> bool:
    """Return whether a solution is made for a requested job, or for its major group."""
    groups = tuple(group for group in made_for if group.startswith(f"{OCCUPATION}:"))
    return bool(groups) and any(id_.startswith(groups) for id_ in requested)


class RankedSolution(NamedTuple):
    """A solution with the parts of its score, and each seed that it serves with the row that lists it."""

    id: str
    name: str
    score: float
    part_values: Parts
    serves: Sequence[tuple[Seed, SolutionRow]]
    made_for: Sequence[str] = ()  # ids of the seeds and needs of the request

    @property
    def parts(self) -> dict[str, float]:
        """The parts by name; they add up to the score."""
        return {name: round(value, PART_DIGITS) for name, value in zip(WEIGHTS, self.part_values, strict=True)}

    @property
    def answers(self) -> list[tuple[Need, SeedData]]:
        """The needs that it answers with their seed, by weight within a seed."""
        return [(need, seed.data) for seed, row in self.serves for need in seed.by_weight(row["under"])]


@dataclass(frozen=True, slots=True)
class Ranking:
    """All solutions, best first. `joint` of them serve every seed that lists any."""

    solutions: Sequence[RankedSolution]
    joint: int
    seeds: Sequence[Seed]


def rank(data: Sequence[SeedData], other_side: Container[str] = ()) -> Ranking:
    """Return all solutions that serve the seeds, best first; those for the less usual side of a need are demoted."""
    demands: dict[str, float] = {}
    for seed_data in data:
        for ability, demand in seed_data.needs["demands"].items():
            demands[ability] = max(demand, demands.get(ability, 0.0))
    seeds = [weigh_seed(seed_data, demands) for seed_data in data if seed_data.field != OCCUPATION]
    requested = {seed_data.card["id"] for seed_data in data} | {need for seed in seeds for need in seed.needs}
    all_rows = [(seed, {row["id"]: row for row in seed.data.needs["solutions"]}) for seed in seeds]
    seed_rows = _without_aside([(seed, rows) for seed, rows in all_rows if rows])
    scored = _equalize([_score(seed, rows, demands, requested) for seed, rows in seed_rows])
    combined = {key: _combine(parts, len(scored)) for key, parts in _parts_by_solution(scored).items()}
    ranked = _demoted(_rank(combined, seed_rows, requested), other_side)
    if len(seed_rows) >= SEVERAL:
        ranked = _with_best_of_each(ranked, scored, other_side)
    return Ranking(ranked, sum(len(one.serves) == len(seed_rows) for one in ranked), seeds)


def _parts_by_solution(scored: Sequence[Scored]) -> dict[str, list[Parts]]:
    """Return the parts of each solution with the seeds that it serves."""
    found: dict[str, list[Parts]] = {}
    for by_seed in scored:
        for key, parts in by_seed.items():
            found.setdefault(key, []).append(parts)
    return found


def _combine(parts_by_seed: Sequence[Parts], seed_count: int) -> Parts:
    """Return the parts with the seed that a solution serves best, and a share of their mean over all seeds."""
    if seed_count == 1:
        return parts_by_seed[0]
    best = max(parts_by_seed, key=sum)
    return [
        (1 - MEAN_SHARE) * part + MEAN_SHARE * sum(parts) / seed_count
        for part, *parts in zip(best, *parts_by_seed, strict=True)
    ]


def _without_aside(seed_rows: Sequence[SeedRows]) -> Sequence[SeedRows]:
    """Return the rows without those that a seed lists for another setting only, if it has others.

    With one seed they stay: the request has nothing else.
    """
    if len(seed_rows) < SEVERAL:
        return seed_rows
    regular = [(seed, {key: row for key, row in rows.items() if not row.get("aside")}) for seed, rows in seed_rows]
    return [(seed, rows or every) for (seed, rows), (_, every) in zip(regular, seed_rows, strict=True)]


def _with_best_of_each(
    ranked: Sequence[RankedSolution], scored: Sequence[Scored], other_side: Container[str]
) -> list[RankedSolution]:
    """Return the solutions with the best of each seed among the first, with at least the score of the one behind them.

    Each of two seeds has three there, each of three or four has two, each of more one.
    """
    of_each = max(1, min(BEST_OF_EACH, FIRST_PLACES // (len(scored) + 1)))
    best: dict[str, None] = {}
    for by_seed in scored:
        usual = sorted((key for key in by_seed if key not in other_side), key=lambda key: (-sum(by_seed[key]), key))
        best |= dict.fromkeys(usual[:of_each])
    places = max(FIRST_PLACES, len(scored)) - len(best)
    others = [one.id for one in ranked if one.id not in best][: max(places, 0)]
    first = best.keys() | set(others)
    behind = [one for one in ranked if one.id not in first]
    least = behind[0].score if behind else 0.0
    return [*(_with_least_score(one, least) for one in ranked if one.id in first), *behind]


def _with_least_score(one: RankedSolution, least: float) -> RankedSolution:
    if one.score >= least:
        return one
    return one._replace(
        score=least, part_values=_scale(one.part_values, least / one.score) if one.score else one.part_values
    )


def _demoted(ranked: Sequence[RankedSolution], other_side: Container[str]) -> list[RankedSolution]:
    """Return the solutions with those for the less usual side of a need demoted, less so what editors chose."""
    demoted = []
    for one in ranked:
        if one.id in other_side:
            factor = OTHER_SIDE_CHOSEN_FACTOR if any(row["whole"] for _, row in one.serves) else OTHER_SIDE_FACTOR
            scaled = _scale(one.part_values, factor)
            demoted.append(one._replace(score=round(one.score * factor, SCORE_DIGITS), part_values=scaled))
        else:
            demoted.append(one)
    return sorted(demoted, key=lambda solution: -solution.score)


def _rank(scored: Scored, seed_rows: Sequence[SeedRows], requested: set[str]) -> list[RankedSolution]:
    ranked = []
    for key, parts in scored.items():
        serves = [(seed, rows[key]) for seed, rows in seed_rows if key in rows]
        row = serves[0][1]
        made_for = matching_audience(row["made_for"], requested)
        ranked.append(RankedSolution(key, row["name"], round(sum(parts), SCORE_DIGITS), parts, serves, made_for))
    return sorted(ranked, key=lambda solution: (-solution.score, solution.name.casefold(), solution.id))


def _equalize(scored: Sequence[Scored]) -> list[Scored]:
    """Return the parts, scaled so that the best solution of each seed has the score of the best of all."""
    if len(scored) < SEVERAL:
        return list(scored)
    best = [max(map(sum, by_seed.values()), default=0.0) for by_seed in scored]
    return [
        {key: _scale(parts, max(best) / seed_best) for key, parts in by_seed.items()}
        for by_seed, seed_best in zip(scored, best, strict=True)
    ]


def _scale(parts: Parts, factor: float) -> Parts:
    return [part * factor for part in parts]


def _score(seed: Seed, rows: Mapping[str, SolutionRow], demands: Mapping[str, float], requested: set[str]) -> Scored:
    """Return the parts of every solution of a seed; with several parents, the best of each solution under any."""
    if len(seed.data.parent_needs) < SEVERAL:
        return score_solutions(seed, rows, requested)
    by_parent = []
    for needs in seed.data.parent_needs:
        parent = weigh_seed(replace(seed.data, needs=needs, parent_needs=()), demands)
        by_parent.append(score_solutions(parent, {row["id"]: row for row in needs["solutions"]}, requested))
    best: dict[str, Parts] = {}
    for needs, scored in zip(seed.data.parent_needs, _equalize(by_parent), strict=True):
        factor = OTHER_PARENT_FACTOR if needs.get("misses_main_needs") else 1.0
        for key, parent_parts in scored.items():
            parts = _scale(parent_parts, factor)
            if key in rows:
                best[key] = max(best.get(key, parts), parts, key=sum)
    return best
