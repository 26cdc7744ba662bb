"""The dashboards hold together without an engine: every reference leads somewhere, every field is declared."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.dashboards import BUCKETS, METRICS, aggregations_of, fields_of, files, source_of
from tests.support.project import MAPPINGS

USAGE: dict[str, Any] = json.loads((MAPPINGS / "usage.json").read_text("utf-8"))["mappings"]["properties"]
KINDS = {"keyword": "string", "date": "date", "boolean": "boolean", "long": "number"}
FILES = files()
PANELS = [
    pytest.param(one, id=one["id"]) for objects in FILES.values() for one in objects if one["type"] == "visualization"
]


def test_there_is_a_dashboard_for_each_question_of_operators() -> None:
    titles = {
        name: [one["attributes"]["title"] for one in objects if one["type"] == "dashboard"]
        for name, objects in FILES.items()
    }
    assert titles == {
        "errors": ["AKG: Errors and limits"],
        "mcp": ["AKG: MCP tools"],
        "release": ["AKG: Release and freshness"],
        "search": ["AKG: Search quality"],
        "traffic": ["AKG: Traffic and latency"],
    }


@pytest.mark.parametrize("name", FILES)
def test_every_reference_of_a_file_leads_to_an_object_in_it(name: str) -> None:
    there = [(one["type"], one["id"]) for one in FILES[name]]
    assert len(set(there)) == len(there)
    wanted = {(one["type"], one["id"]) for each in FILES[name] for one in each["references"]}
    assert wanted <= set(there)
    assert set(there) - wanted == {("dashboard", f"akg-{name}")}  # all else is shown


@pytest.mark.parametrize("name", FILES)
def test_a_dashboard_shows_each_panel_once_and_none_over_another(name: str) -> None:
    (board,) = (one for one in FILES[name] if one["type"] == "dashboard")
    panels = json.loads(board["attributes"]["panelsJSON"])
    assert [panel["panelRefName"] for panel in panels] == [one["name"] for one in board["references"]]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        grid = panel["gridData"]
        assert grid["x"] + grid["w"] <= 48
        cells = {
            (x, y) for x in range(grid["x"], grid["x"] + grid["w"]) for y in range(grid["y"], grid["y"] + grid["h"])
        }
        assert not cells & taken
        taken |= cells


@pytest.mark.parametrize("name", FILES)
def test_the_index_pattern_is_the_mapping(name: str) -> None:
    (pattern,) = (one for one in FILES[name] if one["type"] == "index-pattern")
    assert (pattern["id"], pattern["attributes"]["title"], pattern["attributes"]["timeFieldName"]) == (
        *("akg-usage", "akg-usage-*", "minute"),
    )
    listed = {one["name"]: one["type"] for one in json.loads(pattern["attributes"]["fields"])}
    assert listed == {field: KINDS[kind["type"]] for field, kind in USAGE.items()}


@pytest.mark.parametrize("panel", PANELS)
def test_every_name_inside_a_panel_is_known(panel: dict[str, Any]) -> None:
    assert set(fields_of(panel)) <= set(USAGE)
    source = source_of(panel)
    named = {source["indexRefName"], *(one["meta"]["indexRefName"] for one in source["filter"])}
    assert named == {one["name"] for one in panel["references"]}
    wanted = aggregations_of(panel)
    assert {each["type"] for each in wanted} <= METRICS | BUCKETS
    ids = {each["id"] for each in wanted}
    assert len(ids) == len(wanted)
    orders = {each["params"]["orderBy"] for each in wanted if each["type"] == "terms"}
    assert orders <= ids
