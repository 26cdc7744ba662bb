"""The downloadable files of a release: their contents, and a build from them."""

from __future__ import annotations

import csv
import gzip
import io
import json
from base64 import b64decode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from api.models import EdgeFacts
from indexer.content.csv_table import csv_bytes
from indexer.content.rows import parse_content
from indexer.content.table_checks import check_tables
from indexer.documents.builder import build_documents
from indexer.export.columns import EDGE_FACTS
from indexer.export.documents import count_export_documents, export_documents
from indexer.export.tables import export_tables
from indexer.graph.build import build_graph
from indexer.imports.export_tables import content_tables
from tests.support.small_graphs import EMPTY

if TYPE_CHECKING:
    from indexer.content.datapackage_schema import Package
    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary

Row = dict[str, Any]
FILES = [
    *("datapackage.json", "entities.ndjson.gz", "edges.ndjson.gz", "entities.csv", "aliases.csv", "edges.csv"),
    *("sources.csv", "groupings.csv", "grouping_members.csv", "market.csv", "first_choices.csv", "redirects.csv"),
]


@pytest.fixture(scope="module")
def exported(graph: Graph, vocabulary: Vocabulary) -> dict[str, Row]:
    return dict(export_documents(graph, vocabulary))


@pytest.fixture(scope="module")
def files(exported: dict[str, Row]) -> dict[str, bytes]:
    packed = {
        file["name"]: [exported[f"export/{file['name']}/{number}"]["piece"] for number in range(len(file["pieces"]))]
        for file in exported["export"]["files"]
    }
    return {name: gzip.decompress(b"".join(map(b64decode, pieces))) for name, pieces in packed.items()}


def table(files: dict[str, bytes], name: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))


def lines(files: dict[str, bytes], name: str) -> list[Row]:
    return [json.loads(line) for line in files[name].splitlines()]


def test_lists_and_counts_every_file(exported: dict[str, Row], graph: Graph, vocabulary: Vocabulary) -> None:
    assert [file["name"] for file in exported["export"]["files"]] == FILES
    assert len(exported) == count_export_documents(graph, vocabulary)
    assert dict(export_documents(graph, vocabulary)) == exported


def test_an_entity_is_a_line_with_all_its_facts(files: dict[str, bytes]) -> None:
    entities = {line["id"]: line for line in lines(files, "entities.ndjson.gz")}
    assert len(entities) == 36
    assert entities["solution:telework"] == {
        "id": "solution:telework",
        "type": "solution",
        "slug": "telework",
        "name": "Telework",
        "summaries": {"short": "Doing the job from home or another place outside the office."},
        "aliases": [{"text": "Working from Home", "kind": "lay", "sources": ["atlas", "editors"]}],
        "attributes": {"kind": "strategy", "settings": "work"},
        "made_for": [],
        "external_ids": {},
        "url": "https://atlas.example.org/solutions/telework",
        "sources": ["atlas"],
    }
    assert entities["occupation:15-1252.00"]["external_ids"] == {"onet_soc": "15-1252.00"}
    assert entities["occupation:15-1252.00"]["url"] is None
    assert entities["disability:crohns-disease"]["summaries"]["plain"].count("\n") == 2


def test_an_edge_is_a_line_in_forward_direction(files: dict[str, bytes]) -> None:
    edges = {(line["from"], line["edge"], line["to"]): line for line in lines(files, "edges.ndjson.gz")}
    assert len(edges) == 70
    assert {edge for _, edge, _ in edges} == {
        *("has_limitation", "affects", "recommends", "implemented_by", "sold_by"),
        *("requires", "related_occupation", "limits", "broader"),
    }
    key = ("disability:low-vision", "recommends", "solution:telework")
    edge, ends = edges[key], dict(zip(("from", "edge", "to"), key, strict=True))
    facts = {"basis": "source", "sources": ["atlas"], "via": ["workrelatedfunction:commute"]}
    assert edge == {**ends, "weight": edge["weight"], **facts}


def test_csv_and_ndjson_have_the_same_facts(files: dict[str, bytes]) -> None:
    flat = [{name: value for name, value in row.items() if value} for row in table(files, "edges.csv")]
    listed = [
        {name: "|".join(value) if isinstance(value, list) else str(value) for name, value in line.items()}
        for line in lines(files, "edges.ndjson.gz")
    ]
    assert flat == listed
    names = [(row["entity"], row["text"], row["kind"]) for row in table(files, "aliases.csv")]
    entities = lines(files, "entities.ndjson.gz")
    assert names == [(entity["id"], alias["text"], alias["kind"]) for entity in entities for alias in entity["aliases"]]
    for row, line in zip(table(files, "entities.csv"), entities, strict=True):
        summaries = {"plain": "", **line["summaries"]}
        assert (row["id"], row["short"], row["plain"]) == (line["id"], summaries["short"], summaries["plain"])
        assert {name: row[name] for name in line["attributes"]} == line["attributes"]


def test_every_edge_fact_of_a_response_has_a_column() -> None:
    facts = set(EdgeFacts.model_fields) - {"weight", "basis", "sources"}
    assert facts == {column.name for column in EDGE_FACTS}


def test_the_package_has_sizes_digests_counts_and_licences(files: dict[str, bytes], exported: dict[str, Row]) -> None:
    package = json.loads(files["datapackage.json"])
    assert package["version"]
    assert package["counts"]["types"]["disability"] == 8
    assert package["counts"]["edges"]["recommends"] == 32
    assert [(licence["name"], licence.get("path"), licence["applies_to"]) for licence in package["licenses"]] == [
        ("CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/", ["atlas", "editors"]),
        ("CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/", ["jobbook", "fair"]),
        ("Each-page-its-own", None, ["pages"]),
    ]
    urls = {source["id"]: source.get("licence_url", "") for source in package["sources"]}
    assert urls == {row["id"]: row["licence_url"] for row in table(files, "sources.csv")}
    listed = {file["name"]: file for file in exported["export"]["files"]}
    for resource in package["resources"]:
        file = listed[resource["path"]]
        sent = file["packed" if resource["path"].endswith(".gz") else "plain"]
        assert (resource["bytes"], resource["hash"]) == (sent["bytes"], f"sha256:{sent['sha256']}")
        columns = [field["name"] for field in resource["schema"]["fields"]]
        assert set(resource["schema"].get("primaryKey", ())) <= set(columns)
        if resource["path"].endswith(".csv"):
            assert files[resource["path"]].decode().splitlines()[0].split(",") == columns
            assert resource["rows"] == len(table(files, resource["path"]))


def test_empty_tables_have_a_header(vocabulary: Vocabulary) -> None:
    graph = build_graph(EMPTY, vocabulary)
    tables = {table.file: table for table in export_tables(graph, vocabulary)}
    assert list(tables["redirects.csv"].chunks()) == [b"old,new\n"]
    assert len(dict(export_documents(graph, vocabulary))) == count_export_documents(graph, vocabulary) == 13


@pytest.mark.parametrize("missing", [(".ndjson.gz",), ("entities.csv", "aliases.csv", "edges.csv")])
def test_builds_the_same_release_from_its_files(
    *, missing: tuple[str, ...], files: dict[str, bytes], graph: Graph, vocabulary: Vocabulary, package: Package
) -> None:
    present = {name.removesuffix(".gz"): data for name, data in files.items() if not name.endswith(missing)}
    export = content_tables(present, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    rebuilt = build_graph(parse_content(export.tables, graph.version), vocabulary)
    assert dict(build_documents(rebuilt, vocabulary)) == dict(build_documents(graph, vocabulary))
    assert dict(export_documents(rebuilt, vocabulary)) == dict(export_documents(graph, vocabulary))


def test_an_export_of_version_0_1_0_is_still_read(
    files: dict[str, bytes], graph: Graph, vocabulary: Vocabulary, package: Package
) -> None:
    without = [
        {name: cell for name, cell in row.items() if name != "licence_url"} for row in table(files, "sources.csv")
    ]
    older = files | {"sources.csv": csv_bytes([list(without[0]), *(list(row.values()) for row in without)])}
    export = content_tables({name: data for name, data in older.items() if name.endswith(".csv")}, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    sources = parse_content(export.tables, graph.version).sources
    assert sources == tuple(replace(source, licence_url="") for source in graph.sources.values())
