"""How search keeps thousands of narrower conditions behind what they are kinds of. Pure.

Alike in all else they stand behind everything made for accommodation, and where a query is only a part of their names,
behind everything that holds all its words. Their own name counts as another name: "asthma"
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
# Points above the tier of mentions (or of most words): more than any mention has (280), less than the next step (512).
PARTLY = {"phrase": 420.0, "words": 370.0, "prefix": 320.0, "everywhere": 320.0}
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


def clauses(text: str, ladder: Mapping[str, Sequence[Body]], boost: Callable[[str], float]) -> list[Body]:
    """What search asks besides its tiers, given as their clauses and boosts by name."""
    return [*_beside(text, boost("alias"), boost("aliasform")), *_partly(ladder, boost("mention"), boost("most"))]


def _beside(text: str, alias: float, form: float) -> list[Body]:
    """Own names and hidden names stand in the tiers of other names and of their forms."""
    asked: list[tuple[str, float, Body]] = [
        ("name-narrower", alias + OWN_NAME, only({"term": {"name.key": text}})),
        ("nameform-narrower", form + OWN_NAME, only({"match_phrase": {"name.whole": text}})),
        (f"alias{UNSHOWN}", alias, {"term": {"hidden": text}}),
        (f"aliasform{UNSHOWN}", form, {"match_phrase": {"hidden.whole": text}}),
    ]
    return [_fixed(one, points, name) for name, points, one in asked]


def _partly(ladder: Mapping[str, Sequence[Body]], mention: float, most: float) -> list[Body]:
    """Names that hold all words of a query: behind all else that does, before mentions of one word.

    Where only most words agree they are left out: "with seizures and hearing loss" is part of many names.
    """
    found = []
    for tier, points in PARTLY.items():
        if either := ladder.get(tier):
            meant = only({"bool": {"should": list(either)}})
            fixed = _fixed(meant, points + (most if tier == "everywhere" else mention), f"{tier}-narrower")
            found.append({"bool": {"must": [fixed], "should": [either[0]]}})
    return found


def beginnings(key: str, boosts: Mapping[str, float]) -> list[Body]:
    """For suggestions: names that begin with the key, by field; a narrower condition's whole name counts like them."""
    found = [_fixed(only({"term": {"name.key": key}}), boosts["name"])]
    for field, boost in boosts.items():
        begun: Body = {"prefix": {f"{field}.key": key}}
        found += [_fixed(others(begun), boost), _fixed(only(begun), boost * BEGINS)]
    return found


def _fixed(query: Body, boost: float, name: str | None = None) -> Body:
    return {"constant_score": {"filter": query, "boost": boost} | ({"_name": name} if name else {})}


def unshown(hit: Mapping[str, Any], tiers: Sequence[str]) -> bool:
    """Whether a hit is there only by a name that is matched and never shown; `tiers` stand best first."""
    matched = hit["matched_queries"]
    best = min((name.partition("-")[0] for name in matched), key=tiers.index)
    return all(name.endswith(UNSHOWN) for name in matched if name.partition("-")[0] == best)
