"""A corrected query has the list of the correct one, and what a query negates or leaves out says so."""

from typing import Any

import httpx
import pytest


async def search(service: httpx.AsyncClient, query: str, **parameters: str) -> dict[str, Any]:
    response = await service.get("/search", params={"query": query, **parameters})
    body: dict[str, Any] = response.raise_for_status().json()
    return body


def ids(body: dict[str, Any]) -> list[str]:
    return [hit["id"] for hit in body["results"]]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("pregnent", "pregnant"),  # the name of a guide, beside which a list is shorter
        ("medical leve", "medical leave"),
        ("keybaord", "keyboard"),  # and not KeyboardX
        ("stamer", "stammer"),  # and not Seamer
        ("epilepsey", "epilepsy"),
        ("low vison", "low vision"),
    ],
)
@pytest.mark.parametrize("scope", ["", "solution"])
async def test_a_corrected_query_has_the_list_of_the_correct_one(
    real_service: httpx.AsyncClient, typed: str, meant: str, scope: str
) -> None:
    parameters = {"scope": scope} if scope else {}
    corrected = await search(real_service, typed, **parameters)
    correct = await search(real_service, meant, **parameters)
    assert corrected["corrected"]["to"].casefold() == meant
    assert (ids(corrected), corrected["total"], corrected["facets"]) == (
        ids(correct),
        correct["total"],
        correct["facets"],
    )
    every = await search(real_service, meant)
    offered = corrected["did_you_mean"][0]  # its total is for all types
    assert (offered["query"].casefold(), offered["total"]) == (meant, every["total"])


@pytest.mark.parametrize(
    ("query", "absent"),
    [
        ("never had epilepsy", "disability:epilepsy"),
        ("no longer has cancer", "disability:cancer"),
        ("without dyslexia", "disability:dyslexia"),
    ],
)
async def test_words_that_negate_are_not_left_out(real_service: httpx.AsyncClient, query: str, absent: str) -> None:
    body = await search(real_service, query)
    assert body["ignored_words"] == []
    assert absent not in ids(body)


@pytest.mark.parametrize(
    "query", ["teacher with ms", "mechanic with back pain", "cook with one arm", "truck driver with gout"]
)
async def test_the_list_begins_with_the_job_that_is_read(real_service: httpx.AsyncClient, query: str) -> None:
    body = await search(real_service, query)
    jobs = [hit["id"] for hit in body["results"] if "mention" in hit["score_parts"] and hit["type"] == "occupation"]
    read = [part["entity"]["id"] for part in body["reading"]["parts"] if part["role"] == "occupation"]
    assert jobs == read
