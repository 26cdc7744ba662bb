"""The rows of a world in parts, each of which is a small graph; they can wait on the disk, as tables do for a build.

A part is a block, or what many blocks share with all that it is joined to. So the memory is that of one block or one
hub, however large the world is.
"""

from __future__ import annotations

import marshal
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.scale.synthetic_graph import ABILITIES, BLOCK, HUB_NUMBER, World, source
from indexer.content.rows import Alias, Content, Entity, Link, Rating, Recommendation, RelatedOccupation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

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
