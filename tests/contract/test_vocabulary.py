"""Code, tables and pages use the types, edges and bases of vocabulary.json."""

import json
from typing import Any, get_args

import pytest

from api.explorer import labels
from indexer.content.table_specs import ENFORCED_COLUMNS, LINK_TABLES, TABLE_SPECS
from schema.entity_kinds import BASES, ENTITY_TYPES, NARROWER, SETTINGS, EdgeName
from schema.market_rules import MARKET_STATUSES
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS, MAPPINGS

VOCABULARY: dict[str, list[dict[str, Any]]] = json.loads((MAPPINGS / "vocabulary.json").read_text("utf-8"))
NAMES = [row["name"] for row in VOCABULARY["types"]]
PAGE = (DOCS / "reference/graph.md").read_text("utf-8")


def test_the_program_has_the_types_edges_bases_and_settings_of_the_vocabulary() -> None:
    assert list(ENTITY_TYPES) == NAMES
    assert list(get_args(EdgeName)) == [row[end] for row in VOCABULARY["edges"] for end in ("name", "inverse")]
    assert list(BASES) == [row["name"] for row in VOCABULARY["bases"]]
    assert list(SETTINGS) == [row["name"] for row in VOCABULARY["settings"]]


def test_the_explorer_labels_every_name() -> None:
    assert list(labels.PLURAL_TYPES) == NAMES
    assert tuple(labels.SETTINGS) == SETTINGS
    assert tuple(labels.BASES) == BASES
    assert tuple(labels.MARKET_STATUSES) == MARKET_STATUSES


def test_edges_connect_known_types_and_have_unique_names() -> None:
    names = [row[end] for row in VOCABULARY["edges"] for end in ("name", "inverse")]
    assert len(set(names)) == len(names)
    assert {end for row in VOCABULARY["edges"] for pair in row["pairs"] for end in pair} <= set(NAMES)


def test_tables_have_the_types_edges_and_bases_of_the_vocabulary() -> None:
    assert {row["name"]: row["table"] for row in VOCABULARY["types"]} == {
        spec.type: stem for stem, spec in TABLE_SPECS.items() if spec.type and spec.kind != NARROWER
    }
    forward = {row["name"] for row in VOCABULARY["edges"]}
    assert {edge for edge, _, _ in LINK_TABLES.values()} <= forward
    assert set(ENFORCED_COLUMNS["basis"].constraints.enum) == {row["name"] for row in VOCABULARY["bases"]} - {
        "inherited"
    }


@pytest.mark.parametrize(
    ("title", "name", "meaning", "part"),
    [
        ("Types", "type", "what it is", "types"),
        ("Basis", "basis", "meaning", "bases"),
        ("Settings", "setting", "meaning", "settings"),
    ],
)
def test_the_data_page_describes_every_name(title: str, name: str, meaning: str, part: str) -> None:
    documented = [(code(row[name]), row[meaning]) for row in rows(section(PAGE, title))]
    assert documented == [(row["name"], row["description"]) for row in VOCABULARY[part]]


def test_the_data_page_lists_every_edge() -> None:
    shown = [(code(row["edge"]), code(row["inverse"]), row["from → to"]) for row in rows(section(PAGE, "Edges"))]
    assert shown == [
        (row["name"], row["inverse"], "; ".join(f"{source} → {target}" for source, target in row["pairs"]))
        for row in VOCABULARY["edges"]
    ]


def test_the_data_page_has_the_weight_of_every_edge() -> None:
    weighed = [name for row in rows(section(PAGE, "Weights")) for name in row["edge"].replace("`", "").split(", ")]
    assert {name.split(" ")[0] for name in weighed} == {row["name"] for row in VOCABULARY["edges"]}
