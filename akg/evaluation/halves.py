"""The two halves of the judged queries: points of the ranking are chosen on one and reported on the other.

The half depends on nothing but the query, so that it stays the same when queries are added or moved.
"""

from collections.abc import Iterable
from hashlib import sha256

from akg.evaluation.metrics import Outcome, Scores, mean_scores
from schema.text import fold

DEVELOPMENT, HELD_OUT = "development", "held-out"


def half_of(query: str) -> str:
    """Return the half of a query by the SHA-256 of its folded text: "Barré" and "barre" are in the same half."""
    return HELD_OUT if sha256(fold(query).encode()).digest()[0] % 2 else DEVELOPMENT


def scores_by_half(outcomes: Iterable[Outcome]) -> dict[str, Scores]:
    """Return the mean scores of each half that has queries."""
    groups: dict[str, list[Outcome]] = {DEVELOPMENT: [], HELD_OUT: []}
    for outcome in outcomes:
        groups[half_of(outcome.judgment.query)].append(outcome)
    return {half: mean_scores(group) for half, group in groups.items() if group}
