"""Statements about school and testing accommodations, counted apart from the lists for work.

Sources on school name a solution for a whole condition or for a limitation; they have no headings. Half of the weight
is for being named at all. The rest is the share of the entity's pages that name the solution, smoothed towards its
share of all pages as if SMOOTHING_PAGES more had been read: a single page does not prove a custom.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.content.rows import Link, SchoolRecommendation
    from indexer.graph.needs import Listings

NAMED_WEIGHT = 0.5  # also the weight of a solution that only the editors name
SMOOTHING_PAGES = 2
NEED_ONLY_FACTOR = 0.5  # named for a limitation of the condition, but not for the condition


@dataclass(frozen=True, slots=True)
class Statement:
    """A solution is named for an entity: weight in (0, 1], basis, sources and the pages that name it."""

    weight: float
    basis: str
    sources: tuple[str, ...]
    read_at: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class School:
    """`stated[entity][solution]`, the limitations of each condition, and for how many entities each solution is named.

    `modifications` change what is taught or expected; they apply only to entities for which they are named.
    """

    stated: Mapping[str, Mapping[str, Statement]] = field(default_factory=dict)
    limitations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    naming: Mapping[str, int] = field(default_factory=dict)
    modifications: frozenset[str] = frozenset()

    @staticmethod
    def from_rows(
        rows: Iterable[SchoolRecommendation], links: Iterable[Link], modifications: Iterable[str] = ()
    ) -> School:
        """Count the rows."""
        by_pair: defaultdict[tuple[str, str], list[SchoolRecommendation]] = defaultdict(list)
        pages: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            by_pair[row.entity, row.solution].append(row)
            pages[row.entity].update({row.page} - {""})
        named = Counter(solution for (_, solution), pair_rows in by_pair.items() for row in pair_rows if row.page)
        page_count = sum(map(len, pages.values()))
        stated: defaultdict[str, dict[str, Statement]] = defaultdict(dict)
        for (entity, solution), pair_rows in by_pair.items():
            common = named[solution] / page_count if page_count else 0.0
            stated[entity][solution] = _statement(pair_rows, common, len(pages[entity]))
        limitations: defaultdict[str, list[str]] = defaultdict(list)
        for link in links:
            if link.edge == "has_limitation":
                limitations[link.source].append(link.target)
        return School(
            stated=dict(stated),
            limitations={node: tuple(sorted(targets)) for node, targets in limitations.items()},
            naming=Counter(solution for _, solution in by_pair),
            modifications=frozenset(modifications),
        )

    def solutions(self, entity: str) -> list[str]:
        """Return all solutions named for the entity or, if it is a condition, for one of its limitations."""
        direct = set(self.stated.get(entity, ()))
        needs = self.limitations.get(entity, ())
        for_needs = {solution for need in needs for solution in self.stated.get(need, ())}
        return sorted(direct | (for_needs - self.modifications))

    def weights_by_need(self, entity: str, solution: str, listings: Listings) -> dict[str, float]:
        """Return the needs of an entity that the solution answers at school, with weights.

        A condition is its own need if the solution is named for it as a whole. Its limitations count if the solution
        is named for them too, or listed for work.
        """
        direct = self.stated.get(entity, {}).get(solution)
        needs = self.limitations.get(entity, ())
        named = {need: row.weight for need in needs if (row := self.stated.get(need, {}).get(solution))}
        if direct is None:
            return {need: weight * NEED_ONLY_FACTOR for need, weight in named.items()}
        listed = {need: direct.weight for need in needs if (need, solution) in listings.pages}
        return {entity: direct.weight} | {need: max(direct.weight, weight) for need, weight in (listed | named).items()}

    def is_only_for_school(self, entity: str, solution: str, listings: Listings) -> bool:
        """Return whether the solution is named for the entity at school and not listed for it at work."""
        return solution in self.stated.get(entity, {}) and not listed_for_work(listings, entity, solution)

    def rarity(self, solution: str) -> float:
        """Return 0.5 if the solution is named for every entity with statements, up to 1 if for a single one.

        Extra time is named for nearly every condition because it helps nearly everyone, so common is no demerit.
        """
        total = len(self.stated)
        rare = log(total / max(1, self.naming.get(solution, 1))) / log(total) if total > 1 else 1.0
        return 1 - (1 - rare) / 2


def listed_for_work(listings: Listings, entity: str, solution: str) -> bool:
    """Return whether a source on work lists the solution for the condition or under the limitation."""
    return solution in listings.by_disability.get(entity, ()) or (entity, solution) in listings.pages


def _statement(rows: list[SchoolRecommendation], common: float, pages: int) -> Statement:
    read_at = tuple(sorted({row.page for row in rows if row.page}))
    share = (len(read_at) + SMOOTHING_PAGES * common) / (pages + SMOOTHING_PAGES) if read_at else 0.0
    basis = "source" if read_at else rows[0].basis
    sources = tuple(dict.fromkeys(source for row in rows for source in row.sources))
    return Statement(NAMED_WEIGHT + (1 - NAMED_WEIGHT) * min(1.0, share), basis, sources, read_at)
