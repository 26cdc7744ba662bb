"""Related conditions: rarity-weighted cosine similarity of their stated limitations.

similarity(a, b) = Σ over shared limitations ÷ (√(Σ t² over a's · Σ t² over b's) + DAMPING), where
t = ln(1 + conditions ÷ conditions that have the limitation), times MAIN_NEED_FACTOR for a main need of the condition.

A shared limitation adds a's t times b's: a shared rare one (seizures) counts far more than a common one (fatigue), and
main needs of both count more than occasional ones. Two limitations that limit much the same abilities (deafness and
being hard of hearing) add t · t' times their similarity, each at most once, under the name of their common ancestor.
DAMPING keeps a single shared limitation from scoring high. Only stated limitations count: inherited ones would make a
condition its own neighbor.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from api.engine.release import Hit
from api.graph.listings import Need
from schema.document_ids import ENTITY
from schema.json_types import JsonObject

DAMPING = 3.0  # t² of a limitation that one in five conditions has
MAIN_NEED_FACTOR = 1.5  # a main need counts like a limitation that far fewer conditions have
MAX_CANDIDATES = 300  # conditions with the most in common whose similarity is computed
SCORE_DIGITS = 4
TIE_DIGITS = 9  # sums of the same parts in another order are equal

Needs = Mapping[str, Need]
Weights = Mapping[str, float]  # of one condition's limitations


class ConditionLimitations(NamedTuple):
    """The stated limitations of a condition, those that are main needs, its ancestors, and its place by name."""

    id: str
    limitations: Collection[str]
    main_needs: Collection[str]
    ancestors: Collection[str]
    position: int = 0

    def weights(self, needs: Needs) -> dict[str, float]:
        """Return the weight of each limitation."""
        return {
            key: needs[key].rarity * (MAIN_NEED_FACTOR if key in self.main_needs else 1.0) for key in self.limitations
        }


@dataclass(frozen=True, slots=True)
class SimilarCondition:
    """One related condition: `shared` limitations with their part of the score, largest first.

    `relation` is broader or narrower where one of the two is an ancestor of the other.
    """

    id: str
    score: float
    shared: Sequence[tuple[str, float]]
    relation: str | None


def candidates_body(condition: ConditionLimitations, needs: Needs) -> JsonObject:
    """The conditions that state one of these limitations or a similar one, those with the most in common first."""
    boosts: defaultdict[str, float] = defaultdict(float)
    for key, weight in condition.weights(needs).items():
        boosts[key] += weight * needs[key].rarity
        for similar in needs[key].similar:
            boosts[similar.id] += weight * needs[key].rarity * similar.similarity
    clauses = [
        {"constant_score": {"filter": {"term": {"has_limitation": key}}, "boost": boost}}
        for key, boost in boosts.items()
    ]
    query: JsonObject = {
        "filter": [{"term": {"doc": ENTITY}}, {"term": {"type": "disability"}}],
        "must_not": [{"exists": {"field": "inherits_from"}}, {"ids": {"values": [condition.id]}}],
        "must": {"bool": {"should": clauses}},
    }
    return {
        "size": MAX_CANDIDATES,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["entity", "position", "has_limitation", "main_needs", "ancestors"],
        "query": {"bool": query},
        "sort": ["_score", {"position": "asc"}],
    }


def limitations_of(hit: Hit) -> ConditionLimitations:
    """Return the limitations of a condition that a search found."""
    fields = hit.fields
    (id_,) = fields["entity"]
    main_needs, ancestors = fields.get("main_needs", ()), fields.get("ancestors", ())
    return ConditionLimitations(id_, fields["has_limitation"], main_needs, ancestors, int(fields["position"][0]))


def related_conditions(
    condition: ConditionLimitations, others: Iterable[ConditionLimitations], needs: Needs
) -> list[SimilarCondition]:
    """Return the similar ones among other conditions, most similar first, then by name."""
    weights = condition.weights(needs)
    size = _size(weights)
    found: list[tuple[float, int, str, SimilarCondition]] = []
    for other in others:
        other_weights = other.weights(needs)
        shared = _shared(weights, other_weights, needs)
        if shared:
            norm = sqrt(size * _size(other_weights)) + DAMPING
            parts = sorted(((key, part / norm) for key, part in shared.items()), key=lambda it: (-it[1], it[0]))
            score = sum(part for _, part in parts)
            similar = SimilarCondition(other.id, score, parts, _relation(condition, other))
            found.append((-round(score, TIE_DIGITS), other.position, other.id, similar))
    return [similar for _, _, _, similar in sorted(found, key=lambda row: row[:3])]


def _size(weights: Weights) -> float:
    return sum(weight**2 for weight in weights.values())


def _relation(condition: ConditionLimitations, other: ConditionLimitations) -> str | None:
    """Return what the other is to the condition: `narrower`, `broader`, or None."""
    if condition.id in other.ancestors:
        return "narrower"
    return "broader" if other.id in condition.ancestors else None


def _shared(left: Weights, right: Weights, needs: Needs) -> dict[str, float]:
    """Return what two conditions share with its weight: equal limitations, then similar pairs, most similar first."""
    shared = {limitation: left[limitation] * right[limitation] for limitation in left.keys() & right.keys()}
    for ancestor, weight in _matched_pairs(left, right, needs):
        shared[ancestor] = shared.get(ancestor, 0.0) + weight
    return shared


def _matched_pairs(left: Weights, right: Weights, needs: Needs) -> Iterator[tuple[str, float]]:
    """Match the limitations that only one of the two has, each at most once, heaviest pair first."""
    candidates = [
        (
            left[ours] * right[similar.id] * similar.similarity,
            min(ours, similar.id),
            max(ours, similar.id),
            similar.common_ancestor,
        )
        for ours in left.keys() - right.keys()
        for similar in needs[ours].similar
        if similar.id in right and similar.id not in left
    ]
    matched: set[str] = set()
    for weight, first, second, ancestor in sorted(candidates, key=lambda it: (-it[0], it[1], it[2])):
        if matched.isdisjoint((first, second)):
            matched |= {first, second}
            yield ancestor, weight
