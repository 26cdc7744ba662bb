"""The entities and edges of a release with a fingerprint each: what two releases are compared by. Pure.

An entity is known by what is said of itself, an edge by its own facts. A release keeps its ledger in documents of its
own (`_id` is `ledger/` and a number), so that nobody has to read all of it to see what the next one changes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Document = dict[str, Any]
Edge = tuple[str, str, str]  # name, source, target

LEDGER = "ledger"
LINES = 20_000  # of a ledger that one document keeps: about 2 MB
OF_CARDS = frozenset(("id", "type", "slug", "name", "summary", "url", "market_verification"))
NOT_OWN = frozenset(("edges", "accommodation_ideas", "inherits", "sources"))  # parts of a record that tell of others


@dataclass(slots=True)
class Ledger:
    """`forward` are the names of edges that are no inverses: of the two ends of an edge one is entered."""

    forward: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    edges: dict[Edge, str] = field(default_factory=dict)

    def enter(self, body: Mapping[str, Any]) -> None:
        """Take in one document of a release; most kinds add nothing."""
        if body["doc"] == "record":
            record = body["record"]
            self.names[record["id"]] = record["name"]
            own = {name: value for name, value in record.items() if name not in NOT_OWN}
            self.entities[record["id"]] = _fingerprint([own, body["sources"]])
        elif body["doc"] == "edges" and body["edge"] in self.forward:
            source = body["page"]["entity"]["id"]
            for item in body["page"]["items"]:
                facts = {name: value for name, value in item.items() if name not in OF_CARDS}
                self.edges[body["edge"], source, item["id"]] = _fingerprint(facts)

    def add(self, other: Ledger) -> None:
        """Take in what another ledger holds."""
        self.names |= other.names
        self.entities |= other.entities
        self.edges |= other.edges

    def documents(self, most: int = LINES) -> Iterator[tuple[str, Document]]:
        """The ledger as a release keeps it, as (`_id`, body), with up to so many lines in each; always in one order."""
        entities = ((key, self.names[key], print_) for key, print_ in sorted(self.entities.items()))
        lines = chain(entities, ((*edge, print_) for edge, print_ in sorted(self.edges.items())))
        for number, several in enumerate(iter(lambda: list(islice(lines, most)), [])):
            yield f"{LEDGER}/{number}", {"doc": LEDGER, LEDGER: {"lines": several}}


def count_ledger_documents(entities: int, edges: int) -> int:
    """How many documents keep the ledger of so many entities, and edges seen from one end."""
    return -(-(entities + edges) // LINES)


def kept_ledger(documents: Iterable[Mapping[str, Any]]) -> Ledger:
    """The ledger that these documents of a release keep, in any order; empty where there are none."""
    found = Ledger()
    for document in documents:
        for line in document[LEDGER]["lines"]:
            if len(line) == len(("entity", "name", "fingerprint")):
                found.names[line[0]], found.entities[line[0]] = line[1:]
            else:
                found.edges[line[0], line[1], line[2]] = line[3]
    return found


def ledger_of(forward: Iterable[str], documents: Iterable[tuple[str, Mapping[str, Any]]]) -> Ledger:
    """The ledger of a release that is about to be written."""
    found = Ledger(frozenset(forward))
    for _, body in documents:
        found.enter(body)
    return found


def _fingerprint(value: object) -> str:
    return hashlib.blake2b(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()
