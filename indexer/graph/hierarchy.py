"""The broader/narrower hierarchy, and the cosine similarity of limitations over the abilities they limit.

Two limitations have similarity 1 if they limit the same abilities in the same proportion, and 0 if they share none.
Blindness and low vision are similar, blindness and color vision deficiency are not, though all are vision impairments.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import hypot

from indexer.content.rows import Link

# Night blindness and low vision (0.58) are too different, tunnel vision and fading sight (0.72) are not.
SIMILARITY_THRESHOLD = 0.7


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """An entity whose lists another one uses. `relation` is `narrower`, `broader` or `similar`."""

    node: str
    relation: str
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """`broader` and `narrower` have direct relations; `limits[limitation][ability]` is a strength."""

    broader: Mapping[str, tuple[str, ...]]
    narrower: Mapping[str, tuple[str, ...]]
    limits: Mapping[str, Mapping[str, float]]

    @staticmethod
    def from_links(links: Iterable[Link]) -> "Hierarchy":
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
        return Hierarchy(
            broader={node: tuple(sorted(parents)) for node, parents in broader.items()},
            narrower={node: tuple(sorted(children)) for node, children in narrower.items()},
            limits=dict(limits),
        )

    def similarity(self, first: str, second: str) -> float:
        """Return the similarity of two limitations; 0 if the crosswalk has no row for one of them."""
        left, right = self.limits.get(first, {}), self.limits.get(second, {})
        product = sum(strength * right[ability] for ability, strength in left.items() if ability in right)
        return product / (hypot(*left.values()) * hypot(*right.values())) if product else 0.0

    def relation(self, node: str, related: str) -> str | None:
        """Return what `related` is to `node`: a descendant (`narrower`), an ancestor (`broader`), or None."""
        if any(node in level for level in self.ancestors(related)):
            return "narrower"
        return "broader" if any(related in level for level in self.ancestors(node)) else None

    def ancestors(self, node: str) -> Iterator[list[str]]:
        """Yield the ancestors level by level, nearest first."""
        seen, level = {node}, [node]
        while level := sorted({parent for child in level for parent in self.broader.get(child, ())} - seen):
            seen |= set(level)
            yield level

    def nearest_descendants(self, node: str, candidates: Container[str]) -> list[str]:
        """Return the nearest descendants that are candidates, on each way down."""
        nearest: dict[str, None] = {}
        for child in self.narrower.get(node, ()):
            below = [child] if child in candidates else self.nearest_descendants(child, candidates)
            nearest |= dict.fromkeys(below)
        return list(nearest)

    def entities_to_inherit_from(self, node: str, candidates: Container[str]) -> list[RelatedEntity]:
        """Return the entities whose lists an entity without lists of its own uses; empty if none fits.

        A broad entity uses the lists of its descendants. Any other uses those of the nearest level of ancestors that
        has candidates: the ancestors themselves, and their descendants that limit much the same abilities.
        """
        if descendants := self.nearest_descendants(node, candidates):
            return [RelatedEntity(descendant, "narrower") for descendant in descendants]
        for level in self.ancestors(node):
            related = [RelatedEntity(ancestor, "broader") for ancestor in level if ancestor in candidates]
            related += self._similar_entities(node, level, candidates)
            if related:
                return related
        return []

    def _similar_entities(self, node: str, level: Iterable[str], candidates: Container[str]) -> list[RelatedEntity]:
        if node not in self.limits:
            return []
        similarities = {
            descendant: self.similarity(node, descendant)
            for ancestor in level
            for descendant in self.nearest_descendants(ancestor, candidates)
        }
        return [
            RelatedEntity(descendant, "similar", similarity)
            for descendant, similarity in similarities.items()
            if similarity >= SIMILARITY_THRESHOLD
        ]

    def common_ancestor(self, first: str, second: str) -> str | None:
        """Return the nearest common ancestor of two entities, or one of the two if the other descends from it."""
        left, right = (_distances([[node], *self.ancestors(node)]) for node in (first, second))
        common = left.keys() & right.keys()
        return min(common, key=lambda node: (left[node] + right[node], node), default=None)


def _distances(levels: Iterable[Iterable[str]]) -> dict[str, int]:
    return {node: distance for distance, level in enumerate(levels) for node in level}
