"""Importing the export of the shipped content yields the same documents, byte for byte."""

from __future__ import annotations

from indexer.content.loader import load_content, read_package
from indexer.content.rows import parse_content
from indexer.content.table_checks import check_tables
from indexer.documents.builder import build_documents
from indexer.graph.build import build_graph
from indexer.imports.export_tables import content_tables
from schema.vocabulary import read_vocabulary
from tests.support.exported_files import exported_files
from tests.support.project import CONTENT, MAPPINGS


def test_an_imported_export_yields_the_same_documents() -> None:
    vocabulary, package = read_vocabulary(MAPPINGS), read_package(CONTENT)
    graph = build_graph(load_content(CONTENT, vocabulary), vocabulary)
    files = {name: data for name, data in exported_files(graph, vocabulary).items() if name.endswith(".csv")}
    export = content_tables(files, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    reimported = build_graph(parse_content(export.tables, graph.version), vocabulary)
    repeated = dict(build_documents(reimported, vocabulary))
    for key, body in build_documents(graph, vocabulary):
        assert repeated.pop(key) == body, key
    assert repeated == {}
