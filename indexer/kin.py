"""Which entities stand near each other: by the hierarchy, and limitations by the abilities they limit. Pure.

The likeness of two limitations is the cosine of what they limit: 1 for the same abilities in the same proportion,
0 for none in common. Blindness and low vision are near, blindness and color vision deficiency are not, though all
three are kinds of vision impairment.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from indexer.rows import Link

AKIN = 0.7  # night blindness and low vision (0.58) are too far apart, tunnel vision and fading sight (0.72) are not


@dataclass(frozen=True, slots=True)
class Relative:
    """An entity whose lists another one uses: a kind of it (`narrower`), a broader one, or one that is `akin`."""

    node: str
    relation: str
    likeness: float = 1.0


@dataclass(frozen=True, slots=True)
class Kin:
    """`broader` and `narrower` are direct; `limits[limitation][ability]` is a strength."""

    broader: Mapping[str, tuple[str, ...]]
    narrower: Mapping[str, tuple[str, ...]]
    limits: Mapping[str, Mapping[str, float]]

    @staticmethod
    def of(links: Iterable[Link]) -> Kin:
        """Read the hierarchy and the crosswalk from the links."""
        broader: defaultdict[str, set[str]] = defaultdict(set)
        narrower: defaultdict[str, set[str]] = defaultdict(set)
        limits: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for link in links:
            if link.edge == "broader":
                broader[link.source].add(link.target)
                narrower[link.target].add(link.source)
            elif link.edge == "limits" and link.weight is not None:
                limits[link.source][link.target] = link.weight
        return Kin(
            broader={node: tuple(sorted(found)) for node, found in broader.items()},
            narrower={node: tuple(sorted(found)) for node, found in narrower.items()},
            limits=dict(limits),
        )

    def likeness(self, one: str, other: str) -> float:
        """How much the same two limitations limit; 0 where the crosswalk says nothing of one."""
        mine, theirs = self.limits.get(one, {}), self.limits.get(other, {})
        both = sum(strength * theirs[ability] for ability, strength in mine.items() if ability in theirs)
        return both / (_length(mine) * _length(theirs)) if both else 0.0

    def relation(self, node: str, other: str) -> str | None:
        """What another entity is to this one: a kind of it (`narrower`), what it is a kind of (`broader`), or None."""
        if any(node in level for level in self.above(other)):
            return "narrower"
        return "broader" if any(other in level for level in self.above(node)) else None

    def above(self, node: str) -> Iterator[list[str]]:
        """All broader ones, nearest first, those at the same distance together."""
        seen, level = {node}, [node]
        while level := sorted({up for one in level for up in self.broader.get(one, ())} - seen):
            seen |= set(level)
            yield level

    def kinds(self, node: str, having: Container[str]) -> list[str]:
        """The nearest narrower ones that are in `having`, on each way down."""
        found: dict[str, None] = {}
        for kind in self.narrower.get(node, ()):
            found.update(dict.fromkeys([kind] if kind in having else self.kinds(kind, having)))
        return list(found)

    def relatives(self, node: str, having: Container[str]) -> list[Relative]:
        """From whom an entity without lists of its own takes them; empty where nothing honest can be said.

        A broad one takes what its kinds have. Any other takes from the nearest broader one that has something:
        its own lists, and those of its kinds that limit much the same abilities.
        """
        if kinds := self.kinds(node, having):
            return [Relative(kind, "narrower") for kind in kinds]
        for level in self.above(node):
            found = [Relative(one, "broader") for one in level if one in having]
            found += self._akin(node, level, having)
            if found:
                return found
        return []

    def _akin(self, node: str, level: Iterable[str], having: Container[str]) -> list[Relative]:
        if node not in self.limits:
            return []
        near = {kind: self.likeness(node, kind) for one in level for kind in self.kinds(one, having)}
        return [Relative(kind, "akin", likeness) for kind, likeness in near.items() if likeness >= AKIN]

    def common(self, one: str, other: str) -> str | None:
        """The nearest entity that both are kinds of, or one of the two if the other is a kind of it."""
        mine = _nearest([[one], *self.above(one)])
        theirs = _nearest([[other], *self.above(other)])
        both = mine.keys() & theirs.keys()
        return min(both, key=lambda node: (mine[node] + theirs[node], node), default=None)


def _length(strengths: Mapping[str, float]) -> float:
    return sqrt(sum(strength * strength for strength in strengths.values()))


def _nearest(levels: Iterable[Iterable[str]]) -> dict[str, int]:
    return {node: steps for steps, level in enumerate(levels) for node in level}
