"""Rows of guides: short pages that answer process words, such as "504 plan", which are no entities."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from indexer.content.csv_table import Table
from indexer.content.problems import NearestMatch, Problem, fold, quote
from indexer.content.wordings import GuideWording

Rows = Callable[..., tuple[Any, ...]]  # (table, row type, column …) → rows
MIN_SENTENCES, MAX_SENTENCES = 3, 6
MIN_LINKS, MAX_LINKS = 2, 4
SENTENCE_ENDS = (". ", "? ", "! ")
TABLES_OF_GUIDES = ("guide_names", "guide_links", "guide_entities", "guide_wordings")


class GuideRow(NamedTuple):
    """A guide: its text of a few sentences, the country that it speaks of, and when its pages were read."""

    id: str
    title: str
    kind: str
    country: str
    text: str
    checked: str


class GuideLink(NamedTuple):
    """An official page about the topic of a guide."""

    guide: str
    title: str
    publisher: str
    url: str


class GuideName(NamedTuple):
    """What people type for a guide."""

    guide: str
    name: str


class GuideEntity(NamedTuple):
    """An entity that a guide is about, as a full id."""

    guide: str
    entity: str


@dataclass(frozen=True, slots=True)
class Guides:
    """The rows of these tables."""

    guides: tuple[GuideRow, ...] = ()
    names: tuple[GuideName, ...] = ()
    links: tuple[GuideLink, ...] = ()
    entities: tuple[GuideEntity, ...] = ()
    wordings: tuple[GuideWording, ...] = ()


def parse_guides(rows: Rows) -> Guides:
    """Return the rows of the tables that exist."""
    return Guides(
        rows("guides", GuideRow, *GuideRow._fields),
        rows("guide_names", GuideName, *GuideName._fields),
        rows("guide_links", GuideLink, *GuideLink._fields),
        rows("guide_entities", GuideEntity, *GuideEntity._fields),
        rows("guide_wordings", GuideWording, *GuideWording._fields),
    )


def guide_problems(tables: Mapping[str, Table]) -> Iterator[Problem]:
    """Yield unknown guides, names of two guides, and guides with too few or many sentences or links."""
    guides = tables.get("guides")
    ids = set(guides.column("id")) if guides else set()
    known = NearestMatch(ids)
    for stem in TABLES_OF_GUIDES:
        if table := tables.get(stem):
            for line, guide in zip(table.lines, table.column("guide"), strict=True):
                if guide not in ids:
                    yield Problem(table.file, line, f"unknown guide {quote(guide)}{known.hint(guide)}")
    if names := tables.get("guide_names"):
        yield from _shared_names(names)
    if guides:
        yield from _text_problems(guides)
        yield from _link_problems(guides, tables.get("guide_links"))


def _shared_names(table: Table) -> Iterator[Problem]:
    first: dict[str, tuple[str, int]] = {}
    for line, (guide, name) in zip(table.lines, table.rows("guide", "name"), strict=True):
        other, earlier = first.setdefault(fold(name), (guide, line))
        if earlier != line:
            yield Problem(table.file, line, f"name {quote(name)} is one of {quote(other)} too, on line {earlier}")


def _text_problems(table: Table) -> Iterator[Problem]:
    for line, text in zip(table.lines, table.column("text"), strict=True):
        sentences = 1 + sum(text.count(end) for end in SENTENCE_ENDS)
        if not MIN_SENTENCES <= sentences <= MAX_SENTENCES:
            message = f"a guide has {MIN_SENTENCES} to {MAX_SENTENCES} sentences; this one has {sentences}"
            yield Problem(table.file, line, message)


def _link_problems(guides: Table, links: Table | None) -> Iterator[Problem]:
    of_guides = list(links.column("guide")) if links else []
    for line, guide in zip(guides.lines, guides.column("id"), strict=True):
        count = of_guides.count(guide)
        if not MIN_LINKS <= count <= MAX_LINKS:
            yield Problem(guides.file, line, f"a guide has {MIN_LINKS} to {MAX_LINKS} links; this one has {count}")
