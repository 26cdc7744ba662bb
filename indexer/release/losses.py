"""Stops a release that would lose much of what the live one has: an empty table, or an import of half a file."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from indexer.release.releases import ReleaseError

Counts = Mapping[str, Mapping[str, int]]  # "types" and "edges", each by name, as `_meta` has them


def losses(before: Counts, after: Counts, edge_names: Collection[str], max_share: float) -> Iterator[str]:
    """Yield each type and edge name that loses everything, or more than this share."""
    edges = {name: count for name, count in before["edges"].items() if name in edge_names}
    for noun, earlier, later in (("entities", before["types"], after["types"]), ("edges", edges, after["edges"])):
        for name, count in earlier.items():
            left = later.get(name, 0)
            if count and (left == 0 or count - left > max_share * count):
                yield f"{name}: {count:,} {noun} in the live release, {left:,} in the new one"


def require_no_loss(
    live: Mapping[str, Any] | None, after: Counts, edge_names: Collection[str], max_share: float
) -> None:
    """Raise ReleaseError if a release with these counts loses too much. `live` is the `_meta` of the live release.

    `edge_names` are those of one direction; an inverse has as many edges.
    """
    if live is not None and (lines := list(losses(live["counts"], after, edge_names, max_share))):
        raise ReleaseError(
            "\n".join(
                (
                    f"The new release would lose a whole type, or more than {max_share:.0%} of one:",
                    *(f"  {line}" for line in lines),
                    "Nothing was published. Check the tables and imports. If the loss is intended, use --allow-loss.",
                )
            )
        )
