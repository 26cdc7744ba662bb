"""Connections of two entities: exact paths in the test world, and sensible ones in the shipped graph."""

import itertools
from typing import Any

import httpx
import pytest

from api import models
from api.graph import catalogue
from tests.support.fixture_graphs import serving
from tests.support.written_documents import ADHD

HEADSET = ["product:hushband-headset", "solution:noise-canceling-headsets"]
CHECKLISTS = ["product:dayplan-checklist-app", "solution:checklists"]
ATTENTION = "limitation:attentiveness-concentration"


def inner_ids(page: dict[str, Any]) -> list[list[str]]:
    return [[step["to"]["id"] for step in connection["steps"][:-1]] for connection in page["results"]]


FOUR_STEPS = [[*HEADSET, ATTENTION], [*CHECKLISTS, ATTENTION]]
MEMORY = ["ability:1.A.1.d.1", "limitation:memory-loss"]
SIGHT = ["ability:1.A.4.a.1", "limitation:low-vision"]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("quiet works", "adhd", [HEADSET, CHECKLISTS, *FOUR_STEPS]),
        ("ADHD", "vendor:quiet-works", [path[::-1] for path in (HEADSET, CHECKLISTS, *FOUR_STEPS)]),
        ("Call Center Agent", "1.A.3.b.1", [["occupation:53-3032.00"]]),
        ("software-developers", "MS", [MEMORY, SIGHT]),
        ("ms", "HushBand Headset", [["limitation:memory-loss", ADHD, "solution:noise-canceling-headsets"]]),
        ("limitation:Low Vision", "largeview pocket", [["solution:screen-magnification-software"]]),
        ("15-1252.00", "customer service representative", [[]]),
        ("brightline access", "quiet works", []),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_finds_paths_by_any_name_of_their_ends(
    service: httpx.AsyncClient, start: str, end: str, expected: list[list[str]]
) -> None:
    response = await service.get("/connections", params={"from": start, "to": end, "limit": max(len(expected), 1)})
    models.ConnectionPage.model_validate_json(response.content)
    page = response.json()
    assert inner_ids(page) == expected
    assert (page["reason"] is None) == bool(expected)
    for connection in page["results"]:
        ends = [page["from"]["entity"], *(step["to"] for step in connection["steps"])]
        assert [step["from"] for step in connection["steps"]] == ends[:-1]
        assert ends[-1] == page["to"]["entity"]


@pytest.mark.parametrize(
    ("start", "end"), [("quiet works", "disability:low-vision"), ("software developers", "ms"), ("gbs", "adhd")]
)
async def test_both_directions_have_the_same_paths(service: httpx.AsyncClient, start: str, end: str) -> None:
    forward = (await service.get("/connections", params={"from": start, "to": end, "limit": 20})).json()
    backward = (await service.get("/connections", params={"from": end, "to": start, "limit": 20})).json()
    assert [path[::-1] for path in inner_ids(backward)] == inner_ids(forward)
    assert [connection["score"] for connection in backward["results"]] == [
        connection["score"] for connection in forward["results"]
    ]
    assert backward["total"] == forward["total"]


async def test_an_entity_is_not_connected_to_itself(service: httpx.AsyncClient) -> None:
    page = (await service.get("/connections", params={"from": "adhd", "to": ADHD})).json()
    assert (page["results"], page["total"]) == ([], 0)
    assert page["reason"] == "Both are the same entity, Attention Deficit/Hyperactivity Disorder."


async def test_warns_about_a_name_of_several_entities(service: httpx.AsyncClient) -> None:
    page = (await service.get("/connections", params={"from": "Low Vision", "to": "adhd"})).json()
    named = {page["from"]["entity"]["id"], page["warnings"][0]["nearest"]}
    assert (named, page["warnings"][0]["parameter"]) == ({"disability:low-vision", "limitation:low-vision"}, "from")


async def test_a_retired_id_is_its_replacement(service: httpx.AsyncClient) -> None:
    for old in ("add", "disability:add"):
        page = (await service.get("/connections", params={"from": "ms", "to": old, "limit": 3})).json()
        assert (page["to"]["given"], page["to"]["entity"]["id"], page["to"]["matched_by"]) == (old, ADHD, "id")


async def test_rejects_unknown_names_with_the_nearest_entities(service: httpx.AsyncClient) -> None:
    response = await service.get("/connections", params={"from": "multiple sclrosis", "to": "limitation:adhd"})
    assert response.status_code == 422
    first, second = models.ValidationProblem.model_validate_json(response.content).detail
    assert (first.loc, first.type) == (["query", "from"], "unknown_entity")
    assert first.ctx
    assert first.ctx["nearest"][0]["id"] == "disability:multiple-sclerosis"
    assert second.msg.startswith("unknown limitation 'adhd'")


@pytest.mark.parametrize(
    ("start", "end", "first"),
    [
        ("migraines", "epilepsy", ["limitation:photosensitivity"]),
        ("chief executives", "multiple sclerosis", ["ability:1.A.4.a.2", "limitation:low-vision"]),
        ("heavy and tractor-trailer truck drivers", "epilepsy", ["ability:1.A.4.a.7", "limitation:photosensitivity"]),
        ("TrackMan Marble Wheel USB", "arthritis", ["solution:alternative-mice"]),
        ("PTSD", "service animal", []),
    ],
)
async def test_the_first_path_is_the_one_a_specialist_would_name(
    real_service: httpx.AsyncClient, start: str, end: str, first: list[str]
) -> None:
    page = (await real_service.get("/connections", params={"from": start, "to": end})).json()
    assert inner_ids(page)[0] == first


async def test_a_graph_that_is_too_large_to_cache_has_the_same_paths(
    service: httpx.AsyncClient, node_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "MAX_INTERMEDIATE_PAGES", 0)
    async with serving(node_url, "akg-world") as uncached:
        for start, end in itertools.combinations(
            ("quiet works", "disability:low-vision", "ms", "15-1252.00", "adhd"), 2
        ):
            path = f"/connections?from={start}&to={end}&limit=20"
            expected, found = [(await each.get(path)).json() for each in (service, uncached)]
            assert (found["results"], found["total"]) == (expected["results"], expected["total"])


@pytest.mark.parametrize(
    ("start", "end", "matched", "inherited"),
    [
        ("microsoft", "dyslexia", "name", "recommended_for"),
        ("registered-nurses", "disability:asthma", "id", "limitation_of"),
        ("asthma", "disability:panic-disorder", "id", ""),
    ],
)
async def test_a_narrower_condition_is_connected_by_inherited_edges(
    real_service: httpx.AsyncClient, start: str, end: str, matched: str, inherited: str
) -> None:
    page = (await real_service.get("/connections", params={"from": start, "to": end})).json()
    assert page["to"]["entity"]["id"] == f"disability:{end.removeprefix('disability:')}"
    assert page["to"]["matched_by"] == matched
    assert page["results"]
    if inherited:
        (last,) = {
            (connection["steps"][-1]["edge"], connection["steps"][-1]["basis"]) for connection in page["results"]
        }
        assert last == (inherited, "inherited")
