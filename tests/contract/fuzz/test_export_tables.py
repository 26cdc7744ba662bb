"""Hostile bytes and values in the files of an export are imported or reported."""

import json

import orjson
from hypothesis import given
from hypothesis import strategies as st

from indexer.content.datapackage_schema import Package
from indexer.content.problems import ContentError, Problem
from indexer.content.rows import parse_content
from indexer.graph.build import build_graph
from indexer.imports.export_files import exported_version
from indexer.imports.export_tables import require_valid_tables
from schema.vocabulary import Vocabulary
from tests.support.fuzzing import fuzzed
from tests.support.malformed_files import CHANGES, Changes, changed

CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    CELLS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def import_or_reject(files: dict[str, bytes], package: Package, vocabulary: Vocabulary) -> None:
    """Build a graph of the files, or expect problems that each name one of them."""
    exported_version(files)
    problems: tuple[Problem, ...] = ()
    try:
        tables = require_valid_tables(files, package, vocabulary).tables
    except ContentError as error:
        problems = error.problems
    else:
        build_graph(parse_content(tables, "1.0.0+0"), vocabulary)
    assert all(problem.file in files and problem.line > 0 and str(problem).isprintable() for problem in problems)


def of_form(files: dict[str, bytes], form: str) -> dict[str, bytes]:
    """Return the files with entities and edges in one form, `csv` or `ndjson`."""
    other = (".ndjson",) if form == "csv" else ("entities.csv", "aliases.csv", "edges.csv")
    return {name: data for name, data in files.items() if not name.endswith(other)}


@fuzzed(50)
@given(choice=st.integers(min_value=0), form=st.sampled_from(["csv", "ndjson"]), changes=CHANGES)
def test_any_bytes_in_a_file_are_imported_or_reported(
    choice: int, form: str, changes: Changes, files: dict[str, bytes], package: Package, vocabulary: Vocabulary
) -> None:
    present = of_form(files, form)
    name = sorted(present)[choice % len(present)]
    import_or_reject(present | {name: changed(present[name], changes)}, package, vocabulary)


@fuzzed(50)
@given(stem=st.sampled_from(["entities", "edges"]), line=st.integers(min_value=0), data=st.data())
def test_any_json_in_a_line_is_imported_or_reported(
    stem: str, line: int, data: st.DataObject, files: dict[str, bytes], package: Package, vocabulary: Vocabulary
) -> None:
    name = f"{stem}.ndjson"
    lines = files[name].splitlines()
    row = orjson.loads(lines[line % len(lines)])
    row[data.draw(st.sampled_from(sorted(row)))] = data.draw(VALUES)
    lines[line % len(lines)] = json.dumps(row).encode()
    import_or_reject(of_form(files, "ndjson") | {name: b"\n".join(lines)}, package, vocabulary)
