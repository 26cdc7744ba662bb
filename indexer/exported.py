"""Files in the form of an export become the tables of a content folder, so that both are checked and read alike. Pure.

The rows of such a table keep the file and the line they were read from. What a build works out by itself, edges that
are derived or inherited, is passed over.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from indexer.checks import in_tables
from indexer.export_tables import CODES, EDGE, FLAT, SUMMARIES
from indexer.graph import group_of
from indexer.problems import ContentError, Nearest, Problem, shown
from indexer.schema import SEPARATOR
from indexer.shapes import LINKS, NARROWER, SHAPES, key_column
from indexer.tables import Table, read_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.schema import Package
    from indexer.vocabulary import Vocabulary

KIND = "tables"  # of such an import
NEEDED = ("sources", "entities", "edges")
AS_THEY_ARE = ("sources", "groupings", "grouping_members", "redirects", "market", "first_choices")
LINES = (".ndjson", ".ndjson.gz")
WORKED_OUT = ("derived", "inherited")
OWN_BASIS = ("implemented_by", "broader", "limits")  # edges whose tables may state that they were derived
STEM_OF = {edge: stem for stem, (edge, _, _) in reversed(LINKS.items())}
TRUE = ("true", "True")
CONDITION = "disability:"

Row = dict[str, str]
Place = tuple[str, int]


@dataclass(slots=True)
class Files:
    """What the files say: tables by the names of the content folder, every problem, and how much was passed over."""

    tables: dict[str, Table]
    problems: list[Problem]
    worked_out: int = 0


@dataclass(slots=True)
class _Sheet:
    """A table that is being filled."""

    columns: Sequence[str]
    file: str = ""
    lines: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def table(self) -> Table:
        cells = {name: [row.get(name, "") for row in self.rows] for name in self.columns}
        return Table(self.file, self.lines, cells)


class _Sheets:
    """All tables that are being filled, with the columns that the data package gives them."""

    def __init__(self, package: Package) -> None:
        described = {one.stem: [column.name for column in one.table.columns] for one in package.resources}
        self.sheets = {stem: _Sheet(columns) for stem, columns in described.items()}
        self.problems: list[Problem] = []
        self.worked_out = 0

    def add(self, stem: str, place: Place, row: Row) -> None:
        sheet = self.sheets.get(stem)
        if sheet is None:
            self.tell(place, f"there is no table {stem}.csv for this; the data package does not describe it")
            return
        sheet.file = place[0]
        sheet.lines.append(place[1])
        sheet.rows.append(row)

    def tell(self, place: Place, what: str) -> None:
        self.problems.append(Problem(*place, what))


def content_tables(files: Mapping[str, bytes], package: Package, vocabulary: Vocabulary) -> Files:
    """Read the files of an export, given by name, as the tables that the data package of a content folder describes."""
    sheets = _Sheets(package)
    for stem in NEEDED:
        if not any(f"{stem}{suffix}" in files for suffix in (".csv", *LINES)):
            sheets.tell((f"{stem}.csv", 1), "missing; an export has it")
    kinds = _entities(sheets, files)
    for place, row in _rows(sheets, files, "aliases", ("entity", "text", "kind", "sources"), ()):
        _alias(sheets, kinds, place, row)
    for place, row in _rows(sheets, files, "edges", [name for name, _, _ in EDGE], _optional(EDGE, "weight")):
        _edge(sheets, vocabulary, kinds, place, row)
    tables = {stem: sheet.table() for stem, sheet in sheets.sheets.items()}
    for stem in AS_THEY_ARE:
        if f"{stem}.csv" in files and stem in sheets.sheets:
            expected = sheets.sheets[stem].columns
            tables[stem], found = read_table(f"{stem}.csv", files[f"{stem}.csv"], expected, ("sources", "note"))
            sheets.problems += found
    return Files(tables, sheets.problems, sheets.worked_out)


def sound_tables(files: Mapping[str, bytes], package: Package, vocabulary: Vocabulary) -> Files:
    """The same; raise ContentError with every problem of the files and of what they say, if there is any."""
    found = content_tables(files, package, vocabulary)
    if problems := [*found.problems, *in_tables(package, found.tables, vocabulary)]:
        raise ContentError(sorted(problems))
    return found


def known_files() -> list[str]:
    """The names that files of an export may have, beside its description."""
    return [f"{stem}.csv" for stem in ("entities", "aliases", "edges", *AS_THEY_ARE)] + [
        f"{stem}{suffix}" for stem in ("entities", "edges") for suffix in LINES
    ]


def _optional(columns: Iterable[tuple[str, str, str]], *more: str) -> set[str]:
    required = {"id", "slug", "name", "short", "from", "edge", "to", "basis", "sources"}
    return {name for name, _, _ in columns if name not in required} | set(more)


def _entities(sheets: _Sheets, files: Mapping[str, bytes]) -> dict[str, str]:
    """Fill the entity tables; return the table of each entity by its id."""
    facts = {name for shape, sheet in _of_types(sheets) for name in sheet.columns if name not in {*_FLAT_NAMES, "code"}}
    columns = [*_FLAT_NAMES, *sorted(facts | {"kind"})]
    found: dict[str, str] = {}
    types = list(dict.fromkeys(shape.type for shape in SHAPES.values() if shape.type))
    for place, row in _rows(sheets, files, "entities", columns, {*facts, "kind", *_optional(FLAT)}):
        type_name, _, key = row.get("id", "").partition(":")
        if type_name not in types or not key:
            sheets.tell(place, f"'id' is {shown(row.get('id', ''))}, not type:key{Nearest(types).hint(type_name)}")
            continue
        stem = _stem(type_name, row)
        found[row["id"]] = stem
        _entity(sheets, stem, type_name, key, place, row)
    return found


def _of_types(sheets: _Sheets) -> Iterator[tuple[Any, _Sheet]]:
    for stem, shape in SHAPES.items():
        if shape.type and stem in sheets.sheets:
            yield shape, sheets.sheets[stem]


def _stem(type_name: str, row: Row) -> str:
    if SHAPES[_NARROW].type == type_name and row.get("kind") == NARROWER:
        return _NARROW
    return next(stem for stem, shape in SHAPES.items() if shape.type == type_name)


def _entity(sheets: _Sheets, stem: str, type_name: str, key: str, place: Place, row: Row) -> None:
    column = key_column(type_name)
    if row.get("type") not in (None, "", type_name):
        sheets.tell(place, f"'type' is {shown(row['type'])}, but the id says {type_name!r}")
    if column == "slug" and row.get("slug") != key:
        sheets.tell(place, f"'slug' is {shown(row.get('slug', ''))}; it is the key of the id, {key!r}")
    sheet = sheets.sheets.get(stem)
    known = {*_FLAT_NAMES, "kind", *(sheet.columns if sheet else ())}
    for name in row.keys() - known:
        if row[name]:
            sheets.tell(place, f"{name!r} is no fact of a {type_name}{Nearest(known - _NOT_FACTS).hint(name)}")
    if sheet and row.get("long") and "long" not in sheet.columns:
        sheet.columns = [*sheet.columns, "long"]
    own = {**row, column: key}
    if SHAPES[stem].kind:
        own.pop("kind", None)
    sheets.add(stem, place, own)
    for whom in filter(None, row.get("made_for", "").split(SEPARATOR)):
        sheets.add("made_for", place, {"solution": key, "made_for": whom, "sources": row.get("sources", "")})


def _alias(sheets: _Sheets, stems: Mapping[str, str], place: Place, row: Row) -> None:
    type_name, _, key = row.get("entity", "").partition(":")
    if type_name == "occupation" and row.get("kind") == "title":
        sheets.add("occupation_titles", place, {**row, "occupation": key, "title": row.get("text", "")})
    elif stems.get(row.get("entity", "")) == _NARROW or row.get("kind") == "near":
        sheets.add("condition_names", place, {**row, "disability": key})
    else:
        sheets.add("aliases", place, row)


def _edge(sheets: _Sheets, vocabulary: Vocabulary, stems: Mapping[str, str], place: Place, row: Row) -> None:
    if not _sound(sheets, vocabulary, place, row):
        return
    name, start, end = row["edge"], row["from"], row["to"]
    ends = {"from": start.partition(":")[2], "to": end.partition(":")[2]}
    if row.get("main") in TRUE:
        sheets.add("main_needs", place, {**row, "disability": ends["from"], "need": end})
    if row.get("first_choice"):
        sheets.add(
            "first_choices", place, {**row, "need": start, "solution": ends["to"], "strength": row["first_choice"]}
        )
    if name == "recommends":
        _recommends(sheets, place, row)
    elif row["basis"] in WORKED_OUT and (group_of(start) == end or not _states(row["basis"], name)):
        sheets.worked_out += 1
    elif name in STEM_OF:
        _, one, other = LINKS[STEM_OF[name]]
        stem = "condition_broader" if name == "broader" and stems.get(start) == _NARROW else STEM_OF[name]
        whole = stem == "broader"
        one, other = ("disability", "broader") if stem == "condition_broader" else (one, other)
        joined = {one: start, other: end} if whole else {one: ends["from"], other: ends["to"]}
        sheets.add(stem, place, {**row, **joined, "strength": row.get("weight", "")})
    elif name == "requires":
        sheets.add("occupation_abilities", place, {**row, "occupation": ends["from"], "ability": ends["to"]})
    else:
        sheets.add("related_occupations", place, {**row, "occupation": ends["from"], "related": ends["to"]})


def _states(basis: str, name: str) -> bool:
    """Whether the table of these edges may say that they rest on this."""
    return basis == "derived" and name in OWN_BASIS


def _sound(sheets: _Sheets, vocabulary: Vocabulary, place: Place, row: Row) -> bool:
    """Whether the row names an edge that may join its two ends; what is wrong with it is told."""
    name = row.get("edge", "")
    kind = vocabulary.edges.get(name)
    known = [one for one, edge in vocabulary.edges.items() if edge.direction == "out"]
    if kind is None:
        sheets.tell(place, f"unknown edge {shown(name)}{Nearest(known).hint(name)}")
        return False
    if kind.direction != "out":
        sheets.tell(place, f"{name!r} is how the other end sees it; write {kind.inverse!r} with the ends exchanged")
        return False
    pair = (row.get("from", "").partition(":")[0], row.get("to", "").partition(":")[0])
    if pair not in kind.pairs:
        takes = " or ".join(f"{one} to {other}" for one, other in kind.pairs)
        sheets.tell(place, f"{name} joins {takes}, not {shown(pair[0])} to {shown(pair[1])}")
        return False
    if row.get("basis") not in vocabulary.bases:
        basis = row.get("basis", "")
        sheets.tell(place, f"'basis' is {shown(basis)}{Nearest(vocabulary.bases).hint(basis)}")
        return False
    return True


def _recommends(sheets: _Sheets, place: Place, row: Row) -> None:
    start, solution = row["from"], row["to"].partition(":")[2]
    under = list(filter(None, row.get("via", "").split(SEPARATOR))) if row["basis"] == "source" else []
    for via in under:
        sheets.add(
            "recommendations", place, {**row, "disability": start.partition(":")[2], "via": via, "solution": solution}
        )
    if basis := row.get("school_basis"):
        named = {"entity": start, "solution": solution, "basis": basis, "sources": row.get("school_sources", "")}
        for page in row.get("read_at", "").split(SEPARATOR):
            sheets.add("school_recommendations", place, {**named, "page": page})
    elif row["basis"] in WORKED_OUT or (row.get("pages") and not start.startswith(CONDITION)):
        sheets.worked_out += 1
    elif not start.startswith(CONDITION):
        sheets.tell(
            place, "a build works such lists out; name this need in 'via' of what is recommended for conditions"
        )
    elif not under:
        sheets.tell(place, "'via' is empty; it names the limitations or functions under which the source lists it")


def _rows(
    sheets: _Sheets, files: Mapping[str, bytes], stem: str, expected: Sequence[str], optional: Iterable[str]
) -> Iterator[tuple[Place, Row]]:
    file = f"{stem}.csv"
    if file in files:
        table, problems = read_table(file, files[file], expected, set(optional))
        sheets.problems += problems
        for number, line in enumerate(table.lines):
            yield (file, line), {name: cells[number] for name, cells in table.columns.items()}
        return
    if stem == "aliases":
        yield from _listed_aliases(sheets, files)
        return
    for place, told in _objects(sheets, files, stem):
        yield place, _flat(told)


def _listed_aliases(sheets: _Sheets, files: Mapping[str, bytes]) -> Iterator[tuple[Place, Row]]:
    """Other names as the lines of entities hold them."""
    if "entities.csv" in files:
        return
    for place, told in _objects(sheets, files, "entities", again=True):
        for one in told.get("aliases", ()):
            if isinstance(one, dict):
                yield place, {"entity": str(told.get("id", "")), **_flat(one)}
            else:
                sheets.tell(place, f"'aliases' has {shown(str(one))}, not an object with text, kind and sources")


def _objects(
    sheets: _Sheets, files: Mapping[str, bytes], stem: str, *, again: bool = False
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The lines of an NDJSON file; what is wrong with them is told the first time."""
    file = next((f"{stem}{suffix}" for suffix in LINES if f"{stem}{suffix}" in files), "")
    data, fault = _unpacked(file, files.get(file, b""))
    if fault and not again:
        sheets.tell((file, 1), fault)
    for line, text in enumerate(data.split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            told = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            told, fault = None, f"not readable as JSON: {error.msg}"
        else:
            fault = "not a JSON object"
        if isinstance(told, dict):
            yield (file, line), told
        elif not again:
            sheets.tell((file, line), fault)


def _unpacked(file: str, data: bytes) -> tuple[bytes, str]:
    if not file.endswith(".gz"):
        return data, ""
    try:
        whole = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        return b"", f"not a whole gzip file: {error}"
    return whole, ""


def _flat(told: Mapping[str, Any]) -> Row:
    """One object as the cells of a row, as the CSV files have them."""
    row: Row = {}
    for name, value in told.items():
        if name == "summaries" and isinstance(value, dict):
            row |= {part: str(value.get(part) or "") for part in SUMMARIES}
        elif name in ("attributes", "external_ids") and isinstance(value, dict):
            row |= _flat(value)
        elif isinstance(value, list):
            row[name] = SEPARATOR.join(map(str, value)) if name != "aliases" else ""
        elif value is None or value is False:
            row[name] = ""
        else:
            row[name] = str(value)
    row.pop("aliases", None)
    return row


_FLAT_NAMES = tuple(name for name, _, _ in FLAT)
_NOT_FACTS = {*_FLAT_NAMES, *CODES.values()}
_NARROW = next(stem for stem, shape in SHAPES.items() if shape.kind == NARROWER)
