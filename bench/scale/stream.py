"""Stream the documents of a world of any size in the format of the indexer, or write a small world as tables.

Each part of a world is a small graph that the indexer turns into documents: a block, or a shared entity with all its
neighbors. Memory is therefore bounded by one block or one hub. The rows of the parts can be stored on disk, like tables
for a build.
"""

import pickle
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from bench.scale.synthetic_graph import BLOCK, HUB_NUMBER, SHARED, World
from indexer.content.csv_table import csv_bytes
from indexer.content.loader import read_package
from indexer.content.rows import Content
from indexer.documents.builder import DocumentBuilder
from indexer.export.documents import export_documents
from indexer.graph.build import build_graph
from indexer.imports.export_tables import content_tables
from indexer.release.changes import LINES_PER_DOCUMENT, Changes, Fingerprints, changes_json
from indexer.release.verify import Expected
from schema.document_ids import CHANGES, EDGES, ENTITY, FINGERPRINTS
from schema.vocabulary import Vocabulary
from tests.support.exported_files import unpacked_files
from tests.support.fixture_graphs import CHECKOUT

SHIPPED = CHECKOUT / "content"
Document = dict[str, Any]


class Part(NamedTuple):
    """Rows, and the positions in the world of each entity whose documents are built from them."""

    content: Content
    positions: dict[str, int]


def parts(world: World) -> Iterator[Part]:
    """Yield all parts of a world: its blocks, then the shared entities."""
    for number in range(world.blocks):
        own = [(kind, one) for kind in BLOCK for one in world.numbers(kind, number)]
        yield Part(world.block(number), _positions(world, own))
    for kind, number in SHARED:
        content = _ability_content(world, number) if kind == "ability" else _hub_content(world, kind)
        yield Part(content, _positions(world, [(kind, number)]))


def _positions(world: World, entities: Iterable[tuple[str, int]]) -> dict[str, int]:
    return {world.id(*one): world.position(*one) for one in entities}


def write_parts(some: Iterable[Part], file: BinaryIO) -> None:
    for part in some:
        pickle.dump(part, file)


def read_parts(file: BinaryIO) -> Iterator[Part]:
    file.seek(0)
    with suppress(EOFError):
        while True:
            yield pickle.load(file)  # noqa: S301 - written here


def _hub_content(world: World, kind: str) -> Content:
    products = [one for one in range(world.size("product")) if world.is_hub_product(one)]
    entities = (world.entity(kind, HUB_NUMBER), *(world.entity("product", one) for one in products))
    return world.content(entities, links=tuple(world.hub_link(kind, one) for one in products))


def _ability_content(world: World, ability: int) -> Content:
    """Return an ability, its limitations and occupations, and their links."""
    key = world.id("ability", ability)
    entities, links = [world.entity("ability", ability)], []
    for block in range(world.blocks):
        own = [link for link in world.limits(block) if link.target == key]
        ends = {link.source for link in own}
        limitations = world.numbers("limitation", block) if own else ()
        entities += [world.entity("limitation", one) for one in limitations if world.id("limitation", one) in ends]
        links += own
    raters = world.raters(ability)
    entities += [world.entity("occupation", one) for one in raters]
    ratings = tuple(world.rating(one, ability) for one in raters)
    return world.content(tuple(entities), links=tuple(links), ratings=ratings)


@dataclass(slots=True)
class Counts:
    """Counts of written documents, for the verification of the release."""

    documents: int = 0
    types: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    golden: dict[str, str] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    def expected(self, vocabulary: Vocabulary) -> Expected:
        """Return the expected counts as live views; callable before documents are written."""
        return Expected(self.types, self.edges, self.golden, vocabulary.forward)

    def add(self, key: str, body: Document) -> None:
        self.documents += 1
        if body["doc"] == ENTITY:
            self.types[body["type"]] += 1
            if body["type"] not in {one.partition(":")[0] for one in self.golden}:
                self.golden[key] = orjson.loads(body["card"])["name"]
        elif body["doc"] == EDGES:
            self.edges[body["edge"]] += len(body["edges"])
            self.examples.setdefault(body["edge"], body["entity"])


def stream(
    world: World, vocabulary: Vocabulary, counted: Counts, stored_parts: Iterable[Part] | None = None
) -> Iterator[tuple[str, Document]]:
    """Yield every document of a release of this world as (`_id`, body), from stored parts if given."""
    forward = frozenset(vocabulary.forward)
    pages, ledger = 0, Fingerprints(forward)
    for key, body in _all(world, vocabulary, parts(world) if stored_parts is None else stored_parts):
        counted.add(key, body)
        yield key, body
        ledger.add_document(body)
        if len(ledger.entities) + len(ledger.edges) >= LINES_PER_DOCUMENT:  # bounds the memory
            for _, part in ledger.documents():
                counted.documents += 1
                yield f"{FINGERPRINTS}/{pages}", part
                pages += 1
            ledger = Fingerprints(forward)
    yield from _last(counted, ledger, pages)


def _last(counted: Counts, ledger: Fingerprints, pages: int) -> Iterator[tuple[str, Document]]:
    """Yield the rest of the ledger, and the empty changes of a first release."""
    changes = {"doc": CHANGES, "changes": {"since": None, **changes_json(Changes({}, {}, {}))}}
    for key, body in (
        *((f"{FINGERPRINTS}/{pages + n}", part) for n, (_, part) in enumerate(ledger.documents())),
        (CHANGES, changes),
    ):
        counted.documents += 1
        yield key, body


def _all(world: World, vocabulary: Vocabulary, stored_parts: Iterable[Part]) -> Iterator[tuple[str, Document]]:
    for content, positions in stored_parts:
        graph = build_graph(content, vocabulary)
        builder = replace(DocumentBuilder.from_graph(graph, vocabulary), positions=positions)
        for node in positions:
            yield from builder.entity_documents(graph.nodes[node])
    # A complete export would need the whole graph in memory: export a single ability instead.
    yield from export_documents(build_graph(world.content((world.entity("ability", 0),)), vocabulary), vocabulary)


def all_rows(world: World) -> Content:
    blocks = [world.block(number) for number in range(world.blocks)]
    shared = {world.id(*one) for one in SHARED}
    own = [entity for block in blocks for entity in block.entities if entity.id not in shared]
    tables = ("aliases", "links", "recommendations", "ratings", "related_occupations")
    rows = {name: tuple(row for block in blocks for row in getattr(block, name)) for name in tables}
    return world.content((*own, *(world.entity(*one) for one in SHARED)), **rows)


def write_tables(content: Content, vocabulary: Vocabulary, folder: Path) -> None:
    """Write the tables that an import of the exported content has; those without rows are empty."""
    files, package = unpacked_files(build_graph(content, vocabulary), vocabulary), read_package(SHIPPED)
    tables = content_tables(files, package, vocabulary).tables
    folder.mkdir(parents=True)
    shutil.copy(SHIPPED / "datapackage.json", folder)
    for resource in package.resources:
        columns = [column.name for column in resource.table.columns]
        (folder / f"{resource.stem}.csv").write_bytes(csv_bytes([columns, *tables[resource.stem].rows(*columns)]))
