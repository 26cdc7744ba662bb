"""What recommend tells of ranked solutions, but for their cards and products, which are the same in every answer. Pure.

For a condition, limitation or function alone it is told when the release is made, by this very code, and kept beside
the seed's needs: docs/decisions/0023.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.explaining import coverage, recommendation, seed_warnings
from api.naming import FIELDS
from api.narrowing import in_setting
from api.ranking import OCCUPATION, SeedData, rank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Body = dict[str, Any]
KEPT = 20  # solutions that a kept answer holds: as many as are given where no limit is


def told(data: Sequence[SeedData], setting: str | None, limit: int) -> Body:
    """The best solutions for these seeds, each with the sources that name it for them, and what holds for all.

    `results` are `{"id", "line", "sources"}`, best first; a smaller limit gives the first of them.
    """
    ranking = rank(data)
    return {
        "results": [
            {
                "id": one.id,
                "line": recommendation(place, one),
                "sources": [source for _, row in one.serves for source in row.get("sources", ())],
            }
            for place, one in enumerate(ranking.found[:limit], start=1)
        ],
        "total": len(ranking.found),
        "coverage": coverage(ranking),
        "warnings": seed_warnings(data, ranking, setting),
    }


def kept_answer(needs: Mapping[str, Any]) -> Body | None:
    """What a release keeps for the owner of this `needs` document; None where that depends on more than these."""
    card = needs["card"]
    field = FIELDS[card["type"]]
    if field == OCCUPATION or needs.get("heir_of"):
        return None
    alone = SeedData(field, card, in_setting(needs, None), needs["inherits"])
    return {"card": card, "told": told([alone], None, KEPT)}
