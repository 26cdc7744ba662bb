"""The content tables of an export: a build from them is the release that was exported."""

import json
from dataclasses import replace
from pathlib import PurePath

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.content.datapackage_schema import Package
from indexer.content.loader import read_package
from indexer.content.problems import ContentError, Problem
from indexer.content.rows import BodyPart, Content, CoOccurrence, parse_content
from indexer.content.table_checks import check_tables
from indexer.documents.builder import build_documents
from indexer.export.documents import export_documents
from indexer.graph.build import build_graph
from indexer.graph.model import Graph
from indexer.imports.export_files import exported_version
from indexer.imports.export_tables import content_tables, require_valid_tables
from schema.vocabulary import Vocabulary
from tests.support.exported_files import unpacked_files, without_columns
from tests.support.fuzzing import fuzzed
from tests.support.malformed_files import CHANGES, Changes, changed
from tests.support.project import CONTENT

CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    CELLS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
NEW_TABLES = ("body_parts.csv", "co_occurring_conditions.csv")


@pytest.mark.parametrize("missing", [(".ndjson",), ("entities.csv", "aliases.csv", "edges.csv")])
def test_builds_the_same_release_from_its_files(
    *, missing: tuple[str, ...], files: dict[str, bytes], graph: Graph, vocabulary: Vocabulary, package: Package
) -> None:
    # "guide_entities.csv" is not "entities.csv": compare whole names, and only the suffix of the other form.
    present = {
        name: data for name, data in files.items() if name not in missing and PurePath(name).suffix not in missing
    }
    export = content_tables(present, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    rebuilt = build_graph(parse_content(export.tables, graph.version), vocabulary)
    assert dict(build_documents(rebuilt, vocabulary)) == dict(build_documents(graph, vocabulary))
    assert dict(export_documents(rebuilt, vocabulary)) == dict(export_documents(graph, vocabulary))


def test_words_for_body_parts_and_pairs_of_conditions_are_the_same_after_an_import(
    content: Content, vocabulary: Vocabulary, package: Package
) -> None:
    words = BodyPart(
        ("knee", "kneecap"), "part", ("limitation:low-vision", "limitation:blind"), "editorial", ("editors",)
    )
    ends = ("disability:multiple-sclerosis", "disability:crohns-disease")
    pair = CoOccurrence(*ends, "Pairs", "https://pages.example.org/pairs", "2018", "2026-11-25")
    graph = build_graph(replace(content, body_parts=(words,), co_occurrences=(pair,)), vocabulary)
    files = unpacked_files(graph, vocabulary)
    tables = [table for table in read_package(CONTENT).resources if table.path in NEW_TABLES]
    export = content_tables(files, package.model_copy(update={"resources": (*package.resources, *tables)}), vocabulary)
    assert export.problems == []
    imported = parse_content(export.tables, graph.version)
    assert (imported.body_parts, imported.co_occurrences) == ((words,), (pair,))
    assert unpacked_files(build_graph(imported, vocabulary), vocabulary) == files


@pytest.mark.parametrize("missing", [(), NEW_TABLES])
def test_the_new_tables_are_optional_in_an_export_and_in_the_content(
    missing: tuple[str, ...], files: dict[str, bytes], vocabulary: Vocabulary, package: Package
) -> None:
    export = content_tables({name: files[name] for name in files.keys() - set(missing)}, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    assert parse_content(export.tables, "1.0.0+0").body_parts == ()


def test_an_export_of_version_0_1_0_is_still_read(
    files: dict[str, bytes], graph: Graph, vocabulary: Vocabulary, package: Package
) -> None:
    older = files | {"sources.csv": without_columns(files, "sources.csv", "licence_url", "core")}
    export = content_tables({name: data for name, data in older.items() if name.endswith(".csv")}, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    sources = parse_content(export.tables, graph.version).sources
    assert sources == tuple(replace(source, licence_url="", core=False) for source in graph.sources.values())


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
