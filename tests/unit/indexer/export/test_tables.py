"""The rows and columns of the exported tables."""

import json
from dataclasses import replace
from typing import Any

from api.models import EdgeFacts
from indexer.content.rows import BodyPart, Content, CoOccurrence, Grouping
from indexer.content.wordings import Wording
from indexer.export.columns import EDGE_FACTS
from indexer.export.documents import count_export_documents, export_documents
from indexer.export.tables import export_tables
from indexer.graph.build import build_graph
from schema.vocabulary import Vocabulary
from tests.support.exported_files import csv_rows, unpacked_files
from tests.support.small_graphs import EMPTY

Row = dict[str, Any]


def lines(files: dict[str, bytes], name: str) -> list[Row]:
    return [json.loads(line) for line in files[name].splitlines()]


def test_the_groupings_are_those_of_the_table_in_its_order(content: Content, vocabulary: Vocabulary) -> None:
    unused = [Grouping(slug, "IDEA", slug, (), "A category.", ("pages",)) for slug in ("zebra", "apple")]
    rows = (unused[0], *content.groupings, unused[1])
    graph = build_graph(replace(content, groupings=rows), vocabulary)
    exported = csv_rows(unpacked_files(graph, vocabulary), "groupings.csv")
    assert [row["slug"] for row in exported] == [row.slug for row in rows]
    assert {row["sources"] for row in exported} == {"pages"}


def test_body_parts_and_pairs_are_those_of_the_tables(content: Content, vocabulary: Vocabulary) -> None:
    words = BodyPart(
        ("knee", "kneecap"), "part", ("limitation:low-vision", "limitation:blind"), "editorial", ("editors",)
    )
    ends = ("disability:multiple-sclerosis", "disability:crohns-disease")
    pair = CoOccurrence(*ends, "Pairs, a review", "https://pages.example.org/pairs", "unknown", "2026-11-25")
    wording = Wording("limitation:blind", ("walks into doors", "no light"), ("editors",))
    rows = replace(content, body_parts=(words,), co_occurrences=(pair,), wordings=(wording,))
    graph = build_graph(rows, vocabulary)
    exported = unpacked_files(graph, vocabulary)
    assert exported["body_parts.csv"].decode().splitlines() == [
        "words,kind,entities,basis,sources",
        "knee|kneecap,part,limitation:low-vision|limitation:blind,editorial,editors",
    ]
    assert exported["wordings.csv"].decode().splitlines() == [
        "entity,words,sources",
        "limitation:blind,walks into doors|no light,editors",
    ]
    assert exported["co_occurring_conditions.csv"].decode().splitlines() == [
        "condition,other,source_title,source_url,as_of,read",
        'multiple-sclerosis,crohns-disease,"Pairs, a review",https://pages.example.org/pairs,unknown,2026-11-25',
    ]


def test_an_entity_is_a_line_with_all_its_facts(files: dict[str, bytes]) -> None:
    entities = {line["id"]: line for line in lines(files, "entities.ndjson")}
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
    edges = {(line["from"], line["edge"], line["to"]): line for line in lines(files, "edges.ndjson")}
    assert len(edges) == 70
    assert {edge for _, edge, _ in edges} == {
        *("has_limitation", "affects", "recommends", "implemented_by", "sold_by"),
        *("requires", "related_occupation", "limits", "broader"),
    }
    key = ("disability:low-vision", "recommends", "solution:telework")
    edge, ends = edges[key], dict(zip(("from", "edge", "to"), key, strict=True))
    facts = {"basis": "source", "sources": ["atlas"], "via": ["workrelatedfunction:commute"]}
    assert edge == {**ends, "weight": edge["weight"], **facts}


def _text(value: object) -> str:
    return "true" if value is True else str(value)


def test_csv_and_ndjson_have_the_same_facts(files: dict[str, bytes]) -> None:
    flat = [{name: value for name, value in row.items() if value} for row in csv_rows(files, "edges.csv")]
    listed = [
        {name: "|".join(value) if isinstance(value, list) else _text(value) for name, value in line.items()}
        for line in lines(files, "edges.ndjson")
    ]
    assert flat == listed
    names = [(row["entity"], row["text"], row["kind"]) for row in csv_rows(files, "aliases.csv")]
    entities = lines(files, "entities.ndjson")
    assert names == [(entity["id"], alias["text"], alias["kind"]) for entity in entities for alias in entity["aliases"]]
    for row, line in zip(csv_rows(files, "entities.csv"), entities, strict=True):
        summaries = {"plain": "", **line["summaries"]}
        assert (row["id"], row["short"], row["plain"]) == (line["id"], summaries["short"], summaries["plain"])
        assert {name: row[name] for name in line["attributes"]} == line["attributes"]


def test_every_edge_fact_of_a_response_has_a_column() -> None:
    facts = set(EdgeFacts.model_fields) - {"weight", "basis", "sources"}
    assert facts == {column.name for column in EDGE_FACTS}


def test_empty_tables_have_a_header(vocabulary: Vocabulary) -> None:
    graph = build_graph(EMPTY, vocabulary)
    tables = {table.file: table for table in export_tables(graph, vocabulary)}
    assert list(tables["redirects.csv"].chunks()) == [b"old,new\n"]
    assert len(dict(export_documents(graph, vocabulary))) == count_export_documents(graph, vocabulary) == 29
