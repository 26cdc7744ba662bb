"""Which solutions answer the needs of the seeds, and how well: parts that add up to the score. Pure.

For one seed, with a weight for each need and for each solution how usual it is under each need, a solution's parts are

* coverage: the share of the seed's needs that it answers, by their weights, each as far as it is usual there
* evidence: how sure it is that it belongs to any of them (one minus the product of what each, and the editors' word for
  the seed as a whole, leaves open)
* specificity: how few other conditions list it, and under how many of these needs it stands (the root of the product)
* first_choice: how far the editors name it among the first to try, for the seed as a whole or for a share of its needs
  (the root of the larger)
* fit: full for what is made for the person or job that was asked about, none for what is made for another

An occupation is no need of its own; it makes those needs count more that limit what the job leans on, and what is
listed under others by half.

With several seeds, solutions that serve every one of them come alone, if there are enough, each with the mean of its
points. Else those that serve fewer follow: the best of each seed counts alike, and none more than those before.

A narrow condition for which several speak is ranked for each of them by itself. The best of each counts as much as the
best of all, so that what one of them lists does not push out what the others do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

# Chosen on one half of the conditions and measured on the other: docs/decisions/0009.
WEIGHTS = {"coverage": 0.05, "evidence": 0.41, "specificity": 0.28, "first_choice": 0.21, "fit": 0.05}
FITS_ANYBODY = 0.5  # of `fit`, for what is made for nobody in particular
JOB = 2.0  # a need that takes away what the job leans on most counts up to three times
IDLE = 0.5  # what is listed under a need counts half where the job asks for nothing that the need limits
DIGITS = 6  # of a score
PART_DIGITS = 7  # of each part, so that they add up to the score
OCCUPATION = "occupation"
SEVERAL = 2
ENOUGH = 5  # solutions that serve every seed: what somebody reads before anything else
BESIDE = 0.1  # of what a solution that serves some of the seeds earns with those that it does not serve best
_COVERAGE, _EVIDENCE, _SPECIFICITY, _FIRST_CHOICE, _FIT = WEIGHTS.values()


@dataclass(frozen=True, slots=True)
class SeedData:
    """One resolved seed: the request's field, its card, and the `needs` document that speaks for it.

    The document is the entity's own, or that of a broader condition; `inherits` says from whom its lists are, and is
    empty where they are its own. Where several speak, it joins theirs, and `voices` are the documents of each.
    """

    field: str
    card: Mapping[str, Any]
    needs: Mapping[str, Any]
    inherits: Sequence[Mapping[str, Any]] = ()
    voices: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Need:
    """One need of a seed as the question weighs it.

    `share` is its part of all needs of its seed; `job` names the ability through which the job makes it count more;
    `counted` is how far what is listed under it counts: half where the job asks for nothing that the need limits.
    """

    card: Mapping[str, Any]
    weight: float
    share: float
    job: str
    counted: float = 1.0


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed with its needs weighed, by their ids; `known` counts those that the lists in use know of."""

    data: SeedData
    needs: Mapping[str, Need]
    total: float
    known: int


class Ranked(NamedTuple):
    """One solution: its points, in the order of WEIGHTS, and for each seed that it serves the row that says how."""

    id: str
    name: str
    score: float
    points: Sequence[float]
    serves: Sequence[tuple[Seed, Mapping[str, Any]]]

    @property
    def parts(self) -> dict[str, float]:
        """The points by the names of the parts; they add up to the score."""
        return {name: round(points, PART_DIGITS) for name, points in zip(WEIGHTS, self.points, strict=True)}

    @property
    def answers(self) -> list[tuple[Need, str]]:
        """The needs that it answers with the field of their seed, weightiest first within a seed."""
        found = []
        for seed, row in self.serves:
            needs = [seed.needs[need] for need in row["under"]]
            needs.sort(key=lambda need: (-need.share, need.card["name"]))
            found += [(need, seed.data.field) for need in needs]
        return found


Earned = Mapping[str, Sequence[float]]  # the points of each solution with one seed, in the order of WEIGHTS
Serving = tuple[Seed, Mapping[str, Mapping[str, Any]]]  # a seed with its solutions


@dataclass(frozen=True, slots=True)
class Ranking:
    """All solutions, best first; the first so many, `together`, serve every seed that lists any."""

    found: Sequence[Ranked]
    together: int
    seeds: Sequence[Seed]


def rank(seeds: Sequence[SeedData]) -> Ranking:
    """All solutions that serve the seeds, best first."""
    demands: dict[str, float] = {}
    for seed in seeds:
        demands |= seed.needs["demands"]
    read = [_read(seed, demands) for seed in seeds if seed.field != OCCUPATION]
    asked = {seed.card["id"] for seed in seeds} | {need for seed in read for need in seed.needs}
    serving = [(seed, {row["id"]: row for row in seed.data.needs["solutions"]}) for seed in read]
    serving = [(seed, rows) for seed, rows in serving if rows]
    earned = [_earned(seed, rows, demands, asked) for seed, rows in serving]
    common, rest = _served(earned, serving)
    found = _placed({one: _mean([own[one] for own in earned]) for one in common}, serving)
    if len(found) < ENOUGH:
        alike = _alike(earned)
        fewer = {one: _best([own[one] for own in alike if one in own], len(serving)) for one in rest}
        found += _placed(_below(fewer, found[-1].score if found else 1.0), serving)
    return Ranking(found, len(common), seeds=read)


def _served(earned: Sequence[Earned], serving: Sequence[Serving]) -> tuple[list[str], list[str]]:
    """What serves every seed, and what serves fewer of them.

    Where there are several seeds, what is named aside, for another setting than the rest, serves a seed only if that
    has nothing else.
    """
    every = dict.fromkeys(one for points in earned for one in points)
    if len(earned) == 1:
        return list(every), []
    firm = [{one for one in rows if not rows[one].get("aside")} or rows.keys() for _, rows in serving]
    common = {one for one in every if all(one in some and one in own for some, own in zip(firm, earned, strict=True))}
    return [one for one in every if one in common], [one for one in every if one not in common]


def _placed(points: Earned, serving: Sequence[Serving]) -> list[Ranked]:
    """Solutions by their points, best first."""
    found = []
    for one, parts in points.items():
        serves = [(seed, rows[one]) for seed, rows in serving if one in rows]
        found.append(Ranked(one, serves[0][1]["name"], round(sum(parts), DIGITS), parts, serves))
    return sorted(found, key=lambda one: (-one.score, one.name.casefold(), one.id))


def _below(points: Earned, most: float) -> Earned:
    """The same points, scaled so that none has more than `most`."""
    best = max(map(sum, points.values()), default=0.0)
    return points if best <= most else {one: _scaled(parts, most / best) for one, parts in points.items()}


def _best(points: Sequence[Sequence[float]], seeds: int) -> Sequence[float]:
    """The points with the seed that a solution serves best, and a share of those with others."""
    best = max(points, key=sum)
    return [((1 - BESIDE) * part + BESIDE * sum(parts)) / seeds for part, *parts in zip(best, *points, strict=True)]


def _alike(earned: Sequence[Earned]) -> list[Earned]:
    """The same points, scaled so that the best of each counts as much as the best of all."""
    best = [max(map(sum, one.values()), default=0.0) for one in earned]
    return [
        {key: _scaled(parts, max(best) / most) for key, parts in one.items()}
        for one, most in zip(earned, best, strict=True)
    ]


def _scaled(parts: Sequence[float], factor: float) -> Sequence[float]:
    return [part * factor for part in parts]


def _read(seed: SeedData, demands: Mapping[str, float]) -> Seed:
    weighed = [(need, *_weight(need, demands)) for need in seed.needs["needs"]]
    total = sum(weight for _, weight, _ in weighed)
    fading = any(job for _, _, job in weighed)  # a job that leans on nothing that is limited changes nothing
    needs = {
        need["entity"]["id"]: Need(
            need["entity"],
            weight,
            round(weight / total, 4),
            job,
            IDLE if fading and need["limits"] and not job else 1.0,
        )
        for need, weight, job in weighed
    }
    known = sum(not need.get("school") for need in seed.needs["needs"])
    return Seed(seed, needs, total, known or len(needs))


def _weight(need: Mapping[str, Any], demands: Mapping[str, float]) -> tuple[float, str]:
    limits: Mapping[str, Any] = need["limits"] if demands else {}
    touched = {key: demands[key] * limit["strength"] for key, limit in limits.items() if key in demands}
    if not touched:
        return need["weight"], ""
    most = max(touched, key=lambda key: (touched[key], key))
    return need["weight"] * (1 + JOB * touched[most]), limits[most]["name"]


def _earned(seed: Seed, rows: Mapping[str, Mapping[str, Any]], demands: Mapping[str, float], asked: set[str]) -> Earned:
    """The points of every solution; where several speak for the seed, its best under any of them."""
    if len(seed.data.voices) < SEVERAL:
        return _points(seed, rows, asked)
    heard = []
    for voice in seed.data.voices:
        own = _read(replace(seed.data, needs=voice, voices=()), demands)
        heard.append(_points(own, {row["id"]: row for row in voice["solutions"]}, asked))
    earned: dict[str, Sequence[float]] = {}
    for one in _alike(heard):
        for key, points in one.items():
            earned[key] = max(earned.get(key, points), points, key=sum)
    return earned


def _points(seed: Seed, rows: Mapping[str, Mapping[str, Any]], asked: set[str]) -> dict[str, Sequence[float]]:
    """What each solution earns with one seed, part by part in the order of WEIGHTS."""
    weights = {key: need.weight for key, need in seed.needs.items()}
    counted = {key: need.counted for key, need in seed.needs.items()}
    total, known = seed.total, seed.known
    earned: dict[str, Sequence[float]] = {}
    for key, row in rows.items():
        under = row["under"]
        whole: float = row["whole"]  # none, for nearly all
        if whole:
            whole *= sum(counted[need] for need in under) / len(under)
        answered, left_open, usual, chosen = 0.0, 1.0 - whole, 0.0, 0.0
        for need, listed in under.items():
            rate = listed * counted[need]
            answered += weights[need] * rate
            left_open *= 1 - rate
            usual += rate
        for need, strength in row["first"].items():
            chosen += weights[need] * strength * under[need] * counted[need]
        earned[key] = (
            _COVERAGE * answered / total,
            _EVIDENCE * (1 - left_open),
            _SPECIFICITY * sqrt(usual / known * row["rarity"]),
            _FIRST_CHOICE * sqrt(max(chosen / total, whole)),
            _FIT * fit(row["made_for"], asked),
        )
    return earned


def fit(made_for: Sequence[str], asked: set[str]) -> float:
    """1 for what is made for one of the entities that were asked about, 0 for what is made for others."""
    if not made_for:
        return FITS_ANYBODY
    return float(any(one in asked or _of_group(one, asked) for one in made_for))


def _of_group(group: str, asked: set[str]) -> bool:
    return group.startswith(f"{OCCUPATION}:") and any(one.startswith(group) for one in asked)


def _mean(points: Sequence[Sequence[float]]) -> Sequence[float]:
    if len(points) == 1:
        return points[0]
    return [sum(several) / len(points) for several in zip(*points, strict=True)]
