"""The tables of an export, and the graph's rows written as CSV or NDJSON.

Both formats have the same facts. NDJSON has lists and objects; CSV puts `|` between several values of a cell, as the
tables of the content folder do. Each edge is written once, under its forward name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from indexer.content.csv_table import csv_bytes
from indexer.content.datapackage_schema import SEPARATOR
from indexer.export.columns import (
    ALIAS_COLUMNS,
    CHOICE_COLUMNS,
    EDGE_COLUMNS,
    EDGE_FACTS,
    EDGE_FIELDS,
    ENTITY_COLUMNS,
    ENTITY_FIELDS,
    EXTERNAL_IDS,
    FINDING_COLUMNS,
    GROUPING_COLUMNS,
    LIST_FACTS,
    MEMBER_COLUMNS,
    REDIRECT_COLUMNS,
    SOURCE_COLUMNS,
    SUMMARIES,
    Column,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from indexer.content.rows import Alias, Entity, Finding, FirstChoice, Grouping, GroupingMember, Source
    from indexer.graph.model import Edge, Graph
    from schema.json_types import JsonObject
    from schema.vocabulary import Vocabulary

GZIP, CSV = "application/gzip", "text/csv"
ENTITY_ID = ("entities.csv", "id")

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A file of rows. `write` returns the bytes of some rows, without a header.

    `foreign_keys` maps columns to the (file, column) that they refer to.
    """

    file: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Any]
    write: Callable[[Iterable[Any]], bytes]
    rows_per_chunk: int
    key: Sequence[str] = ()
    foreign_keys: Mapping[str, tuple[str, str]] | None = None

    @property
    def media_type(self) -> str:
        """The media type of the file."""
        return CSV if self.file.endswith(".csv") else GZIP

    @property
    def chunk_count(self) -> int:
        """The number of chunks; an empty table has one."""
        return max(1, -(-len(self.rows) // self.rows_per_chunk))

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes of the file in chunks. A CSV file starts with its header."""
        header = csv_bytes([tuple(column.name for column in self.columns)]) if self.media_type == CSV else b""
        for number in range(self.chunk_count):
            start = number * self.rows_per_chunk
            yield (header if number == 0 else b"") + self.write(self.rows[start : start + self.rows_per_chunk])


def export_tables(graph: Graph, vocabulary: Vocabulary) -> list[Table]:
    """Return every table of a release."""
    entities = list(graph.nodes.values())
    aliases = [alias for entity in entities for alias in graph.aliases.get(entity.id, ())]
    edges = list(_forward_edges(graph, vocabulary))
    sources = list(graph.sources.values())
    facts = sorted({name for entity in entities for name in entity.facts})
    fact_columns = (Column(name, "string", "A fact specific to some types.") for name in facts)
    columns = (*ENTITY_COLUMNS, *fact_columns)
    ends = {"from": ENTITY_ID, "to": ENTITY_ID}
    key, of = ("from", "edge", "to"), {"entity": ENTITY_ID}
    return [
        Table(
            "entities.ndjson.gz",
            "Entities, one JSON object a line",
            ENTITY_FIELDS,
            entities,
            _entity_lines(graph),
            1000,
        ),
        Table("edges.ndjson.gz", "Edges, one JSON object a line", EDGE_FIELDS, edges, _edge_lines, 4000),
        Table("entities.csv", "Entities", columns, entities, _entity_rows(graph, facts), 2000, ("id",)),
        Table("aliases.csv", "Other names of entities", ALIAS_COLUMNS, aliases, _alias_rows, 5000, (), of),
        Table("edges.csv", "Edges", EDGE_COLUMNS, edges, _edge_rows, 5000, key, ends),
        Table(
            "sources.csv",
            "Where the facts come from, and on what terms",
            SOURCE_COLUMNS,
            sources,
            _source_rows,
            1000,
            ("id",),
        ),
        *_tables_about_entities(graph),
    ]


def _tables_about_entities(graph: Graph) -> list[Table]:
    """Return the tables of groupings, market findings, first choices and redirects."""
    members = [member for of_entity in graph.groupings.values() for member in of_entity]
    groupings = list({member.grouping.slug: member.grouping for member in members}.values())
    member_of = {"grouping": ("groupings.csv", "slug"), "entity": ENTITY_ID}
    editorial = _editorial_tables(graph)
    return [
        Table(
            "groupings.csv", "Categories of conditions", GROUPING_COLUMNS, groupings, _grouping_rows, 1000, ("slug",)
        ),
        Table(
            "grouping_members.csv",
            "Members of the categories",
            MEMBER_COLUMNS,
            members,
            _member_rows,
            5000,
            (),
            member_of,
        ),
        *editorial,
    ]


def _editorial_tables(graph: Graph) -> list[Table]:
    findings, redirects = list(graph.findings.values()), list(graph.redirects.items())
    market = Table(
        "market.csv",
        "Findings of market verification",
        FINDING_COLUMNS,
        findings,
        _finding_rows,
        5000,
        ("entity",),
        {"entity": ENTITY_ID},
    )
    choices = Table(
        "first_choices.csv",
        "First choices of the editors",
        CHOICE_COLUMNS,
        graph.first_choices,
        _choice_rows,
        5000,
        ("need", "solution"),
        {"need": ENTITY_ID},
    )
    retired = Table(
        "redirects.csv",
        "Retired ids and the ids that replace them",
        REDIRECT_COLUMNS,
        redirects,
        csv_bytes,
        5000,
        ("old",),
        {"new": ENTITY_ID},
    )
    return [market, choices, retired]


def _forward_edges(graph: Graph, vocabulary: Vocabulary) -> Iterator[Edge]:
    for node in graph.nodes:
        for name, edges in graph.edges.get(node, {}).items():
            if vocabulary.edges[name].direction == "out":
                yield from edges


def _ndjson(rows: Iterable[object]) -> bytes:
    return b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows])


def _joined(values: Sequence[str]) -> str:
    return SEPARATOR.join(values)


def _external_ids(entity: Entity) -> dict[str, str]:
    name = EXTERNAL_IDS.get(entity.type)
    return {name: entity.id.partition(":")[2]} if name else {}


def _entity_lines(graph: Graph) -> Callable[[Iterable[Entity]], bytes]:
    def line(entity: Entity) -> JsonObject:
        aliases = graph.aliases.get(entity.id, ())
        return {
            "id": entity.id,
            "type": entity.type,
            "slug": entity.slug,
            "name": entity.name,
            "summaries": {name: text for name in SUMMARIES if (text := getattr(entity, name))},
            "aliases": [{"text": alias.text, "kind": alias.kind, "sources": alias.sources} for alias in aliases],
            "attributes": entity.facts,
            "made_for": graph.editorial.intended_for.get(entity.id, ()),
            "external_ids": _external_ids(entity),
            "url": entity.url or None,
            "sources": entity.sources,
        }

    return lambda entities: _ndjson(map(line, entities))


def _edge_lines(edges: Iterable[Edge]) -> bytes:
    return _ndjson(
        {
            "from": edge.source,
            "edge": edge.name,
            "to": edge.target,
            "weight": edge.weight,
            "basis": edge.basis,
            "sources": edge.sources,
            **edge.facts,
        }
        for edge in edges
    )


def _entity_rows(graph: Graph, facts: Sequence[str]) -> Callable[[Iterable[Entity]], bytes]:
    def row(entity: Entity) -> Row:
        external_ids = _external_ids(entity)
        return (
            *(entity.id, entity.type, entity.slug, entity.name, entity.short, entity.plain, entity.long, entity.url),
            _joined(entity.sources),
            _joined(graph.editorial.intended_for.get(entity.id, ())),
            *map(external_ids.get, EXTERNAL_IDS.values()),
            *map(entity.facts.get, facts),
        )

    return lambda entities: csv_bytes(map(row, entities))


def _edge_rows(edges: Iterable[Edge]) -> bytes:
    def row(edge: Edge) -> Row:
        facts = {**edge.facts, **{name: _joined(edge.facts[name]) for name in LIST_FACTS if name in edge.facts}}
        columns = (edge.source, edge.name, edge.target, edge.weight, edge.basis, _joined(edge.sources))
        return (*columns, *(facts.get(fact.name) for fact in EDGE_FACTS))

    return csv_bytes(map(row, edges))


def _alias_rows(aliases: Iterable[Alias]) -> bytes:
    return csv_bytes((alias.entity, alias.text, alias.kind, _joined(alias.sources)) for alias in aliases)


def _grouping_rows(groupings: Iterable[Grouping]) -> bytes:
    return csv_bytes(
        (grouping.slug, grouping.scheme, grouping.name, _joined(grouping.aliases), grouping.short)
        for grouping in groupings
    )


def _member_rows(members: Iterable[GroupingMember]) -> bytes:
    return csv_bytes(
        (member.grouping.slug, member.entity, member.basis, member.note, _joined(member.sources)) for member in members
    )


def _choice_rows(choices: Iterable[FirstChoice]) -> bytes:
    return csv_bytes(
        (choice.need, choice.solution.partition(":")[2], choice.strength, _joined(choice.sources)) for choice in choices
    )


def _finding_rows(findings: Iterable[Finding]) -> bytes:
    return csv_bytes(tuple(getattr(finding, column.name) for column in FINDING_COLUMNS) for finding in findings)


def _source_rows(sources: Iterable[Source]) -> bytes:
    return csv_bytes(tuple(getattr(source, column.name) for column in SOURCE_COLUMNS) for source in sources)
