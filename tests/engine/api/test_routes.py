"""The REST routes over a small graph on OpenSearch: responses, and errors for invalid input."""

import csv
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from api import models
from api.settings import SHIPPED_ROOT
from schema.entity_kinds import ENTITY_TYPES
from schema.json_types import JsonObject
from tests.support.written_documents import ADHD

REQUESTS: list[tuple[str, str, dict[str, Any] | None, type[BaseModel]]] = [
    ("GET", "/healthz", None, models.Health),
    ("GET", "/readyz", None, models.Health),
    ("GET", "/graph", None, models.GraphSummary),
    ("GET", "/graph/changes", None, models.GraphChanges),
    ("GET", "/search?query=adhd", None, models.SearchPage),
    ("GET", "/search?query=adhd&scope=solution&scope=disability&limit=1&offset=1", None, models.SearchPage),
    ("GET", "/search?query=flexibel%20shedule", None, models.SearchPage),
    ("GET", "/search?query=zzzzqqqq", None, models.SearchPage),
    ("GET", "/search?query=seat&setting=school", None, models.SearchPage),
    ("GET", "/solution?setting=testing", None, models.CardPage),
    ("GET", "/disability?grouping=other-health-impairment", None, models.CardPage),
    ("POST", "/recommend", {"disability": "multiple-sclerosis"}, models.RecommendPage),
    ("POST", "/recommend", {"disability": "adhd", "setting": "school"}, models.RecommendPage),
    ("GET", f"/disability/{ADHD}/neighbors?edge=recommends", None, models.NeighborPage),
    ("POST", "/recommend", {"disability": "ADHD", "limitation": "memory loss", "limit": None}, models.RecommendPage),
    ("POST", "/recommend", {"limitation": "limitation:memory-loss", "disability": None}, models.RecommendPage),
    ("GET", "/related_conditions/multiple-sclerosis", None, models.RelatedPage),
    ("GET", "/limitation/low-vision/neighbors?edge=limitation_of", None, models.NeighborPage),
    ("GET", "/limitation/blind/neighbors?edge=recommends", None, models.NeighborPage),
    ("GET", "/disability/crohns-disease", None, models.Record),
    ("GET", "/disability/chronic-optic-neuritis", None, models.Record),
    ("GET", "/disability/chronic-optic-neuritis/neighbors?edge=recommends&limit=2", None, models.NeighborPage),
    ("GET", "/disability?kind=narrower", None, models.CardPage),
    ("GET", f"/disability/{ADHD}", None, models.Record),
    *(("GET", f"/{name}", None, models.CardPage) for name in ENTITY_TYPES),
]


@pytest.mark.parametrize(("method", "path", "body", "model"), REQUESTS, ids=lambda value: str(value)[:50])
async def test_every_response_matches_its_schema(
    service: httpx.AsyncClient, method: str, path: str, body: dict[str, Any] | None, model: type[BaseModel]
) -> None:
    response = await service.request(method, path, json=body)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    model.model_validate_json(response.content)


async def test_an_abbreviation_finds_its_condition_first_and_explains_the_match(service: httpx.AsyncClient) -> None:
    first = (await service.get("/search?query=adhd")).json()["results"][0]
    assert first["id"] == ADHD
    assert first["match"] == {
        "kind": "alias",
        "text": "ADHD",
        "field": "aliases",
        "why": "‘ADHD’ is another name of Attention Deficit/Hyperactivity Disorder.",
    }


@pytest.mark.parametrize(
    "query", ["crohns disease", "Crohn's Disease", "CROHN’S  disease", "disability:crohns-disease"]
)
async def test_case_accents_and_punctuation_make_no_difference(service: httpx.AsyncClient, query: str) -> None:
    found = (await service.get("/search", params={"query": query})).json()
    assert found["results"][0]["id"] == "disability:crohns-disease"


async def test_a_typo_shows_the_correction_and_its_results(service: httpx.AsyncClient) -> None:
    found = (await service.get("/search", params={"query": "telwork"})).json()
    assert found["corrected"] == {"from": "telwork", "to": "Telework"}  # the name as spelled in the graph
    assert found["results"][0]["id"] == "solution:telework"
    assert found["results"][0]["match"]["kind"] == "spelling"
    assert found["did_you_mean"][0]["total"] == found["total"]


async def test_scope_narrows_the_hits_but_not_the_facets(service: httpx.AsyncClient) -> None:
    everything = (await service.get("/search", params={"query": "low vision"})).json()
    scoped = (await service.get("/search", params={"query": "low vision", "scope": "limitation"})).json()
    assert {hit["type"] for hit in scoped["results"]} == {"limitation"}
    assert scoped["facets"] == everything["facets"]
    assert scoped["total"] == everything["facets"]["type"]["limitation"]


async def test_a_setting_filters_solutions_only(service: httpx.AsyncClient) -> None:
    found = (await service.get("/search?query=adhd&setting=testing")).json()
    assert found["results"][0]["id"] == ADHD
    solutions = [item for item in found["results"] if item["type"] == "solution"]
    assert all("testing" in item["settings"] for item in solutions)
    seat = "solution:preferential-seating"
    at_work = (await service.get("/search?query=preferential seating&setting=work")).json()
    assert seat not in {item["id"] for item in at_work["results"]}
    assert (await service.get("/search?query=preferential seating&setting=school")).json()["results"][0]["id"] == seat


async def test_recommendations_follow_the_setting(service: httpx.AsyncClient) -> None:
    async def results(setting: str | None) -> list[JsonObject]:
        response = await service.post("/recommend", json={"disability": "adhd", "setting": setting})
        found: list[JsonObject] = response.json()["results"]
        return found

    seat = "solution:preferential-seating"
    everywhere = [result["id"] for result in await results(None)]
    at_work = await results("work")
    assert seat in [result["id"] for result in await results("school")][:2]
    assert everywhere[-1] == seat  # solutions for school only come last
    inside = [result["id"] for result in at_work if not result["outside_setting"]]
    assert inside == everywhere[:-1]
    # Fewer than five are for work, so what is for other settings follows, and says so.
    assert [result["id"] for result in at_work if result["outside_setting"]] == [seat]


async def test_every_grouping_of_the_table_is_valid(real_service: httpx.AsyncClient) -> None:
    with (SHIPPED_ROOT / "content" / "groupings.csv").open(encoding="utf-8", newline="") as file:
        slugs = [row["slug"] for row in csv.DictReader(file)]
    for type_ in ("disability", "limitation"):
        for slug in slugs:
            page = await real_service.get(f"/{type_}?grouping={slug}")
            assert page.status_code == 200, page.text
            assert (page.json()["total"] > 0) == bool(page.json()["results"])
        (problem,) = (await real_service.get(f"/{type_}?grouping=autisms")).json()["detail"]
        assert problem["ctx"] == {"valid": slugs, "nearest": "autism"}


async def test_search_matches_names_that_are_never_shown(service: httpx.AsyncClient) -> None:
    first = (await service.get("/search?query=eye cripple")).json()["results"][0]
    assert first["match"] == {
        "kind": "alias",
        "text": "Optic Neuritis",
        "field": "aliases",
        "why": "What you typed is another name of Optic Neuritis. It is a kind of Low Vision and Multiple Sclerosis.",
    }


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/solution/working-from-home", "/solution/telework"),
        ("/solution/working-from-home?unknown=%26", "/solution/telework?unknown=%26"),
        (
            "/solution/working-from-home/neighbors?edge=recommended_for&limit=3",
            "/solution/telework/neighbors?edge=recommended_for&limit=3",
        ),
        ("/related_conditions/add?limit=2", "/related_conditions/attention-deficit-hyperactivity-disorder?limit=2"),
        ("/explore/solution/working-from-home?setting=school", "/explore/solution/telework?setting=school"),
    ],
)
async def test_a_retired_id_redirects_to_its_replacement(service: httpx.AsyncClient, path: str, location: str) -> None:
    accept = "text/html" if path.startswith("/explore") else "*/*"
    response = await service.get(path, headers={"accept": accept})
    assert (response.status_code, response.headers["location"]) == (301, location)
    assert response.json()["provenance"]


async def test_unknown_parameters_are_ignored_and_reported(service: httpx.AsyncClient) -> None:
    found = (await service.get("/search?query=telework&limt=3")).json()
    assert found["warnings"][0]["nearest"] == "limit"
    assert found["results"]


async def test_web_pages_of_any_origin_can_read_responses_and_errors(service: httpx.AsyncClient) -> None:
    origin = {"Origin": "https://example.org"}
    for path in ("/disability", "/disability/nope", "/nowhere/at/all"):
        assert (await service.get(path, headers=origin)).headers["access-control-allow-origin"] == "*"
    preflight = {**origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    response = await service.options("/recommend", headers=preflight)
    assert response.status_code == 200
    assert "POST" in response.headers["access-control-allow-methods"]


JSON = {"content-type": "application/json"}
INVALID: list[tuple[str, str, dict[str, Any], int]] = [
    ("GET", "/search", {}, 422),
    ("GET", "/search?query=", {}, 422),
    ("GET", "/search?query=%20%20", {}, 422),
    ("GET", f"/search?query={'a' * 5000}", {}, 422),
    ("GET", "/search?query=a&limit=0", {}, 422),
    ("GET", "/search?query=a&limit=-1", {}, 422),
    ("GET", "/search?query=a&limit=501", {}, 422),
    ("GET", "/search?query=a&limit=x", {}, 422),
    ("GET", "/search?query=a&offset=1000000000000", {}, 422),
    ("GET", "/search?query=a&scope=dragon", {}, 422),
    ("GET", "/search?query=a&synonyms=maybe", {}, 422),
    ("GET", "/dragon", {}, 422),
    ("GET", "/dragon/x", {}, 422),
    ("GET", "/disability?limit=101", {}, 422),
    ("GET", "/disability?offset=-1", {}, 422),
    ("GET", "/disability?offset=1000000000000", {}, 200),
    ("GET", "/disability/nope", {}, 404),
    ("GET", "/disability/a%2Fb", {}, 404),
    ("GET", "/disability/%2E%2E%2Fnope", {}, 404),  # clients normalize an unescaped "/disability/.." to "/"
    ("GET", "/disability/%25%20.%00", {}, 404),
    ("GET", f"/disability/{'n' * 3000}", {}, 404),
    ("GET", "/disability/%ED%A0%80", {}, 404),
    ("GET", "/disability/nope/neighbors?edge=affects", {}, 404),
    ("GET", "/disability/crohns-disease/neighbors", {}, 422),
    ("GET", "/disability/crohns-disease/neighbors?edge=", {}, 422),
    ("GET", "/disability/crohns-disease/neighbors?edge=sell", {}, 422),
    ("GET", f"/disability/crohns-disease/neighbors?edge={'e' * 3000}", {}, 422),
    ("GET", "/disability/crohns-disease/neighbors?edge=affects&offset=1000000000000", {}, 200),
    ("GET", "/related_conditions/nope", {}, 404),
    ("GET", "/related_conditions/crohns-disease?limit=51", {}, 422),
    ("GET", "/connections?", {}, 422),
    ("GET", "/connections?from=adhd", {}, 422),
    ("GET", "/connections?from=adhd&to=", {}, 422),
    ("GET", "/connections?from=adhd&to=ms&limit=21", {}, 422),
    ("GET", "/connections?from=%20&to=%22%22", {}, 422),
    ("GET", "/nowhere/at/all", {}, 404),
    ("GET", "/recommend", {}, 405),
    ("PUT", "/recommend", {}, 405),
    ("POST", "/search?query=a", {}, 405),
    ("DELETE", "/disability/crohns-disease", {}, 405),
    ("POST", "/recommend", {"content": b"", "headers": JSON}, 422),
    ("POST", "/recommend", {"content": b"{", "headers": JSON}, 422),
    ("POST", "/recommend", {"content": b"[1]", "headers": JSON}, 422),
    ("POST", "/recommend", {"content": b"null", "headers": JSON}, 422),
    ("POST", "/recommend", {"content": b'"text"', "headers": JSON}, 422),
    ("POST", "/recommend", {"content": b"\xff\xfe{}", "headers": JSON}, 422),
    ("POST", "/recommend", {"content": b"{}", "headers": {"content-type": "application/xml"}}, 415),
    ("POST", "/recommend", {"content": b'{"disability": "\\ud800"}', "headers": JSON}, 422),
    ("POST", "/recommend", {"content": b" " * 70_000, "headers": JSON}, 413),
    ("POST", "/recommend", {"json": {}}, 422),
    ("POST", "/recommend", {"json": {"disability": "  "}}, 422),
    ("POST", "/recommend", {"json": {"disability": 7}}, 422),
    ("POST", "/recommend", {"json": {"disability": "crohns-disease", "limit": 0}}, 422),
    ("POST", "/recommend", {"json": {"disability": "x" * 3000}}, 422),
    ("POST", "/recommend", {"json": {"disability": "limitation:low-vision"}}, 422),
    ("GET", "/disability", {"headers": {"accept": "application/xml"}}, 406),
]


@pytest.mark.parametrize(("method", "path", "content", "status"), INVALID, ids=lambda value: str(value)[:60])
async def test_invalid_input_gets_a_clear_error(
    service: httpx.AsyncClient, method: str, path: str, content: dict[str, Any], status: int
) -> None:
    response = await service.request(method, path, **content)
    assert response.status_code == status, response.text
    if status == 422:
        models.ValidationProblem.model_validate_json(response.content)
    elif status >= 400:
        assert response.headers["content-type"] == "application/problem+json"
        assert models.Problem.model_validate_json(response.content).status == status
    if status >= 400:
        assert response.headers["cache-control"] == "no-store"
    if status == 405:
        assert response.headers["allow"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/workrelatedfunction/nope", None),
        ("GET", f"/workrelatedfunction/{'n' * 3000}", None),
        ("GET", "/workrelatedfunction?ids=limitation:blind", None),
        ("GET", "/connections?from=workrelatedfunction:nope&to=adhd", None),
        ("POST", "/recommend", {"work_function": "nope"}),
        ("POST", "/recommend", {"work_function": "adhd"}),
    ],
)
async def test_a_message_writes_a_type_as_words(
    service: httpx.AsyncClient, method: str, path: str, body: dict[str, Any] | None
) -> None:
    assert " work-related function" in (await service.request(method, path, json=body)).text


@pytest.mark.parametrize(
    "query",
    [
        "\U0001f9d1\u200d\U0001f9bd",
        "\u05e2\u05d9\u05d5\u05d5\u05e8",
        "'; DROP TABLE x;--",
        '* ? [a-z] ~ " AND',
        "\ufffd",
        "a b " * 100,
        "the of and",
    ],
)
async def test_unusual_text_is_searched_like_any_other(service: httpx.AsyncClient, query: str) -> None:
    response = await service.get("/search", params={"query": query})
    assert response.status_code == 200, response.text
    models.SearchPage.model_validate_json(response.content)
