"""Counts where sources list solutions, for work and for school: rates per need, specificity of needs, rarity.

A *need* is a limitation or a work-related function under which a source lists solutions for a condition.
Its *specificity* is ln(1 + conditions / conditions that have it): a need that half of all conditions have says
little about any of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from indexer.content.rows import Recommendation, SchoolRecommendation

LISTED_SHARE = 0.5  # strength of being listed under a need; the rest depends on how common that listing is
NAMED_WEIGHT = 0.5  # of being named for school; also the weight of a solution that only the editors name
SMOOTHING_PAGES = 2  # of school sources


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
    def from_rows(recommendations: Iterable[Recommendation]) -> "Listings":
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

    def without(self, disability: str) -> "Listings":
        """Return the counts without one condition: what `from_rows` would count without its rows."""
        listed = self.by_disability[disability]
        lost = Counter((via, solution) for solution, rows in listed.items() for via in {row.via for row in rows})
        pages = {key: remaining for key, count in self.pages.items() if (remaining := count - lost[key])}
        having, rates = dict(self.disabilities_with), dict(self.rates)
        for need in {via for via, _ in lost}:
            having[need] -= 1
            rates[need] = {
                solution: pages[need, solution] / having[need]
                for solution in self.rates[need]
                if (need, solution) in pages
            }
        listing = {solution: count - (solution in listed) for solution, count in self.disabilities_listing.items()}
        return Listings(
            by_disability={key: solutions for key, solutions in self.by_disability.items() if key != disability},
            rates={need: rate for need, rate in rates.items() if rate},
            pages=pages,
            via_sources={key: self.via_sources[key] for key in pages},
            disabilities_with={need: count for need, count in having.items() if count},
            disabilities_listing={solution: count for solution, count in listing.items() if count},
        )

    def sources_of(self, listing: str, solution: str) -> tuple[str, ...]:
        """Return the sources that list this solution for a condition, or under a limitation or function."""
        if listing in self.by_disability:
            rows = self.by_disability[listing][solution]
            return tuple(dict.fromkeys(source for row in rows for source in row.sources))
        return self.via_sources[listing, solution]

    def share(self, disability: str, need: str) -> float | None:
        """Return the share of a condition's solutions that are listed under this need; None if it has none."""
        solutions = self.by_disability.get(disability)
        if not solutions:
            return None
        return sum(any(row.via == need for row in rows) for rows in solutions.values()) / len(solutions)

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


@dataclass(frozen=True, slots=True)
class Statement:
    """A solution is named for an entity: weight in (0, 1], basis, sources and the pages that name it.

    Sources on school name a solution for a whole condition or for a limitation; they have no headings. Half of the
    weight is for being named at all. The rest is the share of the entity's pages that name the solution, smoothed
    towards its share of all pages as if SMOOTHING_PAGES more had been read: a single page does not prove a custom.
    """

    weight: float
    basis: str
    sources: tuple[str, ...]
    read_at: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class School:
    """`stated[entity][solution]`, and for how many entities each solution is named.

    `modifications` change what is taught or expected; they apply only to entities for which they are named.
    """

    stated: Mapping[str, Mapping[str, Statement]] = field(default_factory=dict)
    naming: Mapping[str, int] = field(default_factory=dict)
    modifications: frozenset[str] = frozenset()

    @staticmethod
    def from_rows(rows: Iterable[SchoolRecommendation], modifications: Iterable[str] = ()) -> "School":
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
        return School(
            stated=dict(stated),
            naming=Counter(solution for _, solution in by_pair),
            modifications=frozenset(modifications),
        )

    def is_only_for_school(self, entity: str, solution: str, listings: Listings) -> bool:
        """Return whether the solution is named for the entity at school and not listed for it at work."""
        listed = solution in listings.by_disability.get(entity, ()) or (entity, solution) in listings.pages
        return solution in self.stated.get(entity, {}) and not listed

    def rarity(self, solution: str) -> float:
        """Return 0.5 if the solution is named for every entity with statements, up to 1 if for a single one.

        Extra time is named for nearly every condition because it helps nearly everyone, so common is no demerit.
        """
        total = len(self.stated)
        rare = log(total / max(1, self.naming.get(solution, 1))) / log(total) if total > 1 else 1.0
        return 1 - (1 - rare) / 2


def _statement(rows: list[SchoolRecommendation], common: float, pages: int) -> Statement:
    read_at = tuple(sorted({row.page for row in rows if row.page}))
    share = (len(read_at) + SMOOTHING_PAGES * common) / (pages + SMOOTHING_PAGES) if read_at else 0.0
    basis = "source" if read_at else rows[0].basis
    sources = tuple(dict.fromkeys(source for row in rows for source in row.sources))
    return Statement(NAMED_WEIGHT + (1 - NAMED_WEIGHT) * min(1.0, share), basis, sources, read_at)
