"""Counts where sources list solutions: rates per need, specificity of needs, rarity of solutions.

A *need* is a limitation or a work-related function under which a source lists solutions for a condition.
Its *specificity* is ln(1 + conditions / conditions that have it): a need that half of all conditions have says
little about any of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.content.rows import Recommendation

LISTED_SHARE = 0.5  # strength of being listed under a need; the rest depends on how common that listing is


@dataclass(frozen=True, slots=True)
class Listings:
    """Counts of every listing of a solution by a source.

    `rates[need][solution]` is the share of the condition pages with this need that list the solution under it;
    `pages[need, solution]` is their number.
    """

    by_disability: Mapping[str, Mapping[str, Sequence[Recommendation]]]
    rates: Mapping[str, Mapping[str, float]]
    pages: Mapping[tuple[str, str], int]
    via_sources: Mapping[tuple[str, str], tuple[str, ...]]
    disabilities_with: Mapping[str, int]
    disabilities_listing: Mapping[str, int]

    @staticmethod
    def from_rows(recommendations: Iterable[Recommendation]) -> Listings:
        """Count the rows."""
        by_disability: defaultdict[str, defaultdict[str, list[Recommendation]]] = defaultdict(lambda: defaultdict(list))
        pages: Counter[tuple[str, str]] = Counter()
        having: defaultdict[str, set[str]] = defaultdict(set)
        listing: defaultdict[str, set[str]] = defaultdict(set)
        sources: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for row in recommendations:
            by_disability[row.disability][row.solution].append(row)
            pages[row.via, row.solution] += 1
            having[row.via].add(row.disability)
            listing[row.solution].add(row.disability)
            sources[row.via, row.solution].update(dict.fromkeys(row.sources))
        rates: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for (via, solution), count in pages.items():
            rates[via][solution] = count / len(having[via])
        return Listings(
            by_disability=by_disability,
            rates=rates,
            pages=pages,
            via_sources={key: tuple(ids) for key, ids in sources.items()},
            disabilities_with={via: len(conditions) for via, conditions in having.items()},
            disabilities_listing={solution: len(conditions) for solution, conditions in listing.items()},
        )

    def without(self, disability: str) -> Listings:
        """Return the counts without one condition: what `from_rows` would count without its rows."""
        listed = self.by_disability[disability]
        lost = Counter(
            (via, solution) for solution, rows in listed.items() for via in sorted({row.via for row in rows})
        )
        pages = {key: remaining for key, count in self.pages.items() if (remaining := count - lost[key])}
        having = dict(self.disabilities_with)
        rates = dict(self.rates)
        for need in {via for via, _ in lost}:
            having[need] -= 1
            rates[need] = {
                solution: pages[need, solution] / having[need]
                for solution in self.rates[need]
                if (need, solution) in pages
            }
        listing = {
            solution: remaining
            for solution, count in self.disabilities_listing.items()
            if (remaining := count - (solution in listed))
        }
        return Listings(
            by_disability={key: solutions for key, solutions in self.by_disability.items() if key != disability},
            rates={need: rate for need, rate in rates.items() if rate},
            pages=pages,
            via_sources={key: self.via_sources[key] for key in pages},
            disabilities_with={need: count for need, count in having.items() if count},
            disabilities_listing=listing,
        )

    def rows(self, disability: str, solution: str) -> Sequence[Recommendation]:
        """Return the rows that list this solution for this condition."""
        return self.by_disability[disability][solution]

    def sources_of(self, listing: str, solution: str) -> tuple[str, ...]:
        """Return the sources that list this solution for a condition, or under a limitation or function."""
        if listing in self.by_disability:
            rows = self.rows(listing, solution)
            return tuple(dict.fromkeys(source for row in rows for source in row.sources))
        return self.via_sources[listing, solution]

    def share(self, disability: str, need: str) -> float | None:
        """Return the share of a condition's solutions that are listed under this need; None if it has none."""
        solutions = self.by_disability.get(disability)
        if not solutions:
            return None
        under = sum(any(row.via == need for row in rows) for rows in solutions.values())
        return under / len(solutions)

    def specificity(self, need: str) -> float:
        """Return how much this need says about a condition, from ln 2 upwards."""
        return log(1 + len(self.by_disability) / max(1, self.disabilities_with.get(need, 1)))

    def rarity(self, solution: str) -> float:
        """Return 0 if every condition lists the solution, up to 1 if a single one does."""
        total = len(self.by_disability)
        listing = self.disabilities_listing.get(solution, 1)
        return log(total / listing) / log(total) if total > 1 else 1.0


def strengths(listings: Listings) -> dict[str, dict[str, float]]:
    """Return for each condition how well each solution answers its needs, relative to its best solution."""
    by_condition: dict[str, dict[str, float]] = {}
    for disability, solutions in listings.by_disability.items():
        raw = {
            solution: sum(
                listings.specificity(via) * (LISTED_SHARE + (1 - LISTED_SHARE) * listings.rates[via][solution])
                for via in sorted({row.via for row in rows})
            )
            for solution, rows in solutions.items()
        }
        best = max(raw.values())
        by_condition[disability] = {solution: value / best for solution, value in raw.items()}
    return by_condition
