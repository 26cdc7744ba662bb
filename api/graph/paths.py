"""Scores and selects paths of up to four edges between two entities, the most informative first.

A step multiplies the score of its path by √(weight ÷ (n × m)), where n counts the edges of that name at one end and m
those of the inverse name at the other: a strong edge that is one of few says more than a weak one at a hub. Each step
after the first multiplies it by DETOUR_FACTOR. Each entity that an earlier result passed through halves it, so that
five results are five explanations.
"""

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, get_args

from api.graph.listings import Condition
from schema.edge_documents import NestedEdge
from schema.entity_kinds import INHERITED_EDGES, EdgeName

DETOUR_FACTOR = 0.25  # "both can bring Photosensitivity" before a detour by rarer limitations
REPEAT_FACTOR = 0.5  # "Alternative Mice" once, not with each of five trackballs
SIGNIFICANT_DIGITS = 4  # of a score
MAX_EDGES = 200  # of each name that are followed; only abilities, which hundreds of jobs require, have more
MAX_CANDIDATES = 60  # paths of three and four steps of which the inner edges are read: three for each result at most
MAX_WAYS = 3  # from an entity in the middle to each end: a weak edge to a near neighbor can lose to a strong one
EDGE_NAMES: Sequence[str] = get_args(EdgeName)

Links = Mapping[str, float]  # the neighbors of an entity, with the greatest factor that a step to each can have
Pair = tuple[str, str]  # of entities
Key = TypeVar("Key")


class Candidate(NamedTuple):
    """The inner entities of a path of three or four steps, in one or several ways, of which the best counts."""

    ways: tuple[tuple[str, ...], ...]

    @property
    def pairs(self) -> set[Pair]:
        """The pairs of inner entities whose edges are not read yet; an entity between two others comes first."""
        return {pair for way in self.ways for pair in _inner_pairs(way)}

    @property
    def middle(self) -> str | None:
        """The entity between two others, the same in all ways; none on a path of three steps."""
        _, *middle, _ = self.ways[0]
        return middle[0] if middle else None


class PathStep(NamedTuple):
    """An edge to another entity; `factor` is what it multiplies the score of a path by."""

    edge: str
    weight: float
    basis: str
    sources: Sequence[str]
    factor: float

    @staticmethod
    def parse(name: str, edge: NestedEdge, total: int) -> "PathStep":
        """Return the step over an edge; `total` counts the edges of this name where it starts."""
        factor = math.sqrt(edge["weight"] / (total * edge["target_total"]))
        return PathStep(name, edge["weight"], edge["basis"], edge["sources"], factor)

    def reverse(self, inverses: Mapping[str, str]) -> "PathStep":
        """Return the same step from its other end."""
        return self._replace(edge=inverses[self.edge])

    def is_better(self, other: "PathStep | None") -> bool:
        """Return whether this step says more than another one, if there is one."""
        return other is None or other.factor < self.factor


class Intermediate(NamedTuple):
    """An entity of a type through which most paths lead: its links, and the best step to each neighbor."""

    links: Links
    steps: Mapping[str, PathStep]

    @staticmethod
    def parse(edges: Mapping[str, Sequence[NestedEdge]]) -> "Intermediate":
        """Return the entity from all its edges by name."""
        steps = best_steps(
            (edge["target"], PathStep.parse(name, edge, len(named))) for name, named in edges.items() for edge in named
        )
        return Intermediate(links({name: [edge["target"] for edge in named] for name, named in edges.items()}), steps)


class Path(NamedTuple):
    """`steps[i]` leads from `nodes[i]` to `nodes[i + 1]`."""

    nodes: tuple[str, ...]
    steps: tuple[PathStep, ...]
    score: float

    def reverse(self, inverses: Mapping[str, str]) -> "Path":
        """Return the same path from its other end."""
        steps = tuple(step.reverse(inverses) for step in reversed(self.steps))
        return Path(self.nodes[::-1], steps, self.score)


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """The best step to each neighbor of an entity, and the edge of that step.

    `is_complete` is false if a hub has more edges of a name than are followed.
    """

    steps: Mapping[str, PathStep]
    edges: Mapping[str, NestedEdge]
    is_complete: bool = True

    @staticmethod
    def parse(edges: Mapping[str, Sequence[NestedEdge]], totals: Mapping[str, int]) -> "Neighborhood":
        """Return the neighborhood of an entity from its strongest edges by name, and the total of each name."""
        steps: dict[str, PathStep] = {}
        best: dict[str, NestedEdge] = {}
        for name, named in edges.items():
            for edge in named[:MAX_EDGES]:
                step = PathStep.parse(name, edge, totals[name])
                if step.is_better(steps.get(edge["target"])):
                    steps[edge["target"]], best[edge["target"]] = step, edge
        return Neighborhood(steps, best, all(total <= MAX_EDGES for total in totals.values()))

    def inherit(self, parents: Iterable[Condition]) -> "Neighborhood":
        """Return this neighborhood with the inherited steps of its parents. Its own steps take precedence."""
        steps: dict[str, PathStep] = {}
        edges: dict[str, NestedEdge] = {}
        for parent in parents:
            for name in INHERITED_EDGES:
                named = parent.edges.get(name, ())
                for edge in named[:MAX_EDGES]:
                    step = PathStep.parse(name, edge, len(named))._replace(basis="inherited")
                    if step.is_better(steps.get(edge["target"])):
                        steps[edge["target"]], edges[edge["target"]] = step, edge
        return Neighborhood({**steps, **self.steps}, {**edges, **self.edges}, self.is_complete)


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

    def candidates(self, shared: Mapping[str, Links], bridging: Mapping[str, Links]) -> list[Candidate]:
        """Return the paths of three and four steps by their inner entities, the most promising first.

        `shared` holds neighbors of the start, `bridging` entities that may have an edge to neighbors of both ends, each
        with its links: the weights between inner entities are unknown yet, so that each counts as if it were the
        greatest.
        """
        found: list[tuple[float, Candidate]] = []
        for node, links_ in shared.items():
            for factor, last in self._ends_of(links_, self.end_steps):
                bound = self.start_steps[node].factor * factor * DETOUR_FACTOR
                found.append((bound, Candidate(((node, last),))))
        for node, links_ in bridging.items():
            firsts = heapq.nlargest(MAX_WAYS, self._ends_of(links_, self.start_steps))
            lasts = heapq.nlargest(MAX_WAYS, self._ends_of(links_, self.end_steps)) if firsts else []
            pairs = [(a * b, first, last) for a, first in firsts for b, last in lasts if first != last]
            if pairs:
                pairs.sort(reverse=True)
                bound = pairs[0][0] * DETOUR_FACTOR**2
                found.append((bound, Candidate(tuple((first, node, last) for _, first, last in pairs))))
        return [candidate for _, candidate in sorted(found, key=lambda pair: (-pair[0], pair[1]))]

    def _ends_of(self, links_: Links, steps: Mapping[str, PathStep]) -> list[tuple[float, str]]:
        """Return the neighbors of an end to which an entity has a link, after the product of both factors at most."""
        ends = (self.start, self.end)
        return [(steps[node].factor * links_[node], node) for node in steps.keys() & links_.keys() if node not in ends]

    def long_paths(self, candidates: Iterable[Candidate], inner: Mapping[Pair, PathStep]) -> Iterator[Path]:
        """Yield the paths of these candidates; `inner` has the step from one inner entity to another."""
        for candidate in candidates:
            score, nodes = max((self._way_score(way, inner), way) for way in candidate.ways)
            if score:
                steps = [inner[pair] for pair in _inner_pairs(nodes)]
                if len(steps) > 1:  # both are steps from the entity between: the first leads back
                    steps[0] = steps[0].reverse(self.inverses)
                yield self._path(nodes, *steps)

    def _way_score(self, nodes: Sequence[str], inner: Mapping[Pair, PathStep]) -> float:
        """Return the score of the path through these entities, 0 if there is none."""
        steps = [inner.get(pair) for pair in _inner_pairs(nodes)]
        if not all(steps):
            return 0.0
        return _score(self.start_steps[nodes[0]], *filter(None, steps), self.end_steps[nodes[-1]])

    def _path(self, inner_nodes: tuple[str, ...], *inner_steps: PathStep) -> Path:
        """Return the path from start to end through these entities, with the steps between them."""
        last = self.end_steps[inner_nodes[-1]].reverse(self.inverses)
        steps = (self.start_steps[inner_nodes[0]], *inner_steps, last)
        return Path((self.start, *inner_nodes, self.end), steps, _score(*steps))


def best_steps(steps: Iterable[tuple[Key, PathStep]]) -> dict[Key, PathStep]:
    """Return the best of the steps with each key."""
    best: dict[Key, PathStep] = {}
    for key, step in steps:
        if step.is_better(best.get(key)):
            best[key] = step
    return best


def stated_links(document: Mapping[str, Any]) -> Links:
    """Return the links of an entity without those that it inherits: its pages do not have these."""
    inherited = INHERITED_EDGES if "inherits_from" in document else ()
    return links({name: document[name] for name in EDGE_NAMES if name in document and name not in inherited})


def links(arrays: Mapping[str, Sequence[str]]) -> Links:
    """Return the links of an entity from the targets of its edges by name: a step counts as one of all of its name."""
    factors: dict[str, float] = {}
    for targets in sorted(arrays.values(), key=len, reverse=True):
        factors |= dict.fromkeys(targets, 1 / math.sqrt(len(targets)))
    return factors


def _inner_pairs(nodes: Sequence[str]) -> list[Pair]:
    """Return the pairs of two inner entities, or of the one between two others with each of these."""
    first, *middle, last = nodes
    return [(middle[0], first), (middle[0], last)] if middle else [(first, last)]


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
