"""Checks the tables of an overlay against the content below it, and returns what they state.

Every problem names file and line. The content below has the imports and the overlays that come before.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from indexer.content.cell_checks import ReferenceIndex
from indexer.content.csv_table import Table, read_table
from indexer.content.datapackage_schema import Package
from indexer.content.hierarchy_checks import cycle_problems
from indexer.content.problems import Location, NearestMatch, Problem, quote
from indexer.content.rows import Content, parse_content
from indexer.content.table_checks import hierarchy_steps, row_problems
from indexer.content.table_specs import key_column
from indexer.overlays.apply import Change, Overlay, apply_overlay
from indexer.overlays.folder import OverlayError, OverlayFiles
from indexer.overlays.hiding import descendants, narrower_of, orphans, without_entities
from indexer.overlays.tables import (
    CHANGED_FIELDS,
    CHANGES,
    HIDDEN,
    SOURCE,
    SPECS,
    TABLES,
    overlay_package,
    required_columns,
)
from schema.vocabulary import Vocabulary

NOWHERE = Location("", 0)  # of rows of the content below, which sort before all others
BROADER = "broader"


def read_overlay(files: OverlayFiles, content: Content, package: Package, vocabulary: Vocabulary) -> Overlay:
    """Return what an overlay states; raise OverlayError with every problem.

    `package` describes the tables of the content.
    """
    reader = _Reader(files, content, overlay_package(package), vocabulary)
    if problems := [*reader.problems, *reader.row_problems()]:
        raise OverlayError(files.folder, problems)
    overlay = reader.overlay()
    if problems := list(reader.orphan_problems(overlay)):
        raise OverlayError(files.folder, problems)
    return overlay


class _Hidden(NamedTuple):
    """A row of the table of hidden entities."""

    id: str
    with_narrower: bool
    location: Location


class _Reader:
    def __init__(self, files: OverlayFiles, content: Content, package: Package, vocabulary: Vocabulary) -> None:
        self._files, self._content, self._package, self._vocabulary = files, content, package, vocabulary
        self._entities = {entity.id: entity for entity in content.entities}
        self.problems: list[Problem] = []
        self._tables = dict(self._read_tables())

    def _read_tables(self) -> Iterator[tuple[str, Table]]:
        resources = {resource.path: resource for resource in self._package.resources}
        for name, data in self._files.files.items():
            file = str(self._files.folder / name)
            if resource := resources.get(name):
                columns = [column.name for column in resource.table.columns]
                optional = set(columns) - set(required_columns(resource))
                table, problems = read_table(file, data, columns, optional, comments=True)
                self.problems += problems
                yield resource.stem, table
            else:
                hint = NearestMatch(resources).hint(name)
                self.problems.append(Problem(file, 1, f"an overlay has no such table{hint}"))

    def row_problems(self) -> Iterator[Problem]:
        index = ReferenceIndex(self._tables, self._content.entities)
        yield from row_problems(self._package, self._tables, index, self._vocabulary, SPECS)
        yield from self._source_problems()
        yield from self._existing_entities()
        yield from self._change_problems()
        yield from self._hidden_problems()
        below = [link for link in self._content.links if link.edge == BROADER]
        steps = [((link.source, link.target), NOWHERE) for link in below if self._is_shown(link.source, link.target)]
        yield from cycle_problems([*steps, *hierarchy_steps(self._tables)])

    def _source_problems(self) -> Iterator[Problem]:
        table = self._tables.get(SOURCE)
        if table is None:
            yield Problem(self._file(SOURCE), 1, "missing table; its one row says who states the overlay")
            return
        if not table.lines and table.complete:
            yield Problem(table.file, 1, "has no row; its one row says who states the overlay")
        for line in table.lines[1:]:
            yield Problem(table.file, line, "second source; an overlay has one. Put rows of another one into another")
        known = {source.id for source in self._content.sources}
        for line, id_ in zip(table.lines, table.column("id"), strict=True):
            if id_ in known:
                yield Problem(table.file, line, f"source {quote(id_)} exists below this overlay; choose another id")

    def _file(self, stem: str) -> str:
        return str(self._files.folder / f"{stem}.csv")

    @cached_property
    def _added(self) -> dict[str, Location]:
        """The ids of the entities that the tables add, with the location of each row."""
        added: dict[str, Location] = {}
        for stem, table in self._tables.items():
            if type_name := SPECS[stem].type:
                keys = zip(table.lines, table.column(key_column(type_name)), strict=True)
                added |= {f"{type_name}:{key}": Location(table.file, line) for line, key in keys if key}
        return added

    def _existing_entities(self) -> Iterator[Problem]:
        slugs = {(entity.type, entity.slug): entity.id for entity in self._content.entities}
        for id_, location in self._added.items():
            if id_ in self._entities:
                remedy = f"{CHANGES}.csv changes its name and texts; choose another slug for something else"
                yield Problem(*location, f"{quote(id_)} exists below this overlay; {remedy}")
        for stem, table in self._tables.items():
            type_name = SPECS[stem].type
            if type_name and key_column(type_name) != "slug":  # the slug is not in the id
                for line, slug in zip(table.lines, table.column("slug"), strict=True):
                    if existing := slugs.get((type_name, slug)):
                        yield Problem(table.file, line, f"slug {quote(slug)} is that of {quote(existing)}")

    def _change_problems(self) -> Iterator[Problem]:
        if table := self._tables.get(CHANGES):
            fields = ", ".join(CHANGED_FIELDS)
            for line, (id_, *values) in zip(table.lines, table.rows("id", *CHANGED_FIELDS), strict=True):
                if location := self._added.get(id_):
                    yield Problem(table.file, line, f"{quote(id_)} is of this overlay; change {location.file}")
                elif not any(values):
                    yield Problem(table.file, line, f"changes nothing of {quote(id_)}; fill one of {fields}")

    @cached_property
    def _hidden_rows(self) -> list[_Hidden]:
        table = self._tables.get(HIDDEN)
        rows = zip(table.lines, table.rows("id", "narrower"), strict=True) if table else ()
        return [_Hidden(id_, narrower == "true", Location(self._file(HIDDEN), line)) for line, (id_, narrower) in rows]

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """The ids to hide: those of the rows, and narrower conditions that would be below nothing."""
        listed = frozenset(row.id for row in self._hidden_rows)
        with_narrower = [row.id for row in self._hidden_rows if row.with_narrower]
        if not with_narrower:
            return listed
        below = descendants(narrower_of(self._content), with_narrower)
        return listed.union(below.intersection(orphans(without_entities(self._content, listed))))

    def _is_shown(self, *ids: str) -> bool:
        return self._hidden.isdisjoint(ids)

    def _hidden_problems(self) -> Iterator[Problem]:
        for row in self._hidden_rows:
            if location := self._added.get(row.id):
                yield Problem(*row.location, f"{quote(row.id)} is of this overlay; delete its row in {location.file}")
        for stem, table in self._tables.items():
            spec = SPECS[stem]
            for column in spec.references if stem != HIDDEN else ():
                for line, id_ in zip(table.lines, spec.full_ids(table, column), strict=True):
                    if id_ and not self._is_shown(id_):
                        yield Problem(table.file, line, f"{quote(id_)} is hidden by {HIDDEN}.csv of this overlay")

    def overlay(self) -> Overlay:
        """Return what the tables state; they must have no problems."""
        (source,) = parse_content({"sources": self._tables[SOURCE]}, "").sources
        stems = [stem for stem in self._tables if stem in TABLES]
        tables = {stem: _with_set_columns(stem, self._tables[stem], source.id) for stem in stems}
        changes = self._tables.get(CHANGES)
        return Overlay(
            self._files.name,
            source,
            parse_content(tables, ""),
            tuple(map(Change._make, changes.rows("id", *CHANGED_FIELDS))) if changes else (),
            self._hidden,
        )

    def orphan_problems(self, overlay: Overlay) -> Iterator[Problem]:
        """Yield the narrower conditions that would be below no main condition."""
        found = set(orphans(apply_overlay(self._content, overlay)))
        for id_ in sorted(found & self._added.keys()):
            yield Problem(*self._added[id_], f"{quote(id_)} is below no main condition; add a row to {BROADER}.csv")
        below = narrower_of(self._content)
        for row in self._hidden_rows:
            if lost := sorted((found - self._added.keys()) & descendants(below, [row.id])):
                noun = f"{len(lost)} narrower conditions, such as {lost[0]!r}, are below nothing else"
                yield Problem(*row.location, f"{noun}; hide them too with true in the column 'narrower'")


def _with_set_columns(stem: str, table: Table, source: str) -> Table:
    values = {"sources": source} if SPECS[stem].type else {"sources": source, "basis": "source"}
    columns = {name: [value] * len(table.lines) for name, value in values.items()}
    return replace(table, columns={**table.columns, **columns})
