"""Compares two releases by fingerprints: which entities and edges were added, changed and removed.

The fingerprint of an entity covers what its record shows without its edges, that of an edge its facts. A release
stores them in documents (`_id` is `ledger/` and a number), so that a comparison need not read all documents.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import orjson

from schema.document_ids import CHANGES, EDGES, ENTITY, FINGERPRINTS, metadata_id
from schema.edge_documents import EDGE_FACTS
from schema.json_types import JsonObject

MAX_LISTED = 500  # entities, and as many edges, that a release names; counts are complete
KINDS = ("added", "changed", "removed")
EdgeKey = tuple[str, str, str]  # name, source, target
LINES_PER_DOCUMENT = 20_000  # about 2 MB
# What a reader sees of an entity itself, and of an edge.
ENTITY_FIELDS = ("card", "summaries", "alias_details", "attributes", "grouping_details", "external_ids", "sources")
EDGE_FIELDS = ("weight", "basis", "sources", *EDGE_FACTS)


@dataclass(frozen=True, slots=True)
class Changes:
    """Ids of entities by type and edges by name, each as added, changed or removed, ordered by names."""

    names: Mapping[str, str]
    entities: Mapping[str, Mapping[str, Sequence[str]]]
    edges: Mapping[str, Mapping[str, Sequence[EdgeKey]]]

    def __bool__(self) -> bool:
        return bool(self.entities or self.edges)


def compare(before: "Fingerprints", after: "Fingerprints") -> Changes:
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
    for key in before.keys() | after.keys():
        if before.get(key) != after.get(key):
            kind = "removed" if key not in after else "changed" if key in before else "added"
            groups[group(key)][kind].append(key)
    return {
        name: {kind: sorted(keys, key=order) for kind, keys in kinds.items()} for name, kinds in sorted(groups.items())
    }


def metadata_documents(
    after: "Fingerprints", before: "Fingerprints | None", since: Mapping[str, Any] | None
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


@dataclass(slots=True)
class Fingerprints:
    """`forward` has the names of edges that are not inverses: each edge has one fingerprint."""

    forward: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    edges: dict[EdgeKey, str] = field(default_factory=dict)

    def add_document(self, body: Mapping[str, Any]) -> None:
        """Add the fingerprints of one document; most kinds have none."""
        if body["doc"] == ENTITY:
            id_ = body["ids"][0]
            self.names[id_] = orjson.loads(body["card"])["name"]
            self.entities[id_] = _fingerprint([body[name] for name in ENTITY_FIELDS])
        elif body["doc"] == EDGES and body["edge"] in self.forward:
            for edge in body["edges"]:
                facts = {name: edge[name] for name in EDGE_FIELDS if name in edge}
                self.edges[body["edge"], body["entity"], edge["target"]] = _fingerprint(facts)

    def update(self, other: "Fingerprints") -> None:
        """Add all fingerprints of another instance."""
        self.names |= other.names
        self.entities |= other.entities
        self.edges |= other.edges

    def documents(self, per_document: int = LINES_PER_DOCUMENT) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents that store the fingerprints, as (`_id`, body), in a fixed order."""
        entities = ((key, self.names[key], digest) for key, digest in sorted(self.entities.items()))
        lines = chain(entities, ((*edge, digest) for edge, digest in sorted(self.edges.items())))
        for number, batch in enumerate(iter(lambda: list(islice(lines, per_document)), [])):
            yield metadata_id(FINGERPRINTS, number), {"doc": FINGERPRINTS, FINGERPRINTS: {"lines": batch}}


def count_fingerprint_documents(entities: int, edges: int) -> int:
    """Return how many documents store the fingerprints of that many entities and edges."""
    return -(-(entities + edges) // LINES_PER_DOCUMENT)


def read_fingerprints(documents: Iterable[Mapping[str, Any]]) -> Fingerprints:
    """Return the fingerprints that these documents store, in any order."""
    fingerprints = Fingerprints()
    for document in documents:
        for line in document[FINGERPRINTS]["lines"]:
            if len(line) == len(("entity", "name", "fingerprint")):
                fingerprints.names[line[0]], fingerprints.entities[line[0]] = line[1:]
            else:
                fingerprints.edges[line[0], line[1], line[2]] = line[3]
    return fingerprints


def fingerprints_of(forward: Iterable[str], documents: Iterable[tuple[str, Mapping[str, Any]]]) -> Fingerprints:
    """Return the fingerprints of these documents of a release."""
    fingerprints = Fingerprints(frozenset(forward))
    for _, body in documents:
        fingerprints.add_document(body)
    return fingerprints


def _fingerprint(value: object) -> str:
    return hashlib.blake2b(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()
