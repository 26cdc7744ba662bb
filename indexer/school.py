"""What is stated of solutions for school and testing, counted apart from what is listed for work. Pure.

Sources on school name a solution for a condition as a whole, or for a limitation; they do not list it under headings.
The weight is half for being named at all, the rest for how usual that is: the share of the pages read about the entity
that name it, drawn toward its share of all pages, as if DRAW more had been read. One page alone proves no custom.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.needs import Listings
    from indexer.rows import Link, SchoolRow

NAMED = 0.5  # also what a solution has that the editors alone name
DRAW = 2
FOR_ITS_NEEDS = 0.5  # named for a limitation that the condition can bring, and not for the condition


@dataclass(frozen=True, slots=True)
class Statement:
    """A solution is named for an entity: how usual it is there (0–1], on what ground, and on which pages."""

    weight: float
    basis: str
    sources: tuple[str, ...]
    read_at: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class School:
    """`stated[entity][solution]`, the limitations of each condition, and for how many entities each solution is named.

    `modifications` change what is taught or expected: they are for those for whom they are named, and nobody else.
    """

    stated: Mapping[str, Mapping[str, Statement]] = field(default_factory=dict)
    limitations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    naming: Mapping[str, int] = field(default_factory=dict)
    modifications: frozenset[str] = frozenset()

    @staticmethod
    def of(rows: Iterable[SchoolRow], links: Iterable[Link], modifications: Iterable[str] = ()) -> School:
        """Count the rows."""
        by_pair: defaultdict[tuple[str, str], list[SchoolRow]] = defaultdict(list)
        pages: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            by_pair[row.entity, row.solution].append(row)
            pages[row.entity].update({row.page} - {""})
        named = Counter(solution for (_, solution), found in by_pair.items() for row in found if row.page)
        looked = sum(map(len, pages.values()))
        stated: defaultdict[str, dict[str, Statement]] = defaultdict(dict)
        for (entity, solution), found in by_pair.items():
            common = named[solution] / looked if looked else 0.0
            stated[entity][solution] = _statement(found, common, len(pages[entity]))
        limitations: defaultdict[str, list[str]] = defaultdict(list)
        for link in links:
            if link.edge == "has_limitation":
                limitations[link.source].append(link.target)
        return School(
            stated=dict(stated),
            limitations={node: tuple(sorted(found)) for node, found in limitations.items()},
            naming=Counter(solution for _, solution in by_pair),
            modifications=frozenset(modifications),
        )

    def solutions(self, entity: str) -> list[str]:
        """All solutions named for the entity or, where it is a condition, for one of its limitations."""
        own = set(self.stated.get(entity, ()))
        for_needs = {one for need in self.limitations.get(entity, ()) for one in self.stated.get(need, ())}
        return sorted(own | (for_needs - self.modifications))

    def under(self, entity: str, solution: str, listings: Listings) -> dict[str, float]:
        """What the solution answers at school of all that the entity needs, and its weight there.

        A condition stands for itself where the solution is named for it as a whole; beside it stand those of its
        limitations for which the solution is named too, or listed for work.
        """
        own = self.stated.get(entity, {}).get(solution)
        needs = self.limitations.get(entity, ())
        named = {need: found.weight for need in needs if (found := self.stated.get(need, {}).get(solution))}
        if own is None:
            return {need: weight * FOR_ITS_NEEDS for need, weight in named.items()}
        listed = {need: own.weight for need in needs if (need, solution) in listings.pages}
        return {entity: own.weight} | {need: max(own.weight, weight) for need, weight in (listed | named).items()}

    def alone(self, entity: str, solution: str, listings: Listings) -> bool:
        """Whether the solution is named for the entity at school and not listed for it at work."""
        return solution in self.stated.get(entity, {}) and not listed_for_work(listings, entity, solution)

    def rarity(self, solution: str) -> float:
        """From 0.5 (named for every entity of which anything is said) to 1 (named for a single one).

        More time and a good seat are named for nearly everybody because they help nearly everybody: half a merit.
        """
        total = len(self.stated)
        rare = log(total / max(1, self.naming.get(solution, 1))) / log(total) if total > 1 else 1.0
        return 1 - (1 - rare) / 2


def listed_for_work(listings: Listings, entity: str, solution: str) -> bool:
    """Whether a source on work lists the solution for the condition, or under the limitation."""
    return solution in listings.by_disability.get(entity, ()) or (entity, solution) in listings.pages


def _statement(rows: list[SchoolRow], common: float, pages: int) -> Statement:
    read_at = tuple(sorted({row.page for row in rows if row.page}))
    usual = (len(read_at) + DRAW * common) / (pages + DRAW) if read_at else 0.0
    basis = "source" if read_at else rows[0].basis
    sources = tuple(dict.fromkeys(source for row in rows for source in row.sources))
    return Statement(NAMED + (1 - NAMED) * min(1.0, usual), basis, sources, read_at)
