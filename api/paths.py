"""Chains of up to four edges between two entities, the most telling first. Pure.

A step is worth √(weight ÷ (n × m)), where n counts the edges of that name at the one end and m those of the inverse
name at the other: a strong edge that is one of few says more than a weak one at a hub. A path is worth the product of
its steps, and a quarter of that for each step after the first. Each passage through what an earlier result passed
through halves it, so that five results are five explanations.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from api.inflated import inflated

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

LONGER = 0.25  # each step after the first: "both can bring Photosensitivity" before a detour by rarer limitations
HANDED_DOWN = frozenset(("has_limitation", "affects", "recommends"))  # edges that a narrow condition inherits
AGAIN = 0.5  # each passage through what was shown: "Alternative Mice" once, not with each of five trackballs
DIGITS = 4  # of a score


class Link(NamedTuple):
    """An edge to somewhere; `worth` is what a step along it multiplies a path by."""

    edge: str
    weight: float
    basis: str
    sources: Sequence[str]
    worth: float


class Path(NamedTuple):
    """`nodes[i]` is joined to `nodes[i + 1]` by `links[i]`."""

    nodes: tuple[str, ...]
    links: tuple[Link, ...]
    score: float

    def turned(self, inverses: Mapping[str, str]) -> Path:
        """The same path from its other end."""
        links = tuple(_turned(link, inverses) for link in reversed(self.links))
        return Path(self.nodes[::-1], links, self.score)


@dataclass(frozen=True, slots=True)
class Around:
    """What an entity is joined to: the best link to each target. `whole` is false where a hub was cut.

    `heir_of` names those whose links it inherits besides.
    """

    links: Mapping[str, Link]
    whole: bool
    heir_of: Sequence[str] = ()

    @staticmethod
    def of(packed: str, wanted: Container[str] | None = None) -> Around:
        """Read what the indexer packed (`indexer/reach.py`), or of it the links to what is wanted."""
        told = inflated(packed)
        grounds: list[tuple[str, list[str]]] = told["grounds"]
        found: dict[str, Link] = {}
        for edge, (total, items) in told["edges"].items():
            for target, weight, back, ground in items:
                if wanted is None or target in wanted:
                    basis, sources = grounds[ground]
                    link = Link(edge, weight, basis, sources, math.sqrt(weight / (total * back)))
                    known = found.get(target)
                    if known is None or known.worth < link.worth:
                        found[target] = link
        whole = all(total == len(items) for total, items in told["edges"].values())
        return Around(found, whole, tuple(told.get("heir_of", ())))

    def inheriting(self, speakers: Sequence[Around]) -> Around:
        """With what these hand down; what it is joined to by itself stays as it is."""
        found: dict[str, Link] = {}
        for one in speakers:
            for target, link in one.links.items():
                known = found.get(target)
                if link.edge in HANDED_DOWN and (known is None or known.worth < link.worth):
                    found[target] = link._replace(basis="inherited")
        return Around({**found, **self.links}, self.whole and all(one.whole for one in speakers), self.heir_of)


@dataclass(frozen=True, slots=True)
class Ends:
    """The two entities, what is around each, and the inverse of each edge."""

    start: str
    end: str
    near_start: Mapping[str, Link]
    near_end: Mapping[str, Link]
    inverses: Mapping[str, str]

    def short(self) -> list[Path]:
        """The paths of one and two steps."""
        direct = self.near_start.get(self.end)
        found = [Path((self.start, self.end), (direct,), _score(direct))] if direct else []
        both = (self.near_start.keys() & self.near_end.keys()) - {self.start, self.end}
        return [*found, *(self._path((node,)) for node in both)]

    def long(self, beside: Mapping[str, Around], between: Mapping[str, Around]) -> Iterator[Path]:
        """The paths of three and four steps.

        `beside` holds neighbors of the start with what is around them, `between` what is joined to neighbors of both.
        Through each of the latter goes one path, the best.
        """
        outer = {self.start, self.end}
        for node, around in beside.items():
            for other in (around.links.keys() & self.near_end.keys()) - outer:
                yield self._path((node, other), around.links[other])
        for node, around in between.items():
            pairs = [
                (one, other)
                for one in self._nearest(self.near_start, around)
                for other in self._nearest(self.near_end, around)
                if one != other
            ]
            found = [
                self._path((one, node, other), _turned(around.links[one], self.inverses), around.links[other])
                for one, other in pairs
            ]
            if found:
                yield min(found, key=lambda path: (-path.score, path.nodes))

    def _nearest(self, near: Mapping[str, Link], around: Around) -> list[str]:
        there = (around.links.keys() & near.keys()) - {self.start, self.end}
        return heapq.nsmallest(2, there, key=lambda one: (-near[one].worth * around.links[one].worth, one))

    def _path(self, middle: tuple[str, ...], *inner: Link) -> Path:
        """From start to end through these; `inner` are the links between them."""
        last = _turned(self.near_end[middle[-1]], self.inverses)
        links = (self.near_start[middle[0]], *inner, last)
        return Path((self.start, *middle, self.end), links, _score(*links))


def _turned(link: Link, inverses: Mapping[str, str]) -> Link:
    return link._replace(edge=inverses[link.edge])


def _score(*links: Link) -> float:
    return _rounded(math.prod([link.worth for link in links]) * LONGER ** (len(links) - 1))


def _rounded(score: float) -> float:
    return float(f"{score:.{DIGITS}g}")


def best(found: Sequence[Path], limit: int) -> list[Path]:
    """The best paths that do not repeat each other, with the scores that put them in this order."""
    shown: dict[str, int] = {}
    waiting = [(-path.score, len(path.nodes), path.nodes, path) for path in found]
    heapq.heapify(waiting)
    chosen: list[Path] = []
    while waiting and len(chosen) < limit:
        score, length, nodes, path = heapq.heappop(waiting)
        again = -path.score * AGAIN ** sum(shown.get(node, 0) for node in nodes[1:-1])
        if again > score:  # it was worth more when it was put in; it waits for its turn
            heapq.heappush(waiting, (again, length, nodes, path))
            continue
        chosen.append(path._replace(score=_rounded(-score)))
        shown.update((node, shown.get(node, 0) + 1) for node in nodes[1:-1])
    return chosen
