"""Pages of all judged queries continue one list, and a scope changes neither the facets nor the words that are used."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from akg.evaluation import metrics
from tests.support.fixture_graphs import MAPPINGS

QUERIES = [judgment.query for judgment in metrics.read_judgments(MAPPINGS / "relevance" / "judgments.tsv")]
AT_ONCE = 8
LONGEST = 500  # hits of a list that are compared; the limit of a page
DEEP = 60  # hits of a long list behind which pages are no longer compared: 40 are ranked
SCOPES = ("solution", "disability", "product")


async def get(service: httpx.AsyncClient, **params: str | int) -> dict[str, Any]:
    response = await service.get("/search", params=params)
    response.raise_for_status()
    body: dict[str, Any] = response.json()
    return body


def ids(page: dict[str, Any]) -> list[str]:
    return [hit["id"] for hit in page["results"]]


async def wrong_pages(service: httpx.AsyncClient, query: str, matching: str, limit: int) -> list[str]:
    """Return what differs between the pages of a query and its whole list."""
    whole = await get(service, query=query, matching=matching, limit=LONGEST)
    listed = ids(whole)
    wrong = [] if len(set(listed)) == len(listed) else [f"{query}: a hit is repeated"]
    if len(listed) != min(whole["total"], LONGEST):
        wrong.append(f"{query}: {len(listed)} hits of a total of {whole['total']}")
    paged: list[str] = []
    for offset in range(0, min(len(listed), DEEP), limit):
        page = await get(service, query=query, matching=matching, limit=limit, offset=offset)
        paged += ids(page)
        if (page["total"], page["facets"]) != (whole["total"], whole["facets"]):
            wrong.append(f"{query}: other counts from {offset} on")
    return wrong if paged == listed[: len(paged)] else [*wrong, f"{query}: the pages are not the list"]


async def failures(checks: Sequence[Any]) -> list[str]:
    """Return what the checks report, some of which run at once."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def run(check: Any) -> list[str]:  # noqa: ANN401 - a coroutine
        async with slots:
            found: list[str] = await check
            return found

    return [one for found in await asyncio.gather(*map(run, checks)) for one in found]


@pytest.mark.parametrize(("matching", "limit"), [("strict", 19), ("loose", 37)])
async def test_pages_of_every_judged_query_are_parts_of_its_list(
    real_service: httpx.AsyncClient, matching: str, limit: int
) -> None:
    assert await failures([wrong_pages(real_service, query, matching, limit) for query in QUERIES]) == []


async def wrong_scope(service: httpx.AsyncClient, query: str, scope: str) -> list[str]:
    """Return what a scope changes that it must not."""
    every, scoped = await get(service, query=query), await get(service, query=query, scope=scope)
    same = ("facets", "corrected", "did_you_mean", "ignored_words", "reading")
    wrong = [f"{query}, {scope}: {name}" for name in same if scoped[name] != every[name]]
    types = {hit["type"] for hit in scoped["results"]}
    return wrong if types <= {scope} else [*wrong, f"{query}, {scope}: {types}"]


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_scope_only_selects_hits(real_service: httpx.AsyncClient, scope: str) -> None:
    assert await failures([wrong_scope(real_service, query, scope) for query in QUERIES]) == []
