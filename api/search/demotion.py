"""Demotes narrower conditions, mainstream products and vendors below other matches of the same quality.

What was made for accommodation and matches all words of a query comes first, then these by their names, then the
vendors that sell it. Their whole names match in tiers of their own. A narrower condition's own name counts like an
alias: "asthma" is also an alias of Respiratory Impairments, which has the lists, so that ranks first and Asthma second.
Hidden names match under clause names of their own, so that they are never shown.
"""

from collections.abc import Callable, Container, Mapping, Sequence

from api.engine.entity_clauses import NARROWER, narrower_only
from schema import entity_kinds
from schema.json_types import JsonObject

MAINSTREAM: JsonObject = {"terms": {"family": [entity_kinds.MAINSTREAM]}}
VENDOR: JsonObject = {"term": {"type": "vendor"}}
DEMOTED_BY_NAME = (NARROWER, MAINSTREAM)
# What each tier demotes. Beside a type hint, narrower conditions match by whole names only; among most words, never.
DEMOTED_BY_TIER: dict[str, tuple[JsonObject, ...]] = {
    "phrase": DEMOTED_BY_NAME,
    "scoped": (MAINSTREAM,),
    "words": DEMOTED_BY_NAME,
    "prefix": DEMOTED_BY_NAME,
    "everywhere": (*DEMOTED_BY_NAME, VENDOR),
    "most": DEMOTED_BY_NAME,
    "description": (NARROWER,),
}
# Boost above the tier of mentions (or of most words): more than any mention has (280), less than the next step (512).
DEMOTED_BOOST = {"phrase": 420.0, "scoped": 470.0, "words": 370.0, "prefix": 320.0, "everywhere": 320.0}
NARROWER_NAME_BOOST = 160.0  # between an alias of a solution (128 + 64) and one of a product (128)
PREFIX_FACTOR = 0.5  # in suggestions: behind solutions that hold it further on, before products that do
SIMILAR_NAME_FACTOR = 0.4  # of the score, where the nearest names are looked for
HIDDEN_SUFFIX = "-unshown"  # ends the name of a clause that reads hidden names


def without_demoted(tier: str, query: JsonObject) -> JsonObject:
    """Match a query among entities that the tier does not demote, with its score."""
    return {"bool": {"must": query, "must_not": _one_or_list(DEMOTED_BY_TIER[tier])}}


def demoted_clauses(
    clauses_by_tier: Mapping[str, Sequence[JsonObject]], boost: Callable[[str], float], equal: Container[str]
) -> list[JsonObject]:
    """Match names that contain all words, ranked below everything else that does and above single-word matches.

    Hits of a tier differ by their score, except in the `equal` tiers. Where only most words match, demoted entities are
    left out: "with seizures and hearing loss" is part of many names.
    """
    mention, most = boost("mention"), boost("most")
    found = []
    for tier, points in DEMOTED_BOOST.items():
        if either := clauses_by_tier.get(tier):
            meant = {"bool": {"should": list(either), "filter": _any(DEMOTED_BY_TIER[tier]), "minimum_should_match": 1}}
            height = points + (most if tier == "everywhere" else mention)
            fixed = {"constant_score": {"filter": meant, "boost": height, "_name": f"{tier}-demoted"}}
            # beside a type hint, whole names have a boost of their own, which would reach the next tier
            alike = tier == "scoped" or tier in equal
            found.append(fixed if alike else {"bool": {"must": [fixed], "should": [either[0]]}})
    return found


def _any(who: Sequence[JsonObject]) -> JsonObject:
    return who[0] if len(who) == 1 else {"bool": {"should": list(who)}}


def _one_or_list(who: Sequence[JsonObject]) -> JsonObject | list[JsonObject]:
    return who[0] if len(who) == 1 else list(who)


def demote_narrower(either: Sequence[JsonObject]) -> JsonObject:
    """Match any of these; narrower conditions get a part of their score: "low-vison" is similar to many names."""
    positive = {"bool": {"should": list(either), "minimum_should_match": 1}}
    return {"boosting": {"positive": positive, "negative": NARROWER, "negative_boost": SIMILAR_NAME_FACTOR}}


def narrower_name_clauses(text: str, boost: Callable[[str], float]) -> list[JsonObject]:
    """Match names of narrower conditions and hidden names like aliases."""
    alias, form = boost("alias"), boost("aliasform")
    queries: list[tuple[str, float, JsonObject]] = [
        ("name-narrower", alias + NARROWER_NAME_BOOST, narrower_only({"term": {"name.key": text}})),
        ("nameform-narrower", form + NARROWER_NAME_BOOST, narrower_only({"match_phrase": {"name.singular": text}})),
        (f"alias{HIDDEN_SUFFIX}", alias, {"term": {"hidden": text}}),
        (f"aliasform{HIDDEN_SUFFIX}", form, {"match_phrase": {"hidden.whole": text}}),
    ]
    return [_fixed(one, points, name) for name, points, one in queries]


def _fixed(query: JsonObject, boost: float, name: str) -> JsonObject:
    return {"constant_score": {"filter": query, "boost": boost, "_name": name}}


def matched_hidden_alias(matched: Sequence[str], tiers: Sequence[str]) -> bool:
    """Return whether a hit matched only by a hidden name; `tiers` are best first."""
    if not any(name.endswith(HIDDEN_SUFFIX) for name in matched):
        return False
    best = min((name.partition("-")[0] for name in matched), key=tiers.index)
    return all(name.endswith(HIDDEN_SUFFIX) for name in matched if name.partition("-")[0] == best)
