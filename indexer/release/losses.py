"""Stops a release that would lose much of what the live one has: an empty table, or an import of half a file."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.graph.model import Graph
from indexer.release.changes import EdgeKey
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from schema.document_ids import FINGERPRINTS

Counts = Mapping[str, Mapping[str, int]]  # "types" and "edges", each by name, as `_meta` has them
Key = str | EdgeKey  # of an entity or an edge
MAX_EXAMPLES = 10  # of each type and edge name


@dataclass(frozen=True, slots=True)
class Loss:
    """A type or an edge name that loses too much. `noun` is "entities" or "edges"."""

    noun: str
    name: str
    before: int
    left: int

    def __str__(self) -> str:
        return f"{self.name}: {self.before:,} {self.noun} in the live release, {self.left:,} in the new one"

    def concerns(self, key: Key) -> bool:
        """Return whether an entity is of this type, or an edge has this name."""
        if isinstance(key, str):
            return self.noun == "entities" and key.partition(":")[0] == self.name
        return self.noun == "edges" and key[0] == self.name


def losses(before: Counts, after: Counts, edge_names: Collection[str], max_share: float) -> Iterator[Loss]:
    """Yield each type and edge name that loses everything, or more than this share."""
    edges = {name: count for name, count in before["edges"].items() if name in edge_names}
    for noun, earlier, later in (("entities", before["types"], after["types"]), ("edges", edges, after["edges"])):
        for name, count in earlier.items():
            left = later.get(name, 0)
            if count and (left == 0 or count - left > max_share * count):
                yield Loss(noun, name, count, left)


def lost_examples(
    lines: Iterable[Sequence[str]], found: Sequence[Loss], is_kept: Callable[[Key], bool]
) -> dict[Loss, list[str]]:
    """Return the first entities and edges of each loss that are not kept: ids with names, or source → target.

    `lines` are fingerprints of the live release. They are read only until every loss has MAX_EXAMPLES.
    """
    examples: dict[Loss, list[str]] = {loss: [] for loss in found}
    for line in lines:
        open_losses = [loss for loss in found if len(examples[loss]) < min(MAX_EXAMPLES, loss.before - loss.left)]
        if not open_losses:
            break
        key = key_of(line)
        if any(loss.concerns(key) for loss in open_losses) and not is_kept(key):
            text = f"{key}  {line[1]}" if isinstance(key, str) else f"{key[1]} → {key[2]}"
            next(examples[loss] for loss in open_losses if loss.concerns(key)).append(text)
    return examples


def key_of(line: Sequence[str]) -> Key:
    """Return the key of a stored fingerprint: (id, name, digest) or (edge name, source, target, digest)."""
    return line[0] if len(line) == len(("id", "name", "digest")) else (line[0], line[1], line[2])


def fingerprint_lines(releases: Releases, index: str) -> Iterator[Sequence[str]]:
    """Yield the fingerprints of a release, one stored document after the other."""
    for _, body in releases.stored_documents(index, FINGERPRINTS):
        yield from body[FINGERPRINTS]["lines"]


def keys_of_release(releases: Releases, index: str, found: Sequence[Loss]) -> set[Key]:
    """Return the entities and edges of a release that are of the types and edge names of these losses."""
    keys = map(key_of, fingerprint_lines(releases, index))
    return {key for key in keys if any(loss.concerns(key) for loss in found)}


def is_in_graph(graph: Graph, key: Key) -> bool:
    """Return whether a graph has this entity or edge."""
    if isinstance(key, str):
        return key in graph.nodes
    return any(edge.target == key[2] for edge in graph.edges_named(key[1], key[0]))


def require_no_loss(
    releases: Releases, found: Sequence[Loss], max_share: float, is_kept: Callable[[Key], bool]
) -> None:
    """Raise ReleaseError with examples if a release loses too much of what the live one has."""
    if not found:
        return
    (live,) = releases.live_indices()
    examples = lost_examples(fingerprint_lines(releases, live), found, is_kept)
    lines = [f"The new release would lose a whole type, or more than {max_share:.0%} of one:"]
    for loss in found:
        lines += [f"  {loss}", *(f"    - {text}" for text in examples[loss])]
    lines.append("Nothing was published. Check tables, imports and overlays. If it is intended, use --allow-loss.")
    raise ReleaseError("\n".join(lines))


def losses_of(
    live: Mapping[str, Any] | None, after: Counts, edge_names: Collection[str], max_share: float
) -> list[Loss]:
    """Return what a release with these counts loses. `live` is the `_meta` of the live release, None if there is none.

    `edge_names` are those of one direction; an inverse has as many edges.
    """
    return list(losses(live["counts"], after, edge_names, max_share)) if live is not None else []
