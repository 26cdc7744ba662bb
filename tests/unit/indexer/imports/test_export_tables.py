"""The content tables of an export: a build from them is the release that was exported."""

from dataclasses import replace

import pytest

from indexer.content.datapackage_schema import Package
from indexer.content.rows import parse_content
from indexer.content.table_checks import check_tables
from indexer.documents.builder import build_documents
from indexer.export.documents import export_documents
from indexer.graph.build import build_graph
from indexer.graph.model import Graph
from indexer.imports.export_tables import content_tables
from schema.vocabulary import Vocabulary
from tests.support.exported_files import without_columns


@pytest.mark.parametrize("missing", [(".ndjson",), ("entities.csv", "aliases.csv", "edges.csv")])
def test_builds_the_same_release_from_its_files(
    *, missing: tuple[str, ...], files: dict[str, bytes], graph: Graph, vocabulary: Vocabulary, package: Package
) -> None:
    present = {name: data for name, data in files.items() if not name.endswith(missing)}
    export = content_tables(present, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    rebuilt = build_graph(parse_content(export.tables, graph.version), vocabulary)
    assert dict(build_documents(rebuilt, vocabulary)) == dict(build_documents(graph, vocabulary))
    assert dict(export_documents(rebuilt, vocabulary)) == dict(export_documents(graph, vocabulary))


def test_an_export_of_version_0_1_0_is_still_read(
    files: dict[str, bytes], graph: Graph, vocabulary: Vocabulary, package: Package
) -> None:
    older = files | {"sources.csv": without_columns(files, "sources.csv", "licence_url", "core")}
    export = content_tables({name: data for name, data in older.items() if name.endswith(".csv")}, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    sources = parse_content(export.tables, graph.version).sources
    assert sources == tuple(replace(source, licence_url="", core=False) for source in graph.sources.values())
