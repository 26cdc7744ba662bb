"""Guides to process words: their routes, and how they stand beside results of the shipped graph."""

import httpx
import pytest


async def test_all_guides_are_listed_by_title(real_service: httpx.AsyncClient) -> None:
    page = (await real_service.get("/guides")).json()
    titles = [guide["title"].casefold() for guide in page["results"]]
    assert len(titles) == page["total"] >= 70
    assert titles == sorted(titles)
    assert page["notice"]["text"]


async def test_a_guide_has_its_text_links_and_entities(real_service: httpx.AsyncClient) -> None:
    guide = (await real_service.get("/guides/section-504-plan")).json()
    assert guide["kind"] == "school"
    assert 2 <= len(guide["links"]) <= 4
    assert guide["about"] == "Information about the United States, not legal advice."
    for entity in guide["entities"]:
        type_, _, key = entity.partition(":")
        assert (await real_service.get(f"/{type_}/{key}")).status_code == 200


async def test_an_unknown_guide_names_the_nearest(real_service: httpx.AsyncClient) -> None:
    response = await real_service.get("/guides/section-504-plam")
    assert response.status_code == 404
    assert "section-504-plan" in response.json()["detail"]


@pytest.mark.parametrize(
    ("query", "guide"),
    [
        ("504 plan", "section-504-plan"),
        ("504 plan for diabetes", "section-504-plan"),
        ("doctors note for a standing desk", "medical-documentation"),
        ("reasonable accommodation", "reasonable-accommodation"),
        ("service animal at work", "service-animal-at-work"),
        ("light duty", "light-duty-work"),
        ("leave of absence for depression", "leave-as-accommodation"),
        ("should I disclose my disability", "disclosure"),
        ("fired because of my epilepsy", "fired-because-of-health"),
    ],
)
async def test_guides_stand_beside_results(real_service: httpx.AsyncClient, query: str, guide: str) -> None:
    page = (await real_service.get("/search", params={"query": query})).json()
    assert guide in [one["id"] for one in page["guides"]]
    assert all(":" in hit["id"] for hit in page["results"])  # never among the entities


CRISIS = ["i want to die", "suicidle", "kil myself", "ADHD and I want to kill myself", f"{'tired ' * 45}i want to die"]
CRISIS += ["i want 2 die", "unalive myself", "ending it all", "i could hang myself", "thinking of an overdose"]
CRISIS += ["he doesn't want to be alive anymore", "she took a bottle of pills", "everyone is better off without me"]


async def test_guides_are_paged(real_service: httpx.AsyncClient) -> None:
    every = (await real_service.get("/guides")).json()
    assert (len(every["results"]), every["next"]) == (every["total"], None)
    page = (await real_service.get("/guides", params={"limit": 2, "offset": 3})).json()
    assert [one["id"] for one in page["results"]] == [one["id"] for one in every["results"][3:5]]
    assert (page["total"], page["limit"], page["offset"]) == (every["total"], 2, 3)
    assert page["next"] == "/guides?limit=2&offset=5"
    behind = (await real_service.get("/guides", params={"offset": 999})).json()
    assert (behind["results"], behind["total"]) == ([], every["total"])
    assert (await real_service.get("/guides", params={"limit": 0})).status_code == 422


@pytest.mark.parametrize("text", CRISIS)
async def test_words_of_a_crisis_bring_the_numbers_to_call_first(real_service: httpx.AsyncClient, text: str) -> None:
    page = (await real_service.get("/search", params={"query": text})).json()
    assert page["guides"][0]["id"] == "crisis-help"
    assert "988" in page["guides"][0]["summary"]
    found = (await real_service.post("/recommend", json={"question": text})).json()
    assert found["guides"][0]["id"] == "crisis-help"
    assert {"die", "kill", "myself"}.isdisjoint(found["reading"]["unused"])
    if page["recommend"]:  # the suggested request has the guide, too
        followed = (await real_service.post("/recommend", json=page["recommend"]["body"])).json()
        assert followed["guides"][0]["id"] == "crisis-help"
    html = (await real_service.get("/explore/search", params={"query": text})).text
    assert html.index("988") < html.index('class="total"')


@pytest.mark.parametrize("text", ["end my life", "I want to die", "better off dead", "I don't want to live"])
async def test_beside_the_guide_to_a_crisis_stands_nothing_by_chance(
    real_service: httpx.AsyncClient, text: str
) -> None:
    page = (await real_service.get("/search", params={"query": text})).json()
    assert page["guides"][0]["id"] == "crisis-help"
    assert {hit["id"] for hit in page["results"]} <= {"disability:suicidal-thoughts", "disability:depression"}


@pytest.mark.parametrize("text", ["kill switch", "line worker in a crisis", "hurt hand, i dress myself"])
async def test_other_words_are_no_crisis(real_service: httpx.AsyncClient, text: str) -> None:
    page = (await real_service.get("/search", params={"query": text})).json()
    assert "crisis-help" not in [guide["id"] for guide in page["guides"]]
