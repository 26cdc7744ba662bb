"""Scores and selects paths of up to four edges between two entities, the most informative first.

A step multiplies the score of its path by √(weight ÷ (n × m)), where n counts the edges of that name at one end and m
those of the inverse name at the other: a strong edge that is one of few says more than a weak one at a hub. Each step
after the first multiplies it by DETOUR_FACTOR. Each entity that an earlier result passed through halves it, so that
five results are five explanations.
"""

import heapq
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from api.engine.older_format import with_current_keys
from schema.codec import unpack
from schema.entity_kinds import INHERITED_EDGES

DETOUR_FACTOR = 0.25  # "both can bring Photosensitivity" before a detour by rarer limitations
REPEAT_FACTOR = 0.5  # "Alternative Mice" once, not with each of five trackballs
SIGNIFICANT_DIGITS = 4  # of a score


class PathStep(NamedTuple):
    """An edge to another entity; `factor` is what it multiplies the score of a path by."""

    edge: str
    weight: float
    basis: str
    sources: Sequence[str]
    factor: float


class Path(NamedTuple):
    """`steps[i]` leads from `nodes[i]` to `nodes[i + 1]`."""

    nodes: tuple[str, ...]
    steps: tuple[PathStep, ...]
    score: float

    def reverse(self, inverses: Mapping[str, str]) -> "Path":
        """Return the same path from its other end."""
        steps = tuple(_reverse(step, inverses) for step in reversed(self.steps))
        return Path(self.nodes[::-1], steps, self.score)


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """The best step to each neighbor of an entity. `is_complete` is false if the index left out edges of a hub.

    `parents` are the entities from which it inherits further steps.
    """

    steps: Mapping[str, PathStep]
    is_complete: bool
    parents: Sequence[str] = ()

    @staticmethod
    def unpack(packed: str, targets: Container[str] | None = None) -> "Neighborhood":
        """Read what `indexer/documents/adjacency.py` packs, or of it only the steps to `targets`."""
        adjacency = with_current_keys(unpack(packed))
        grounds: list[tuple[str, list[str]]] = adjacency["grounds"]
        steps: dict[str, PathStep] = {}
        for edge, (total, items) in adjacency["edges"].items():
            for target, weight, inverse_total, ground in items:
                if targets is None or target in targets:
                    basis, sources = grounds[ground]
                    step = PathStep(edge, weight, basis, sources, math.sqrt(weight / (total * inverse_total)))
                    _keep_best(steps, target, step)
        is_complete = all(total == len(items) for total, items in adjacency["edges"].values())
        return Neighborhood(steps, is_complete, tuple(adjacency.get("inheritance_sources", ())))

    def inherit(self, parents: Sequence["Neighborhood"]) -> "Neighborhood":
        """Return this neighborhood with the inherited steps of its parents. Its own steps take precedence."""
        inherited: dict[str, PathStep] = {}
        for parent in parents:
            for target, step in parent.steps.items():
                if step.edge in INHERITED_EDGES:
                    _keep_best(inherited, target, step._replace(basis="inherited"))
        is_complete = self.is_complete and all(parent.is_complete for parent in parents)
        return Neighborhood({**inherited, **self.steps}, is_complete, self.parents)


@dataclass(frozen=True, slots=True)
class PathEndpoints:
    """The two ends of a path, the steps from each, and the inverse of each edge."""

    start: str
    end: str
    start_steps: Mapping[str, PathStep]
    end_steps: Mapping[str, PathStep]
    inverses: Mapping[str, str]

    def short_paths(self) -> list[Path]:
        """Return the paths of one and two steps."""
        direct = self.start_steps.get(self.end)
        paths = [Path((self.start, self.end), (direct,), _score(direct))] if direct else []
        shared = (self.start_steps.keys() & self.end_steps.keys()) - {self.start, self.end}
        return [*paths, *(self._path((node,)) for node in shared)]

    def long_paths(self, shared: Mapping[str, Neighborhood], bridging: Mapping[str, Neighborhood]) -> Iterator[Path]:
        """Yield the paths of three and four steps.

        `shared` holds the neighbors of the start, `bridging` the entities that have an edge to neighbors of both ends.
        Only the best path of four steps through each bridging entity is returned.
        """
        ends = {self.start, self.end}
        for node, neighborhood in shared.items():
            for last in (neighborhood.steps.keys() & self.end_steps.keys()) - ends:
                yield self._path((node, last), neighborhood.steps[last])
        for node, neighborhood in bridging.items():
            paths = [
                self._path(
                    (first, node, last),
                    _reverse(neighborhood.steps[first], self.inverses),
                    neighborhood.steps[last],
                )
                for first in self._best_neighbors(self.start_steps, neighborhood)
                for last in self._best_neighbors(self.end_steps, neighborhood)
                if first != last
            ]
            if paths:
                yield min(paths, key=lambda path: (-path.score, path.nodes))

    def _best_neighbors(self, end_steps: Mapping[str, PathStep], neighborhood: Neighborhood) -> list[str]:
        """Return the two best entities between an end and a bridging entity: one may be on the other side as well."""
        shared = (neighborhood.steps.keys() & end_steps.keys()) - {self.start, self.end}
        return heapq.nsmallest(
            2, shared, key=lambda node: (-end_steps[node].factor * neighborhood.steps[node].factor, node)
        )

    def _path(self, inner_nodes: tuple[str, ...], *inner_steps: PathStep) -> Path:
        """Return the path from start to end through these entities, with the steps between them."""
        last = _reverse(self.end_steps[inner_nodes[-1]], self.inverses)
        steps = (self.start_steps[inner_nodes[0]], *inner_steps, last)
        return Path((self.start, *inner_nodes, self.end), steps, _score(*steps))


def _keep_best(steps: dict[str, PathStep], target: str, step: PathStep) -> None:
    current = steps.get(target)
    if current is None or current.factor < step.factor:
        steps[target] = step


def _reverse(step: PathStep, inverses: Mapping[str, str]) -> PathStep:
    return step._replace(edge=inverses[step.edge])


def _score(*steps: PathStep) -> float:
    return _round(math.prod([step.factor for step in steps]) * DETOUR_FACTOR ** (len(steps) - 1))


def _round(score: float) -> float:
    return float(f"{score:.{SIGNIFICANT_DIGITS}g}")


def select_paths(paths: Sequence[Path], limit: int) -> list[Path]:
    """Return the best paths that do not repeat each other, with the scores that determine their order."""
    uses: dict[str, int] = {}
    queue = [(-path.score, len(path.nodes), path.nodes, path) for path in paths]
    heapq.heapify(queue)
    selected: list[Path] = []
    while queue and len(selected) < limit:
        negative_score, length, nodes, path = heapq.heappop(queue)
        current = -path.score * REPEAT_FACTOR ** sum(uses.get(node, 0) for node in nodes[1:-1])
        if current > negative_score:  # the score fell since the path was queued: queue it again
            heapq.heappush(queue, (current, length, nodes, path))
            continue
        selected.append(path._replace(score=_round(-negative_score)))
        uses.update((node, uses.get(node, 0) + 1) for node in nodes[1:-1])
    return selected
