"""The documents of a world of any size, one after the other, in the very form in which the indexer writes them. Pure.

Each part is a small graph that the indexer's own code turns into documents.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.scale.parts import SHARED, first_of, parts
from bench.scale.synthetic_graph import source
from indexer.content.rows import Content
from indexer.documents.builder import DocumentBuilder
from indexer.documents.record import source_line
from indexer.export.documents import export_documents
from indexer.graph.build import build_graph
from indexer.release.changes import LINES_PER_DOCUMENT, Changes, Fingerprints, changes_json
from indexer.release.verify import Expected
from schema.document_ids import CHANGES, FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bench.scale.parts import Part
    from bench.scale.synthetic_graph import World
    from schema.vocabulary import Vocabulary

Document = dict[str, Any]


@dataclass(slots=True)
class Counted:
    """Counts of what was written, to verify that all of it arrived."""

    documents: int = 0
    types: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    golden: dict[str, str] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    def expected(self, vocabulary: Vocabulary) -> Expected:
        """The same as the release verifies it; callable before anything was written."""
        return Expected(self.types, self.edges, self.golden, vocabulary.forward)

    def enter(self, key: str, body: Document) -> None:
        """One more document."""
        self.documents += 1
        if body["doc"] == "entity":
            self.types[body["type"]] += 1
            if body["type"] not in {one.partition(":")[0] for one in self.golden}:
                self.golden[key] = body["name"]
        elif body["doc"] == "edges":
            self.edges[body["edge"]] += len(body["targets"])
            self.examples.setdefault(body["edge"], body["of"])


def stream(
    world: World, vocabulary: Vocabulary, counted: Counted, made_of: Iterable[Part] | None = None
) -> Iterator[tuple[str, Document]]:
    """Every document of a release of this world, as (`_id`, body). Its parts are made here unless they are given."""
    forward = frozenset(vocabulary.forward)
    pages, ledger = 0, Fingerprints(forward)
    for key, body in _all(world, vocabulary, parts(world) if made_of is None else made_of):
        counted.enter(key, body)
        yield key, body
        ledger.add_document(body)
        if len(ledger.entities) + len(ledger.edges) >= LINES_PER_DOCUMENT:  # so that it never grows with the world
            for _, part in ledger.documents():
                counted.documents += 1
                yield f"{FINGERPRINTS}/{pages}", part
                pages += 1
            ledger = Fingerprints(forward)
    yield from _last(counted, ledger, pages)


def _last(counted: Counted, ledger: Fingerprints, pages: int) -> Iterator[tuple[str, Document]]:
    """The rest of the ledger, and what a first release changes."""
    changes = {"doc": CHANGES, "changes": {"since": None, **changes_json(Changes({}, {}, {}))}}
    for key, body in (
        *((f"{FINGERPRINTS}/{pages + n}", part) for n, (_, part) in enumerate(ledger.documents())),
        (CHANGES, changes),
    ):
        counted.documents += 1
        yield key, body


def _all(world: World, vocabulary: Vocabulary, made_of: Iterable[Part]) -> Iterator[tuple[str, Document]]:
    for content, places in made_of:
        graph = build_graph(content, vocabulary)
        builder = DocumentBuilder.from_graph(graph, vocabulary)
        for node, place in places.items():
            for key, body in builder.entity_documents(graph.nodes[node]):
                yield key, ({**body, "position": place} if key == node else body)
    yield from export_documents(build_graph(first_of(world), vocabulary), vocabulary)


def whole(world: World) -> Content:
    """All rows of a world at once, as the indexer reads them from tables; for small worlds."""
    blocks = [world.block(number) for number in range(world.blocks)]
    shared = {world.id(*one) for one in SHARED}
    own = [entity for block in blocks for entity in block.entities if entity.id not in shared]
    return Content(
        sources=(source(),),
        entities=(*own, *(world.entity(*one) for one in SHARED)),
        aliases=tuple(alias for block in blocks for alias in block.aliases),
        links=tuple(link for block in blocks for link in block.links),
        recommendations=tuple(row for block in blocks for row in block.recommendations),
        ratings=tuple(row for block in blocks for row in block.ratings),
        related_occupations=tuple(row for block in blocks for row in block.related_occupations),
        redirects={},
        version=world.version,
    )


def meta_of(world: World, counted: Counted) -> dict[str, Any]:
    """What the release says of itself; the counts fill while the documents are written."""
    return {
        "data_version": world.version,
        "counts": {"types": counted.types, "edges": counted.edges},
        "sources": [source_line(source())],
        "core_sources": [source().id],
        "examples": counted.examples,
    }
