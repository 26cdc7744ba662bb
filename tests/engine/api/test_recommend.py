"""Recommendations and related conditions on the real engine: seeds by any name, what is inherited, few round trips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from api import models

if TYPE_CHECKING:
    import httpx

    from tests.support.fixture_graphs import WatchedService

Body = dict[str, Any]
RRMS = "relapsing-remitting-multiple-sclerosis"
FAR_APART = {"disability": "migraine", "limitation": "handling/fingering", "work_function": "get to work"}


async def ask(service: httpx.AsyncClient, **seeds: object) -> Body:
    answer = await service.post("/recommend", json=seeds)
    assert answer.status_code == 200, answer.text
    models.RecommendPage.model_validate_json(answer.content)
    found: Body = answer.json()
    results = found["results"]
    scores = [one["score"] for one in results]
    assert scores == sorted(scores, reverse=True)
    assert [sum(one["score_parts"].values()) for one in results] == pytest.approx(scores, abs=1e-6)
    assert [one["rank"] for one in results] == [*range(1, len(results) + 1)]
    assert all(one["answers"] for one in results)
    return found


@pytest.mark.parametrize(
    ("field", "given", "entity", "matched"),
    [
        ("disability", "disability:multiple-sclerosis", "disability:multiple-sclerosis", "id"),
        ("disability", "multiple-sclerosis", "disability:multiple-sclerosis", "slug"),
        ("disability", "Multiple  Sclerosis!", "disability:multiple-sclerosis", "name"),
        ("disability", "MS", "disability:multiple-sclerosis", "alias"),
        ("disability", RRMS.upper(), f"disability:{RRMS}", "slug"),
        ("disability", "rrms", f"disability:{RRMS}", "alias"),
        ("disability", "Chronic Optic Neuritis", "disability:chronic-optic-neuritis", "name"),
        ("disability", "eye cripple", "disability:optic-neuritis", "alias"),  # found, and shown nowhere
        ("disability", "disability:add", "disability:attention-deficit-hyperactivity-disorder", "alias"),
        ("limitation", "memory losses", "limitation:memory-loss", "name"),
        ("occupation", "15-1252.00", "occupation:15-1252.00", "id"),
    ],
)
async def test_a_seed_is_understood_by_any_of_its_names_in_two_round_trips_at_most(
    watched: WatchedService, field: str, given: str, entity: str, matched: str
) -> None:
    before = watched.reads
    found = await ask(watched.client, **{field: given, "work_function": "commute"})
    assert watched.reads - before in (1, 2)
    seed = next(one for one in found["seeds"] if one["field"] == field)
    assert (seed["entity"]["id"], seed["matched_by"]) == (entity, matched)


@pytest.mark.parametrize(
    ("seeds", "status", "trips"),
    [
        ({"disability": "multiple sclrosis", "occupation": "nurse"}, 422, 2),
        ({"limitation": "blind"}, 200, 1),  # nothing is found, so no products are read
        (
            {"disability": "MS", "limitation": "decreased stamina fatigue", "occupation": "15-1252.00", "limit": 500},
            200,
            2,
        ),
    ],
)
async def test_no_recommendation_costs_more_than_two_round_trips(
    watched: WatchedService, seeds: Body, status: int, trips: int
) -> None:
    before = watched.reads
    answer = await watched.client.post("/recommend", json=seeds)
    assert answer.status_code == status
    assert watched.reads - before <= trips  # products shown before cost none


async def test_products_that_were_shown_before_cost_no_round_trip(watched: WatchedService) -> None:
    before = watched.reads
    first = await ask(watched.client, disability="MS", work_function="commute", limit=7)
    assert watched.reads - before in (1, 2)
    before = watched.reads
    fewer = await ask(watched.client, disability="MS", work_function="commute", limit=6)
    assert watched.reads - before == 1
    assert fewer["results"] == first["results"][:6]


@pytest.mark.parametrize(
    ("given", "trips"),
    [
        ("multiple-sclerosis", 1),
        ("disability:multiple-sclerosis", 1),
        ("Multiple-Sclerosis", 2),
        (RRMS, 2),
        (RRMS.upper(), 2),
        ("chronic-optic-neuritis", 2),
    ],
)
async def test_related_conditions_cost_two_round_trips_at_most(watched: WatchedService, given: str, trips: int) -> None:
    before = watched.reads
    answer = await watched.client.get(f"/related_conditions/{given}")
    models.RelatedPage.model_validate_json(answer.content)
    assert answer.json()["results"]
    assert watched.reads - before == trips


async def test_a_narrower_condition_has_the_results_of_the_one_it_inherits_from(service: httpx.AsyncClient) -> None:
    narrow, broad = await ask(service, disability=RRMS), await ask(service, disability="multiple-sclerosis")
    assert [one["id"] for one in narrow["results"]] == [one["id"] for one in broad["results"]] != []
    assert {one["basis"] for one in narrow["results"]} == {"inherited"}
    reason = "listed for Multiple Sclerosis, which covers Relapsing-Remitting Multiple Sclerosis, under Memory Loss."
    assert reason in narrow["results"][0]["why"]
    related = (await service.get(f"/related_conditions/{RRMS}")).json()
    assert (related["entity"]["slug"], related["inherited_from"]["slug"]) == (RRMS, "multiple-sclerosis")
    listed = (await service.get("/related_conditions/multiple-sclerosis?limit=50")).json()["results"]
    assert RRMS not in {one["slug"] for one in listed}


async def test_a_condition_that_inherits_from_several_has_the_best_of_each(service: httpx.AsyncClient) -> None:
    found = await ask(service, disability="Optic Neuritis")
    either = [{one["id"] for one in (await ask(service, disability=key))["results"]} for key in ("low-vision", "MS")]
    assert {one["id"] for one in found["results"]} == either[0] | either[1]
    assert all(any(one["id"] in ids for one in found["results"][:2]) for ids in either)
    magnifier = next(one for one in found["results"] if one["slug"] == "screen-magnification-software")
    assert "listed for Low Vision and Multiple Sclerosis, which cover Optic Neuritis" in magnifier["why"]
    assert [(one["id"], one["basis"]) for one in found["results"] if one["basis"] != "inherited"] == []


async def test_a_broad_limitation_has_what_its_kinds_have_and_a_lonely_one_says_why_it_is_empty(
    service: httpx.AsyncClient,
) -> None:
    broad = await ask(service, limitation="vision impairment")
    (only,) = broad["results"]
    assert (only["slug"], only["basis"]) == ("screen-magnification-software", "inherited")
    assert only["why"] == "Screen Magnification Software: listed for Low Vision, which is a kind of Vision Impairment."
    edges = (await service.get("/limitation/vision-impairment/neighbors?edge=recommends")).json()["results"]
    assert [(one["slug"], one["basis"], one["via"]) for one in edges] == [
        ("screen-magnification-software", "inherited", ["limitation:low-vision"])
    ]
    lonely = await ask(service, limitation="blind")
    assert lonely["results"] == []
    assert [one["solutions"] for one in lonely["coverage"]] == [0]
    assert lonely["warnings"][0]["message"].startswith("No source that we hold lists accommodations for Blind")


async def test_a_job_brings_forward_what_it_leans_on_and_says_so(service: httpx.AsyncClient) -> None:
    alone = await ask(service, disability="MS")
    at_work = await ask(service, disability="MS", occupation="Software Developers")
    jobs = {one["entity"]["slug"]: one["job"] for one in at_work["coverage"]}
    assert jobs["low-vision"] == "Near Vision"
    weights = [{one["entity"]["slug"]: one["weight"] for one in found["coverage"]} for found in (alone, at_work)]
    assert weights[1]["low-vision"] > weights[0]["low-vision"]
    reason = next(one["why"] for one in at_work["results"] if one["slug"] == "screen-magnification-software")
    assert "The job leans on Near Vision, which Low Vision can limit." in reason


async def test_a_short_answer_is_the_beginning_of_a_long_one(real_service: httpx.AsyncClient) -> None:
    for seeds in (
        {"disability": "arthritis"},
        {"limitation": "motor"},
        {"disability": "MS", "occupation": "teacher"},
        FAR_APART,
    ):
        whole = await ask(real_service, **seeds, limit=500)
        assert len(whole["results"]) == whole["total"] > 20
        for limit in (1, 7, 20):
            short = await ask(real_service, **seeds, limit=limit)
            assert short["results"] == whole["results"][:limit]
            assert (short["total"], short["coverage"]) == (whole["total"], whole["coverage"])


async def test_a_title_that_many_report_is_read_as_the_usual_job_and_the_others_are_named(
    real_service: httpx.AsyncClient,
) -> None:
    for given, code, others in (("nurse", "29-1141.00", "29-1141.03"), ("doctor", "29-1216.00", "29-1213.00")):
        found = await ask(real_service, disability="adhd", occupation=given)
        assert found["seeds"][1]["entity"]["id"] == f"occupation:{code}"
        message = found["warnings"][0]["message"]
        assert message.startswith(f"{given!r} was taken for occupation:{code}; also called so: ")
        assert f"occupation:{others}" in message


async def test_an_unknown_name_gets_the_nearest_names_or_a_hint_to_search(real_service: httpx.AsyncClient) -> None:
    begun = await real_service.post("/recommend", json={"disability": "adhd", "occupation": "softwar"})
    assert begun.status_code == 422
    (problem,) = begun.json()["detail"]
    assert (problem["loc"], problem["ctx"]["nearest"][0]["slug"]) == (["body", "occupation"], "software-developers")
    nothing = await real_service.post("/recommend", json={"disability": "qwxzyv"})
    assert nothing.json()["detail"][0]["msg"].endswith("nearest: none, try other words with GET /search")


async def test_seeds_that_have_little_in_common_go_on_with_the_best_of_each(real_service: httpx.AsyncClient) -> None:
    found = await ask(real_service, **FAR_APART)
    served = [{answer["seed"] for answer in one["answers"]} for one in found["results"]]
    joint = [serves == set(FAR_APART) for serves in served]
    assert 0 < sum(joint) < 5
    assert joint == sorted(joint, reverse=True)
    assert set().union(*served[sum(joint) : 10]) == set(FAR_APART)
    (warning,) = found["warnings"]
    assert "all of these together; what follows serves one or more of them" in warning["message"]


@pytest.mark.parametrize(
    "seeds",
    [
        {"disability": "blindness"},
        {"limitation": "blind"},
        {"limitation": "hearing loss"},
        {"disability": "neurodiversity"},
        {"disability": "misophonia"},
        {"disability": "long covid", "limitation": "fatigue"},
    ],
)
async def test_people_without_a_page_of_their_own_get_an_answer(real_service: httpx.AsyncClient, seeds: Body) -> None:
    found = await ask(real_service, **seeds)
    assert found["results"]
    assert {one["basis"] for one in found["results"]} <= {"source", "inherited", "derived"}
