"""The files of a release: what stands in them, and that the release can be built from them again."""

from __future__ import annotations

import csv
import gzip
import io
import json
from base64 import b64decode
from typing import TYPE_CHECKING, Any

import pytest

from api.models import EdgeFacts
from indexer.checks import in_tables
from indexer.documents import documents
from indexer.export import count_export_documents, export_documents
from indexer.export_tables import FACTS, export_tables
from indexer.exported import content_tables
from indexer.graph import build_graph
from indexer.rows import Content
from indexer.sources import content_of

if TYPE_CHECKING:
    from indexer.graph import Graph
    from indexer.schema import Package
    from indexer.vocabulary import Vocabulary

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
    """Every file, unpacked."""
    packed = {
        file["name"]: [exported[f"export/{file['name']}/{number}"]["piece"] for number in range(len(file["pieces"]))]
        for file in exported["export"]["files"]
    }
    return {name: gzip.decompress(b"".join(map(b64decode, pieces))) for name, pieces in packed.items()}


def table(files: dict[str, bytes], name: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))


def lines(files: dict[str, bytes], name: str) -> list[Row]:
    return [json.loads(line) for line in files[name].splitlines()]


def test_every_file_is_listed_and_every_document_counted(
    exported: dict[str, Row], graph: Graph, vocabulary: Vocabulary
) -> None:
    assert [file["name"] for file in exported["export"]["files"]] == FILES
    assert len(exported) == count_export_documents(graph, vocabulary)
    assert dict(export_documents(graph, vocabulary)) == exported


def test_an_entity_is_one_line_with_all_that_is_known_of_it(files: dict[str, bytes]) -> None:
    found = {one["id"]: one for one in lines(files, "entities.ndjson.gz")}
    assert len(found) == 36
    assert found["solution:telework"] == {
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
    assert found["occupation:15-1252.00"]["external_ids"] == {"onet_soc": "15-1252.00"}
    assert found["occupation:15-1252.00"]["url"] is None
    assert found["disability:crohns-disease"]["summaries"]["plain"].count("\n") == 2


def test_an_edge_is_one_line_in_its_own_direction(files: dict[str, bytes]) -> None:
    found = {(one["from"], one["edge"], one["to"]): one for one in lines(files, "edges.ndjson.gz")}
    assert len(found) == 70
    assert {edge for _, edge, _ in found} == {
        *("has_limitation", "affects", "recommends", "implemented_by", "sold_by"),
        *("requires", "related_occupation", "limits", "broader"),
    }
    assert found["disability:low-vision", "recommends", "solution:telework"] == {
        "from": "disability:low-vision",
        "edge": "recommends",
        "to": "solution:telework",
        "weight": found["disability:low-vision", "recommends", "solution:telework"]["weight"],
        "basis": "source",
        "sources": ["atlas"],
        "via": ["workrelatedfunction:commute"],
    }


def test_the_two_forms_say_the_same(files: dict[str, bytes]) -> None:
    flat = [{name: value for name, value in row.items() if value} for row in table(files, "edges.csv")]
    listed = [
        {name: "|".join(value) if isinstance(value, list) else str(value) for name, value in line.items()}
        for line in lines(files, "edges.ndjson.gz")
    ]
    assert flat == listed
    names = [(row["entity"], row["text"], row["kind"]) for row in table(files, "aliases.csv")]
    entities = lines(files, "entities.ndjson.gz")
    assert names == [(one["id"], name["text"], name["kind"]) for one in entities for name in one["aliases"]]
    for row, line in zip(table(files, "entities.csv"), entities, strict=True):
        assert (row["id"], row["short"], row["plain"]) == (
            line["id"],
            line["summaries"]["short"],
            line["summaries"].get("plain", ""),
        )
        assert {name: row[name] for name in line["attributes"]} == line["attributes"]


def test_a_column_stands_for_every_fact_an_answer_can_show() -> None:
    own = set(EdgeFacts.model_fields) - {"weight", "basis", "sources"}
    assert own == {name for name, _, _ in FACTS}


def test_the_description_tells_sizes_sums_counts_and_terms(files: dict[str, bytes], exported: dict[str, Row]) -> None:
    package = json.loads(files["datapackage.json"])
    assert package["version"]
    assert package["counts"]["types"]["disability"] == 8
    assert package["counts"]["edges"]["recommends"] == 32
    assert [(one["name"], one["applies_to"]) for one in package["licenses"]] == [
        ("CC0-1.0", ["atlas", "editors"]),
        ("CC-BY-4.0", ["jobbook", "fair"]),
        ("Each-page-its-own", ["pages"]),
    ]
    listed = {file["name"]: file for file in exported["export"]["files"]}
    for resource in package["resources"]:
        file = listed[resource["path"]]
        told = file["packed" if resource["path"].endswith(".gz") else "plain"]
        assert (resource["bytes"], resource["hash"]) == (told["bytes"], f"sha256:{told['sha256']}")
        columns = [field["name"] for field in resource["schema"]["fields"]]
        assert set(resource["schema"].get("primaryKey", ())) <= set(columns)
        if resource["path"].endswith(".csv"):
            assert files[resource["path"]].decode().splitlines()[0].split(",") == columns
            assert resource["rows"] == len(table(files, resource["path"]))


def test_nothing_to_say_still_makes_readable_files(vocabulary: Vocabulary) -> None:
    graph = build_graph(Content((), (), (), (), (), (), (), {}, "1.0.0+0"), vocabulary)
    assert [
        part for one in export_tables(graph, vocabulary) for part in one.parts() if one.file == "redirects.csv"
    ] == [b"old,new\n"]
    assert len(dict(export_documents(graph, vocabulary))) == count_export_documents(graph, vocabulary) == 13


@pytest.mark.parametrize("left_out", [(".ndjson.gz",), ("entities.csv", "aliases.csv", "edges.csv")])
def test_the_release_can_be_built_again_from_its_files(
    *, left_out: tuple[str, ...], files: dict[str, bytes], graph: Graph, vocabulary: Vocabulary, package: Package
) -> None:
    given = {name.removesuffix(".gz"): data for name, data in files.items() if not name.endswith(left_out)}
    found = content_tables(given, package, vocabulary)
    assert [*found.problems, *in_tables(package, found.tables, vocabulary)] == []
    again = build_graph(content_of(found.tables, graph.version), vocabulary)
    assert dict(documents(again, vocabulary)) == dict(documents(graph, vocabulary))
    assert dict(export_documents(again, vocabulary)) == dict(export_documents(graph, vocabulary))
