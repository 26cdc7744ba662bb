"""What changes from one release to the next: entities and edges that are new, other, or gone. Pure.

Both sides are read from the documents of a release, whether they are about to be written or stand in the engine.
An entity is compared by what is said of itself, an edge by its own facts.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Document = dict[str, Any]

KEY = "changes"  # `_id` of the document that a release keeps about itself
LISTED = 500  # entities, and as many edges, that a release names; counts are always whole
OF_CARDS = frozenset(("id", "type", "slug", "name", "summary", "url", "market_verification"))
NOT_OWN = frozenset(("edges", "accommodation_ideas", "inherits", "sources"))  # parts of a record that tell of others
READ = ("doc", "name", "sources", "record", "edge", "page")  # what a ledger needs of stored documents
UNREAD = tuple(f"record.{name}" for name in sorted(NOT_OWN))
KINDS = ("added", "changed", "removed")

Edge = tuple[str, str, str]  # name, source, target


@dataclass(slots=True)
class Ledger:
    """The entities and edges of a release, a fingerprint each. `forward` are the edge names that are no inverses."""

    forward: frozenset[str]
    names: dict[str, str] = field(default_factory=dict)
    entities: dict[str, bytes] = field(default_factory=dict)
    edges: dict[Edge, bytes] = field(default_factory=dict)

    def enter(self, key: str, body: Mapping[str, Any]) -> None:
        """Take in one document of a release; most kinds add nothing."""
        if body["doc"] == "entity":
            self.names[key] = body["name"]
            own = {name: value for name, value in body["record"].items() if name not in NOT_OWN}
            self.entities[key] = _fingerprint([own, body["sources"]])
        elif body["doc"] == "edges" and body["edge"] in self.forward:
            source = body["page"]["entity"]["id"]
            for item in body["page"]["items"]:
                facts = {name: value for name, value in item.items() if name not in OF_CARDS}
                self.edges[body["edge"], source, item["id"]] = _fingerprint(facts)


def _fingerprint(value: object) -> bytes:
    return hashlib.blake2b(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), digest_size=8).digest()


def ledger_of(forward: Iterable[str], documents: Iterable[tuple[str, Mapping[str, Any]]]) -> Ledger:
    """Read the documents of a release."""
    found = Ledger(frozenset(forward))
    for key, body in documents:
        found.enter(key, body)
    return found


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
    before: Mapping[Any, bytes],
    after: Mapping[Any, bytes],
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


def with_changes(
    documents: Iterable[tuple[str, Document]], after: Ledger, before: Ledger | None, since: Mapping[str, Any] | None
) -> Iterator[tuple[str, Document]]:
    """The documents of a release, and at their end one that says what is other than in the release before."""
    for key, body in documents:
        after.enter(key, body)
        yield key, body
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
