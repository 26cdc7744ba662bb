"""Questions without a name or phrase of the graph: what shares words with them, over search and recommend."""

import httpx
from opensearchpy import OpenSearch

from api.search.results import ENOUGH_GOOD

BOLTS = "my 6 yr old bolts out of the classroom"
EIGHT = "only eight of us in the shop, do the rules even apply"


async def test_hits_say_which_words_they_share(real_service: httpx.AsyncClient) -> None:
    body = (await real_service.get("/search", params={"query": BOLTS})).raise_for_status().json()
    hit = body["results"][0]
    assert hit["id"] == "limitation:elopement"
    assert hit["match"]["kind"] == hit["match"]["field"] == "description"
    assert hit["match"]["why"] == "People describe Elopement with words of your query: bolts, classroom."
    assert len(body["results"]) == body["total"] == sum(body["facets"]["type"].values()) <= ENOUGH_GOOD
    scores = [one["score"] for one in body["results"]]
    assert scores == sorted(scores, reverse=True)


async def test_pages_continue_the_same_list(real_service: httpx.AsyncClient) -> None:
    whole = (await real_service.get("/search", params={"query": BOLTS})).json()["results"]
    pages = [
        (await real_service.get("/search", params={"query": BOLTS, "limit": 2, "offset": offset})).json()["results"]
        for offset in (0, 2, 4)
    ]
    assert [hit["id"] for page in pages for hit in page] == [hit["id"] for hit in whole]


async def test_guides_are_found_by_their_wording(real_service: httpx.AsyncClient) -> None:
    body = (await real_service.get("/search", params={"query": EIGHT})).raise_for_status().json()
    assert body["guides"][0]["id"] == "small-employers"
    body = (await real_service.post("/recommend", json={"question": EIGHT})).raise_for_status().json()
    assert body["guides"][0]["id"] == "small-employers"


async def test_a_question_that_names_nothing_gets_the_nearest_needs(real_service: httpx.AsyncClient) -> None:
    response = await real_service.post("/recommend", json={"question": BOLTS})
    assert response.status_code == 422
    (error,) = response.json()["detail"]
    assert error["type"] == "no_seed"
    assert [card["id"] for card in error["ctx"]["nearest"]][:1] == ["limitation:elopement"]


def test_a_guide_to_a_crisis_has_no_wording(client: OpenSearch, real_service: httpx.AsyncClient) -> None:  # noqa: ARG001 - publishes
    crisis = {"bool": {"filter": [{"term": {"guide.kind": "crisis"}}, {"exists": {"field": "wording"}}]}}
    assert client.count(index="akg-real-f5", body={"query": crisis})["count"] == 0
