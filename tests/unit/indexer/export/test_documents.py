"""The downloadable files of a release, and the package that describes them."""

import json
from typing import Any

import pytest

from indexer.export.documents import count_export_documents, export_documents
from indexer.graph.model import Graph
from schema.notice import NOTICE
from schema.release_names import FORMAT_VERSION
from schema.vocabulary import Vocabulary
from tests.support.exported_files import csv_rows

Row = dict[str, Any]
FILES = [
    *("datapackage.json", "entities.ndjson.gz", "edges.ndjson.gz", "entities.csv", "aliases.csv", "edges.csv"),
    *("sources.csv", "groupings.csv", "grouping_members.csv", "market.csv", "first_choices.csv"),
    *(
        "main_needs.csv",
        "body_parts.csv",
        "wordings.csv",
        "co_occurring_conditions.csv",
        "need_sides.csv",
        "solution_sides.csv",
        "condition_sides.csv",
    ),
    *("not_for.csv", "cautions.csv", "job_rules.csv", "guides.csv", "guide_names.csv"),
    *("guide_wordings.csv", "guide_links.csv"),
    *("guide_entities.csv", "redirects.csv", "attributions.txt"),
]


@pytest.fixture(scope="module")
def exported(graph: Graph, vocabulary: Vocabulary) -> dict[str, Row]:
    return dict(export_documents(graph, vocabulary))


def test_lists_and_counts_every_file(exported: dict[str, Row], graph: Graph, vocabulary: Vocabulary) -> None:
    assert [file["name"] for file in exported["export"]["files"]] == FILES
    assert len(exported) == count_export_documents(graph, vocabulary)
    assert dict(export_documents(graph, vocabulary)) == exported


def test_the_package_has_sizes_digests_counts_and_licences(files: dict[str, bytes], exported: dict[str, Row]) -> None:
    package = json.loads(files["datapackage.json"])
    assert package["version"]
    assert package["format"] == FORMAT_VERSION
    assert package["counts"]["types"]["disability"] == 8
    assert package["counts"]["edges"]["recommends"] == 32
    assert [(licence["name"], licence.get("path"), licence["applies_to"]) for licence in package["licenses"]] == [
        ("CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/", ["atlas", "editors"]),
        ("CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/", ["jobbook", "fair"]),
        ("Each-page-its-own", None, ["pages"]),
    ]
    urls = {source["id"]: source.get("licence_url", "") for source in package["sources"]}
    assert urls == {row["id"]: row["licence_url"] for row in csv_rows(files, "sources.csv")}
    listed = {file["name"]: file for file in exported["export"]["files"]}
    assert package["provenance"]["data_version"] == package["version"]
    assert package["provenance"]["sources"] == package["sources"]
    assert package["notice"] == {"text": NOTICE, "kind": "informational"}
    assert package["resources"][-1]["mediatype"] == "text/plain"
    for resource in package["resources"]:
        file = listed[resource["path"]]
        sent = file["gzip" if resource["path"].endswith(".gz") else "plain"]
        assert (resource["bytes"], resource["hash"]) == (sent["bytes"], f"sha256:{sent['sha256']}")
        if "schema" not in resource:
            continue
        columns = [field["name"] for field in resource["schema"]["fields"]]
        assert set(resource["schema"].get("primaryKey", ())) <= set(columns)
        if resource["path"].endswith(".csv"):
            assert files[resource["path"]].decode().splitlines()[0].split(",") == columns
            assert resource["rows"] == len(csv_rows(files, resource["path"]))


def test_the_attributions_have_the_licence_and_the_sentence_of_every_source(files: dict[str, bytes]) -> None:
    text = files["attributions.txt"].decode()
    parts = dict(part.split(": ", 1) for part in text.strip().split("\n\n")[2:])
    rows = csv_rows(files, "sources.csv")
    assert list(parts) == [row["id"] for row in rows]
    for row in rows:
        title, *lines = parts[row["id"]].splitlines()
        licence = f"Licence: {row['licence']}" + (f": {row['licence_url']}" if row["licence_url"] else "")
        assert [title, *lines] == [row["title"], *filter(None, (row["url"], licence, row["attribution"]))]
