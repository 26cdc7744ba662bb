"""How far an entity stands ahead of others that a search finds by the same words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.heirs import is_narrower

if TYPE_CHECKING:
    from indexer.rows import Entity

ASSISTIVE = "assistive"  # the family of goods that were made for accommodation
MADE_FOR_IT = 128.0  # "air purifier": the solution, then assistive products, then the 93 on sale
# What a person lives with comes before what helps, and that before what can be bought.
KINDS = {"disability": 96.0, "limitation": 96.0, "workrelatedfunction": 96.0, "solution": 64.0}
POPULARITY = 8.0  # at most; the score of a good phrase is 10–20
PIVOT = 40  # half of it at 40 edges: between a usual product (2) and a usual solution (60)
FEATURE_BITS = 9  # of a number that the engine keeps as a feature; the rest is cut off


def prior(entity: Entity, popularity: int) -> float:
    """Points that a search adds to the score of whatever matches; popularity is one more than the number of edges."""
    cut = max(0, popularity.bit_length() - FEATURE_BITS)
    kept = popularity >> cut << cut
    return POPULARITY * kept / (kept + PIVOT) + standing(entity)


def standing(entity: Entity) -> float:
    """The part of it that the kind and the family of an entity give."""
    if is_narrower(entity):
        return 0.0
    made_for_it = MADE_FOR_IT if entity.facts.get("family", ASSISTIVE) == ASSISTIVE else 0.0
    return made_for_it + KINDS.get(entity.type, 0.0)
