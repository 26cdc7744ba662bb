"""The documents of a world of any size, one after the other, in the very form in which the indexer writes them. Pure.

Each block is a small graph that the indexer's own code turns into documents; what is shared by blocks is made at the
end, one hub after the other. So the memory is that of one block or one hub, however large the world is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scale.world import ABILITIES, BLOCK, HUB_NUMBER, World, source

from indexer.changes import KEY, Changes, told
from indexer.documents import documents
from indexer.export import export_documents
from indexer.graph import build_graph
from indexer.ledger import LEDGER, LINES, Ledger
from indexer.records import source_line
from indexer.rows import Content
from indexer.verify import Expected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.rows import Entity, Link, Rating
    from indexer.vocabulary import Vocabulary

Document = dict[str, Any]
SHARED = (("vendor", HUB_NUMBER), ("solution", HUB_NUMBER), *(("ability", number) for number in range(ABILITIES)))


@dataclass(slots=True)
class Counted:
    """What was written so far, by which the engine is asked whether all of it arrived."""

    documents: int = 0
    types: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    golden: dict[str, str] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    def expected(self, vocabulary: Vocabulary) -> Expected:
        """The same as the release verifies it; it may be asked for before anything was written."""
        inverses = vocabulary.inverses
        return Expected(self.types, self.edges, self.golden, inverses)

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


def stream(world: World, vocabulary: Vocabulary, counted: Counted) -> Iterator[tuple[str, Document]]:
    """Every document of a release of this world, as (`_id`, body)."""
    forward = vocabulary.forward
    pages, ledger = 0, Ledger(forward)
    for key, body in _all(world, vocabulary):
        counted.enter(key, body)
        yield key, body
        ledger.enter(body)
        if len(ledger.entities) + len(ledger.edges) >= LINES:  # so that it never grows with the world
            for _, part in ledger.documents():
                counted.documents += 1
                yield f"{LEDGER}/{pages}", part
                pages += 1
            ledger = Ledger(forward)
    yield from _last(counted, ledger, pages)


def _last(counted: Counted, ledger: Ledger, pages: int) -> Iterator[tuple[str, Document]]:
    """The rest of the ledger, and what a first release changes."""
    changes = {"doc": KEY, "changes": {"since": None, **told(Changes({}, {}, {}))}}
    for key, body in (
        *((f"{LEDGER}/{pages + n}", part) for n, (_, part) in enumerate(ledger.documents())),
        (KEY, changes),
    ):
        counted.documents += 1
        yield key, body


def _all(world: World, vocabulary: Vocabulary) -> Iterator[tuple[str, Document]]:
    shared = {world.id(*one) for one in SHARED}
    for number in range(world.blocks):
        places = _places(world, number)
        for key, body in documents(build_graph(world.block(number), vocabulary), vocabulary):
            owner = key.partition("/")[0]
            if owner in shared:
                continue
            yield key, ({**body, "position": places[key]} if body["doc"] == "entity" else body)
    for one in SHARED:
        yield from _hub(world, vocabulary, *one)
    yield from export_documents(build_graph(_empty(world), vocabulary), vocabulary)


def _places(world: World, block: int) -> dict[str, int]:
    """Where each entity of a block stands in the list of its type."""
    return {
        world.id(kind, number): world.position(kind, number) for kind in BLOCK for number in world.numbers(kind, block)
    }


def _hub(world: World, vocabulary: Vocabulary, kind: str, number: int) -> Iterator[tuple[str, Document]]:
    """The documents of what many blocks share: itself and all that it is joined to, and nothing else."""
    hub = world.id(kind, number)
    rows = _rows_of(world, kind, number)
    graph = build_graph(_content(world, world.entity(kind, number), rows), vocabulary)
    for key, body in documents(graph, vocabulary):
        if key.partition("/")[0] != hub:
            break  # it is the first of its graph
        yield key, ({**body, "position": world.position(kind, number)} if body["doc"] == "entity" else body)


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
        kept = [link for link in world.limits(block) if link.target == key]
        if kept:
            ends = {link.source for link in kept}
            own = ((one, world.id("limitation", one)) for one in world.numbers("limitation", block))
            found.entities += [world.entity("limitation", one) for one, name in own if name in ends]
            found.links += kept
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


def _empty(world: World) -> Content:
    """Just the abilities: the export of a world is not made, but there is one."""
    return _content(world, world.entity("ability", 0), _Rows())


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
