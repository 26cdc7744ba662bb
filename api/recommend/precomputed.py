"""Ranks and explains the solutions of seeds: the part of a recommendation without cards and products.

The build runs the same code for each single seed and stores the result beside the seed's needs: docs/decisions/0023.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.recommend.explanations import coverage, describe_solution, recommendation_warnings
from api.recommend.query_bodies import PRECOMPUTED, SEED_FIELDS
from api.recommend.ranking import rank
from api.recommend.scoring import OCCUPATION, SeedData
from api.recommend.setting_filter import filter_by_setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schema.json_types import JsonObject

PRECOMPUTED_LIMIT = 20  # stored solutions: the default limit of a request


def rank_and_explain(data: Sequence[SeedData], setting: str | None, limit: int) -> JsonObject:
    """Return the best solutions of these seeds, each with its sources, and the total, coverage and warnings.

    `results` are `{"id", "line", "sources"}`, best first; a smaller limit returns the first of them.
    """
    ranking = rank(data)
    return {
        "results": [
            {
                "id": solution.id,
                "line": describe_solution(position, solution),
                "sources": [source for _, row in solution.serves for source in row.get("sources", ())],
            }
            for position, solution in enumerate(ranking.solutions[:limit], start=1)
        ],
        "total": len(ranking.solutions),
        "coverage": coverage(ranking),
        "warnings": recommendation_warnings(data, ranking, setting),
    }


def precomputed_result(needs: Mapping[str, Any]) -> JsonObject | None:
    """Return what the build stores for the owner of a `needs` document; None if it depends on other documents."""
    card = needs["card"]
    field = SEED_FIELDS[card["type"]]
    if field == OCCUPATION or needs.get("heir_of"):
        return None
    data = SeedData(field, card, filter_by_setting(needs, None), needs["inherits"])
    return {"card": card, PRECOMPUTED: rank_and_explain([data], None, PRECOMPUTED_LIMIT)}
