"""Every form of every id of the test world is accepted by every route and tool, and means the same entity."""

from __future__ import annotations

import csv
from itertools import cycle
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from api.recommend.seeds import SEED_FIELDS
from tests.support.fixture_graphs import WORLD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import httpx

MAX_CARDS = 4  # of each type
TYPES = ("disability", "limitation", "workrelatedfunction", "solution", "product", "vendor", "occupation", "ability")
WRITINGS = ("{}", '"{}"', " {}. ", "“{}”?")


def column(file: str, key: str, value: str) -> dict[str, str]:
    with (WORLD / file).open(encoding="utf-8", newline="") as lines:
        return {row[key]: row[value] for row in csv.DictReader(lines) if row[value]}


RETIRED = {new: old for old, new in column("redirects.csv", "old", "new").items()}
CODES = {f"disability:{slug}": code for slug, code in column("narrower_conditions.csv", "slug", "doid").items()}


def forms(card: Mapping[str, Any]) -> list[str]:
    """Return the full ids of an entity as people may write them, and its ids without the type."""
    key, retired = card["id"].partition(":")[2], RETIRED.get(card["id"], "")
    bare = [key, card["slug"], key.removesuffix(".00"), CODES.get(card["id"]), retired.partition(":")[2]]
    found = list(dict.fromkeys(form for form in bare if form))
    return [*(f"{card['type']}:{form}" for form in found), *found]


def writings(card: Mapping[str, Any]) -> Iterator[str]:
    """Yield each form as it is, and in another writing."""
    for form, writing in zip(forms(card), cycle(WRITINGS), strict=False):
        yield form
        yield writing.format(form.upper())


async def tool_result(service: httpx.AsyncClient, name: str, **arguments: object) -> Any:  # noqa: ANN401 - JSON
    params = {"name": name, "arguments": arguments}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return (await service.post("/mcp", json=request)).json()["result"]


@pytest.fixture(scope="module")
async def cards(service: httpx.AsyncClient) -> dict[str, list[dict[str, Any]]]:
    """Those with further ids, and some others, of each type."""
    listed = {type_: (await service.get(f"/{type_}?limit=100")).json()["results"] for type_ in TYPES}
    return {type_: sorted(found, key=lambda card: -len(forms(card)))[:MAX_CARDS] for type_, found in listed.items()}


@pytest.mark.parametrize("type_", TYPES)
async def test_every_lookup_accepts_every_form(
    service: httpx.AsyncClient, cards: dict[str, list[dict[str, Any]]], type_: str
) -> None:
    failures = []
    for card in cards[type_]:
        edge = (await service.get(card["url"])).json()["edges"][0]["name"]
        for text in writings(card):
            path = f"/{type_}/{quote(text, safe='')}"
            entity = await service.get(path, follow_redirects=True)
            neighbors = await service.get(f"{path}/neighbors?edge={edge}", follow_redirects=True)
            batch = await service.get(f"/{type_}", params={"ids": text})
            found = [entity.json().get("id"), neighbors.json().get("entity", {}).get("id")]
            found += [listed["id"] for listed in batch.json()["results"]] or ["missing"]
            assert neighbors.json().get("total", 0) > 0, text
            if type_ == "disability":
                path = f"/related_conditions/{quote(text, safe='')}"
                found.append((await service.get(path, follow_redirects=True)).json().get("entity", {}).get("id"))
            failures += [(text, found)] if set(found) != {card["id"]} else []
    assert failures == []


@pytest.mark.parametrize("type_", TYPES)
async def test_every_search_and_seed_accepts_every_form(
    service: httpx.AsyncClient, cards: dict[str, list[dict[str, Any]]], type_: str
) -> None:
    failures = []
    for card in cards[type_]:
        for text in writings(card):
            hits = (await service.get("/search", params={"query": text, "limit": 3})).json()["results"]
            ends = (await service.get("/connections", params={"from": text, "to": "software-developers"})).json()
            has_type = f"{type_}:" in text.lower()
            others = [warning["nearest"] for warning in ends.get("warnings", ())]  # another type may have the slug
            ok = card["id"] in [hit["id"] for hit in hits[: 1 if has_type else 3]]
            ok &= card["id"] in [ends["from"]["entity"]["id"], *([] if has_type else others)]
            if field := SEED_FIELDS.get(type_):
                seeds = {"limitation": "low-vision"} if type_ == "occupation" else {}
                page = (await service.post("/recommend", json={**seeds, field: text})).json()
                ok &= card["id"] in [seed["entity"]["id"] for seed in page.get("seeds", ()) if seed["field"] == field]
            failures += [] if ok else [text]
    assert failures == []


@pytest.mark.parametrize("type_", TYPES)
async def test_every_tool_accepts_every_form(
    service: httpx.AsyncClient, cards: dict[str, list[dict[str, Any]]], type_: str
) -> None:
    failures = []
    for card in cards[type_]:
        edge = (await service.get(card["url"])).json()["edges"][0]["name"]
        for text in writings(card):
            results = [
                await tool_result(service, "get_entity", id=text, type=type_),
                await tool_result(service, "get_related", id=text, type=type_, edge=edge),
            ]
            if f"{type_}:" in text.lower():
                results.append(await tool_result(service, "fetch", id=text))
            if type_ == "disability":
                results.append(await tool_result(service, "related_conditions", id=text))
            bodies = [result.get("structuredContent", {}) for result in results]
            found = {body.get("id") or body.get("entity", {}).get("id") for body in bodies}
            failures += [] if found == {card["id"]} else [(text, found)]
    assert failures == []


@pytest.mark.parametrize("text", ["adhd", "ADHD", "“adhd”"])
async def test_related_conditions_and_tools_accept_a_name(service: httpx.AsyncClient, text: str) -> None:
    adhd = "disability:attention-deficit-hyperactivity-disorder"
    by_name = await service.get(f"/related_conditions/{quote(text, safe='')}")
    by_id = await service.get(f"/related_conditions/{adhd}")
    assert (by_name.status_code, by_name.json()["results"]) == (200, by_id.json()["results"])
    results = [
        await tool_result(service, "related_conditions", id=text),
        await tool_result(service, "get_entity", id=text),
        await tool_result(service, "get_entity", id=f"disability:{text}"),
        await tool_result(service, "get_related", id=text, edge="has_limitation"),
    ]
    bodies = [result["structuredContent"] for result in results]
    assert {body.get("id") or body["entity"]["id"] for body in bodies} == {adhd}


async def test_a_slug_of_several_types_is_an_error_that_names_them(service: httpx.AsyncClient) -> None:
    for tool, arguments in (("get_entity", {}), ("get_related", {"edge": "recommends"})):
        result = await tool_result(service, tool, id="low-vision", **arguments)
        assert result["isError"]
        text = result["content"][0]["text"]
        assert "[disability:low-vision]" in text
        assert "[limitation:low-vision]" in text


async def test_a_text_that_names_nothing_is_an_error(service: httpx.AsyncClient) -> None:
    assert (await service.get("/related_conditions/no-such-condition")).status_code == 404
    for arguments in ({"id": "qqzzqq"}, {"id": "disability:qqzzqq"}, {"id": "qqzzqq", "type": "solution"}):
        assert (await tool_result(service, "get_entity", **arguments))["isError"]
