"""What changes from one release to the next: entities and edges that are new, other, or gone. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from indexer.ledger import Edge, Ledger

Document = dict[str, Any]

KEY = "changes"  # `_id` of the document that a release keeps about itself
LISTED = 500  # entities, and as many edges, that a release names; counts are always whole
KINDS = ("added", "changed", "removed")


@dataclass(frozen=True, slots=True)
class Changes:
    """Ids of entities by type, and edges by name, each as added, changed or removed, in order of names."""

    names: Mapping[str, str]
    entities: Mapping[str, Mapping[str, Sequence[str]]]
    edges: Mapping[str, Mapping[str, Sequence[Edge]]]

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.entities or self.edges)


def compare(before: Ledger, after: Ledger) -> Changes:
    """What is other in the second release."""
    names = {**before.names, **after.names}

    def by_name(key: str) -> tuple[str, str]:
        return names.get(key, key).casefold(), key

    def by_ends(edge: Edge) -> tuple[tuple[str, str], ...]:
        return by_name(edge[1]), by_name(edge[2])

    return Changes(
        names,
        _grouped(before.entities, after.entities, lambda key: key.partition(":")[0], by_name),
        _grouped(before.edges, after.edges, lambda edge: edge[0], by_ends),
    )


def _grouped(
    before: Mapping[Any, str],
    after: Mapping[Any, str],
    group: Callable[[Any], str],
    order: Callable[[Any], Any],
) -> dict[str, dict[str, list[Any]]]:
    found: defaultdict[str, dict[str, list[Any]]] = defaultdict(lambda: {kind: [] for kind in KINDS})
    for key, fingerprint in after.items():
        if key not in before:
            found[group(key)]["added"].append(key)
        elif before[key] != fingerprint:
            found[group(key)]["changed"].append(key)
    for key in before:
        if key not in after:
            found[group(key)]["removed"].append(key)
    return {
        name: {kind: sorted(keys, key=order) for kind, keys in kinds.items()} for name, kinds in sorted(found.items())
    }


def last_documents(
    after: Ledger, before: Ledger | None, since: Mapping[str, Any] | None
) -> Iterator[tuple[str, Document]]:
    """How a release ends: with its ledger, then with what is other than in the release before."""
    yield from after.documents()
    changes = compare(before, after) if before is not None else Changes({}, {}, {})
    yield KEY, {"doc": KEY, "changes": {"since": since, **told(changes)}}


def told(changes: Changes) -> Document:
    """Changes as a release keeps them and the service answers them: counts, and the first LISTED by name."""
    entities = [
        {
            "change": kind,
            "id": key,
            "type": type_name,
            "name": changes.names.get(key, key),
            "url": None if kind == "removed" else f"/{type_name}/{key.partition(':')[2]}",
        }
        for type_name, kinds in changes.entities.items()
        for kind, keys in kinds.items()
        for key in keys
    ]
    edges = [
        {"change": kind, "edge": name, "source": _end(changes, source), "target": _end(changes, target)}
        for name, kinds in changes.edges.items()
        for kind, found in kinds.items()
        for _, source, target in found
    ]
    return {
        "types": [{"name": name, **_counts(kinds)} for name, kinds in changes.entities.items()],
        "edges": [{"name": name, **_counts(kinds)} for name, kinds in changes.edges.items()],
        "totals": {"entities": len(entities), "edges": len(edges)},
        "entities": entities[:LISTED],
        "relations": edges[:LISTED],
    }


def _counts(kinds: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    return {kind: len(keys) for kind, keys in kinds.items()}


def _end(changes: Changes, key: str) -> dict[str, str]:
    return {"id": key, "name": changes.names.get(key, key)}
