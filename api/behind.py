"""What stands behind the rest where a query is only a part of names: narrower conditions, and mainstream goods. Pure.

Whatever was made for accommodation and holds all words of a query, in its names or around them, comes first; then
these, by their names; then, by what they are joined to, the firms that sell it. Their whole names are asked elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.goods import MAINSTREAM
from api.narrower import NARROWER

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

Body = dict[str, Any]

VENDOR: Body = {"term": {"type": "vendor"}}
BY_NAME = (NARROWER, MAINSTREAM)
# Who gives way in which tier. Beside a type word narrower conditions are asked for by whole names; among most words
# they have no place at all.
WHO: dict[str, tuple[Body, ...]] = {
    "phrase": BY_NAME,
    "scoped": (MAINSTREAM,),
    "words": BY_NAME,
    "prefix": BY_NAME,
    "everywhere": (*BY_NAME, VENDOR),
    "most": BY_NAME,
    "description": (NARROWER,),
}
# Points above the tier of mentions (or of most words): more than any mention has (280), less than the next step (512).
PARTLY = {"phrase": 420.0, "scoped": 470.0, "words": 370.0, "prefix": 320.0, "everywhere": 320.0}


def others(tier: str, query: Body) -> Body:
    """What matches in a tier among those that do not give way there, with its score."""
    return {"bool": {"must": query, "must_not": _one_or_list(WHO[tier])}}


def clauses(ladder: Mapping[str, Sequence[Body]], boost: Callable[[str], float], equal: Container[str]) -> list[Body]:
    """Names that hold all words of a query: behind all else that does, before mentions of one word.

    What a tier finds is told apart by how well it fits, but for the `equal` ones. Where only most words agree they are
    left out: "with seizures and hearing loss" is part of many names.
    """
    mention, most = boost("mention"), boost("most")
    found = []
    for tier, points in PARTLY.items():
        if either := ladder.get(tier):
            meant = {"bool": {"should": list(either), "filter": _any(WHO[tier]), "minimum_should_match": 1}}
            height = points + (most if tier == "everywhere" else mention)
            fixed = {"constant_score": {"filter": meant, "boost": height, "_name": f"{tier}-behind"}}
            # beside a type word whole names have points of their own, which would reach the next tier
            alike = tier == "scoped" or tier in equal
            found.append(fixed if alike else {"bool": {"must": [fixed], "should": [either[0]]}})
    return found


def _any(who: Sequence[Body]) -> Body:
    return who[0] if len(who) == 1 else {"bool": {"should": list(who)}}


def _one_or_list(who: Sequence[Body]) -> Body | list[Body]:
    return who[0] if len(who) == 1 else list(who)
