"""The documents of a world of any size, one after the other, in the very form in which the indexer writes them.

Each part of a world is a small graph that the indexer's own code turns into documents: a block, or what many blocks
share with all its neighbors. So the memory is that of one block or one hub, however large the world is. The rows of the
parts can wait on the disk, as tables do for a build.
"""

from __future__ import annotations

import pickle
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.scale.synthetic_graph import BLOCK, HUB_NUMBER, SHARED, World
from indexer.documents.builder import DocumentBuilder
from indexer.export.documents import export_documents
from indexer.graph.build import build_graph
from indexer.release.changes import LINES_PER_DOCUMENT, Changes, Fingerprints, changes_json
from indexer.release.verify import Expected
from schema.document_ids import CHANGES, FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from indexer.content.rows import Content
    from schema.vocabulary import Vocabulary
Document = dict[str, Any]


class Part(NamedTuple):
    """Some rows, and where in the list of its type each entity stands whose documents are made of them."""

    content: Content
    places: dict[str, int]


def parts(world: World) -> Iterator[Part]:
    """All parts of a world: its blocks, then what they share."""
    for number in range(world.blocks):
        own = [(kind, one) for kind in BLOCK for one in world.numbers(kind, number)]
        yield Part(world.block(number), {world.id(*one): world.position(*one) for one in own})
    for kind, number in SHARED:
        content = _around_ability(world, number) if kind == "ability" else _around_hub(world, kind)
        yield Part(content, {world.id(kind, number): world.position(kind, number)})


def keep(some: Iterable[Part], file: BinaryIO) -> None:
    """Write parts to a file."""
    for part in some:
        pickle.dump(part, file)


def kept(file: BinaryIO) -> Iterator[Part]:
    """The parts in a file, from its beginning."""
    file.seek(0)
    with suppress(EOFError):
        while True:
            yield pickle.load(file)  # noqa: S301 - written here


def _around_hub(world: World, kind: str) -> Content:
    """A hub, its products, and what joins them."""
    products = [one for one in range(world.size("product")) if world.of_hub(one)]
    entities = (world.entity(kind, HUB_NUMBER), *(world.entity("product", one) for one in products))
    return world.content(entities, links=tuple(world.hub_link(kind, one) for one in products))


def _around_ability(world: World, ability: int) -> Content:
    """An ability, the limitations and occupations around it, and what joins them."""
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
    # The export of a world is not made, but there is one: of a single ability.
    yield from export_documents(build_graph(world.content((world.entity("ability", 0),)), vocabulary), vocabulary)


def whole(world: World) -> Content:
    """All rows of a world at once, as the indexer reads them from tables; for small worlds."""
    blocks = [world.block(number) for number in range(world.blocks)]
    shared = {world.id(*one) for one in SHARED}
    own = [entity for block in blocks for entity in block.entities if entity.id not in shared]
    tables = ("aliases", "links", "recommendations", "ratings", "related_occupations")
    rows = {name: tuple(row for block in blocks for row in getattr(block, name)) for name in tables}
    return world.content((*own, *(world.entity(*one) for one in SHARED)), **rows)
