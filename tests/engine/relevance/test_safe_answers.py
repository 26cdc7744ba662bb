"""Judged answers on the shipped graph: no opposite of what helps, the cautions that matter, names that people use."""

import csv
from collections.abc import Iterator

import httpx
import pytest

from tests.support.project import MAPPINGS

JUDGED = MAPPINGS / "relevance"
FIELDS = {"disability": "disability", "limitation": "limitation", "workrelatedfunction": "work_function"}
MIN_DIRECTIONS = 0.95  # share of the questions
MIN_RESOLVED, MIN_RIGHT = 0.97, 0.95  # shares of the names


def judged(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of judgments; lines that begin with # are comments."""
    lines = (JUDGED / name).read_text("utf-8").splitlines()
    yield from csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")


async def test_no_opposite_of_what_helps_is_recommended(real_service: httpx.AsyncClient) -> None:
    wrong = []
    for row in judged("opposites.tsv"):
        response = await real_service.post("/recommend", json={"disability": row["disability"], "limit": 100})
        ids = [result["id"] for result in response.json()["results"]]
        wrong += [row] if f"solution:{row['solution']}" in ids else []
    assert wrong == []


async def test_searches_that_name_a_side_find_no_solution_for_the_other(real_service: httpx.AsyncClient) -> None:
    rows = list(judged("directions.tsv"))
    failed = []
    for row in rows:
        response = await real_service.get("/search", params={"query": row["question"], "limit": 10})
        ids = [hit["id"] for hit in response.json()["results"]]
        is_found = not set(ids[:5]).isdisjoint(row["expect_any"].split("|"))
        if not is_found or not set(ids).isdisjoint(filter(None, row["must_not"].split("|"))):
            failed.append((row["question"], ids))
    assert 1 - len(failed) / len(rows) >= MIN_DIRECTIONS, failed


async def test_answers_carry_the_cautions_that_matter(real_service: httpx.AsyncClient) -> None:
    missing = []
    for row in judged("cautions.tsv"):
        type_name, _, slug = row["concerns"].partition(":")
        seeds = {FIELDS[type_name]: slug} | ({"occupation": row["occupation"]} if row["occupation"] else {})
        response = await real_service.post("/recommend", json={**seeds, "limit": 500})
        body, solution = response.json(), f"solution:{row['solution']}"
        texts = [caution["text"] for caution in body["cautions"]]
        texts += [
            caution["text"] for result in body["results"] if result["id"] == solution for caution in result["cautions"]
        ]
        texts += [left["reason"] for left in body["left_out"] if left["entity"]["id"] == solution]
        if not any(word in text.lower() for word in row["expects"].split("|") for text in texts):
            missing.append((row, texts))
    assert missing == []


async def test_names_that_people_type_are_those_of_the_right_entity(real_service: httpx.AsyncClient) -> None:
    rows = [row for row in judged("everyday_names.tsv") if row["should_be"] != "none"]
    resolved = right = 0
    failed = []
    for row in rows:
        wanted = row["should_be"].split("|")
        fields = [FIELDS[name] for name in dict.fromkeys(id_.partition(":")[0] for id_ in wanted)]
        found = []
        for field in dict.fromkeys(("disability", *fields)):
            response = await real_service.post("/recommend", json={field: row["typed"], "limit": 1})
            found += [seed["entity"]["id"] for seed in response.json().get("seeds", ())]
        resolved += bool(found)
        right += any(id_ in wanted for id_ in found[:2])
        failed += [] if any(id_ in wanted for id_ in found[:2]) else [(row["typed"], found)]
    assert resolved / len(rows) >= MIN_RESOLVED, failed
    assert right / len(rows) >= MIN_RIGHT, failed


@pytest.mark.parametrize("slug", ["diabetic-ketoacidosis", "aortic-dissection", "botulism"])
async def test_an_acute_condition_says_what_comes_first_and_shows_no_products(
    real_service: httpx.AsyncClient, slug: str
) -> None:
    body = (await real_service.post("/recommend", json={"disability": slug})).json()
    assert "needs medical help at once" in body["cautions"][0]["text"]
    assert body["results"]
    assert body["products"] == [] == [product for result in body["results"] for product in result["products"]]
    record = (await real_service.get(f"/disability/{slug}")).json()
    assert record["cautions"][0] == body["cautions"][0]


async def test_lists_of_what_helps_and_paths_say_what_is_left_out(real_service: httpx.AsyncClient) -> None:
    for slug, solution in (("epilepsy", "strobe-lights"), ("erythromelalgia", "cold-resistant-gloves")):
        parameters: dict[str, str | int] = {"edge": "recommends", "limit": 500}
        page = (await real_service.get(f"/disability/{slug}/neighbors", params=parameters)).json()
        by_name = (
            await real_service.get(f"/disability/{slug}/neighbors", params={**parameters, "sort": "name"})
        ).json()
        record = (await real_service.get(f"/disability/{slug}")).json()
        reasons = {one["entity"]["slug"]: one["reason"] for one in record["left_out"]}
        for listed in (page, by_name):
            found = {one["slug"]: one["left_out"] for one in listed["results"] if one.get("left_out")}
            assert found[solution] == reasons[solution]
        ends = {"from": f"disability:{slug}", "to": f"solution:{solution}"}
        paths = (await real_service.get("/connections", params=ends)).json()["results"]
        assert paths
        assert all(path["why"].endswith(reasons[solution]) for path in paths)
        assert all("is helped by" not in path["why"] for path in paths if path["length"] == 1)
