"""Differences of two services: every class is recognized, and what is equal or ignored is not a difference."""

import argparse
import asyncio
import io
import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from bench.answers.__main__ import compare_entity, loopback_url, parts_of, sample
from bench.answers.comparison import (
    ABSENT,
    ENTITIES,
    NEIGHBORS,
    RECOMMENDED,
    RELATED,
    Difference,
    compare_lists,
    compare_pages,
    compare_records,
    same,
)
from bench.answers.service import Service, is_loopback
from bench.answers.summary import MAX_VALUE_LENGTH, Summary, narrow

PAGE = {"total": 2, "limit": 500, "offset": 0, "next": None}
MEMORY, READING = {"id": "limitation:memory", "weight": 0.5}, {"id": "limitation:reading", "weight": 0.4}
TIMERS, NOTES = {"id": "solution:timers", "weight": 1.0}, {"id": "solution:notes", "weight": 0.9}
EDGE = {"name": "has_limitation", "label": "can bring", "total": 2, "items": [MEMORY, READING]}
IDEA = {"heading": {"id": "limitation:memory", "name": "Memory"}, "total": 2, "solutions": [TIMERS, NOTES]}
RECORD = {
    "id": "disability:ms",
    "name": "MS",
    "sources": [{"id": "jan"}, {"id": "editorial"}],
    "edges": [EDGE],
    "accommodation_ideas": [IDEA],
}
HELP = {"id": "solution:timers", "rank": 1, "score": 0.7, "score_parts": {"fit": 0.2}, "why": "Timers help."}
OTHER = {"id": "solution:notes", "rank": 2, "score": 0.6, "score_parts": {"fit": 0.1}, "why": "Notes help."}


def page(*results: Mapping[str, Any], **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    return {**PAGE, "results": list(results), **fields}


@pytest.mark.parametrize(
    ("before", "after", "equal"),
    [
        (0.724166, 0.724167, True),
        (0.724166, 0.724168, False),
        (1, 1.0, True),
        (None, 0, False),
        ({"a": [0.5]}, {"a": [0.5000001]}, True),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": 1, "released": "2026"}, {"a": 1, "released": "2027", "notice": {}}, True),
    ],
)
def test_values_are_equal_within_the_tolerance_and_apart_from_ignored_names(
    before: object, after: object, *, equal: bool
) -> None:
    assert same(before, after) is equal


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"provenance": {"released": "now"}, "sources": [{"id": "editorial"}, {"id": "jan"}, {"id": "jan"}]}, []),
        ({"name": "M.S."}, [("record: name", "", "MS", "M.S.")]),
        ({"summary": "Nerves."}, [("record: summary", "", ABSENT, "Nerves.")]),
        ({"sources": [{"id": "jan"}]}, [("record: sources", "", ["editorial", "jan"], ["jan"])]),
        ({"edges": []}, [("record: edge names", "has_limitation", "has_limitation", None)]),
        ({"edges": [{**EDGE, "total": 3}]}, [("record: edge total", "has_limitation", 2, 3)]),
        (
            {"edges": [{**EDGE, "items": [MEMORY]}]},
            [("record: edge item ids", "has_limitation limitation:reading", "limitation:reading", None)],
        ),
        (
            {"edges": [{**EDGE, "items": [READING, MEMORY]}]},
            [
                ("record: edge item order", "has_limitation position 1", "limitation:memory", "limitation:reading"),
                ("record: edge item order", "has_limitation position 2", "limitation:reading", "limitation:memory"),
            ],
        ),
        ({"accommodation_ideas": [{**IDEA, "total": 5}]}, [("record: idea total", "limitation:memory", 2, 5)]),
        (
            {"accommodation_ideas": [IDEA, {**IDEA, "heading": {"id": "limitation:fatigue"}}]},
            [("record: idea headings", "limitation:fatigue", None, "limitation:fatigue")],
        ),
        (
            {"accommodation_ideas": [{**IDEA, "solutions": [TIMERS, {**NOTES, "weight": 0.8}]}]},
            [("record: idea solution weight", "limitation:memory solution:notes", 0.9, 0.8)],
        ),
    ],
)
def test_records(changes: Mapping[str, Any], expected: list[Difference]) -> None:
    assert list(compare_records(RECORD, {**RECORD, **changes})) == expected


def test_neighbors_differ_in_ids_order_facts_and_total() -> None:
    first, second = {**TIMERS, "first_choice": True, "sources": ["jan"]}, {**NOTES, "sources": ["jan"]}
    assert list(compare_pages(NEIGHBORS, page(first, second), page(first, second, limit=9, next="/x"))) == []
    assert list(compare_pages(NEIGHBORS, page(first, second), page({**first, "first_choice": None}, total=1))) == [
        ("neighbors: page total", "", 2, 1),
        ("neighbors: ids", "solution:notes", "solution:notes", None),
        ("neighbors: fact first_choice", "solution:timers", True, None),
    ]
    swapped = list(compare_pages(NEIGHBORS, page(first, second), page(second, first)))
    assert [difference.kind for difference in swapped] == ["neighbors: order"] * 2


def test_repeated_ids_are_compared_one_by_one() -> None:
    repeated = page(TIMERS, {**TIMERS, "weight": 0.3})
    assert list(compare_pages(NEIGHBORS, repeated, page(TIMERS, {**TIMERS, "weight": 0.2}))) == [
        ("neighbors: fact weight", "solution:timers #2", 0.3, 0.2)
    ]


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ({"weight": 0.5}, {"weight": 0.5000001}, "neighbors: order of ties"),
        ({"weight": 0.5}, {"weight": 0.4}, "neighbors: order"),
        ({"weight": 0.5, "first_choice": True}, {"weight": 0.5}, "neighbors: order"),
        ({}, {}, "neighbors: order"),  # without a weight, the order is that of names
    ],
)
def test_order_of_equal_weights_is_a_class_of_its_own(
    first: Mapping[str, Any], second: Mapping[str, Any], kind: str
) -> None:
    items = [{"id": "solution:a", **first}, {"id": "solution:b", **second}]
    found = list(compare_pages(NEIGHBORS, page(*items), page(*reversed(items))))
    assert {difference.kind for difference in found} == {kind}


def test_recommendations_differ_in_scores_and_explanations_not_in_rank() -> None:
    changed = page(
        {**OTHER, "rank": 1, "score": 0.8}, {**HELP, "rank": 2, "score_parts": {"fit": 0.3}, "why": "So."}, coverage=[1]
    )
    assert list(compare_pages(RECOMMENDED, page(HELP, OTHER), changed)) == [
        ("recommend: page coverage", "", ABSENT, [1]),
        ("recommend: order", "position 1", "solution:timers", "solution:notes"),
        ("recommend: order", "position 2", "solution:notes", "solution:timers"),
        ("recommend: score_parts", "solution:timers", {"fit": 0.2}, {"fit": 0.3}),
        ("recommend: why", "solution:timers", "Timers help.", "So."),
        ("recommend: score", "solution:notes", 0.6, 0.8),
    ]


def test_related_conditions_and_lists_of_entities() -> None:
    related = {"id": "disability:als", "score": 0.9, "shared": [MEMORY]}
    found = compare_pages(RELATED, page(related), page({**related, "shared": []}))
    assert list(found) == [("related: shared", "disability:als", [MEMORY], [])]
    assert list(compare_lists(ENTITIES, ["vendor:a", "vendor:b"], ["vendor:c", "vendor:a"])) == [
        ("entities: ids", "vendor:b", "vendor:b", None),
        ("entities: ids", "vendor:c", None, "vendor:c"),
    ]
    assert {difference.kind for difference in compare_lists(ENTITIES, ["a", "b"], ["b", "a"])} == {"entities: order"}


def test_summary_counts_answers_and_items_and_writes_every_difference() -> None:
    summary = Summary(file := io.StringIO())
    summary.add("vendor:a", [Difference("record: name", "", "A", "B")])
    summary.add("vendor:b", [Difference("neighbors: ids", f"product:{n}", None, f"product:{n}") for n in range(5)])
    summary.add("vendor:c", [])
    assert (summary.compared, summary.differing) == (3, 2)
    ids = summary.counts["neighbors: ids"]
    assert (ids.responses, ids.items, len(ids.examples)) == (1, 5, 3)
    assert summary.counts["record: name"].examples == ["vendor:a: A → B"]
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert lines[0] == {"class": "record: name", "source": "vendor:a", "item": "", "before": "A", "after": "B"}
    assert len(lines) == 6
    assert summary.table().row_count == 2


def test_examples_show_where_values_differ() -> None:
    assert narrow({"a": 1, "b": [{"c": 1}]}, {"a": 1, "b": [{"c": 2}]}) == ("b.0.c", 1, 2)
    assert narrow([1], [1, 2]) == ("", [1], [1, 2])
    shared = "x" * 100
    assert narrow(f"{shared}a", f"{shared}b") == ("", f"…{'x' * (MAX_VALUE_LENGTH // 3)}a", f"…{'x' * 16}b")
    assert narrow(shared, f"{shared}b")[2].endswith("xb")


def test_sample_has_entities_of_every_type() -> None:
    entities = {"disability": [f"disability:{n}" for n in range(90)], "vendor": [f"vendor:{n}" for n in range(10)]}
    assert sample(entities, None) == [*entities["disability"], *entities["vendor"]]
    assert sample(entities, 4) == ["disability:0", "disability:22", "disability:45", "disability:67", "vendor:0"]


@pytest.mark.parametrize("url", ["http://localhost:8081", "http://127.0.0.1:1", "https://[::1]:8443"])
def test_loopback_urls(url: str) -> None:
    assert is_loopback(url)
    assert loopback_url(url) == url


@pytest.mark.parametrize(
    "url", ["http://example.org", "http://10.0.0.1", "localhost:8081", "http://localhost.a.org", ""]
)
def test_other_urls_are_rejected(url: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        loopback_url(url)


def test_unknown_parts_are_rejected() -> None:
    assert parts_of("records,related") == ["records", "related"]
    with pytest.raises(argparse.ArgumentTypeError, match="unknown: search; valid: records,neighbors"):
        parts_of("search,related")


def respond(request: httpx.Request) -> httpx.Response:
    """Return stated responses; the service at port 2 has a neighbor more and knows no related conditions."""
    changed = request.url.port == 2
    path = request.url.path
    if path == "/disability/ms":
        return httpx.Response(200, json=RECORD)
    if path == "/disability/ms/neighbors":
        assert request.url.params["edge"] == "has_limitation"
        results = [MEMORY, READING, *[{"id": "limitation:speech"}] * changed]
        start = int(request.url.params["offset"])
        return httpx.Response(200, json={"total": len(results), "results": results[start : start + 1]})
    if path == "/related_conditions/ms":
        return httpx.Response(404 if changed else 200, json=page())
    assert json.loads(request.content) == {"disability": "disability:ms", "limit": 500}
    return httpx.Response(200, json=page(HELP))


async def test_an_entity_is_compared_with_all_pages_of_its_neighbors() -> None:
    slots = asyncio.Semaphore(2)
    services = [Service(f"http://localhost:{port}", slots, httpx.MockTransport(respond)) for port in (1, 2)]
    summary = Summary(file := io.StringIO())
    async with services[0].client, services[1].client:
        parts = ("records", "neighbors", "related", "recommend")
        await compare_entity("disability:ms", services, parts, summary)
    assert summary.compared == 4
    assert [tuple(json.loads(line).values()) for line in file.getvalue().splitlines()] == [
        ("neighbors: page total", "disability:ms has_limitation", "", 2, 3),
        ("neighbors: ids", "disability:ms has_limitation", "limitation:speech", None, "limitation:speech"),
        ("related: status", "disability:ms", "", 200, 404),
    ]
