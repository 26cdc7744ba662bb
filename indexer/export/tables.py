"""The tables of an export, and the graph's rows written as CSV or NDJSON.

Both formats have the same facts. NDJSON has lists and objects; CSV puts `|` between several values of a cell, as the
tables of the content folder do. Each edge is written once, under its forward name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import orjson

from indexer.content.csv_table import csv_bytes
from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.rows import CoOccurrence, Entity, FirstChoice, GroupingMember
from indexer.export.columns import (
    ALIAS_COLUMNS,
    BODY_PART_COLUMNS,
    CAUTION_COLUMNS,
    CHOICE_COLUMNS,
    CO_OCCURRENCE_COLUMNS,
    CONDITION_SIDE_COLUMNS,
    EDGE_COLUMNS,
    EDGE_FIELDS,
    ENTITY_COLUMNS,
    ENTITY_FIELDS,
    EXCLUSION_COLUMNS,
    FINDING_COLUMNS,
    GROUPING_COLUMNS,
    GUIDE_COLUMNS,
    GUIDE_ENTITY_COLUMNS,
    GUIDE_LINK_COLUMNS,
    GUIDE_NAME_COLUMNS,
    GUIDE_WORDING_COLUMNS,
    JOB_RULE_COLUMNS,
    MAIN_NEED_COLUMNS,
    MEMBER_COLUMNS,
    NEED_SIDE_COLUMNS,
    REDIRECT_COLUMNS,
    SOLUTION_SIDE_COLUMNS,
    SOURCE_COLUMNS,
    WORDING_COLUMNS,
    Column,
)
from indexer.graph.model import SUMMARIES, Edge, Graph, onet_ids
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

GZIP, CSV = "application/gzip", "text/csv"
ENTITY_ID = ("entities.csv", "id")
OF_ENTITY = {"entity": ENTITY_ID}


@dataclass(frozen=True, slots=True)
class Table:
    """A file of rows. `foreign_keys` maps columns to the (file, column) that they refer to.

    `values` returns the values of a row by column; by default, its attributes of these names.
    """

    file: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Any]
    key: Sequence[str] = ()
    foreign_keys: Mapping[str, tuple[str, str]] | None = None
    values: Callable[[Any], Mapping[str, object]] | None = None
    rows_per_chunk: int = 5000

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
        names = [column.name for column in self.columns]
        values = self.values or (lambda row: {name: getattr(row, name) for name in names})
        for number in range(self.chunk_count):
            start = number * self.rows_per_chunk
            objects = map(values, self.rows[start : start + self.rows_per_chunk])
            if self.media_type == GZIP:
                yield b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in objects)
            else:
                cells = ([_cell(row.get(name)) for name in names] for row in objects)
                yield csv_bytes(cells if number else chain([names], cells))


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else ""
    return SEPARATOR.join(value) if isinstance(value, tuple) else value


def export_tables(graph: Graph, vocabulary: Vocabulary) -> list[Table]:
    """Return every table of a release."""
    entities = list(graph.nodes.values())
    aliases = [alias for entity in entities for alias in graph.aliases.get(entity.id, ())]
    edges = list(_forward_edges(graph, vocabulary))
    sources = list(graph.sources.values())
    facts = sorted({name for entity in entities for name in entity.facts})
    columns = (*ENTITY_COLUMNS, *(Column(name, "string", "A fact specific to some types.") for name in facts))
    ends = {"from": ENTITY_ID, "to": ENTITY_ID}
    as_object, as_values = partial(_entity_object, graph), partial(_entity_values, graph)
    return [
        Table(
            "entities.ndjson.gz",
            "Entities, one JSON object a line",
            ENTITY_FIELDS,
            entities,
            values=as_object,
            rows_per_chunk=1000,
        ),
        Table(
            "edges.ndjson.gz",
            "Edges, one JSON object a line",
            EDGE_FIELDS,
            edges,
            values=_edge_values,
            rows_per_chunk=4000,
        ),
        Table("entities.csv", "Entities", columns, entities, ("id",), values=as_values, rows_per_chunk=2000),
        Table("aliases.csv", "Other names of entities", ALIAS_COLUMNS, aliases, (), OF_ENTITY),
        Table("edges.csv", "Edges", EDGE_COLUMNS, edges, ("from", "edge", "to"), ends, _edge_values),
        Table("sources.csv", "Where the facts come from, and on what terms", SOURCE_COLUMNS, sources, ("id",)),
        *_editorial_tables(graph),
    ]


def _editorial_tables(graph: Graph) -> list[Table]:
    """Return the tables of groupings, market findings, the editors' choices and guidance, and redirects."""
    members = [member for rows in graph.groupings.values() for member in rows]
    findings, choices = list(graph.findings.values()), graph.first_choices
    redirects = [{"old": old, "new": new} for old, new in graph.redirects.items()]
    member_of = {"grouping": ("groupings.csv", "slug"), "entity": ENTITY_ID}
    of_need, successor = {"need": ENTITY_ID}, {"new": ENTITY_ID}
    return [
        Table("groupings.csv", "Categories of conditions", GROUPING_COLUMNS, graph.grouping_table, ("slug",)),
        Table(
            "grouping_members.csv", "Members of the categories", MEMBER_COLUMNS, members, (), member_of, _member_values
        ),
        Table("market.csv", "Findings of market verification", FINDING_COLUMNS, findings, ("entity",), OF_ENTITY),
        Table(
            "first_choices.csv",
            "First choices of the editors",
            CHOICE_COLUMNS,
            choices,
            ("need", "solution"),
            of_need,
            _choice_values,
        ),
        Table("main_needs.csv", "Main needs of conditions", MAIN_NEED_COLUMNS, graph.main_needs, values=_with_slugs),
        *_search_tables(graph),
        *_guidance_tables(graph),
        Table(
            "redirects.csv",
            "Retired ids and the ids that replace them",
            REDIRECT_COLUMNS,
            redirects,
            ("old",),
            successor,
            dict,
        ),
    ]


def _guidance_tables(graph: Graph) -> list[Table]:
    """Return the tables that keep answers safe, as the content folder has them."""
    guidance = graph.guidance.guidance
    tables = (
        ("need_sides", "Sides of needs", NEED_SIDE_COLUMNS, guidance.need_sides),
        ("solution_sides", "Sides that solutions serve or make worse", SOLUTION_SIDE_COLUMNS, guidance.solution_sides),
        (
            "condition_sides",
            "Sides that trouble people with a condition",
            CONDITION_SIDE_COLUMNS,
            guidance.condition_sides,
        ),
        ("not_for", "Solutions that must not be suggested", EXCLUSION_COLUMNS, guidance.exclusions),
        ("cautions", "Cautions", CAUTION_COLUMNS, guidance.cautions),
        ("job_rules", "Public standards that may apply to jobs", JOB_RULE_COLUMNS, guidance.job_rules),
        ("guides", "Guides to process words", GUIDE_COLUMNS, graph.guides.guides),
        ("guide_names", "What people type for guides", GUIDE_NAME_COLUMNS, graph.guides.names),
        ("guide_wordings", "How people describe the topics of guides", GUIDE_WORDING_COLUMNS, graph.guides.wordings),
        ("guide_links", "Official pages of guides", GUIDE_LINK_COLUMNS, graph.guides.links),
        ("guide_entities", "Entities of guides", GUIDE_ENTITY_COLUMNS, graph.guides.entities),
    )
    return [Table(f"{stem}.csv", title, columns, rows, values=_with_slugs) for stem, title, columns, rows in tables]


def _with_slugs(row: Any) -> JsonObject:  # noqa: ANN401 - rows of several tables
    """Return a row with the slug of its solution or condition."""
    values: JsonObject = row._asdict()
    return values | {name: values[name].partition(":")[2] for name in ("solution", "disability") if name in values}


def _search_tables(graph: Graph) -> list[Table]:
    wordings = [row for rows in graph.wordings.values() for row in rows]
    return [
        Table("body_parts.csv", "Words for parts of the body and events", BODY_PART_COLUMNS, graph.body_part_table),
        Table("wordings.csv", "How people describe entities", WORDING_COLUMNS, wordings, ("entity",), OF_ENTITY),
        Table(
            "co_occurring_conditions.csv",
            "Conditions that often occur together",
            CO_OCCURRENCE_COLUMNS,
            graph.co_occurrence_table,
            ("condition", "other"),
            values=_co_occurrence_values,
        ),
    ]


def _forward_edges(graph: Graph, vocabulary: Vocabulary) -> Iterator[Edge]:
    for node in graph.nodes:
        for name, edges in graph.edges.get(node, {}).items():
            if vocabulary.edges[name].direction == "out":
                yield from edges


def _entity_object(graph: Graph, entity: Entity) -> JsonObject:
    """Return an entity as NDJSON has it, with lists and objects."""
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
        "external_ids": onet_ids(entity),
        "url": entity.url or None,
        "sources": entity.sources,
    }


def _entity_values(graph: Graph, entity: Entity) -> JsonObject:
    """Return an entity as CSV has it, a value for each column."""
    made_for = graph.editorial.intended_for.get(entity.id, ())
    return {**entity._asdict(), "made_for": made_for, **onet_ids(entity), **entity.facts}


def _edge_values(edge: Edge) -> JsonObject:
    return {
        "from": edge.source,
        "edge": edge.name,
        "to": edge.target,
        "weight": edge.weight,
        "basis": edge.basis,
        "sources": edge.sources,
        **edge.facts,
    }


def _member_values(member: GroupingMember) -> JsonObject:
    return {
        "grouping": member.grouping.slug,
        "entity": member.entity,
        "basis": member.basis,
        "note": member.note,
        "sources": member.sources,
    }


def _choice_values(choice: FirstChoice) -> JsonObject:
    solution = choice.solution.partition(":")[2]
    return {**choice._asdict(), "solution": solution}


def _co_occurrence_values(row: CoOccurrence) -> JsonObject:
    condition, other = (node.partition(":")[2] for node in (row.condition, row.other))
    return {**row._asdict(), "condition": condition, "other": other}
