"""The content tables of an export: a build from them is the release that was exported."""

from dataclasses import replace
from pathlib import PurePath

import pytest

from indexer.content.datapackage_schema import Package
from indexer.content.loader import read_package
from indexer.content.rows import BodyPart, Content, CoOccurrence, parse_content
from indexer.content.table_checks import check_tables
from indexer.content.wordings import GuideWording, Wording
from indexer.documents.builder import build_documents
from indexer.export.documents import export_documents
from indexer.graph.build import build_graph
from indexer.graph.model import Graph
from indexer.imports.export_tables import content_tables
from schema.vocabulary import Vocabulary
from tests.support.exported_files import unpacked_files, without_columns
from tests.support.project import CONTENT

NEW_TABLES = ("body_parts.csv", "wordings.csv", "guide_wordings.csv", "co_occurring_conditions.csv")


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
    wording = Wording("limitation:blind", ("walks into doors",), ("editors",))
    guides = replace(content.guides, wordings=(GuideWording(content.guides.guides[0].id, ("asks for a plan",)),))
    rows = replace(content, body_parts=(words,), co_occurrences=(pair,), wordings=(wording,), guides=guides)
    graph = build_graph(rows, vocabulary)
    files = unpacked_files(graph, vocabulary)
    tables = [table for table in read_package(CONTENT).resources if table.path in NEW_TABLES]
    export = content_tables(files, package.model_copy(update={"resources": (*package.resources, *tables)}), vocabulary)
    assert export.problems == []
    imported = parse_content(export.tables, graph.version)
    assert (imported.body_parts, imported.co_occurrences) == ((words,), (pair,))
    assert (imported.wordings, imported.guides.wordings) == ((wording,), guides.wordings)
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
