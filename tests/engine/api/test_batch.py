"""Several entities in one request: in the requested order, by any form of id, with the missing ones."""

from typing import Any

import httpx
import pytest

from api import models

ADHD = "attention-deficit-hyperactivity-disorder"


@pytest.mark.parametrize(
    ("path", "results", "missing", "moved"),
    [
        ("/disability?ids=low-vision,crohns-disease", ["low-vision", "crohns-disease"], [], []),
        ("/disability?ids=low-vision&ids=crohns-disease", ["low-vision", "crohns-disease"], [], []),
        ("/disability?ids=nope,Low-Vision,%20crohns-disease,,n", ["low-vision", "crohns-disease"], ["nope", "n"], []),
        ("/disability?ids=low-vision,disability:low-vision,LOW-VISION", ["low-vision"], [], []),
        ("/occupation?ids=software-developers,43-4051.00,occupation:15-1252.00", ["15-1252.00", "43-4051.00"], [], []),
        ("/disability?ids=add,low-vision", [ADHD, "low-vision"], [], [("add", ADHD)]),
        (f"/disability?ids=low-vision,disability:add,{ADHD}", ["low-vision", ADHD], [], [("disability:add", ADHD)]),
        ("/disability?ids=nope,nope", [], ["nope"], []),
        ("/disability?ids=limitation:low-vision", [], ["limitation:low-vision"], []),
        (f"/disability?ids={'x' * 3000},low-vision", ["low-vision"], ["x" * 117 + "…"], []),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
async def test_entities_are_in_the_requested_order(
    service: httpx.AsyncClient, path: str, results: list[str], missing: list[str], moved: list[tuple[str, str]]
) -> None:
    response = await service.get(path)
    assert response.status_code == 200, response.text
    page = models.CardPage.model_validate_json(response.content)
    kind = path[1:].partition("?")[0]
    assert [card.id for card in page.results] == [f"{kind}:{key}" for key in results]
    assert page.missing == missing
    assert [(line.given, line.to) for line in page.moved or ()] == [(old, f"{kind}:{new}") for old, new in moved]
    assert (page.total, page.offset, page.next, page.prev) == (len(results), 0, None, None)


async def test_a_batch_has_the_cards_of_the_list(service: httpx.AsyncClient) -> None:
    listed = (await service.get("/solution?limit=100")).json()["results"]
    reversed_ids = [card["id"] for card in reversed(listed)]
    batch = (await service.get("/solution", params={"ids": ",".join(reversed_ids)})).json()
    assert batch["results"] == listed[::-1]
    assert "missing" not in (await service.get("/solution")).json()


@pytest.mark.parametrize(
    ("ids", "kind", "context"),
    [
        ("", "too_short", {"min_length": 1}),
        (" , ,", "too_short", {"min_length": 1}),
        (",".join(map(str, range(101))), "too_long", {"max_length": 100, "actual_length": 101}),
    ],
)
async def test_rejects_too_few_and_too_many_ids(
    service: httpx.AsyncClient, ids: str, kind: str, context: dict[str, Any]
) -> None:
    response = await service.get("/disability", params={"ids": ids})
    assert response.status_code == 422
    (problem,) = models.ValidationProblem.model_validate_json(response.content).detail
    assert (problem.loc, problem.type, problem.ctx) == (["query", "ids"], kind, context)


async def test_a_batch_has_up_to_a_hundred_distinct_ids(service: httpx.AsyncClient) -> None:
    ids = [*map(str, range(99)), "low-vision", "low-vision", "5"]
    page = (await service.get("/disability", params={"ids": ",".join(ids)})).json()
    assert (page["total"], page["limit"], len(page["missing"])) == (1, 100, 99)


async def test_reports_parameters_that_have_no_effect_with_ids(service: httpx.AsyncClient) -> None:
    page = (await service.get("/disability?ids=limitation:low-vision,low-vision&limit=5")).json()
    assert [warning["parameter"] for warning in page["warnings"]] == ["limit", "ids"]
    assert [warning["message"] for warning in page["warnings"]] == [
        "'limit' has no effect beside 'ids'",
        "limitation:low-vision: not a disability; request /limitation?ids=limitation:low-vision",
    ]
