"""Related conditions: pairs that often occur together, siblings, and those with similar stated limitations.

They come in this order. A condition that is neither a pair nor a sibling must share MIN_SHARED limitations or a main
need: Carpal Tunnel Syndrome is not related to all that can bring pain. Narrower conditions inherit their limitations,
so they are related only as pairs and siblings.

similarity(a, b) = Σ over shared limitations ÷ (√(Σ t² over a's · Σ t² over b's) + DAMPING), where
t = ln(1 + conditions ÷ conditions that have the limitation), times MAIN_NEED_FACTOR for a main need of the condition.

A shared limitation adds a's t times b's: a shared rare one (seizures) counts far more than a common one (fatigue), and
main needs of both count more than occasional ones. Two limitations that limit much the same abilities (deafness and
being hard of hearing) add t · t' times their similarity, each at most once, under the name of their common ancestor.
DAMPING keeps a single shared limitation from scoring high. Inherited limitations count for pairs and siblings only:
elsewhere they would make a condition its own neighbor.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, NamedTuple

from api.engine.release import Hit
from api.graph.listings import Need
from schema.document_ids import ENTITY
from schema.entity_kinds import MAIN
from schema.json_types import JsonObject

DAMPING = 3.0  # t² of a limitation that one in five conditions has
MAIN_NEED_FACTOR = 1.5  # a main need counts like a limitation that far fewer conditions have
MIN_SHARED = 2  # limitations, of conditions without a common main need: "vision loss" alone relates nothing
CANDIDATE_FIELDS = (
    *("entity", "position", "kind", "has_limitation", "main_needs"),
    *("ancestors", "broader", "inherits_from", "only_sides"),
)
MAX_CANDIDATES = 300  # conditions with the most in common whose similarity is computed
NAMED_BOOST = 1e6  # pairs and siblings are among the candidates; no sum of other boosts reaches a thousandth of it
SCORE_DIGITS = 4
TIE_DIGITS = 9  # sums of the same parts in another order are equal

PUBLICATION_FIELDS = ("title", "url", "as_of", "read")

Needs = Mapping[str, Need]
Weights = Mapping[str, float]  # of one condition's limitations


class ConditionLimitations(NamedTuple):
    """The limitations of a condition, those that are main needs, its ancestors, and its place by name.

    Limitations are stated, or inherited from the conditions of `inherits_from`. `broader` are its nearest ancestors.
    """

    id: str
    limitations: Collection[str]
    main_needs: Collection[str]
    ancestors: Collection[str]
    position: int = 0
    inherits_from: Collection[str] = ()
    broader: Collection[str] = ()
    is_main: bool = True

    def weights(self, needs: Needs) -> dict[str, float]:
        """Return the weight of each limitation."""
        return {
            key: needs[key].rarity * (MAIN_NEED_FACTOR if key in self.main_needs else 1.0) for key in self.limitations
        }


@dataclass(frozen=True, slots=True)
class RelatedFacts:
    """What the document of a condition says of related ones, and its ancestors, nearest first.

    `publications` maps each condition that often occurs with it to the publication that states so.
    """

    id: str = ""
    publications: Mapping[str, JsonObject] = field(default_factory=dict)
    siblings: Sequence[str] = ()
    ancestors: Sequence[str] = ()

    @staticmethod
    def parse(id_: str, document: Mapping[str, Any]) -> "RelatedFacts":
        """Read the facts from the document of a condition."""
        pairs = document.get("co_occurring", ())
        return RelatedFacts(
            id_,
            {pair["id"]: {name: pair.get(name) for name in PUBLICATION_FIELDS} for pair in pairs},
            document.get("siblings", ()),
            document.get("ancestors", ()),
        )

    @property
    def named(self) -> list[str]:
        """The pairs and siblings."""
        return list(dict.fromkeys((*self.publications, *self.siblings)))


NO_FACTS = RelatedFacts()


@dataclass(frozen=True, slots=True)
class SimilarCondition:
    """One related condition: `shared` limitations with their part of the score, largest first.

    `relation` is co_occurring (stated by `publication`), sibling (under `broader`), or, where one of the two is an
    ancestor of the other, broader or narrower.
    """

    id: str
    score: float
    shared: Sequence[tuple[str, float]]
    relation: str | None
    publication: JsonObject | None = None
    broader: str | None = None


def candidates_body(condition: ConditionLimitations, needs: Needs, facts: RelatedFacts = NO_FACTS) -> JsonObject:
    """The pairs and siblings, then the conditions that state one of these limitations or a similar one.

    Those with the most in common come first. `condition` is the one whose limitations count: the one that the facts are
    of, or the one that it inherits from. Neither is among the results.
    """
    boosts: defaultdict[str, float] = defaultdict(float)
    for key, weight in condition.weights(needs).items():
        boosts[key] += weight * needs[key].rarity
        for similar in needs[key].similar:
            boosts[similar.id] += weight * needs[key].rarity * similar.similarity
    clauses = [
        {"constant_score": {"filter": {"term": {"has_limitation": key}}, "boost": boost}}
        for key, boost in boosts.items()
    ]
    stated = {"bool": {"must": {"bool": {"should": clauses}}, "must_not": {"exists": {"field": "inherits_from"}}}}
    named = {"constant_score": {"filter": {"ids": {"values": facts.named}}, "boost": NAMED_BOOST}}
    query: JsonObject = {
        "filter": [{"term": {"doc": ENTITY}}, {"term": {"type": "disability"}}],
        "must_not": {"ids": {"values": list(dict.fromkeys(filter(None, (condition.id, facts.id))))}},
        "must": {"bool": {"should": [*([stated] if clauses else []), *([named] if facts.named else [])]}},
    }
    return {
        "size": MAX_CANDIDATES,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": list(CANDIDATE_FIELDS),
        "query": {"bool": query},
        "sort": ["_score", {"position": "asc"}],
    }


def limitations_of(hit: Hit) -> ConditionLimitations:
    """Return the limitations of a condition that a search found."""
    fields = hit.fields
    (id_,) = fields["entity"]
    names = ("has_limitation", "main_needs", "ancestors", "inherits_from", "broader")
    limitations, main_needs, ancestors, inherits_from, broader = (fields.get(name, ()) for name in names)
    position, is_main = int(fields["position"][0]), MAIN in fields.get("kind", (MAIN,))
    return ConditionLimitations(id_, limitations, main_needs, ancestors, position, inherits_from, broader, is_main)


def related_conditions(
    condition: ConditionLimitations,
    others: Iterable[ConditionLimitations],
    needs: Needs,
    facts: RelatedFacts = NO_FACTS,
) -> list[SimilarCondition]:
    """Return the related ones among other conditions: pairs, siblings, then by similarity and name.

    Main siblings are sorted by similarity, narrower ones as the facts have them.
    """
    candidates = {other.id: other for other in others}
    found = similar_conditions(condition, _with_inherited_main_needs(condition, candidates), needs)
    similar = {item.id: item for item in found}
    places = {id_: place for place, id_ in enumerate(similar)}
    named = {id_: candidates[id_] for id_ in facts.named if id_ in candidates}
    by_similarity = sorted(named.values(), key=lambda it: (places.get(it.id, len(places)), it.position, it.id))
    pairs = [it for it in by_similarity if it.id in facts.publications]
    siblings = [it for it in by_similarity if it.is_main] + [it for it in named.values() if not it.is_main]
    return [
        *(_as_pair(similar.get(it.id), it.id, facts) for it in pairs),
        *(_as_sibling(similar.get(it.id), it, facts) for it in siblings if it.id not in facts.publications),
        *(item for item in found if item.id not in named and _is_close(condition, candidates[item.id], item, needs)),
    ]


def _with_inherited_main_needs(
    condition: ConditionLimitations, candidates: Mapping[str, ConditionLimitations]
) -> Iterator[ConditionLimitations]:
    """Yield the candidates; an inheriting one has the main needs of the conditions that it inherits from.

    Each of these is a candidate or the condition itself, unless it shares no limitation with that: then its main needs
    are not shared either, and the score is slightly too high.
    """
    known = {**candidates, condition.id: condition}
    for other in candidates.values():
        inherited = {need for source in other.inherits_from if source in known for need in known[source].main_needs}
        yield other._replace(main_needs={*other.main_needs, *inherited}) if inherited else other


def _as_pair(item: SimilarCondition | None, id_: str, facts: RelatedFacts) -> SimilarCondition:
    similar = item or SimilarCondition(id_, 0.0, (), None)
    return replace(similar, relation="co_occurring", publication=facts.publications[id_])


def _as_sibling(item: SimilarCondition | None, other: ConditionLimitations, facts: RelatedFacts) -> SimilarCondition:
    broader = next((ancestor for ancestor in facts.ancestors if ancestor in other.broader), None)
    return replace(item or SimilarCondition(other.id, 0.0, (), None), relation="sibling", broader=broader)


def _is_close(
    condition: ConditionLimitations, other: ConditionLimitations, item: SimilarCondition, needs: Needs
) -> bool:
    """Return whether two conditions share enough limitations, or a main need of both or two similar ones."""
    if len(item.shared) >= MIN_SHARED:
        return True
    main_needs = set(condition.main_needs).intersection(condition.limitations)
    similar = {similar.id for key in main_needs for similar in needs[key].similar}
    return not (main_needs | similar).isdisjoint(set(other.main_needs).intersection(other.limitations))


def similar_conditions(
    condition: ConditionLimitations, others: Iterable[ConditionLimitations], needs: Needs
) -> list[SimilarCondition]:
    """Return the other conditions with an equal or similar limitation, most similar first, then by name."""
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
