"""Which solutions answer the needs of the seeds, and how well: parts that add up to the score. Pure.

For one seed, a solution's parts are

* coverage: the share of the seed's needs that list it, each need weighted by how telling it is
* evidence: how usual it is under those needs (the mean share of condition pages that list it there)
* specificity: how much more it belongs here than everywhere (1 when a single condition lists it, 0 when all do)

An occupation is no need of its own; it makes those needs count more that limit what the job leans on. With several
seeds, solutions that serve every one of them come alone; where there is none, those that serve any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COVERAGE, EVIDENCE, SPECIFICITY = 0.5, 0.3, 0.2
JOB = 2.0  # a need that takes away what the job leans on most counts up to three times
DIGITS = 6
OCCUPATION = "occupation"


@dataclass(frozen=True, slots=True)
class SeedData:
    """One resolved seed: the request's field and the `needs` document of its entity."""

    field: str
    needs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One solution. `answers` holds (need card, weight in the score, seed field), weightiest first.

    `job` names an ability that the occupation leans on and an answered need can limit, or is empty.
    """

    card: Mapping[str, Any]
    parts: Mapping[str, float]
    answers: Sequence[tuple[Mapping[str, Any], float, str]]
    job: str = ""

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return round(sum(self.parts.values()), DIGITS)


@dataclass(frozen=True, slots=True)
class Ranking:
    """All solutions, best first; `together` says that each serves every seed that has any."""

    found: Sequence[Ranked]
    together: bool


def rank(seeds: Sequence[SeedData]) -> Ranking:
    """All solutions that serve the seeds, best first."""
    demands: dict[str, float] = {}
    for seed in seeds:
        demands |= seed.needs.get("demands", {})
    per_seed = [_one_seed(seed, demands) for seed in seeds if seed.field != OCCUPATION]
    serving = [found for found in per_seed if found]
    if not serving:
        return Ranking((), together=True)
    common = set.intersection(*(set(found) for found in serving))
    wanted = common or set.union(*(set(found) for found in serving))
    ranked = [_mean([found[one] for found in serving if one in found], len(serving)) for one in wanted]
    ranked.sort(key=lambda one: (-one.score, one.card["name"].casefold(), one.card["id"]))
    return Ranking(ranked, together=bool(common))


@dataclass(frozen=True, slots=True)
class _Need:
    card: Mapping[str, Any]
    telling: float
    job: str


@dataclass(frozen=True, slots=True)
class _Seed:
    field: str
    needs: Mapping[str, _Need]
    total: float


def _one_seed(seed: SeedData, demands: Mapping[str, float]) -> dict[str, Ranked]:
    needs = {need["entity"]["id"]: _need(need, demands) for need in seed.needs["needs"]}
    read = _Seed(seed.field, needs, sum(need.telling for need in needs.values()))
    return {row["card"]["id"]: _scored(read, row) for row in seed.needs["solutions"]}


def _need(need: Mapping[str, Any], demands: Mapping[str, float]) -> _Need:
    limits: Mapping[str, Any] = need.get("limits", {})
    touched = {key: demands[key] * limit["strength"] for key, limit in limits.items() if key in demands}
    if not touched:
        return _Need(need["entity"], need["telling"], "")
    most = max(touched, key=lambda key: (touched[key], key))
    return _Need(need["entity"], need["telling"] * (1 + JOB * touched[most]), limits[most]["name"])


def _scored(seed: _Seed, row: Mapping[str, Any]) -> Ranked:
    under: Mapping[str, float] = row["under"]
    weight = sum(seed.needs[need].telling for need in under)
    usual = sum(seed.needs[need].telling * rate for need, rate in under.items()) / weight
    parts = {
        "coverage": round(COVERAGE * weight / seed.total, DIGITS),
        "evidence": round(EVIDENCE * usual, DIGITS),
        "specificity": round(SPECIFICITY * row["rarity"], DIGITS),
    }
    answers = [(seed.needs[need].card, round(seed.needs[need].telling / seed.total, 4), seed.field) for need in under]
    answers.sort(key=lambda one: (-one[1], one[0]["name"]))
    job = next((need.job for card, _, _ in answers if (need := seed.needs[card["id"]]).job), "")
    return Ranked(row["card"], parts, answers, job)


def _mean(found: Sequence[Ranked], seeds: int) -> Ranked:
    parts = {name: round(sum(one.parts[name] for one in found) / seeds, DIGITS) for name in found[0].parts}
    answers = [answer for one in found for answer in one.answers]
    return Ranked(found[0].card, parts, answers, next((one.job for one in found if one.job), ""))
