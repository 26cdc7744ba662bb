"""Fingerprints of the entities and edges of a release, by which two releases are compared.

The fingerprint of an entity covers its record without its edges, that of an edge its facts. A release stores them in
documents (`_id` is `ledger/` and a number), so that a comparison need not read all documents.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import orjson

from schema.document_ids import EDGES, FINGERPRINTS, RECORD, metadata_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from schema.json_types import JsonObject

EdgeKey = tuple[str, str, str]  # name, source, target

LINES_PER_DOCUMENT = 20_000  # about 2 MB
CARD_FIELDS = frozenset(("id", "type", "slug", "name", "summary", "url", "market_verification"))
NEIGHBOR_FIELDS = frozenset(("edges", "accommodation_ideas", "inherits", "sources"))  # of a record, about its neighbors


@dataclass(slots=True)
class Fingerprints:
    """`forward` has the names of edges that are not inverses: each edge has one fingerprint."""

    forward: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    edges: dict[EdgeKey, str] = field(default_factory=dict)

    def add_document(self, body: Mapping[str, Any]) -> None:
        """Add the fingerprints of one document; most kinds have none."""
        if body["doc"] == RECORD:
            record = body["record"]
            self.names[record["id"]] = record["name"]
            facts = {name: value for name, value in record.items() if name not in NEIGHBOR_FIELDS}
            self.entities[record["id"]] = _fingerprint([facts, body["sources"]])
        elif body["doc"] == EDGES and body["edge"] in self.forward:
            source = body["page"]["entity"]["id"]
            for item in body["page"]["items"]:
                facts = {name: value for name, value in item.items() if name not in CARD_FIELDS}
                self.edges[body["edge"], source, item["id"]] = _fingerprint(facts)

    def update(self, other: Fingerprints) -> None:
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
    """Return how many documents store the fingerprints of so many entities and edges."""
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
