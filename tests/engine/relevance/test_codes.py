"""Codes of ICD-10-CM, MeSH and the Disease Ontology find their condition, with and without prefix and dots."""

from typing import Any

import httpx
import pytest


async def search(service: httpx.AsyncClient, query: str) -> dict[str, Any]:
    body: dict[str, Any] = (await service.get("/search", params={"query": query})).raise_for_status().json()
    return body


CODES = [
    *("2377", "DOID:2377", "doid 2377", "DOID2377"),
    *("G35", "g35", "ICD G35", "ICD10 G35", "ICD-10-CM: G35"),
    *("D009103", "MeSH:D009103", "mesh d009103"),
]


@pytest.mark.parametrize("code", CODES)
async def test_a_code_finds_its_condition_first(real_service: httpx.AsyncClient, code: str) -> None:
    first = (await search(real_service, code))["results"][0]
    assert (first["id"], first["match"]["field"]) == ("disability:multiple-sclerosis", "id")


@pytest.mark.parametrize("code", ["H46.2", "H462", "ICD-10 H46.2", "icd10cm:h462"])
async def test_the_dot_of_a_code_does_not_matter(real_service: httpx.AsyncClient, code: str) -> None:
    assert (await search(real_service, code))["results"][0]["id"] == "disability:nutritional-optic-neuropathy"


async def test_a_number_of_three_digits_is_no_code(real_service: httpx.AsyncClient) -> None:
    body = await search(real_service, "988")  # DOID:988 is a disease of a heart valve
    assert body["guides"][0]["id"] == "crisis-help"
    assert body["results"] == []
    assert (await search(real_service, "DOID:988"))["results"][0]["id"] == "disability:mitral-valve-prolapse"
