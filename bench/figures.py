"""Figures of a report: percentiles and Markdown tables."""

import math
from collections.abc import Iterable, Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values does not exceed; nan for no values."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))
