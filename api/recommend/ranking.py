"""Ranks the solutions of all seeds of a request.

With several seeds, solutions that serve every seed come alone if there are enough, each with the mean of its parts.
Otherwise solutions that serve fewer seeds follow: the best of each seed has the same score, and none scores more than
those before.

A condition that inherits from several parents is ranked for each of them. The best solution of each parent gets the
score of the best of all, so that one long list does not displace the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from api.recommend.scoring import (
    OCCUPATION,
    WEIGHTS,
    Need,
    Parts,
    Row,
    Scored,
    Seed,
    SeedData,
    score_solutions,
    weigh_seed,
)

SCORE_DIGITS = 6
PART_DIGITS = 7  # one more, so that the parts add up to the score
SEVERAL = 2
ENOUGH_JOINT = 5  # solutions that serve every seed, from which on no others follow
OTHER_SEEDS_SHARE = 0.1  # of the parts with the seeds that a solution serves less well

SeedRows = tuple[Seed, Mapping[str, Row]]  # a seed with its solutions by id


class RankedSolution(NamedTuple):
    """A solution with the parts of its score, and each seed that it serves with the row that lists it."""

    id: str
    name: str
    score: float
    part_values: Parts
    serves: Sequence[tuple[Seed, Row]]

    @property
    def parts(self) -> dict[str, float]:
        """The parts by name; they add up to the score."""
        return {name: round(value, PART_DIGITS) for name, value in zip(WEIGHTS, self.part_values, strict=True)}

    @property
    def answers(self) -> list[tuple[Need, str]]:
        """The needs that it answers with the field of their seed, by weight within a seed."""
        answers: list[tuple[Need, str]] = []
        for seed, row in self.serves:
            needs = [seed.needs[need] for need in row["under"]]
            needs.sort(key=lambda need: (-need.share, need.card["name"]))
            answers += [(need, seed.data.field) for need in needs]
        return answers


@dataclass(frozen=True, slots=True)
class Ranking:
    """All solutions, best first. The first `joint` of them serve every seed that lists any."""

    solutions: Sequence[RankedSolution]
    joint: int
    seeds: Sequence[Seed]


def rank(data: Sequence[SeedData]) -> Ranking:
    """Return all solutions that serve the seeds, best first."""
    demands: dict[str, float] = {}
    for seed_data in data:
        demands |= seed_data.needs["demands"]
    seeds = [weigh_seed(seed_data, demands) for seed_data in data if seed_data.field != OCCUPATION]
    requested = {seed_data.card["id"] for seed_data in data} | {need for seed in seeds for need in seed.needs}
    all_rows = [(seed, {row["id"]: row for row in seed.data.needs["solutions"]}) for seed in seeds]
    seed_rows = [(seed, rows) for seed, rows in all_rows if rows]
    scored = [_score(seed, rows, demands, requested) for seed, rows in seed_rows]
    joint, rest = _split_joint(scored, seed_rows)
    ranked = _rank({key: _mean([by_seed[key] for by_seed in scored]) for key in joint}, seed_rows)
    if len(ranked) < ENOUGH_JOINT:
        equalized = _equalize(scored)
        partial = {
            key: _combine([by_seed[key] for by_seed in equalized if key in by_seed], len(seed_rows)) for key in rest
        }
        ranked += _rank(_cap(partial, ranked[-1].score if ranked else 1.0), seed_rows)
    return Ranking(ranked, len(joint), seeds)


def _split_joint(scored: Sequence[Scored], seed_rows: Sequence[SeedRows]) -> tuple[list[str], list[str]]:
    """Return the solutions that serve every seed, and those that serve fewer.

    With several seeds, a solution that a seed lists for another setting only (`aside`) serves the seed only if that
    has no others.
    """
    every = dict.fromkeys(key for by_seed in scored for key in by_seed)
    if len(scored) == 1:
        return list(every), []
    regular = [{key for key in rows if not rows[key].get("aside")} or rows.keys() for _, rows in seed_rows]
    joint = {
        key
        for key in every
        if all(key in keys and key in by_seed for keys, by_seed in zip(regular, scored, strict=True))
    }
    return [key for key in every if key in joint], [key for key in every if key not in joint]


def _rank(scored: Scored, seed_rows: Sequence[SeedRows]) -> list[RankedSolution]:
    ranked = []
    for key, parts in scored.items():
        serves = [(seed, rows[key]) for seed, rows in seed_rows if key in rows]
        ranked.append(RankedSolution(key, serves[0][1]["name"], round(sum(parts), SCORE_DIGITS), parts, serves))
    return sorted(ranked, key=lambda solution: (-solution.score, solution.name.casefold(), solution.id))


def _cap(scored: Scored, maximum: float) -> Scored:
    """Return the parts, scaled so that no score exceeds the maximum."""
    best = max(map(sum, scored.values()), default=0.0)
    return scored if best <= maximum else {key: _scale(parts, maximum / best) for key, parts in scored.items()}


def _combine(parts_by_seed: Sequence[Parts], seed_count: int) -> Parts:
    """Return the parts with the seed that a solution serves best, and a share of those with the others."""
    best = max(parts_by_seed, key=sum)
    return [
        ((1 - OTHER_SEEDS_SHARE) * part + OTHER_SEEDS_SHARE * sum(parts)) / seed_count
        for part, *parts in zip(best, *parts_by_seed, strict=True)
    ]


def _equalize(scored: Sequence[Scored]) -> list[Scored]:
    """Return the parts, scaled so that the best solution of each seed has the score of the best of all."""
    best = [max(map(sum, by_seed.values()), default=0.0) for by_seed in scored]
    return [
        {key: _scale(parts, max(best) / seed_best) for key, parts in by_seed.items()}
        for by_seed, seed_best in zip(scored, best, strict=True)
    ]


def _scale(parts: Parts, factor: float) -> Parts:
    return [part * factor for part in parts]


def _score(seed: Seed, rows: Mapping[str, Row], demands: Mapping[str, float], requested: set[str]) -> Scored:
    """Return the parts of every solution of a seed; with several parents, the best of each solution under any."""
    if len(seed.data.parent_needs) < SEVERAL:
        return score_solutions(seed, rows, requested)
    by_parent = []
    for needs in seed.data.parent_needs:
        parent = weigh_seed(replace(seed.data, needs=needs, parent_needs=()), demands)
        by_parent.append(score_solutions(parent, {row["id"]: row for row in needs["solutions"]}, requested))
    best: dict[str, Parts] = {}
    for scored in _equalize(by_parent):
        for key, parts in scored.items():
            best[key] = max(best.get(key, parts), parts, key=sum)
    return best


def _mean(parts_by_seed: Sequence[Parts]) -> Parts:
    if len(parts_by_seed) == 1:
        return parts_by_seed[0]
    return [sum(parts) / len(parts_by_seed) for parts in zip(*parts_by_seed, strict=True)]
