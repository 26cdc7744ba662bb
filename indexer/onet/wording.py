"""The one sentence that sums an occupation up, composed of its facts. Pure."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LEANS = 3  # abilities that are named first: those of the greatest importance
OF_NOTE = 2.5  # importance from which an ability can stand out against other jobs
GROUP = "A group of jobs that O*NET counts together and does not rate for abilities."


def wording(ratings: Mapping[str, Mapping[str, float]], names: Mapping[str, str]) -> Callable[[str, str, str], str]:
    """A function of code, name and job zone that answers the sentence.

    `ratings` has importances by occupation and ability, `names` the names of abilities.
    """
    values: defaultdict[str, list[float]] = defaultdict(list)
    for rated in ratings.values():
        for ability, importance in rated.items():
            values[ability].append(importance)
    usual = {ability: (fmean(found), pstdev(found) or 1.0) for ability, found in values.items()}

    def sentence(code: str, name: str, zone: str) -> str:
        rated = ratings.get(code)
        if not rated:
            return _unrated(name, zone)
        first = sorted(rated, key=lambda ability: (-rated[ability], ability))[:LEANS]
        rest = [ability for ability in rated if ability not in first and rated[ability] >= OF_NOTE]
        where = f" in job zone {zone}" if zone else ""
        told = f"An occupation{where} that leans most on {_listed([names[ability].lower() for ability in first])}"
        if rest:
            most = max(rest, key=lambda ability: (rated[ability] - usual[ability][0]) / usual[ability][1])
            told += f", and more than most jobs on {names[most].lower()}"
        return f"{told}."

    return sentence


def _unrated(name: str, zone: str) -> str:
    if name.endswith("All Other") and not zone:
        return GROUP
    where = f", in job zone {zone}" if zone else ""
    return f"An occupation that O*NET does not rate for abilities{where}."


def _listed(words: list[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
