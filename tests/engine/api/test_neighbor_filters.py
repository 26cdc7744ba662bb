"""Filters and orders of neighbors, on the test world and on a vendor with more products than an array may have."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch

from schema.edge_documents import MAX_ARRAY_LENGTH
from schema.vocabulary import Vocabulary
from tests.support.fixture_graphs import serving
from tests.support.hub_release import hub_release

Body = dict[str, Any]
ALIAS = "akg-hub"
HUB_SIZE = MAX_ARRAY_LENGTH + 2_000
RECOMMENDED = "/disability/multiple-sclerosis/neighbors?edge=recommends"
INHERITED = "/disability/relapsing-remitting-multiple-sclerosis/neighbors?edge=recommends"


async def page(service: httpx.AsyncClient, path: str) -> Body:
    response = await service.get(path)
    assert response.status_code == 200, response.text
    return dict(response.json())


def ids(body: Body) -> list[str]:
    return [item["id"] for item in body["results"]]


@pytest.mark.parametrize("path", [RECOMMENDED, INHERITED, "/occupation/15-1252.00/neighbors?edge=requires"])
@pytest.mark.parametrize(
    ("query", "keeps"),
    [
        ("&min_weight=0.5", lambda item: item["weight"] >= 0.5),
        ("&basis=source", lambda item: item["basis"] == "source"),
        ("&basis=inherited&min_weight=0.1", lambda item: item["basis"] == "inherited" and item["weight"] >= 0.1),
        ("&source=jobbook", lambda item: "jobbook" in item["sources"]),
        ("&target_type=solution", lambda item: item["type"] == "solution"),
        ("&target_type=vendor", lambda item: item["type"] == "vendor"),
        ("&sort=name", bool),
    ],
)
async def test_a_filter_keeps_what_the_whole_list_says(
    service: httpx.AsyncClient,
    path: str,
    query: str,
    keeps: Any,  # noqa: ANN401 - a predicate
) -> None:
    everything = (await page(service, f"{path}&limit=500"))["results"]
    expected = [item for item in everything if keeps(item)]
    if "sort=name" in query:
        expected.sort(key=lambda item: (item["name"].casefold(), item["id"]))
    found = await page(service, f"{path}{query}&limit=500")
    assert found["results"] == expected
    assert found["total"] == len(expected)


@pytest.mark.parametrize("path", [RECOMMENDED, INHERITED])
async def test_words_are_looked_for_in_names_and_aliases(service: httpx.AsyncClient, path: str) -> None:
    everything = await page(service, path)
    found = await page(service, f"{path}&query=schedule")
    assert ids(found) == [id_ for id_ in ids(everything) if "schedule" in id_]
    assert ids(found)
    assert (await page(service, f"{path}&query=qqzzqq"))["total"] == 0


async def test_filters_apply_together_and_pages_continue(service: httpx.AsyncClient) -> None:
    path = "/disability/multiple-sclerosis/neighbors?edge=recommends&min_weight=0.1&basis=source&sort=name"
    everything = await page(service, path)
    link: str | None = f"{path}&limit=1"
    seen = []
    while link:
        body = await page(service, link)
        assert body["total"] == everything["total"]
        seen += ids(body)
        link = body["next"]
    assert seen == ids(everything)


@pytest.mark.parametrize(
    ("query", "location", "valid"),
    [
        ("edge=recommends&min_weight=1.5", "min_weight", 1.0),
        ("edge=recommends&min_weight=-0.1", "min_weight", 0.0),
        ("edge=recommends&min_weight=nan", "min_weight", None),
        ("edge=recommends&basis=sorce", "basis", "source"),
        ("edge=recommends&source=jobook", "source", "jobbook"),
        ("edge=recommends&target_type=solutoin", "target_type", "solution"),
        ("edge=recommend", "edge", "recommends"),
        ("edge=recommend&min_weight=0.5", "edge", "recommends"),
        ("edge=recommends&query=", "query", None),
        ("edge=recommends&sort=size", "sort", "weight"),
    ],
)
async def test_an_invalid_filter_names_the_valid_values(
    service: httpx.AsyncClient, query: str, location: str, valid: object
) -> None:
    response = await service.get(f"/disability/multiple-sclerosis/neighbors?{query}")
    assert response.status_code == 422
    (problem,) = response.json()["detail"]
    assert problem["loc"] == ["query", location]
    assert valid is None or str(valid) in str(problem.get("ctx"))


@pytest.mark.parametrize("condition", ["multiple-sclerosis", "relapsing-remitting-multiple-sclerosis"])
async def test_a_type_to_which_the_edge_never_leads_is_an_empty_list_with_the_types_that_it_leads_to(
    service: httpx.AsyncClient, condition: str
) -> None:
    found = (await service.get(f"/disability/{condition}/neighbors?edge=recommends&target_type=product")).json()
    assert found["total"] == 0
    (warning,) = found["warnings"]
    assert (warning["parameter"], warning["nearest"]) == ("target_type", "solution")
    assert warning["message"] == "'recommends' of a disability never leads to a product, only to: solution"


@pytest.mark.parametrize("query", ["edge=sells", "edge=sells&min_weight=0.5"])
async def test_an_edge_that_the_entity_lacks_is_an_empty_list_with_those_that_it_has(
    service: httpx.AsyncClient, query: str
) -> None:
    for key in ("multiple-sclerosis", "relapsing-remitting-multiple-sclerosis"):
        body = await page(service, f"/disability/{key}/neighbors?{query}")
        assert (body["results"], body["total"]) == ([], 0)
        (warning,) = body["warnings"]
        assert "recommends (" in warning["message"]


async def test_a_record_and_its_neighbors_agree(service: httpx.AsyncClient) -> None:
    for key in ("relapsing-remitting-multiple-sclerosis", "optic-neuritis", "chronic-optic-neuritis"):
        record = await page(service, f"/disability/{key}")
        for group in record["edges"]:
            listed = await page(service, f"{group['url']}&limit=10")
            assert (group["items"], group["total"]) == (listed["results"], listed["total"])


# A hub


@pytest.fixture(scope="module")
def hub_index(client: OpenSearch, vocabulary: Vocabulary) -> Iterator[str]:
    with hub_release(client, ALIAS, vocabulary, HUB_SIZE) as index:
        yield index


@pytest.fixture
async def hub(node_url: str, hub_index: str) -> AsyncIterator[httpx.AsyncClient]:
    assert hub_index
    async with serving(node_url, ALIAS) as opened:
        yield opened


async def test_a_hub_is_filtered_and_sorted_with_exact_totals(hub: httpx.AsyncClient) -> None:
    path = "/vendor/hub/neighbors?edge=sells"
    assert (await page(hub, path))["total"] == HUB_SIZE
    strong = await page(hub, f"{path}&min_weight=0.9&limit=500&offset=1000")
    assert strong["total"] == HUB_SIZE * 11 // 100
    assert all(item["weight"] >= 0.9 for item in strong["results"])
    assert [item["weight"] for item in strong["results"]] == sorted(
        (i["weight"] for i in strong["results"]), reverse=True
    )
    assert (await page(hub, f"{path}&basis=source"))["total"] == HUB_SIZE // 10
    by_name = await page(hub, f"{path}&sort=name&limit=2&offset={HUB_SIZE - 2}")
    assert [item["name"] for item in by_name["results"]] == ["Lamp 9998", "Lamp 9999"]
    assert ids(await page(hub, f"{path}&query=lamp%20777")) == ["product:p00777"]


async def test_a_hub_has_no_array_and_is_still_found(
    hub: httpx.AsyncClient, client: OpenSearch, hub_index: str
) -> None:
    assert "sells" not in client.get(index=hub_index, id="vendor:hub")["_source"]
    assert (await page(hub, "/product?linked_to=vendor:hub"))["total"] == HUB_SIZE
    found = await page(hub, "/vendor?linked_to=product:p00777")
    assert ids(found) == ["vendor:hub"]
    assert found["results"][0]["links"] == [{"linked_to": "product:p00777", "edge": "sells", "inherited": False}]
