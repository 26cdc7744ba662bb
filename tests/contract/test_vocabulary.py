"""One table names the types, edges and bases; code and pages say the same."""

from __future__ import annotations

import json
from typing import Any, get_args

import api.vocabulary
import indexer.vocabulary
from api import models, neighbors, paths
from indexer import documents, heirs
from indexer.shapes import FLOORS, LINKS, NARROWER, SETTINGS, SHAPES, TYPES
from tests.contract.markdown import code, rows, section
from tests.contract.project import DOCS, MAPPINGS

TABLE: dict[str, list[dict[str, Any]]] = json.loads((MAPPINGS / "vocabulary.json").read_text("utf-8"))
NAMES = [row["name"] for row in TABLE["types"]]
PAGE = (DOCS / "data.md").read_text("utf-8")


def test_models_name_every_type_edge_and_basis() -> None:
    assert list(get_args(models.TypeName)) == NAMES
    assert list(get_args(models.EdgeName)) == [row[end] for row in TABLE["edges"] for end in ("name", "inverse")]
    assert list(get_args(models.Basis)) == [row["name"] for row in TABLE["bases"]]


def test_both_sides_know_what_is_handed_down() -> None:
    assert set(heirs.HANDED_DOWN) == paths.HANDED_DOWN


def test_settings_are_the_same_everywhere() -> None:
    settings = [row["name"] for row in TABLE["settings"]]
    assert list(get_args(models.SettingName)) == list(SETTINGS) == settings
    told = [(code(row["setting"]), row["meaning"]) for row in rows(section(PAGE, "Settings"))]
    assert told == [(row["name"], row["says"]) for row in TABLE["settings"]]


def test_the_service_and_the_indexer_read_the_same() -> None:
    asked, written = api.vocabulary.read_vocabulary(MAPPINGS), indexer.vocabulary.read_vocabulary(MAPPINGS)
    assert list(asked.types) == list(written.types) == NAMES
    assert asked.plurals == written.plurals
    assert [(e.name, e.inverse, e.label, e.direction, e.pairs) for e in asked.edges.values()] == [
        (e.name, e.inverse, e.label, e.direction, e.pairs) for e in written.edges.values()
    ]
    for name in NAMES:
        assert asked.edges_of(name) == [kind.name for kind in written.edges_from(name)]


def test_edges_join_known_types_and_no_name_stands_twice() -> None:
    names = [row[end] for row in TABLE["edges"] for end in ("name", "inverse")]
    assert len(set(names)) == len(names)
    assert {end for row in TABLE["edges"] for pair in row["pairs"] for end in pair} <= set(NAMES)


def test_tables_speak_of_the_same_types_edges_and_bases() -> None:
    assert list(TYPES) == NAMES
    assert {row["name"]: row["table"] for row in TABLE["types"]} == {
        shape.type: stem for stem, shape in SHAPES.items() if shape.type and shape.kind != NARROWER
    }
    forward = {row["name"] for row in TABLE["edges"]}
    assert {edge for edge, _, _ in LINKS.values()} <= forward
    assert set(FLOORS["basis"].constraints.enum) == {row["name"] for row in TABLE["bases"]} - {"inherited"}


def test_pages_of_edges_have_one_size_on_both_sides() -> None:
    assert neighbors.PAGE == documents.PAGE


def test_the_page_on_data_names_every_type() -> None:
    assert [(code(row["type"]), row["what it is"]) for row in rows(section(PAGE, "Types"))] == [
        (row["name"], row["says"]) for row in TABLE["types"]
    ]


def test_the_page_on_data_names_every_edge() -> None:
    shown = [(code(row["edge"]), code(row["inverse"]), row["from → to"]) for row in rows(section(PAGE, "Edges"))]
    assert shown == [
        (row["name"], row["inverse"], "; ".join(f"{source} → {target}" for source, target in row["pairs"]))
        for row in TABLE["edges"]
    ]


def test_the_page_on_data_gives_every_edge_a_weight() -> None:
    weighed = [name for row in rows(section(PAGE, "Weights")) for name in row["edge"].replace("`", "").split(", ")]
    assert {name.split(" ")[0] for name in weighed} == {row["name"] for row in TABLE["edges"]}


def test_the_page_on_data_names_every_basis() -> None:
    assert [(code(row["basis"]), row["meaning"]) for row in rows(section(PAGE, "Basis"))] == [
        (row["name"], row["says"]) for row in TABLE["bases"]
    ]
