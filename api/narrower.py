"""How search keeps thousands of narrower conditions behind what they are kinds of. Pure.

Alike in all else they stand behind everything made for accommodation. Their own name counts as another name: "asthma"
is also what Respiratory Impairments is called, which carries the lists, so that comes first and Asthma second. Names
that are never shown are read here too, under clause names that tell them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Body = dict[str, Any]

NARROWER: Body = {"term": {"kind": "narrower"}}
OWN_NAME = 160.0  # between another name of a solution (128 + 64) and one of a product (128)
BEGINS = 0.5  # in suggestions: behind solutions that hold it further on, before products that do
NEARNESS = 0.4  # of the score, where the nearest names are looked for
UNSHOWN = "-unshown"  # ends the name of a clause that reads hidden names


def only(query: Body) -> Body:
    """What matches among narrower conditions."""
    return {"bool": {"filter": [query, NARROWER]}}


def others(query: Body) -> Body:
    """What matches among everything else, with its score."""
    return {"bool": {"must": query, "must_not": NARROWER}}


def behind(either: Sequence[Body]) -> Body:
    """What matches any of these, narrower conditions with a part of their score: "low-vison" is near many names."""
    positive = {"bool": {"should": list(either), "minimum_should_match": 1}}
    return {"boosting": {"positive": positive, "negative": NARROWER, "negative_boost": NEARNESS}}


def clauses(text: str, boost: Callable[[str], float]) -> list[Body]:
    """Own names and hidden names stand in the tiers of other names and of their forms."""
    alias, form = boost("alias"), boost("aliasform")
    asked: list[tuple[str, float, Body]] = [
        ("name-narrower", alias + OWN_NAME, only({"term": {"name.key": text}})),
        ("nameform-narrower", form + OWN_NAME, only({"match_phrase": {"name.singular": text}})),
        (f"alias{UNSHOWN}", alias, {"term": {"hidden": text}}),
        (f"aliasform{UNSHOWN}", form, {"match_phrase": {"hidden.whole": text}}),
    ]
    return [_fixed(one, points, name) for name, points, one in asked]


def _fixed(query: Body, boost: float, name: str) -> Body:
    return {"constant_score": {"filter": query, "boost": boost, "_name": name}}


def unshown(hit: Mapping[str, Any], tiers: Sequence[str]) -> bool:
    """Whether a hit is there only by a name that is matched and never shown; `tiers` stand best first."""
    matched = hit["matched_queries"]
    if not any(name.endswith(UNSHOWN) for name in matched):
        return False
    best = min((name.partition("-")[0] for name in matched), key=tiers.index)
    return all(name.endswith(UNSHOWN) for name in matched if name.partition("-")[0] == best)
