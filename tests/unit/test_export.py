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
from indexer.documents import documents
from indexer.export import count_export_documents, export_documents
from indexer.export_tables import FACTS, export_tables
from indexer.graph import build_graph
from indexer.rows import (
    Alias,
    Content,
    Entity,
    FirstChoice,
    Grouping,
    Link,
    MadeFor,
    MainNeed,
    Member,
    Rating,
    Recommendation,
    RelatedOccupation,
    SchoolRow,
    Source,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.graph import Graph
    from indexer.vocabulary import Vocabulary

Row = dict[str, Any]
FILES = [
    *("datapackage.json", "entities.ndjson.gz", "edges.ndjson.gz", "entities.csv", "aliases.csv", "edges.csv"),
    *("sources.csv", "groupings.csv", "grouping_members.csv", "redirects.csv"),
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
    assert len(found) == 34
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
    assert len(found) == 67
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
    assert package["counts"]["types"]["disability"] == 6
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
    assert len(dict(export_documents(graph, vocabulary))) == count_export_documents(graph, vocabulary) == 11


def rebuilt(files: dict[str, bytes]) -> Content:
    """The content that the files tell of."""
    entities = lines(files, "entities.ndjson.gz")
    edges = lines(files, "edges.ndjson.gz")
    of: dict[str, list[Row]] = {}
    for edge in edges:
        of.setdefault(edge["edge"], []).append(edge)
    plain = ("has_limitation", "affects", "implemented_by", "sold_by", "limits", "broader")
    return Content(
        sources=tuple(Source(**row) for row in table(files, "sources.csv")),
        entities=tuple(
            Entity(
                **{name: one[name] for name in ("id", "type", "slug", "name")},
                short=one["summaries"]["short"],
                plain=one["summaries"].get("plain", ""),
                long=one["summaries"].get("long", ""),
                url=one["url"] or "",
                sources=tuple(one["sources"]),
                facts=one["attributes"],
            )
            for one in entities
        ),
        aliases=tuple(
            Alias(one["id"], name["text"], name["kind"], tuple(name["sources"]))
            for one in entities
            for name in one["aliases"]
        ),
        links=tuple(
            Link(
                name, one["from"], one["to"], one["basis"], tuple(one["sources"]), one["weight"], one.get("reason", "")
            )
            for name in plain
            for one in of[name]
        ),
        recommendations=tuple(
            Recommendation(one["from"], via, one["to"], "", tuple(one["sources"]))
            for one in of["recommends"]
            if one["basis"] == "source"
            for via in one.get("via", ())
        ),
        ratings=tuple(
            Rating(one["from"], one["to"], one["importance"], one["level"], tuple(one["sources"]))
            for one in of["requires"]
        ),
        related_occupations=tuple(
            RelatedOccupation(one["from"], one["to"], one["tier"], one["rank"], tuple(one["sources"]))
            for one in of["related_occupation"]
        ),
        redirects={row["old"]: row["new"] for row in table(files, "redirects.csv")},
        main_needs=tuple(MainNeed(one["from"], one["to"]) for one in edges if one.get("main")),
        first_choices=tuple(
            FirstChoice(one["from"], one["to"], one["first_choice"]) for one in edges if "first_choice" in one
        ),
        made_for=tuple(MadeFor(one["id"], whom) for one in entities for whom in one["made_for"]),
        version=json.loads(files["datapackage.json"])["version"],
        school=tuple(
            SchoolRow(one["from"], one["to"], one["school_basis"], page, tuple(one["school_sources"]))
            for one in of["recommends"]
            if "school_basis" in one
            for page in one.get("read_at", [""])
        ),
        members=tuple(members(files)),
    )


def members(files: dict[str, bytes]) -> Iterator[Member]:
    groupings = {
        row["slug"]: Grouping(row["slug"], row["scheme"], row["name"], tuple(row["aliases"].split("|")), row["short"])
        for row in table(files, "groupings.csv")
    }
    for row in table(files, "grouping_members.csv"):
        sources = tuple(row["sources"].split("|"))
        yield Member(groupings[row["grouping"]], row["entity"], row["basis"], row["note"], sources)


def test_the_release_can_be_built_again_from_its_files(
    files: dict[str, bytes], graph: Graph, vocabulary: Vocabulary
) -> None:
    again = build_graph(rebuilt(files), vocabulary)
    assert dict(documents(again, vocabulary)) == dict(documents(graph, vocabulary))
