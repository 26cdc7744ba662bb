"""The tables of an export: their columns with what they mean, and the graph's rows written as lines. Pure.

The same facts come in two forms: NDJSON with lists and objects, and CSV with one value per cell, where a cell with
several values puts `|` between them, as in the tables of the content folder. Each edge stands once, as it is named.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from indexer.schema import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from indexer.graph import Edge, Graph
    from indexer.rows import Alias, Entity, Finding, FirstChoice, Grouping, Member, Source
    from indexer.vocabulary import Vocabulary

GZIP, CSV = "application/gzip", "text/csv"
CODES = {"occupation": "onet_soc", "ability": "onet_element"}  # what the key of such an entity is elsewhere
SUMMARIES = ("short", "plain", "long")
LISTED = f"several with {SEPARATOR} between them"

IDENTITY = (
    ("id", "string", "type:key"),
    ("type", "string", "Type of the entity."),
    ("slug", "string", "Slug, unique within the type."),
    ("name", "string", "Name."),
)
LINE = (  # of entities.ndjson.gz
    *IDENTITY,
    (
        "summaries",
        "object",
        "`short`, one sentence; where there are any, `plain`, two or three; `long`, a source's.",
    ),
    ("aliases", "array", "Other names: `text`, `kind` and `sources` of each."),
    ("attributes", "object", "Facts that only its type has."),
    ("made_for", "array", "Whom alone a solution serves, as the editors judge: ids, or the beginnings of codes."),
    ("external_ids", "object", "`onet_soc` or `onet_element`."),
    ("url", "string", "The page its facts were read from, where there is one."),
    ("sources", "array", "Ids of its sources."),
)
FACTS = (  # what an edge may say beside its weight
    ("via", "string", f"Ids of limitations and functions under which a source lists a solution; {LISTED}."),
    ("pages", "integer", "Condition pages that list a solution under a limitation or function."),
    ("importance", "number", "O*NET importance, 1 to 5."),
    ("level", "number", "O*NET level, 0 to 7."),
    ("tier", "string", "O*NET tier of a related occupation."),
    ("rank", "integer", "O*NET rank of a related occupation, 1 is the closest."),
    ("school_basis", "string", "source or editorial, where a solution is named for school or testing."),
    ("school_sources", "string", f"Ids of the sources that name it for school or testing; {LISTED}."),
    ("read_at", "string", f"Addresses of their pages that do; {LISTED}."),
    ("reason", "string", "Why the relation was drawn."),
    ("main", "boolean", "Whether the condition is best known for this, as the editors judge."),
    (
        "first_choice",
        "number",
        "1 for what the editors would try first under a need, 0.5 for what they would try next.",
    ),
)
SOURCES = ("sources", "string", f"Ids of its sources; {LISTED}.")
MADE_FOR = ("made_for", "string", f"Whom alone a solution serves, as the editors judge; {LISTED}.")
FLAT = (
    *IDENTITY,
    ("short", "string", "One sentence."),
    ("plain", "string", "Two or three more."),
    ("long", "string", "A source's own text."),
    ("url", "string", "The page its facts were read from."),
    SOURCES,
    MADE_FOR,
    *((name, "string", "O*NET's code.") for name in CODES.values()),
)
ENDS = (
    ("from", "string", "Id of the entity that the edge leaves."),
    ("edge", "string", "Name of the edge, never of an inverse."),
    ("to", "string", "Id of the entity that it leads to."),
    ("weight", "number", "How strong it is, above 0 and up to 1."),
    ("basis", "string", "source, derived, inherited or editorial."),
)
EDGE = (*ENDS, SOURCES, *FACTS)
SEVERAL = ("via", "school_sources", "read_at")  # facts that are lists
EDGE_LINE = (
    *ENDS,
    ("sources", "array", "Ids of its sources."),
    *((name, "array" if name in SEVERAL else kind, meaning) for name, kind, meaning in FACTS),
)
ALIAS = (("entity", "string", "Id."), ("text", "string", "The name."), ("kind", "string", "Its kind."), SOURCES)
SOURCE = (
    ("id", "string", "Short id."),
    ("title", "string", "Name of the list or database."),
    ("publisher", "string", "Who publishes it."),
    ("url", "string", "Where it is, where that is known."),
    ("licence", "string", "Its terms."),
    ("attribution", "string", "The sentence that must stand wherever its facts are shown."),
    ("retrieved", "date", "Date of the copy, where that is known."),
)
REDIRECT = (("old", "string", "The retired id."), ("new", "string", "The id of its heir."))
GROUPING = (
    ("slug", "string", "Short id."),
    ("scheme", "string", "Whose category it is."),
    ("name", "string", "Name."),
    ("aliases", "string", f"Other names; {LISTED}."),
    ("short", "string", "One sentence."),
)
MEMBER = (
    ("grouping", "string", "Slug of the grouping."),
    ("entity", "string", "Id of what falls under it."),
    ("basis", "string", "source or editorial."),
    ("note", "string", "On what condition, where there is one."),
    SOURCES,
)
CHOICE = (
    ("need", "string", "Id of a condition, limitation or function."),
    ("solution", "string", "Slug of a solution that a source lists for it, or for what it inherits from."),
    ("strength", "number", "1 for what the editors would try first, 0.5 for what they would try next."),
    SOURCES,
)
FINDING = (
    ("entity", "string", "Id of the product or vendor."),
    ("status", "string", "verified, unverified, unavailable or discontinued."),
    ("checked", "date", "When its page was asked for."),
    ("rule", "string", "The rule that decided."),
    ("address", "string", "The address that was asked."),
    ("evidence", "string", "The address that answered in the end."),
)
ENTITY = ("entities.csv", "id")  # what every id refers to
NAMED, HEIRS = {"entity": ENTITY}, {"new": ENTITY}

Column = tuple[str, str, str]
Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A file of rows. `columns` are (name, type, meaning); `write` makes the bytes of some rows, without a header.

    `refers` maps columns to the column of another file whose values they hold.
    """

    file: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Any]
    write: Callable[[Iterable[Any]], bytes]
    per_piece: int
    key: Sequence[str] = ()
    refers: Mapping[str, tuple[str, str]] | None = None

    @property
    def media_type(self) -> str:
        """How the file is sent."""
        return CSV if self.file.endswith(".csv") else GZIP

    @property
    def pieces(self) -> int:
        """In how many pieces it is written."""
        return max(1, -(-len(self.rows) // self.per_piece))

    def parts(self) -> Iterator[bytes]:
        """Its bytes, piece by piece. A CSV file begins with its header."""
        header = as_csv([tuple(name for name, _, _ in self.columns)]) if self.media_type == CSV else b""
        for number in range(self.pieces):
            start = number * self.per_piece
            yield (header if number == 0 else b"") + self.write(self.rows[start : start + self.per_piece])


def export_tables(graph: Graph, vocabulary: Vocabulary) -> list[Table]:
    """Every table of the release."""
    entities = list(graph.nodes.values())
    aliases = [alias for entity in entities for alias in graph.aliases.get(entity.id, ())]
    edges = list(_edges(graph, vocabulary))
    sources = list(graph.sources.values())
    facts = sorted({name for entity in entities for name in entity.facts})
    flat = (*FLAT, *((name, "string", "A fact that only some types have.") for name in facts))
    ends = {"from": ENTITY, "to": ENTITY}
    return [
        Table("entities.ndjson.gz", "Entities, one JSON object a line", LINE, entities, _entity_lines(graph), 1000),
        Table("edges.ndjson.gz", "Edges, one JSON object a line", EDGE_LINE, edges, _edge_lines, 4000),
        Table("entities.csv", "Entities", flat, entities, _entity_rows(graph, facts), 2000, ("id",)),
        Table("aliases.csv", "Other names of entities", ALIAS, aliases, _alias_rows, 5000, refers=NAMED),
        Table("edges.csv", "Edges", EDGE, edges, _edge_rows, 5000, ("from", "edge", "to"), ends),
        Table(
            "sources.csv", "Where the facts come from, and on what terms", SOURCE, sources, _source_rows, 1000, ("id",)
        ),
        *_said_of_entities(graph),
    ]


def _said_of_entities(graph: Graph) -> list[Table]:
    """The tables beside entities and edges: what they fall under, what was found, judged and retired."""
    redirects = list(graph.redirects.items())
    findings = list(graph.findings.values())
    members = [member for found in graph.groupings.values() for member in found]
    groupings = list({member.grouping.slug: member.grouping for member in members}.values())
    falling = {"grouping": ("groupings.csv", "slug"), **NAMED}
    choices, key, of = graph.first_choices, ("need", "solution"), {"need": ENTITY}
    return [
        Table("groupings.csv", "Categories of conditions", GROUPING, groupings, _grouping_rows, 1000, ("slug",)),
        Table("grouping_members.csv", "What falls under them", MEMBER, members, _member_rows, 5000, refers=falling),
        Table("market.csv", "What visits to pages found", FINDING, findings, _finding_rows, 5000, ("entity",), NAMED),
        Table("first_choices.csv", "What editors would try first", CHOICE, choices, _choice_rows, 5000, key, of),
        Table("redirects.csv", "Retired ids and their heirs", REDIRECT, redirects, as_csv, 5000, ("old",), HEIRS),
    ]


def _edges(graph: Graph, vocabulary: Vocabulary) -> Iterator[Edge]:
    for node in graph.nodes:
        for name, edges in graph.edges.get(node, {}).items():
            if vocabulary.edges[name].direction == "out":
                yield from edges


def as_csv(rows: Iterable[Row]) -> bytes:
    """Rows as CSV lines."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _ndjson(rows: Iterable[object]) -> bytes:
    return b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows])


def _joined(values: Sequence[str]) -> str:
    return SEPARATOR.join(values)


def _codes(entity: Entity) -> dict[str, str]:
    name = CODES.get(entity.type)
    return {name: entity.id.partition(":")[2]} if name else {}


def _entity_lines(graph: Graph) -> Callable[[Iterable[Entity]], bytes]:
    def line(entity: Entity) -> dict[str, Any]:
        aliases = graph.aliases.get(entity.id, ())
        return {
            "id": entity.id,
            "type": entity.type,
            "slug": entity.slug,
            "name": entity.name,
            "summaries": {name: text for name in SUMMARIES if (text := getattr(entity, name))},
            "aliases": [{"text": one.text, "kind": one.kind, "sources": one.sources} for one in aliases],
            "attributes": entity.facts,
            "made_for": graph.guidance.made_for.get(entity.id, ()),
            "external_ids": _codes(entity),
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
    def row(one: Entity) -> Row:
        codes = _codes(one)
        return (
            *(one.id, one.type, one.slug, one.name, one.short, one.plain, one.long, one.url, _joined(one.sources)),
            _joined(graph.guidance.made_for.get(one.id, ())),
            *(codes.get(name) for name in CODES.values()),
            *(one.facts.get(name) for name in facts),
        )

    return lambda entities: as_csv(map(row, entities))


def _edge_rows(edges: Iterable[Edge]) -> bytes:
    names = [name for name, _, _ in FACTS]

    def row(edge: Edge) -> Row:
        facts = {**edge.facts, **{name: _joined(edge.facts[name]) for name in SEVERAL if name in edge.facts}}
        stated = (edge.source, edge.name, edge.target, edge.weight, edge.basis, _joined(edge.sources))
        return (*stated, *map(facts.get, names))

    return as_csv(map(row, edges))


def _alias_rows(aliases: Iterable[Alias]) -> bytes:
    return as_csv((one.entity, one.text, one.kind, _joined(one.sources)) for one in aliases)


def _grouping_rows(groupings: Iterable[Grouping]) -> bytes:
    return as_csv((one.slug, one.scheme, one.name, _joined(one.aliases), one.short) for one in groupings)


def _member_rows(members: Iterable[Member]) -> bytes:
    return as_csv((one.grouping.slug, one.entity, one.basis, one.note, _joined(one.sources)) for one in members)


def _choice_rows(choices: Iterable[FirstChoice]) -> bytes:
    return as_csv((one.need, one.solution.partition(":")[2], one.strength, _joined(one.sources)) for one in choices)


def _finding_rows(findings: Iterable[Finding]) -> bytes:
    return as_csv(tuple(getattr(one, name) for name, _, _ in FINDING) for one in findings)


def _source_rows(sources: Iterable[Source]) -> bytes:
    return as_csv(tuple(getattr(one, name) for name, _, _ in SOURCE) for one in sources)
