"""Stops a release that would lose much of what the live one has: an empty table, or an import of half a file.

Entities and edges are compared one by one: a thousand entities that replace a thousand others are a loss.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from indexer.graph.model import Graph
from indexer.release.changes import EdgeKey
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from schema.document_ids import FINGERPRINTS

Counts = Mapping[str, Mapping[str, int]]  # "types" and "edges", each by name, as `_meta` has them
Key = str | EdgeKey  # of an entity or an edge
ADVICE = "Nothing was published. Check tables, imports and overlays. If it is intended, use --allow-loss."
MAX_EXAMPLES = 10  # of each type and edge name


@dataclass(frozen=True, slots=True)
class Loss:
    """A type or an edge name that loses too much. `noun` is "entities" or "edges", `examples` are the first lost ones.

    `left` is how many of those `before` are left; new ones do not count.
    """

    noun: str
    name: str
    before: int
    left: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Guard:
    """What may be lost: at most `max_share` of a type or an edge name, and never all of one.

    `edge_names` are those of one direction; an inverse has as many edges.
    """

    edge_names: Collection[str]
    max_share: float

    def losses(self, lines: Iterable[Sequence[str]], is_kept: Callable[[Key], bool]) -> Iterator[Loss]:
        """Yield what loses too much. `lines` are the fingerprints of the live release, once each."""
        before, lost = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        examples: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for line in lines:
            key = key_of(line)
            group = ("entities", key.partition(":")[0]) if isinstance(key, str) else ("edges", key[0])
            before[group] += 1
            if not is_kept(key):
                lost[group] += 1
                if lost[group] <= MAX_EXAMPLES:
                    examples[group].append(f"{key}  {line[1]}" if isinstance(key, str) else f"{key[1]} → {key[2]}")
        for group, count in before.items():
            loss = Loss(*group, count, count - lost[group], tuple(examples[group]))
            if self.is_too_much(loss):
                yield loss

    def losses_by_counts(self, before: Counts, after: Counts) -> Iterator[Loss]:
        """Yield what loses too much in number, for releases of early versions, which have no fingerprints."""
        edges = {name: count for name, count in before["edges"].items() if name in self.edge_names}
        for noun, earlier, later in (("entities", before["types"], after["types"]), ("edges", edges, after["edges"])):
            for name, count in earlier.items():
                loss = Loss(noun, name, count, min(count, later.get(name, 0)))
                if count and self.is_too_much(loss):
                    yield loss

    def is_too_much(self, loss: Loss) -> bool:
        """Return whether everything is lost, or more than the share."""
        return loss.left == 0 or loss.before - loss.left > self.max_share * loss.before

    def require_no_loss(
        self, releases: Releases, live: Mapping[str, Any] | None, after: Counts, is_kept: Callable[[Key], bool] | None
    ) -> None:
        """Raise ReleaseError with examples if a release loses too much of what the live one has.

        `live` is the `_meta` of the live release, None if there is none. `is_kept` says what the new release has; None
        if only its counts are known.
        """
        if live is None:
            return
        lines = fingerprint_lines(releases, releases.live_index()) if is_kept else iter(())
        first = list(islice(lines, 1))  # the others are read one by one: a large graph has millions
        by_key = self.losses(chain(first, lines), is_kept) if is_kept and first else None
        if losses := list(self.losses_by_counts(live["counts"], after) if by_key is None else by_key):
            heading = f"The new release would lose a whole type, or more than {self.max_share:.0%} of one:"
            listed = loss_lines(losses, "in the live release", "in the new one")
            raise ReleaseError("\n".join([heading, *listed, ADVICE]))


def loss_lines(losses: Iterable[Loss], now: str, then: str) -> Iterator[str]:
    """Yield a line for each loss, and one for each example. `now` and `then` say where its entities or edges are."""
    for loss in losses:
        yield f"  {loss.name}: {loss.before:,} {loss.noun} {now}, {loss.left:,} of them {then}"
        yield from (f"    - {text}" for text in loss.examples)


def key_of(line: Sequence[str]) -> Key:
    """Return the key of a stored fingerprint: (id, name, digest) or (edge name, source, target, digest)."""
    return line[0] if len(line) == len(("id", "name", "digest")) else (line[0], line[1], line[2])


def fingerprint_lines(releases: Releases, index: str) -> Iterator[Sequence[str]]:
    """Yield the fingerprints of a release, one stored document after the other."""
    for _, body in releases.stored_documents(index, FINGERPRINTS):
        yield from body[FINGERPRINTS]["lines"]


def keys_of_release(releases: Releases, index: str) -> set[Key]:
    """Return the entities and edges of a release; none if an early version built it without fingerprints."""
    return set(map(key_of, fingerprint_lines(releases, index)))


class GraphKeys:
    """The entities and edges of a graph, retired ids included: a renamed vendor is not lost.

    Ask for the edges of one entity and name one after the other.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._group: tuple[str, str] | None = None
        self._targets: set[str] = set()

    def has(self, key: Key) -> bool:
        """Return whether the graph has this entity or edge."""
        redirects = self._graph.redirects
        if isinstance(key, str):
            return redirects.get(key, key) in self._graph.nodes
        name, source, target = key[0], redirects.get(key[1], key[1]), redirects.get(key[2], key[2])
        if self._group != (name, source):
            self._group = name, source
            self._targets = {edge.target for edge in self._graph.edges_named(source, name)}
        return target in self._targets
