"""Pins are checked, previewed, applied and undone as rules are; the service shows them and says so."""

import asyncio
from collections.abc import Iterator
from datetime import date, timedelta

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from api.clock import utc_date
from indexer.synonyms.pins import COLUMNS
from schema.json_types import JsonObject
from tests.support.fixture_graphs import serving
from tests.support.operator_session import OperatorSession

QUERY = "rest breaks"
PINNED = "disability:low-vision"
LEFT_OUT = "solution:periodic-rest-breaks"


def write_pin(operator: OperatorSession, first: str = PINNED, left_out: str = "", until: date | None = None) -> None:
    row = (QUERY, first, left_out, "a test", until.isoformat() if until else "")
    text = "\n".join(("\t".join(COLUMNS), "\t".join(row), ""))
    (operator.rules.parents[1] / "pins.tsv").write_text(text)


@pytest.fixture
def operator(operator: OperatorSession) -> Iterator[OperatorSession]:
    """Remove the pins after each test."""
    yield operator
    (operator.rules.parents[1] / "pins.tsv").unlink(missing_ok=True)
    operator.run("synonyms", "apply", "--accept")


async def search(service: httpx.AsyncClient, query: str = QUERY, **params: str | int) -> JsonObject:
    response = await service.get("/search", params={"query": query, **params})
    body: JsonObject = response.json()
    return body


async def call_tool(service: httpx.AsyncClient, name: str) -> JsonObject:
    call = {"name": name, "arguments": {"query": QUERY}}
    response = await service.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    result: JsonObject = response.json()["result"]
    return result


async def apply(operator: OperatorSession) -> None:
    await asyncio.to_thread(operator.run, "synonyms", "apply", "--judgments", str(operator.judgments))


def ids(body: JsonObject) -> list[str]:
    return [hit["id"] for hit in body["results"]]


async def test_a_pin_is_first_until_it_is_undone(operator: OperatorSession) -> None:
    async with serving(operator.url, "akg-operator") as service:
        before = await search(service)
        assert PINNED not in ids(before)[:1]
        write_pin(operator)
        preview = await asyncio.to_thread(operator.run, "synonyms", "preview", "--judgments", str(operator.judgments))
        assert f"pin ‘{QUERY}’: first {PINNED}" in preview
        await apply(operator)
        after = await search(service, "Rest-break")  # the same form
        hit = after["results"][0]
        assert (hit["id"], hit["match"]["kind"]) == (PINNED, "pinned")
        assert hit["match"]["why"] == "The operator of this service pinned Low Vision to this query."
        assert next(iter(hit["score_parts"])) == "pinned"
        assert after["total"] == before["total"] + (PINNED not in ids(before))
        assert after["provenance"]["synonyms_version"] != before["provenance"]["synonyms_version"]
        status = operator.run("synonyms", "status")
        assert "and 1 pin in" in status
        pages = [await search(service, limit=1, offset=offset) for offset in range(after["total"])]
        assert [id_ for page in pages for id_ in ids(page)] == ids(await search(service, limit=50))
        scoped = await search(service, scope="solution")
        assert PINNED not in ids(scoped)
        assert (await search(service, scope="disability"))["results"][0]["id"] == PINNED
        assert after["facets"]["type"]["disability"] >= 1
        await asyncio.to_thread(operator.run, "synonyms", "undo")
        assert ids(await search(service)) == ids(before)


async def test_rest_mcp_and_the_explorer_show_a_pin(operator: OperatorSession) -> None:
    write_pin(operator)
    await apply(operator)
    why = "The operator of this service pinned Low Vision to this query."
    async with serving(operator.url, operator.releases.alias) as service:
        hit = (await search(service))["results"][0]
        assert (hit["id"], hit["match"]["why"]) == (PINNED, why)
        documents = await call_tool(service, "search")  # only ids, titles and URLs
        assert documents["structuredContent"]["results"][0]["id"] == PINNED
        found = await call_tool(service, "search_accommodations")
        assert found["structuredContent"]["results"][0]["id"] == PINNED
        assert "pinned by the operator" in found["content"][0]["text"]
        html = (await service.get("/explore/search", params={"query": QUERY}, headers={"Accept": "text/html"})).text
        first = LexborHTMLParser(html).css(".hits > li")[0]
        assert first.attributes["data-id"] == PINNED
        assert why in first.text()


async def test_entities_that_are_left_out_are_not_counted(operator: OperatorSession) -> None:
    async with serving(operator.url, "akg-operator") as service:
        before = await search(service)
        assert LEFT_OUT in ids(before)
        write_pin(operator, first="", left_out=LEFT_OUT)
        await apply(operator)
        after = await search(service, limit=50)
        assert LEFT_OUT not in ids(after)
        assert len(after["results"]) == after["total"] == sum(after["facets"]["type"].values())
        loose = await search(service, matching="loose", limit=50)
        assert LEFT_OUT not in ids(loose)


async def test_an_expired_pin_is_reported_and_not_applied(operator: OperatorSession) -> None:
    write_pin(operator, until=utc_date() - timedelta(days=1))
    assert "pins.tsv:2: the pin ended on" in operator.run("synonyms", "lint")
    await apply(operator)
    async with serving(operator.url, "akg-operator") as service:
        assert (await search(service))["results"][0]["match"]["kind"] != "pinned"
    assert "1 live pin ended" in operator.run("status").replace("\n", " ")


def test_an_unknown_id_is_not_published(operator: OperatorSession) -> None:
    before = operator.state()
    write_pin(operator, first="disability:low-visio")
    output = operator.run("synonyms", "lint", code=1)
    assert "pins.tsv:2: there is no entity 'disability:low-visio'; nearest: 'disability:low-vision'" in output
    assert "no entity 'disability:low-visio'" in operator.run("synonyms", "apply", "--accept", code=1)
    assert operator.state() == before
