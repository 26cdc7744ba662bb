"""One table names the types, edges and bases; code and pages say the same."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from api.explorer import labels
from indexer.content.table_specs import ENFORCED_COLUMNS, LINK_TABLES, TABLE_SPECS
from schema.entity_kinds import BASES, ENTITY_TYPES, NARROWER, SETTINGS, EdgeName
from schema.market_rules import MARKET_STATUSES
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS, MAPPINGS

TABLE: dict[str, list[dict[str, Any]]] = json.loads((MAPPINGS / "vocabulary.json").read_text("utf-8"))
NAMES = [row["name"] for row in TABLE["types"]]
PAGE = (DOCS / "data.md").read_text("utf-8")


def test_the_program_names_every_type_edge_basis_and_setting() -> None:
    assert list(ENTITY_TYPES) == NAMES
    assert list(get_args(EdgeName)) == [row[end] for row in TABLE["edges"] for end in ("name", "inverse")]
    assert list(BASES) == [row["name"] for row in TABLE["bases"]]
    assert list(SETTINGS) == [row["name"] for row in TABLE["settings"]]


def test_the_explorer_labels_every_name() -> None:
    assert list(labels.PLURAL_TYPES) == NAMES
    assert tuple(labels.SETTINGS) == SETTINGS
    assert tuple(labels.BASES) == BASES
    assert tuple(labels.MARKET_STATUSES) == MARKET_STATUSES


def test_edges_join_known_types_and_no_name_stands_twice() -> None:
    names = [row[end] for row in TABLE["edges"] for end in ("name", "inverse")]
    assert len(set(names)) == len(names)
    assert {end for row in TABLE["edges"] for pair in row["pairs"] for end in pair} <= set(NAMES)


def test_tables_speak_of_the_same_types_edges_and_bases() -> None:
    assert {row["name"]: row["table"] for row in TABLE["types"]} == {
        spec.type: stem for stem, spec in TABLE_SPECS.items() if spec.type and spec.kind != NARROWER
    }
    forward = {row["name"] for row in TABLE["edges"]}
    assert {edge for edge, _, _ in LINK_TABLES.values()} <= forward
    assert set(ENFORCED_COLUMNS["basis"].constraints.enum) == {row["name"] for row in TABLE["bases"]} - {"inherited"}


@pytest.mark.parametrize(
    ("title", "name", "meaning", "part"),
    [
        ("Types", "type", "what it is", "types"),
        ("Basis", "basis", "meaning", "bases"),
        ("Settings", "setting", "meaning", "settings"),
    ],
)
def test_the_page_on_data_describes_every_name(title: str, name: str, meaning: str, part: str) -> None:
    documented = [(code(row[name]), row[meaning]) for row in rows(section(PAGE, title))]
    assert documented == [(row["name"], row["description"]) for row in TABLE[part]]


def test_the_page_on_data_names_every_edge() -> None:
    shown = [(code(row["edge"]), code(row["inverse"]), row["from → to"]) for row in rows(section(PAGE, "Edges"))]
    assert shown == [
        (row["name"], row["inverse"], "; ".join(f"{source} → {target}" for source, target in row["pairs"]))
        for row in TABLE["edges"]
    ]


def test_the_page_on_data_gives_every_edge_a_weight() -> None:
    weighed = [name for row in rows(section(PAGE, "Weights")) for name in row["edge"].replace("`", "").split(", ")]
    assert {name.split(" ")[0] for name in weighed} == {row["name"] for row in TABLE["edges"]}
