"""Recommendations and related conditions on OpenSearch: seed names, inheritance and round trips."""

from typing import Any

import httpx
import pytest

from api import models
from tests.support.fixture_graphs import WatchedService

Body = dict[str, Any]
RRMS = "relapsing-remitting-multiple-sclerosis"
FAR_APART = {"disability": "migraine", "limitation": "handling/fingering", "work_function": "getting to work"}


async def recommend(service: httpx.AsyncClient, **seeds: object) -> Body:
    response = await service.post("/recommend", json=seeds)
    assert response.status_code == 200, response.text
    models.RecommendPage.model_validate_json(response.content)
    found: Body = response.json()
    results = found["results"]
    scores = [result["score"] for result in results]
    assert scores == sorted(scores, reverse=True) or found["groups"]  # those of a job alone are in groups by need
    assert [sum(result["score_parts"].values()) for result in results] == pytest.approx(scores, abs=1e-6)
    assert [result["rank"] for result in results] == [*range(1, len(results) + 1)]
    assert all(result["answers"] for result in results)
    return found


@pytest.mark.parametrize(
    ("field", "name", "entity", "matched"),
    [
        ("disability", "disability:multiple-sclerosis", "disability:multiple-sclerosis", "id"),
        ("disability", "multiple-sclerosis", "disability:multiple-sclerosis", "slug"),
        ("disability", "Multiple  Sclerosis!", "disability:multiple-sclerosis", "name"),
        ("disability", "MS", "disability:multiple-sclerosis", "alias"),
        ("disability", RRMS.upper(), f"disability:{RRMS}", "slug"),
        ("disability", "rrms", f"disability:{RRMS}", "alias"),
        ("disability", "Chronic Optic Neuritis", "disability:chronic-optic-neuritis", "name"),
        ("disability", "eye cripple", "disability:optic-neuritis", "alias"),  # matched but never shown
        ("disability", "disability:add", "disability:attention-deficit-hyperactivity-disorder", "id"),
        ("limitation", "memory losses", "limitation:memory-loss", "name"),
        ("occupation", "15-1252.00", "occupation:15-1252.00", "id"),
    ],
)
async def test_a_seed_matches_by_any_name_in_at_most_two_round_trips(
    watched: WatchedService, field: str, name: str, entity: str, matched: str
) -> None:
    await recommend(watched.client, **{field: name, "work_function": "commute", "limit": 7})  # what is shared is cached
    before = watched.reads
    found = await recommend(watched.client, **{field: name, "work_function": "commute"})
    assert watched.reads - before in (1, 2)
    seed = next(seed for seed in found["seeds"] if seed["field"] == field)
    assert (seed["entity"]["id"], seed["matched_by"]) == (entity, matched)


@pytest.mark.parametrize(
    ("seeds", "status", "trips"),
    [
        ({"disability": "multiple sclrosis"}, 422, 6),  # it is read as a question before it is an error
        ({"limitation": "blind"}, 200, 1),  # no results, so no products are read
        (
            {"disability": "MS", "limitation": "decreased stamina fatigue", "occupation": "15-1252.00", "limit": 500},
            200,
            2,
        ),
    ],
)
async def test_recommendations_need_at_most_two_round_trips(
    watched: WatchedService, seeds: Body, status: int, trips: int
) -> None:
    await watched.client.post("/recommend", json={**seeds, "first": "use"})
    before = watched.reads
    response = await watched.client.post("/recommend", json=seeds)
    assert response.status_code == status
    assert watched.reads - before <= trips


async def test_cached_lists_and_products_need_no_round_trip(watched: WatchedService) -> None:
    first = await recommend(watched.client, disability="MS", work_function="commute", limit=7)
    before = watched.reads
    fewer = await recommend(watched.client, disability="MS", work_function="commute", limit=6)
    assert watched.reads - before == 1
    assert fewer["results"] == first["results"][:6]


async def test_a_limit_above_the_maximum_is_a_warning(service: httpx.AsyncClient) -> None:
    at_maximum = await recommend(service, disability="MS", limit=500)
    assert at_maximum["limit"] == 500
    for limit in (501, 10**30):
        found = await recommend(service, disability="MS", limit=limit)
        message = "limit is more than 500; at most 500 results are returned"
        warning = {"parameter": "limit", "message": message, "nearest": "500"}
        assert found["limit"] == 500
        assert [one for one in found["warnings"] if one not in at_maximum.get("warnings", ())] == [warning]
        assert found["results"] == at_maximum["results"]


@pytest.mark.parametrize(
    ("key", "trips"),
    [
        ("multiple-sclerosis", 2),
        ("disability:multiple-sclerosis", 2),
        ("Multiple-Sclerosis", 2),
        (RRMS, 2),
        (RRMS.upper(), 2),
        ("chronic-optic-neuritis", 2),
    ],
)
async def test_related_conditions_need_at_most_two_round_trips(watched: WatchedService, key: str, trips: int) -> None:
    await watched.client.get(f"/related_conditions/{key}?first=use")
    before = watched.reads
    response = await watched.client.get(f"/related_conditions/{key}")
    found = models.RelatedPage.model_validate_json(response.content)
    assert found.results or found.warnings
    assert watched.reads - before == trips


@pytest.mark.parametrize(
    ("key", "pairs", "siblings"),
    [
        ("carpal-tunnel-syndrome", 4, {"de-quervain-disease", "focal-hand-dystonia-writers-cramp"}),
        ("dyslexia", 5, {"nonverbal-learning-disability"}),
        ("bipolar-disorder", 1, {"schizophrenia", "personality-disorder"}),
    ],
)
async def test_pairs_come_first_then_siblings_then_those_that_share_two_limitations_or_a_main_need(
    real_service: httpx.AsyncClient, key: str, pairs: int, siblings: set[str]
) -> None:
    found = (await real_service.get(f"/related_conditions/{key}?limit=50")).json()["results"]
    relations = [result["relation"] for result in found]
    assert relations[:pairs] == ["co_occurring"] * pairs
    assert all(result["publication"]["url"].startswith("https://") for result in found[:pairs])
    order = {"co_occurring": 0, "sibling": 1}
    places = [order.get(relation, 2) for relation in relations]
    assert places == sorted(places)
    first = {result["slug"] for result in found[pairs:10]}
    assert siblings <= first
    assert "little-person" not in first


async def test_a_narrower_condition_has_the_results_of_its_inheritance_source(service: httpx.AsyncClient) -> None:
    narrow, broad = await recommend(service, disability=RRMS), await recommend(service, disability="multiple-sclerosis")
    assert [result["id"] for result in narrow["results"]] == [result["id"] for result in broad["results"]] != []
    assert {result["basis"] for result in narrow["results"]} == {"inherited"}
    reason = "listed for Multiple Sclerosis, which covers Relapsing-Remitting Multiple Sclerosis, under Memory Loss."
    assert reason in narrow["results"][0]["why"]
    related = (await service.get(f"/related_conditions/{RRMS}")).json()
    assert (related["entity"]["slug"], related["inherited_from"]["slug"]) == (RRMS, "multiple-sclerosis")
    listed = (await service.get("/related_conditions/multiple-sclerosis?limit=50")).json()["results"]
    assert RRMS not in {result["slug"] for result in listed}


async def test_a_condition_with_several_inheritance_sources_has_the_best_of_each(service: httpx.AsyncClient) -> None:
    found = await recommend(service, disability="Optic Neuritis")
    sources = [
        {result["id"] for result in (await recommend(service, disability=key))["results"]}
        for key in ("low-vision", "MS")
    ]
    assert {result["id"] for result in found["results"]} == sources[0] | sources[1]
    assert all(any(result["id"] in ids for result in found["results"][:2]) for ids in sources)
    magnifier = next(result for result in found["results"] if result["slug"] == "screen-magnification-software")
    assert "listed for Low Vision and Multiple Sclerosis, which cover Optic Neuritis" in magnifier["why"]
    assert [(result["id"], result["basis"]) for result in found["results"] if result["basis"] != "inherited"] == []


async def test_a_broad_limitation_inherits_from_narrower_ones_and_one_without_lists_explains_why(
    service: httpx.AsyncClient,
) -> None:
    broad = await recommend(service, limitation="vision impairment")
    (only,) = broad["results"]
    assert (only["slug"], only["basis"]) == ("screen-magnification-software", "inherited")
    assert only["why"] == "Screen Magnification Software: listed for Low Vision, which is a kind of Vision Impairment."
    edges = (await service.get("/limitation/vision-impairment/neighbors?edge=recommends")).json()["results"]
    assert [(edge["slug"], edge["basis"], edge["via"]) for edge in edges] == [
        ("screen-magnification-software", "inherited", ["limitation:low-vision"])
    ]
    without_lists = await recommend(service, limitation="blind")
    assert without_lists["results"] == []
    assert [need["solutions"] for need in without_lists["coverage"]] == [0]
    assert without_lists["warnings"][0]["message"].startswith("No source lists accommodations for Blind")


async def test_a_job_increases_the_weight_of_needs_that_limit_its_abilities(service: httpx.AsyncClient) -> None:
    without_job = await recommend(service, disability="MS")
    with_job = await recommend(service, disability="MS", occupation="Software Developers")
    jobs = {need["entity"]["slug"]: need["job"] for need in with_job["coverage"]}
    assert jobs["low-vision"] == "Near Vision"
    weights = [
        {need["entity"]["slug"]: need["weight"] for need in found["coverage"]} for found in (without_job, with_job)
    ]
    assert weights[1]["low-vision"] > weights[0]["low-vision"]
    reason = next(result["why"] for result in with_job["results"] if result["slug"] == "screen-magnification-software")
    assert "The job requires Near Vision, which Low Vision can limit." in reason


async def test_a_smaller_limit_returns_the_first_results(real_service: httpx.AsyncClient) -> None:
    for seeds in (
        {"disability": "arthritis"},
        {"limitation": "motor"},
        {"disability": "MS", "occupation": "teacher"},
        FAR_APART,
    ):
        complete = await recommend(real_service, **seeds, limit=500)
        assert len(complete["results"]) == complete["total"] > 20
        for limit in (1, 7, 20):
            short = await recommend(real_service, **seeds, limit=limit)
            assert short["results"] == complete["results"][:limit]
            assert short["total"] == complete["total"]
            for line, of_all in zip(short["coverage"], complete["coverage"], strict=True):
                assert line == {**of_all, "places": [place for place in of_all["places"] if place <= limit]}


async def test_an_ambiguous_job_title_resolves_to_the_usual_job_with_a_warning(
    real_service: httpx.AsyncClient,
) -> None:
    for title, code, alternative in (("nurse", "29-1141.00", "29-1141.03"), ("doctor", "29-1216.00", "29-1213.00")):
        found = await recommend(real_service, disability="adhd", occupation=title)
        assert found["seeds"][1]["entity"]["id"] == f"occupation:{code}"
        message = found["warnings"][0]["message"]
        assert message.startswith(f"{title!r} was interpreted as occupation:{code}; other matches: ")
        assert f"occupation:{alternative}" in message


async def test_an_unknown_name_gets_the_nearest_names_or_a_hint_to_search(real_service: httpx.AsyncClient) -> None:
    prefix = await real_service.post("/recommend", json={"occupation": "softwar"})
    assert prefix.status_code == 422
    (problem,) = prefix.json()["detail"]
    assert (problem["loc"], problem["ctx"]["nearest"][0]["slug"]) == (["body", "occupation"], "software-developers")
    random_letters = await real_service.post("/recommend", json={"disability": "qwxzyv"})
    assert random_letters.json()["detail"][0]["msg"].endswith("nearest: none, try other words with GET /search")


async def test_every_seed_has_answers_among_the_first(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, **FAR_APART, limit=10)
    served = {need["seed_id"] for result in found["results"] for need in result["answers"]}
    assert served == {seed["entity"]["id"] for seed in found["seeds"]}
    for line in found["coverage"]:
        need = (line["entity"]["id"], line["seed_id"])
        places = [result["rank"] for result in found["results"] if need in answers_of(result)]
        assert line["places"] == places


def answers_of(result: Body) -> list[tuple[str, str]]:
    return [(answer["entity"]["id"], answer["seed_id"]) for answer in result["answers"]]


SEVERAL: Body = {
    "disability": ["dyslexia", "arthritis"],
    "limitation": ["sitting", "hearing loss"],
    "occupation": "cashier",
}


async def test_the_order_of_seeds_changes_nothing(real_service: httpx.AsyncClient) -> None:
    first = await recommend(real_service, **SEVERAL)
    turned = {name: value[::-1] if isinstance(value, list) else value for name, value in reversed(SEVERAL.items())}
    second = await recommend(real_service, **turned)
    assert {**second, "provenance": first["provenance"]} == first


async def test_a_list_of_one_is_the_same_as_a_text(real_service: httpx.AsyncClient) -> None:
    assert await recommend(real_service, disability=["gout"]) == await recommend(real_service, disability="gout")


async def test_a_question_is_read_and_answered(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, question="Cashier with dyslexia, can't sit long, not deaf, at work")
    seeds = [(seed["field"], seed["given"], seed["matched_by"]) for seed in found["seeds"]]
    assert ("disability", "dyslexia", "name") in seeds
    assert ("occupation", "Cashier", "name") in seeds or ("occupation", "Cashier", "alias") in seeds
    assert [part["text"] for part in found["reading"]["dropped"]] == ["deaf"]
    assert "setting" in [part["role"] for part in found["reading"]["parts"]]
    answered = {need["seed_id"] for result in found["results"][:10] for need in result["answers"]}
    assert "disability:dyslexia" in answered
    searched = await real_service.get(
        "/search", params={"query": "Cashier with dyslexia, can't sit long, not deaf, at work"}
    )
    assert searched.json()["reading"] == found["reading"]
    again = await recommend(real_service, **searched.json()["recommend"]["body"])
    assert [result["id"] for result in again["results"]] == [result["id"] for result in found["results"]]


async def test_fields_take_precedence_over_the_question(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, question="gout at school", disability="asthma", setting="work")
    assert [seed["entity"]["id"] for seed in found["seeds"]] == ["disability:asthma"]
    assert [warning["parameter"] for warning in found["warnings"]] == ["question", "question"]


@pytest.mark.parametrize("question", ["qwxzyv blorp", "the of and"])
async def test_a_question_about_nothing_is_an_error(real_service: httpx.AsyncClient, question: str) -> None:
    response = await real_service.post("/recommend", json={"question": question})
    assert response.status_code == 422
    (problem,) = response.json()["detail"]
    assert (problem["loc"], problem["type"]) == (["body", "question"], "no_seed")


async def test_the_first_words_of_a_long_question_are_read(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, question=f"dyslexia and gout {'since my last job ' * 120}")
    assert [seed["entity"]["id"] for seed in found["seeds"]] == ["disability:dyslexia", "disability:gout"]
    assert found["warnings"][0]["message"].startswith("Only the first 160 words of the question are read.")


async def test_what_stands_late_in_a_question_is_read(real_service: httpx.AsyncClient) -> None:
    text = f"{'It was fine at my last job. ' * 8}Now I have migraines, and I am a cashier."
    found = await recommend(real_service, question=text)
    assert [seed["entity"]["id"] for seed in found["seeds"]] == ["disability:migraines", "occupation:41-2011.00"]
    assert [text[part["start"] : part["end"]] for part in found["reading"]["parts"]] == ["migraines", "cashier"]


async def test_a_question_that_names_only_a_solution_says_so(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, question="reacher")
    assert (found["results"], found["seeds"]) == ([], [])
    assert [part["entity"]["id"] for part in found["reading"]["parts"]] == ["solution:reachers"]
    (warning,) = found["warnings"]
    assert (warning["parameter"], "Reachers" in warning["message"]) == ("question", True)


async def test_a_job_without_ratings_asks_for_a_need(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, occupation="53-6032.00")
    assert (found["results"], found["groups"]) == ([], [])
    (warning,) = found["warnings"]
    assert warning["parameter"] == "occupation"
    assert warning["message"].startswith("No source rates which abilities Aircraft Service Attendants requires")


async def test_a_need_that_is_a_seed_stands_under_that_seed(real_service: httpx.AsyncClient) -> None:
    for need in ("limitation:decreased-stamina-fatigue", "limitation:walking"):
        found = await recommend(real_service, disability="multiple-sclerosis", limitation=need)
        assert [line["seed_id"] for line in found["coverage"] if line["entity"]["id"] == need] == [need]


async def test_a_condition_without_solutions_in_a_setting_says_which(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, disability=["back-impairment", "dyslexia"], setting="testing")
    for warning in found.get("warnings", []):
        assert "No source lists accommodations" not in warning["message"] or "‘testing’" in warning["message"]


async def test_an_unknown_seed_among_known_ones_is_a_warning(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, disability=["asthma", "qwxzyv"])
    assert [seed["entity"]["id"] for seed in found["seeds"]] == ["disability:asthma"]
    (warning,) = found["warnings"]
    assert (warning["parameter"], warning["message"].endswith("It has no effect.")) == ("disability", True)


async def test_an_unknown_field_leaves_what_the_question_names(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, question="cashier with dyslexia", disability="qwxzyv")
    assert [seed["entity"]["id"] for seed in found["seeds"]] == ["disability:dyslexia", "occupation:41-2011.00"]
    (warning,) = found["warnings"]
    assert (warning["parameter"], warning["message"].endswith("It has no effect.")) == ("disability", True)


async def test_excluded_solutions_are_left_out(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, disability="asthma", exclude=["respirator-masks", "air cleners"], limit=100)
    assert "solution:respirator-masks" not in [result["id"] for result in found["results"]]
    assert {"solution:respirator-masks": "The request excludes it."}.items() <= {
        line["entity"]["id"]: line["reason"] for line in found["left_out"]
    }.items()
    (warning,) = found["warnings"]
    assert (warning["parameter"], warning["nearest"].startswith("solution:air-cleaners")) == ("exclude", True)


async def test_a_setting_with_few_solutions_is_followed_by_others(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, work_function="driving", setting="testing")
    outside = [result["outside_setting"] for result in found["results"]]
    assert outside == sorted(outside)
    assert any(outside)
    (warning,) = found["warnings"]
    assert warning["parameter"] == "setting"
    assert warning["message"].endswith("for the setting ‘testing’; those for others follow.")


async def test_a_job_alone_has_its_most_demanding_needs(real_service: httpx.AsyncClient) -> None:
    found = await recommend(real_service, occupation="53-3032.00")
    assert [group["entity"]["type"] for group in found["groups"]] == ["limitation"] * 6
    grouped = [id_ for group in found["groups"] for id_ in group["results"]]
    assert grouped == [result["id"] for result in found["results"]]
    assert all(group["job"] and group["results"] for group in found["groups"])
    (warning,) = (one for one in found["warnings"] if "choose what applies" in one["message"])
    assert warning["parameter"] == "occupation"
    short = await recommend(real_service, occupation="53-3032.00", limit=3)
    first = [group["results"][0] for group in found["groups"][:3]]
    assert [result["id"] for result in short["results"]] == first
    assert [group["results"] for group in short["groups"]] == [[id_] for id_ in first]
    assert short["total"] == found["total"]


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
async def test_seeds_without_lists_of_their_own_get_recommendations(
    real_service: httpx.AsyncClient, seeds: Body
) -> None:
    found = await recommend(real_service, **seeds)
    assert found["results"]
    assert {result["basis"] for result in found["results"]} <= {"source", "editorial", "inherited", "derived"}


@pytest.mark.parametrize(
    ("given", "condition"), [("cancer", "disability:cancer"), ("crohn's disease", "disability:crohns-disease")]
)
async def test_a_text_may_name_a_condition_and_a_limitation(
    real_service: httpx.AsyncClient, given: str, condition: str
) -> None:
    found = await recommend(real_service, disability=f"{given} fatigue")
    seeds = {seed["field"]: (seed["given"], seed["entity"]["id"]) for seed in found["seeds"]}
    assert seeds == {
        "disability": (given, condition),
        "limitation": ("fatigue", "limitation:decreased-stamina-fatigue"),
    }


async def test_a_side_in_the_request_leaves_out_the_other_one(real_service: httpx.AsyncClient) -> None:
    hot = await recommend(real_service, limitation="too hot")
    assert hot["results"][0]["id"] == "solution:cooling-clothing"
    left_out = {one["entity"]["id"]: one["reason"] for one in hot["left_out"]}
    assert left_out["solution:workstation-space-heaters"] == "Can make it worse: you named heat."
    assert left_out.keys().isdisjoint(result["id"] for result in hot["results"])


@pytest.mark.parametrize(
    ("conditions", "solution", "is_left_out"),
    [
        (["plantar-fasciitis"], "wheelchairs", True),
        (["plantar-fasciitis", "heel-spur"], "wheelchairs", True),  # each excludes it
        (["plantar-fasciitis", "multiple-sclerosis"], "wheelchairs", False),  # too much for a heel, right for MS
        (["raynauds-disease"], "heated-gloves", False),
        (["raynauds-disease", "diabetic-neuropathy"], "heated-gloves", True),  # it burns skin that feels little
    ],
)
async def test_only_harm_to_one_condition_hides_what_another_lists(
    real_service: httpx.AsyncClient, conditions: list[str], solution: str, *, is_left_out: bool
) -> None:
    found = await recommend(real_service, disability=conditions, limit=500)
    assert (f"solution:{solution}" in [one["entity"]["id"] for one in found["left_out"]]) == is_left_out
    assert (f"solution:{solution}" in [result["id"] for result in found["results"]]) != is_left_out


async def test_where_both_sides_occur_the_usual_one_leads(real_service: httpx.AsyncClient) -> None:
    body = await recommend(real_service, disability="multiple-sclerosis", limit=500)
    by_id = {result["id"]: result for result in body["results"]}
    cooling, heated = by_id["solution:cooling-clothing"], by_id["solution:heated-clothing"]
    assert cooling["rank"] < heated["rank"]
    assert "heat is the more usual trouble" in " ".join(caution["text"] for caution in heated["cautions"])


@pytest.mark.parametrize(
    "title", ["truck driver", "nurse", "driver", "teacher", "janitor", "cashier", "doctor", "cook"]
)
async def test_a_job_title_means_the_same_in_every_route(real_service: httpx.AsyncClient, title: str) -> None:
    found = await recommend(real_service, occupation=title, limit=1)
    job = found["seeds"][0]["entity"]["id"]
    question = await recommend(real_service, question=f"{title} with arthritis", limit=1)
    assert job in [seed["entity"]["id"] for seed in question["seeds"]]
    connection = await real_service.get("/connections", params={"from": f"occupation:{title}", "to": "limitation:pain"})
    assert connection.json()["from"]["entity"]["id"] == job
    searched = await real_service.get("/search", params={"query": title, "scope": "occupation", "limit": 1})
    assert searched.json()["results"][0]["id"] == job


@pytest.mark.parametrize("name", ["ms", "add", "back pain", "hearing loss", "cp", "depression", "blind"])
async def test_a_condition_means_the_same_in_every_route(real_service: httpx.AsyncClient, name: str) -> None:
    found = await recommend(real_service, disability=name, limit=1)
    condition = found["seeds"][0]["entity"]["id"]
    connection = await real_service.get("/connections", params={"from": f"disability:{name}", "to": "limitation:pain"})
    assert connection.json()["from"]["entity"]["id"] == condition
    related = await real_service.get(f"/related_conditions/{name}", follow_redirects=True)
    assert related.json()["entity"]["id"] == condition
