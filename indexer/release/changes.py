"""Compares two releases: which entities and edges were added, changed and removed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schema.document_ids import CHANGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from indexer.release.fingerprints import EdgeKey, Fingerprints
    from schema.json_types import JsonObject

MAX_LISTED = 500  # entities, and as many edges, that a release names; counts are complete
KINDS = ("added", "changed", "removed")


@dataclass(frozen=True, slots=True)
class Changes:
    """Ids of entities by type and edges by name, each as added, changed or removed, ordered by names."""

    names: Mapping[str, str]
    entities: Mapping[str, Mapping[str, Sequence[str]]]
    edges: Mapping[str, Mapping[str, Sequence[EdgeKey]]]

    def __bool__(self) -> bool:
        """Return whether anything changed."""
        return bool(self.entities or self.edges)


def compare(before: Fingerprints, after: Fingerprints) -> Changes:
    """Return the changes from one release to another."""
    names = {**before.names, **after.names}

    def by_name(key: str) -> tuple[str, str]:
        return names.get(key, key).casefold(), key

    def by_ends(edge: EdgeKey) -> tuple[tuple[str, str], ...]:
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
    groups: defaultdict[str, dict[str, list[Any]]] = defaultdict(lambda: {kind: [] for kind in KINDS})
    for key, fingerprint in after.items():
        if key not in before:
            groups[group(key)]["added"].append(key)
        elif before[key] != fingerprint:
            groups[group(key)]["changed"].append(key)
    for key in before:
        if key not in after:
            groups[group(key)]["removed"].append(key)
    return {
        name: {kind: sorted(keys, key=order) for kind, keys in kinds.items()} for name, kinds in sorted(groups.items())
    }


def metadata_documents(
    after: Fingerprints, before: Fingerprints | None, since: Mapping[str, Any] | None
) -> Iterator[tuple[str, JsonObject]]:
    """Yield the last documents of a release: its fingerprints, then its changes since the release before."""
    yield from after.documents()
    changes = compare(before, after) if before is not None else Changes({}, {}, {})
    yield CHANGES, {"doc": CHANGES, CHANGES: {"since": since, **changes_json(changes)}}


def changes_json(changes: Changes) -> JsonObject:
    """Return changes as a release stores them and the service returns them: counts, and the first names."""
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
        for kind, keys in kinds.items()
        for _, source, target in keys
    ]
    return {
        "types": [{"name": name, **_counts(kinds)} for name, kinds in changes.entities.items()],
        "edges": [{"name": name, **_counts(kinds)} for name, kinds in changes.edges.items()],
        "totals": {"entities": len(entities), "edges": len(edges)},
        "entities": entities[:MAX_LISTED],
        "relations": edges[:MAX_LISTED],
    }


def _counts(kinds: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    return {kind: len(keys) for kind, keys in kinds.items()}


def _end(changes: Changes, key: str) -> dict[str, str]:
    return {"id": key, "name": changes.names.get(key, key)}
