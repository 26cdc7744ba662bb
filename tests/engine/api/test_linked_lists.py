"""Lists of the entities that have an edge to each of several others, with facets."""

from typing import Any

import httpx
import pytest

MS, RRMS = "disability:multiple-sclerosis", "disability:relapsing-remitting-multiple-sclerosis"
MEMORY, FATIGUE = "limitation:memory-loss", "limitation:decreased-stamina-fatigue"
Body = dict[str, Any]


async def listed(service: httpx.AsyncClient, path: str) -> Body:
    response = await service.get(path)
    assert response.status_code == 200, response.text
    return dict(response.json())


def ids(body: Body) -> list[str]:
    return [item["id"] for item in body["results"]]


async def neighbors(service: httpx.AsyncClient, path: str, edge: str) -> set[str]:
    return set(ids(await listed(service, f"{path}/neighbors?edge={edge}&limit=500")))


async def test_all_links_must_hold(service: httpx.AsyncClient) -> None:
    for_memory = await neighbors(service, "/limitation/memory-loss", "recommends")
    for_fatigue = await neighbors(service, "/limitation/decreased-stamina-fatigue", "recommends")
    body = await listed(service, f"/solution?linked_to={MEMORY}&linked_to={FATIGUE}")
    assert set(ids(body)) == for_memory & for_fatigue
    assert body["total"] == len(for_memory & for_fatigue)
    assert set(ids(await listed(service, f"/solution?linked_to={MEMORY}"))) == for_memory
    for item in body["results"]:
        assert {link["linked_to"] for link in item["links"]} == {MEMORY, FATIGUE}
        assert {link["edge"] for link in item["links"]} == {"recommended_for"}


async def test_inherited_needs_are_found_and_marked(service: httpx.AsyncClient) -> None:
    body = await listed(service, f"/disability?linked_to={MEMORY}")
    links = {item["id"]: item["links"] for item in body["results"]}
    assert links[MS] == [{"linked_to": MEMORY, "edge": "has_limitation", "inherited": False}]
    assert links[RRMS] == [{"linked_to": MEMORY, "edge": "has_limitation", "inherited": True}]
    stated = await listed(service, f"/disability?linked_to={MEMORY}&inherited=false")
    assert set(ids(stated)) == await neighbors(service, "/limitation/memory-loss", "limitation_of")
    assert RRMS not in ids(stated)


async def test_conditions_that_inherit_a_recommendation_are_found(service: httpx.AsyncClient) -> None:
    (solution, *_) = ids(await listed(service, "/disability/multiple-sclerosis/neighbors?edge=recommends"))
    body = await listed(service, f"/disability?linked_to={solution}&edge=recommends")
    assert {MS, RRMS} <= set(ids(body))
    assert RRMS not in ids(await listed(service, f"/disability?linked_to={solution}&edge=recommends&inherited=false"))


async def test_facets_count_over_the_whole_list(service: httpx.AsyncClient) -> None:
    body = await listed(service, f"/solution?linked_to={MS}&limit=1")
    everything = await listed(service, f"/solution?linked_to={MS}&limit=100")
    counts = {line["entity"]["id"]: line["total"] for line in body["facets"]["recommended_for"]}
    assert counts
    for need, total in counts.items():
        both = await listed(service, f"/solution?linked_to={MS}&linked_to={need}")
        assert both["total"] == total <= everything["total"]


async def test_a_name_an_edge_and_a_filter_go_together(service: httpx.AsyncClient) -> None:
    by_name = await listed(service, "/disability?linked_to=Memory%20Loss&edge=has_limitation&kind=narrower")
    narrower = set(ids(await listed(service, "/disability?kind=narrower")))
    assert ids(by_name) == [
        id_ for id_ in ids(await listed(service, f"/disability?linked_to={MEMORY}")) if id_ in narrower
    ]
    assert ids(by_name)
    assert by_name["next"] is None


async def test_pages_continue_the_same_list(service: httpx.AsyncClient) -> None:
    everything = ids(await listed(service, f"/solution?linked_to={MS}&limit=100"))
    link: str | None = f"/solution?linked_to={MS}&limit=1"
    seen: list[str] = []
    while link:
        body = await listed(service, link)
        seen += ids(body)
        link = body["next"]
    assert seen == everything


@pytest.mark.parametrize(
    ("query", "location"),
    [
        ("linked_to=limitation:memory-lost", ["query", "linked_to", 0]),
        (f"linked_to={MEMORY}&linked_to=qqzzqq", ["query", "linked_to", 1]),
        (f"linked_to={MEMORY}&edge=sells", ["query", "edge"]),
        (f"linked_to={MEMORY}&edge=recommended_for&edge=recommended_for", ["query", "edge"]),
        ("linked_to=", ["query", "linked_to", 0]),
        (f"linked_to={MEMORY}&inherited=maybe", ["query", "inherited"]),
    ],
)
async def test_an_unknown_entity_or_edge_is_a_422(
    service: httpx.AsyncClient, query: str, location: list[object]
) -> None:
    response = await service.get(f"/solution?{query}")
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == location


async def test_a_type_without_such_edges_has_an_empty_list(service: httpx.AsyncClient) -> None:
    body = await listed(service, f"/vendor?linked_to={MEMORY}")
    assert (body["results"], body["total"]) == ([], 0)
    assert body["warnings"][0]["parameter"] == "linked_to"


@pytest.mark.parametrize("query", ["edge=recommended_for", "inherited=false"])
async def test_parameters_of_links_need_one(service: httpx.AsyncClient, query: str) -> None:
    body = await listed(service, f"/solution?{query}")
    assert body["warnings"][0]["message"].endswith("has no effect without 'linked_to'")


async def test_what_the_linked_condition_inherits_is_found_and_marked(service: httpx.AsyncClient) -> None:
    for type_name, edge in (("solution", "recommends"), ("limitation", "has_limitation")):
        expected = await neighbors(service, "/disability/relapsing-remitting-multiple-sclerosis", edge)
        body = await listed(service, f"/{type_name}?linked_to={RRMS}&limit=100")
        assert set(ids(body)) == expected
        assert any(link["inherited"] for item in body["results"] for link in item["links"])
        stated = await listed(service, f"/{type_name}?linked_to={RRMS}&inherited=false&limit=100")
        kept = {item["id"] for item in body["results"] if not all(link["inherited"] for link in item["links"])}
        assert set(ids(stated)) == kept


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (MEMORY, []),  # an id
        ("memory-loss", []),  # a slug
        ("Memory Loss", []),
        ("adhd", ["'adhd' was interpreted as disability:attention-deficit-hyperactivity-disorder"]),
    ],
)
async def test_a_list_says_how_a_text_was_read(service: httpx.AsyncClient, text: str, messages: list[str]) -> None:
    body = await listed(service, f"/solution?linked_to={text}")
    warnings = [warning for warning in body.get("warnings") or () if warning["parameter"] == "linked_to"]
    assert [warning["message"].partition(";")[0] for warning in warnings] == messages
