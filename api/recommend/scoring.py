"""Scores the solutions of one seed: parts that add up to a score between 0 and 1.

Each need of a seed has a weight, and each solution a rate under each need: how usual it is there. The parts are

* coverage: the share of the seed's needs that the solution answers, by weight, each to the extent of its rate
* evidence: how certain it is that the solution belongs to any of them (one minus the product of the remaining doubts
  of each rate and of the editors' choice for the seed itself)
* specificity: how few other conditions list it, and under how many of these needs it is listed (root of the product)
* first_choice: how far editors name it among the first to try, for the seed itself or for a share of its needs (root
  of the larger)
* fit: full for what is made for the person or job of the request, none for what is made for another

An occupation has no needs. It increases the weight of the needs that limit abilities important in the job, and halves
what is listed under the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

# Chosen on one half of the conditions and measured on the other: docs/decisions/0009.
WEIGHTS = {"coverage": 0.05, "evidence": 0.41, "specificity": 0.28, "first_choice": 0.21, "fit": 0.05}
GENERAL_FIT = 0.5  # share of `fit` for a solution that is made for no group in particular
MAX_JOB_BOOST = 2.0  # a need that limits the most important ability counts up to three times
UNAFFECTED_RATE = 0.5  # of what is listed under a need that limits nothing important in the job
OCCUPATION = "occupation"
_COVERAGE, _EVIDENCE, _SPECIFICITY, _FIRST_CHOICE, _FIT = WEIGHTS.values()

Parts = Sequence[float]  # in the order of WEIGHTS
Scored = Mapping[str, Parts]  # the parts of each solution of a seed
Row = Mapping[str, Any]  # a solution as a `needs` document lists it: rates under needs, rarity, basis, sources


@dataclass(frozen=True, slots=True)
class SeedData:
    """A resolved seed: the field of the request, its card, and its `needs` document.

    The document is the entity's, or that of the condition it inherits from; `inherits` names those, and is empty for
    lists of its own. With several parents the document merges theirs, and `parent_needs` are the document of each.
    """

    field: str
    card: Mapping[str, Any]
    needs: Mapping[str, Any]
    inherits: Sequence[Mapping[str, Any]] = ()
    parent_needs: Sequence[Mapping[str, Any]] = ()


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


def _weigh_need(need: Mapping[str, Any], demands: Mapping[str, float]) -> tuple[float, str]:
    """Return the weight of a need, and the name of the ability through which the job increases it."""
    limits: Mapping[str, Any] = need["limits"] if demands else {}
    impact = {key: demands[key] * limit["strength"] for key, limit in limits.items() if key in demands}
    if not impact:
        return need["weight"], ""
    strongest = max(impact, key=lambda key: (impact[key], key))
    return need["weight"] * (1 + MAX_JOB_BOOST * impact[strongest]), limits[strongest]["name"]


def score_solutions(seed: Seed, rows: Mapping[str, Row], requested: set[str]) -> dict[str, Parts]:
    """Return the parts of each solution with one seed. `requested` are the ids of the seeds and of their needs."""
    weights = {key: need.weight for key, need in seed.needs.items()}
    factors = {key: need.rate_factor for key, need in seed.needs.items()}
    total, listed_needs = seed.total_weight, seed.listed_needs
    scored: dict[str, Parts] = {}
    for key, row in rows.items():
        under = row["under"]
        seed_choice: float = row["whole"]  # zero for nearly all
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
    return float(any(group in requested or _has_member(group, requested) for group in made_for))


def _has_member(group: str, requested: set[str]) -> bool:
    return group.startswith(f"{OCCUPATION}:") and any(id_.startswith(group) for id_ in requested)
