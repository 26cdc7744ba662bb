"""Which solutions answer the needs of the seeds, and how well: parts that add up to the score. Pure.

For one seed, a solution's parts are

* coverage: the share of the seed's needs that list it, each need weighted by how telling it is
* evidence: how usual it is under those needs (the mean share of condition pages that list it there)
* specificity: how much more it belongs here than everywhere (1 when a single condition lists it, 0 when all do)

With several seeds a solution must serve every one that lists anything; its parts are the mean over the seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COVERAGE, EVIDENCE, SPECIFICITY = 0.5, 0.3, 0.2
DIGITS = 6


@dataclass(frozen=True, slots=True)
class SeedData:
    """One resolved seed: the request's field and the `needs` document of its entity."""

    field: str
    needs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One solution. `answers` holds (need card, weight in the score, seed field), weightiest first."""

    card: Mapping[str, Any]
    parts: Mapping[str, float]
    answers: Sequence[tuple[Mapping[str, Any], float, str]]

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return round(sum(self.parts.values()), DIGITS)


def rank(seeds: Sequence[SeedData]) -> list[Ranked]:
    """All solutions that serve the seeds, best first."""
    per_seed = [_one_seed(seed) for seed in seeds]
    serving = [found for found in per_seed if found]
    if not serving:
        return []
    common = set.intersection(*(set(found) for found in serving))
    ranked = [_mean([found[solution] for found in serving]) for solution in common]
    return sorted(ranked, key=lambda one: (-one.score, one.card["name"].casefold(), one.card["id"]))


def _one_seed(seed: SeedData) -> dict[str, Ranked]:
    cards = {need["entity"]["id"]: need["entity"] for need in seed.needs["needs"]}
    telling = {need["entity"]["id"]: need["telling"] for need in seed.needs["needs"]}
    total = sum(telling.values())
    return {row["card"]["id"]: _scored(seed.field, row, cards, telling, total) for row in seed.needs["solutions"]}


def _scored(
    field: str, row: Mapping[str, Any], cards: Mapping[str, Any], telling: Mapping[str, float], total: float
) -> Ranked:
    under: Mapping[str, float] = row["under"]
    weight = sum(telling[need] for need in under)
    parts = {
        "coverage": round(COVERAGE * weight / total, DIGITS),
        "evidence": round(EVIDENCE * sum(telling[need] * rate for need, rate in under.items()) / weight, DIGITS),
        "specificity": round(SPECIFICITY * row["rarity"], DIGITS),
    }
    answers = [(cards[need], round(telling[need] / total, 4), field) for need in under]
    answers.sort(key=lambda one: (-one[1], one[0]["name"]))
    return Ranked(row["card"], parts, answers)


def _mean(found: Sequence[Ranked]) -> Ranked:
    names = found[0].parts
    parts = {name: round(sum(one.parts[name] for one in found) / len(found), DIGITS) for name in names}
    answers = [answer for one in found for answer in one.answers]
    return Ranked(found[0].card, parts, answers)
