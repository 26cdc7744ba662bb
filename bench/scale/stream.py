"""The documents of a world of any size, one after the other, in the very form in which the indexer writes them.

Each part of a world is a small graph that the indexer's own code turns into documents: a block, or what many blocks
share with all its neighbors. So the memory is that of one block or one hub, however large the world is. The rows of the
parts can wait on the disk, as tables do for a build.
"""

from __future__ import annotations

import marshal
from collections import Counter
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.scale.synthetic_graph import ABILITIES, BLOCK, HUB_NUMBER, World, source
from indexer.content.rows import Alias, Content, Entity, Link, Rating, Recommendation, RelatedOccupation
from indexer.documents.builder import DocumentBuilder
from indexer.documents.record import source_line
from indexer.export.documents import export_documents
from indexer.graph.build import build_graph
from indexer.release.changes import LINES_PER_DOCUMENT, Changes, Fingerprints, changes_json
from indexer.release.verify import Expected
from schema.document_ids import CHANGES, FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from schema.vocabulary import Vocabulary


SHARED = (("vendor", HUB_NUMBER), ("solution", HUB_NUMBER), *(("ability", number) for number in range(ABILITIES)))
KINDS: dict[str, Any] = {
    "entities": Entity,
    "aliases": Alias,
    "links": Link,
    "recommendations": Recommendation,
    "ratings": Rating,
    "related_occupations": RelatedOccupation,
}
COLUMNS = {name: attrgetter(*kind._fields) for name, kind in KINDS.items()}
LENGTH_BYTES = 8


class Part(NamedTuple):
    """Some rows, and where in the list of its type each entity stands whose documents are made of them."""

    content: Content
    places: Mapping[str, int]


def parts(world: World) -> Iterator[Part]:
    """All parts of a world: its blocks, then what they share."""
    for number in range(world.blocks):
        own = [(kind, one) for kind in BLOCK for one in world.numbers(kind, number)]
        yield Part(world.block(number), {world.id(*one): world.position(*one) for one in own})
    for one in SHARED:
        content = _content(world, world.entity(*one), _rows_of(world, *one))
        yield Part(content, {world.id(*one): world.position(*one)})


def keep(some: Iterable[Part], file: BinaryIO) -> None:
    """Write parts to a file."""
    for part in some:
        rows = {name: [columns(row) for row in getattr(part.content, name)] for name, columns in COLUMNS.items()}
        packed = marshal.dumps((rows, part.content.version, dict(part.places)))
        file.write(len(packed).to_bytes(LENGTH_BYTES, "big") + packed)


def kept(file: BinaryIO) -> Iterator[Part]:
    """The parts that a file keeps, from its beginning."""
    file.seek(0)
    while length := file.read(LENGTH_BYTES):
        rows, version, places = marshal.loads(file.read(int.from_bytes(length, "big")))  # noqa: S302 - written here
        made = {name: tuple(KINDS[name](*row) for row in given) for name, given in rows.items()}
        yield Part(Content(sources=(source(),), **made, redirects={}, version=version), places)


@dataclass(slots=True)
class _Rows:
    entities: list[Entity] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    ratings: list[Rating] = field(default_factory=list)


def _rows_of(world: World, kind: str, number: int) -> _Rows:
    """The neighbours of a hub, and what joins it to them."""
    found = _Rows()
    if kind == "ability":
        _rate(world, number, found)
        return found
    for product in range(world.size("product")):
        if world.of_hub(product):
            found.entities.append(world.entity("product", product))
            found.links.append(world.hub_link(kind, product))
    return found


def _rate(world: World, ability: int, found: _Rows) -> None:
    key = world.id("ability", ability)
    for block in range(world.blocks):
        links = [link for link in world.limits(block) if link.target == key]
        if links:
            ends = {link.source for link in links}
            own = ((one, world.id("limitation", one)) for one in world.numbers("limitation", block))
            found.entities += [world.entity("limitation", one) for one, name in own if name in ends]
            found.links += links
    found.entities += [world.entity("occupation", one) for one in world.raters(ability)]
    found.ratings += [world.rating(one, ability) for one in world.raters(ability)]


def _content(world: World, first: Entity, rows: _Rows) -> Content:
    return Content(
        sources=(source(),),
        entities=(first, *rows.entities),
        aliases=(),
        links=tuple(rows.links),
        recommendations=(),
        ratings=tuple(rows.ratings),
        related_occupations=(),
        redirects={},
        version=world.version,
    )


def first_of(world: World) -> Content:
    """Just the abilities: the export of a world is not made, but there is one."""
    return _content(world, world.entity("ability", 0), _Rows())


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
