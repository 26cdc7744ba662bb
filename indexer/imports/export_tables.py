"""Converts the files of an export to the tables of a content folder, so that both are checked alike.

The rows of these tables keep the file and the line they were read from. Edges that a build derives or inherits are
skipped.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from indexer.content.csv_table import Table, read_table
from indexer.content.datapackage_schema import SEPARATOR, Package
from indexer.content.problems import MAX_PROBLEMS, ContentError, Location, NearestMatch, Problem, quote
from indexer.content.rows import EDITORS
from indexer.content.table_checks import check_tables
from indexer.content.table_specs import LINK_TABLES, TABLE_SPECS, key_column
from indexer.export.columns import EDGE_COLUMNS, ENTITY_COLUMNS
from indexer.graph.build import group_of
from indexer.graph.model import ONET_IDS
from indexer.imports.export_files import NDJSON_SUFFIXES, UNCHANGED_TABLES, ExportReader, require_format
from indexer.imports.ndjson_rows import MAX_ROWS, Row
from schema.entity_kinds import BASES, NARROWER
from schema.vocabulary import Vocabulary

KIND = "tables"  # of such an import
REQUIRED_FILES = ("sources", "entities", "edges")
COMPUTED_BASES = ("derived", "inherited")
DERIVABLE_EDGES = ("implemented_by", "broader", "limits")  # whose tables may state the basis "derived"
TRUE_VALUES = ("true", "True")
# Of tables that are taken unchanged; exports of 0.1.0 lack some.
OPTIONAL_COLUMNS = ("sources", "note", "licence_url", "core")
CONDITION_PREFIX = "disability:"
REQUIRED_COLUMNS = ("id", "slug", "name", "short", "from", "edge", "to", "basis", "sources")

TABLE_OF_EDGE = {link.edge: stem for stem, link in reversed(LINK_TABLES.items())}
TABLE_OF_TYPE = {spec.type: stem for stem, spec in TABLE_SPECS.items() if spec.type and spec.kind != NARROWER}
NARROWER_TABLE = next(stem for stem, spec in TABLE_SPECS.items() if spec.kind == NARROWER)
ENTITY_COLUMN_NAMES = tuple(column.name for column in ENTITY_COLUMNS)
EDGE_COLUMN_NAMES = tuple(column.name for column in EDGE_COLUMNS)


@dataclass(slots=True)
class ContentTables:
    """Tables by the names of the content folder, every problem, and the number of skipped edges."""

    tables: dict[str, Table]
    problems: list[Problem]
    skipped_edges: int


@dataclass(slots=True)
class _TableBuilder:
    columns: Sequence[str]
    file: str = ""
    lines: list[int] = field(default_factory=list)
    cells: dict[str, list[str]] = field(default_factory=dict)  # by column
    texts: dict[str, str] = field(default_factory=dict)  # equal cells share one text

    def add(self, location: Location, row: Row) -> None:
        for name in self.columns:
            if name not in self.cells:  # `columns` may grow
                self.cells[name] = [""] * len(self.lines)
            text = row.get(name, "")
            self.cells[name].append(self.texts.setdefault(text, text))
        self.file = location.file
        self.lines.append(location.line)

    def build(self) -> Table:
        return Table(self.file, self.lines, {name: self.cells.get(name, []) for name in self.columns})


def content_tables(files: Mapping[str, bytes], package: Package, vocabulary: Vocabulary) -> ContentTables:
    """Convert the files of an export, passed by name; `package` describes the tables of the content folder."""
    return _Converter(files, package, vocabulary).convert()


def require_valid_tables(files: Mapping[str, bytes], package: Package, vocabulary: Vocabulary) -> ContentTables:
    """Convert and check the files; raise ContentError with their first problems, or with their format if it differs."""
    require_format(files)
    converted = content_tables(files, package, vocabulary)
    if len(converted.problems) > MAX_PROBLEMS:  # a file was not read to its end, so that references to it prove nothing
        raise ContentError(sorted(converted.problems))
    problems = chain(converted.problems, check_tables(package, converted.tables, vocabulary))
    if first := list(islice(problems, MAX_PROBLEMS)):
        raise ContentError(sorted(first))
    return converted


def _optional(columns: Iterable[str]) -> set[str]:
    return {name for name in columns if name not in REQUIRED_COLUMNS}


class _Converter:
    def __init__(self, files: Mapping[str, bytes], package: Package, vocabulary: Vocabulary) -> None:
        self._files, self._vocabulary = files, vocabulary
        self._reader = ExportReader(files)
        self._builders = {
            resource.stem: _TableBuilder([column.name for column in resource.table.columns])
            for resource in package.resources
        }
        self._table_of_entity: dict[str, str] = {}
        self._skipped_edges = 0

    def convert(self) -> ContentTables:
        for stem in REQUIRED_FILES:
            if not any(f"{stem}{suffix}" in self._files for suffix in (".csv", *NDJSON_SUFFIXES)):
                self._report(Location(f"{stem}.csv", 1), "missing file; every export contains it")
        self._add_entities()
        for location, row in self._reader.rows("aliases", ("entity", "text", "kind", "sources"), ()):
            self._add_alias(location, row)
        for location, row in self._reader.rows("edges", EDGE_COLUMN_NAMES, _optional(EDGE_COLUMN_NAMES) | {"weight"}):
            if error := self._edge_error(row):
                self._report(location, error)
            else:
                self._add_edge(location, row)
        tables = {stem: builder.build() for stem, builder in self._builders.items()}
        for stem in UNCHANGED_TABLES:
            file = f"{stem}.csv"
            if file in self._files and stem in self._builders:
                columns = self._builders[stem].columns
                tables[stem], problems = read_table(
                    file, self._files[file], columns, OPTIONAL_COLUMNS, max_rows=MAX_ROWS
                )
                self._reader.problems += problems
        return ContentTables(tables, self._reader.problems, self._skipped_edges)

    def _report(self, location: Location, message: str) -> None:
        self._reader.problems.append(Problem(*location, message))

    def _add(self, stem: str, location: Location, row: Row) -> None:
        builder = self._builders.get(stem)
        if builder is None:
            self._report(location, f"the data package of the content describes no table {stem}.csv for this row")
            return
        builder.add(location, row)

    def _add_entities(self) -> None:
        stems = [stem for stem, spec in TABLE_SPECS.items() if spec.type and stem in self._builders]
        columns = {name for stem in stems for name in self._builders[stem].columns}
        facts = columns - {*ENTITY_COLUMN_NAMES, "code"} | {"kind"}
        optional = facts | _optional(ENTITY_COLUMN_NAMES)
        for location, row in self._reader.rows("entities", [*ENTITY_COLUMN_NAMES, *sorted(facts)], optional):
            type_name, _, key = row.get("id", "").partition(":")
            if type_name not in TABLE_OF_TYPE or not key:
                hint = NearestMatch(TABLE_OF_TYPE).hint(type_name)
                self._report(location, f"'id' is {quote(row.get('id', ''))}, not type:key{hint}")
                continue
            is_narrower = row.get("kind") == NARROWER and type_name == TABLE_SPECS[NARROWER_TABLE].type
            stem = NARROWER_TABLE if is_narrower else TABLE_OF_TYPE[type_name]
            self._table_of_entity[row["id"]] = stem
            self._add_entity(stem, type_name, key, location, row)

    def _add_entity(self, stem: str, type_name: str, key: str, location: Location, row: Row) -> None:
        column = key_column(type_name)
        if row.get("type") not in (None, "", type_name):
            self._report(location, f"'type' is {quote(row['type'])}, but the type in the id is {type_name!r}")
        if column == "slug" and row.get("slug") != key:
            self._report(location, f"'slug' is {quote(row.get('slug', ''))}, but the key of the id is {key!r}")
        builder = self._builders.get(stem)
        known = {*ENTITY_COLUMN_NAMES, "kind", *(builder.columns if builder else ())}
        for name in row.keys() - known:
            if row[name]:
                hint = NearestMatch(known - {*ENTITY_COLUMN_NAMES, *ONET_IDS.values()}).hint(name)
                self._report(location, f"{name!r} is not a fact of the type {type_name}{hint}")
        if builder and row.get("long") and "long" not in builder.columns:
            builder.columns = [*builder.columns, "long"]
        entity = {**row, column: key}
        if TABLE_SPECS[stem].kind:
            entity.pop("kind", None)
        self._add(stem, location, entity)
        for audience in filter(None, row.get("made_for", "").split(SEPARATOR)):
            made_for = {"solution": key, "made_for": audience, "sources": row.get("sources", "")}
            self._add("made_for", location, made_for)

    def _add_alias(self, location: Location, row: Row) -> None:
        type_name, _, key = row.get("entity", "").partition(":")
        if type_name == "occupation" and row.get("kind") == "title":
            self._add("occupation_titles", location, {**row, "occupation": key, "title": row.get("text", "")})
        elif self._table_of_entity.get(row.get("entity", "")) == NARROWER_TABLE or row.get("kind") == "near":
            self._add("condition_names", location, {**row, "disability": key})
        else:
            self._add("aliases", location, row)

    def _edge_error(self, row: Row) -> str:
        """Return what is wrong with the edge type, the types of its ends or its basis, or an empty string."""
        name, basis = row.get("edge", ""), row.get("basis", "")
        edge = self._vocabulary.edges.get(name)
        if edge is None:
            return f"unknown edge {quote(name)}{NearestMatch(self._vocabulary.forward).hint(name)}"
        if edge.direction != "out":
            return f"{name!r} is an inverse edge; write {edge.inverse!r} and swap 'from' and 'to'"
        pair = (row.get("from", "").partition(":")[0], row.get("to", "").partition(":")[0])
        if pair not in edge.pairs:
            valid = " or ".join(f"{source} to {target}" for source, target in edge.pairs)
            return f"{name} connects {valid}, not {quote(pair[0])} to {quote(pair[1])}"
        if basis not in BASES:
            return f"'basis' is {quote(basis)}{NearestMatch(BASES).hint(basis)}"
        return ""

    def _add_edge(self, location: Location, row: Row) -> None:
        name, basis, source, target = row["edge"], row["basis"], row["from"], row["to"]
        source_key, target_key = source.partition(":")[2], target.partition(":")[2]
        if row.get("main") in TRUE_VALUES:
            self._add("main_needs", location, {**row, "disability": source_key, "need": target})
        if strength := row.get("first_choice"):
            choice = {**row, "need": source, "solution": target_key, "strength": strength}
            self._add("first_choices", location, choice)
        is_stated = basis == "derived" and name in DERIVABLE_EDGES
        if name == "recommends":
            self._add_recommendation(location, row)
        elif basis in COMPUTED_BASES and (group_of(source) == target or not is_stated):
            self._skipped_edges += 1
        elif name in TABLE_OF_EDGE:
            self._add_link(location, row)
        elif name == "requires":
            self._add("occupation_abilities", location, {**row, "occupation": source_key, "ability": target_key})
        else:
            self._add("related_occupations", location, {**row, "occupation": source_key, "related": target_key})

    def _add_link(self, location: Location, row: Row) -> None:
        stem = TABLE_OF_EDGE[row["edge"]]
        if stem == "broader" and self._table_of_entity.get(row["from"]) == NARROWER_TABLE:
            stem = "condition_broader"
        link, references = LINK_TABLES[stem], TABLE_SPECS[stem].references
        ends = {
            column: row[end].partition(":")[2] if len(references[column]) == 1 else row[end]
            for column, end in ((link.source, "from"), (link.target, "to"))
        }
        self._add(stem, location, {**row, **ends, "strength": row.get("weight", "")})

    def _add_recommendation(self, location: Location, row: Row) -> None:
        source, basis, solution = row["from"], row["basis"], row["to"].partition(":")[2]
        is_listed = basis == "source" or (basis == "editorial" and source.startswith(CONDITION_PREFIX))
        headings = list(filter(None, row.get("via", "").split(SEPARATOR))) if is_listed else []
        editorial = row.get("editorial_via", "").split(SEPARATOR)
        sources = [name for name in row.get("sources", "").split(SEPARATOR) if [name] != list(EDITORS)]
        for via in headings:
            recommendation = {**row, "disability": source.partition(":")[2], "via": via, "solution": solution}
            recommendation["sources"] = SEPARATOR.join(EDITORS if via in editorial else sources or EDITORS)
            self._add("recommendations", location, recommendation)
        if school_basis := row.get("school_basis"):
            ends = {"entity": source, "solution": solution}
            stated = {"basis": school_basis, "sources": row.get("school_sources", "")}
            for page in row.get("read_at", "").split(SEPARATOR):
                self._add("school_recommendations", location, {**ends, **stated, "page": page})
        elif basis in COMPUTED_BASES or (row.get("pages") and not source.startswith(CONDITION_PREFIX)):
            self._skipped_edges += 1
        elif not source.startswith(CONDITION_PREFIX):
            message = "a build computes the solutions of a need; list the need in 'via' of a condition's recommendation"
            self._report(location, message)
        elif not headings:
            message = "'via' is empty; list the limitations or functions under which the source recommends it"
            self._report(location, message)
