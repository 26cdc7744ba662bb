"""What a search must not read into a query on the shipped graph: other senses, firms and unlike conditions."""

from typing import Any

import httpx
import pytest


async def search(service: httpx.AsyncClient, query: str, **parameters: str) -> dict[str, Any]:
    response = await service.get("/search", params={"query": query, "limit": 100, **parameters})
    body: dict[str, Any] = response.raise_for_status().json()
    return body


def ids(body: dict[str, Any]) -> list[str]:
    return [hit["id"] for hit in body["results"]]


@pytest.mark.parametrize(
    ("query", "matching"),
    [
        ("anxiety at school", "strict"),
        ("anxiety at school", "loose"),
        ("anxious student at school", "loose"),
        ("test anxiety at school", "loose"),
        ("math anxiety", "strict"),  # it is a name of Mathematics, under which a source lists the monitors: loose
    ],
)
async def test_anxiety_at_school_does_not_list_glucose_monitors(
    real_service: httpx.AsyncClient, query: str, matching: str
) -> None:
    found = ids(await search(real_service, query, matching=matching))
    assert found
    assert [one for one in found if "glucose" in one] == []


async def test_a_corrected_query_in_a_scope_has_only_hits_and_facets_of_the_correction(
    real_service: httpx.AsyncClient,
) -> None:
    misspelled = await search(real_service, "epilepsey", scope="product")
    correct = await search(real_service, "epilepsy", scope="product")
    assert misspelled["corrected"] == {"from": "epilepsey", "to": "Epilepsy"}
    assert {hit["type"] for hit in misspelled["results"]} == {"product"}
    assert ids(misspelled) == ids(correct)
    assert (misspelled["total"], misspelled["facets"]) == (correct["total"], correct["facets"])


FIRMS_AND_PRODUCTS = [  # an entity with a common word as its name, queries that have the word, and those that mean it
    ("vendor:sharp", ["sharp pain in my back", "pad sharp corners"], ["Sharp", "sharp vendors", "companies Sharp"]),
    ("vendor:brother", ["my brother has asthma"], ["Brother", "vendor Brother", "Brother vendors"]),
    ("vendor:nothing", ["nothing helps my pain"], ["Nothing", "vendor Nothing"]),
    ("product:calm", ["calm room", "calm place for a student with autism"], ["Calm", "Calm products", "Calm app"]),
]


@pytest.mark.parametrize(("entity", "beside_words", "named"), FIRMS_AND_PRODUCTS)
async def test_the_name_of_a_firm_or_mainstream_product_counts_alone_or_beside_a_type_only(
    real_service: httpx.AsyncClient, entity: str, beside_words: list[str], named: list[str]
) -> None:
    for query in beside_words:
        body = await search(real_service, query)
        assert entity not in ids(body), query
        assert entity not in [part["entity"]["id"] for part in body["reading"]["parts"] if part["entity"]], query
    for query in named:
        assert ids(await search(real_service, query))[0] == entity, query


@pytest.mark.parametrize(
    ("condition", "related", "unrelated"),
    [("dyslexia", {"dyscalculia"}, set()), ("carpal-tunnel-syndrome", set(), {"little-person"})],
)
async def test_related_conditions_are_those_that_occur_together_and_none_that_is_unlike(
    real_service: httpx.AsyncClient, condition: str, related: set[str], unrelated: set[str]
) -> None:
    found = set[str]()
    path: str | None = f"/related_conditions/{condition}?limit=50"
    while path:
        page = (await real_service.get(path)).raise_for_status().json()
        found |= {result["slug"] for result in page["results"]}
        path = page["next"]
    assert related <= found
    assert not unrelated & found
