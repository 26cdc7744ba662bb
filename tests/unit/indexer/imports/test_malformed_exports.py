"""Whatever bytes are imported, the result is valid tables or an error that names the file."""

import json
import zipfile
from contextlib import suppress

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.content.datapackage_schema import Package
from indexer.content.problems import ContentError, Problem
from indexer.content.rows import parse_content
from indexer.graph.build import build_graph
from indexer.imports.export_files import exported_version, read_files
from indexer.imports.export_tables import require_valid_tables
from indexer.imports.store import ImportDataError
from indexer.onet.archive import OnetError
from schema.vocabulary import Vocabulary
from tests.support.onet_samples import CSV, read, zipped

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    CELLS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
JUNK = st.sampled_from([b"", b"\0", b'"', b"\n", b"\r", b"|", b",", b"\xff", b":", b"=>", b"{", b"[" * 2_000])
CHANGES = st.lists(
    st.tuples(st.integers(min_value=0), st.integers(0, 40), JUNK | st.binary(max_size=20)), min_size=1, max_size=3
)
Changes = list[tuple[int, int, bytes]]
few = settings(max_examples=50, deadline=None, database=None)


def changed(data: bytes, changes: Changes) -> bytes:
    """Return the data with some bytes replaced at each position, counted modulo the size."""
    for position, length, junk in changes:
        start = position % (len(data) + 1)
        data = data[:start] + junk + data[start + length :]
    return data


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


@few
@given(choice=st.integers(min_value=0), form=st.sampled_from(["csv", "ndjson"]), changes=CHANGES)
def test_any_bytes_in_a_file_are_imported_or_reported(
    choice: int, form: str, changes: Changes, files: dict[str, bytes], package: Package, vocabulary: Vocabulary
) -> None:
    present = of_form(files, form)
    name = sorted(present)[choice % len(present)]
    import_or_reject(present | {name: changed(present[name], changes)}, package, vocabulary)


@few
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


@few
@given(method=st.sampled_from(METHODS), changes=CHANGES)
def test_any_bytes_in_an_archive_are_read_or_reported(
    method: int, changes: Changes, files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "export.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name in ("sources.csv", "edges.csv"):
            archive.writestr(name, files[name])
    path.write_bytes(changed(path.read_bytes(), changes))
    with suppress(ContentError, ImportDataError):
        read_files(path)


@few
@given(method=st.sampled_from(METHODS), changes=CHANGES)
def test_any_bytes_in_an_onet_archive_are_read_or_reported(
    method: int, changes: Changes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = zipped(CSV, tmp_path_factory.getbasetemp() / "onet.zip", method)
    path.write_bytes(changed(path.read_bytes(), changes))
    with suppress(ContentError, OnetError):
        read(path)
