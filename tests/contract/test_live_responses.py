"""500 responses of a service over the shipped graph keep the promises that hold for every response.

Each matches the schema that `/openapi.json` has for its route and status, has provenance and notice, and names the
sources of all that it shows.
"""

import random
from typing import Any, NamedTuple

import httpx
import pytest
from jsonschema import Draft202012Validator

from akg.evaluation.metrics import read_judgments
from api.errors import PROBLEM
from indexer.content.rows import Content
from schema.vocabulary import Vocabulary, read_vocabulary
from tests.support.json_bodies import objects
from tests.support.project import MAPPINGS

RECORDS, EDGES, PAGES = 20, 12, 4  # of each type
QUERIES, SEEDS, RELATED, CONNECTIONS = 80, 15, 25, 20
FIXED = {
    "/": "index",
    "/healthz": "healthz",
    "/readyz": "readyz",
    "/graph": "graph",
    "/graph/changes": "graph_changes",
    "/export": "exports",
    "/guides": "guides",
    "/guides/section-504-plan": "guide",
    "/usage": "usage",
}
INVALID: list[tuple[str, str, dict[str, Any], int]] = [  # operation, path, parameters, expected status
    ("search", "/search", {}, 422),
    ("search", "/search", {"query": ""}, 422),
    ("search", "/search", {"query": "adhd", "limit": "1.5"}, 422),
    ("search", "/search", {"query": "adhd", "scope": "bogus"}, 422),
    ("suggest", "/suggest", {"query": "a", "limit": "0"}, 422),
    ("list", "/ability", {"limit": "101"}, 422),
    ("list", "/solution", {"offset": "-1"}, 422),
    ("entity", "/disability/no-such-thing", {}, 404),
    ("neighbors", "/limitation/low-vision/neighbors", {}, 422),
    ("neighbors", "/limitation/low-vision/neighbors", {"edge": "bogus"}, 422),
    ("neighbors", "/limitation/no-such-thing/neighbors", {"edge": "limitation_of"}, 404),
    ("related_conditions", "/related_conditions/no-such-thing", {}, 404),
    ("related_conditions", "/related_conditions/low-vision", {"limit": "51"}, 422),
    ("connections", "/connections", {"from": "low-vision"}, 422),
    ("connections", "/connections", {"from": "no-such-thing", "to": "low-vision"}, 422),
    ("usage", "/usage", {"days": "no"}, 422),
    ("recommend", "/recommend", {"limit": 5}, 422),
    ("recommend", "/recommend", {"disability": "no-such-thing"}, 422),
    ("recommend", "/recommend", {"disability": 5}, 422),
    ("export", "/export/no-such-file.csv", {}, 404),
    ("guide", "/guides/no-such-guide", {}, 404),
]


@pytest.fixture(scope="module")
def sources(shipped_content: Content) -> dict[str, set[str]]:
    """The sources of each entity."""
    return {entity.id: set(entity.sources) for entity in shipped_content.entities}


class Call(NamedTuple):
    """A request: the operation of the OpenAPI document, its path, and its parameters or its body."""

    operation: str
    path: str
    parameters: dict[str, Any]
    status: int = 200


class Answer(NamedTuple):
    """A call and its response."""

    call: Call
    response: httpx.Response
    body: dict[str, Any]


@pytest.fixture(scope="module")
async def answers(real_service: httpx.AsyncClient) -> list[Answer]:
    calls = await sample_calls(real_service, read_vocabulary(MAPPINGS), random.Random(20_261_124))  # noqa: S311 - a sample
    assert len(calls) >= 500
    found = []
    for call in calls:
        if call.operation == "recommend":
            response = await real_service.post(call.path, json=call.parameters)
        else:
            response = await real_service.get(call.path, params=call.parameters)
        assert response.status_code == call.status, f"{call}: {response.text[:500]}"
        found.append(Answer(call, response, response.json()))
    return found


async def sample_calls(service: httpx.AsyncClient, vocabulary: Vocabulary, sample: random.Random) -> list[Call]:
    """Return calls of every operation, with ids from all parts of the graph."""
    calls = [Call(operation, path, {}) for path, operation in FIXED.items()]
    calls += [Call(*values) for values in INVALID]
    cards: dict[str, list[dict[str, Any]]] = {}
    for kind in vocabulary.types:
        total = (await service.get(f"/{kind}", params={"limit": 1})).json()["total"]
        offsets = sorted(sample.sample(range(total), min(total, RECORDS)))
        pages = [(await service.get(f"/{kind}", params={"limit": 1, "offset": place})).json() for place in offsets]
        cards[kind] = [page["results"][0] for page in pages]
        calls += [Call("list", f"/{kind}", {"limit": 25, "offset": place}) for place in offsets[:PAGES]]
        calls += [Call("entity", f"/{kind}/{card['slug']}", {}) for card in cards[kind]]
        calls += [
            Call(
                "neighbors",
                f"/{kind}/{card['slug']}/neighbors",
                {"edge": sample.choice(vocabulary.edges_from(kind)).name},
            )
            for card in cards[kind][:EDGES]
        ]
    queries = [judgment.query for judgment in read_judgments(MAPPINGS / "relevance" / "judgments.tsv")]
    calls += [Call("search", "/search", {"query": query, "limit": 50}) for query in sample.sample(queries, QUERIES)]
    calls += [Call("suggest", "/suggest", {"query": query[:5]}) for query in sample.sample(queries, RELATED)]
    seeds = {"disability": "disability", "limitation": "limitation", "work_function": "workrelatedfunction"}
    for field, kind in seeds.items():
        calls += [Call("recommend", "/recommend", {field: card["id"]}) for card in cards[kind][:SEEDS]]
    pairs = list(zip(cards["disability"], cards["occupation"], strict=True))
    calls += [
        Call("recommend", "/recommend", {"disability": one["id"], "occupation": two["id"]})
        for one, two in pairs[:SEEDS]
    ]
    calls += [Call("connections", "/connections", {"from": two["id"], "to": one["id"]}) for one, two in pairs]
    calls += [Call("related_conditions", f"/related_conditions/{card['slug']}", {}) for card in cards["disability"]]
    return calls


def test_every_response_matches_the_openapi_document(answers: list[Answer], document: dict[str, Any]) -> None:
    operations = {
        operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()
    }
    validators: dict[tuple[str, int], Draft202012Validator] = {}
    for call, response, body in answers:
        media_type = response.headers["content-type"]
        assert media_type == (PROBLEM if response.status_code not in {200, 422} else "application/json"), call
        if (call.operation, call.status) not in validators:
            content = operations[call.operation]["responses"][str(call.status)]["content"]
            schema = {"$ref": content[media_type]["schema"]["$ref"], "components": document["components"]}
            validators[call.operation, call.status] = Draft202012Validator(schema)
        problems = [error.message for error in validators[call.operation, call.status].iter_errors(body)]
        assert problems == [], call
    assert {call.operation for call, _, _ in answers} == operations.keys()


def test_every_response_has_provenance_and_notice(answers: list[Answer]) -> None:
    for call, _, body in answers:
        licences = {source["id"]: source["licence_url"] for source in body["provenance"]["sources"]}
        assert licences["jan"], call
        assert licences["onet-30.3"], call
        assert "not legal, medical or HR advice" in body["notice"]["text"], call


def test_products_and_vendors_and_only_they_carry_a_market_verification(answers: list[Answer]) -> None:
    seen = set()
    for call, _, body in answers:
        for item in objects(body):
            if "slug" in item and "summary" in item:
                assert ("market_verification" in item) == (item["type"] in {"product", "vendor"}), call
                seen.add(item["type"])
    assert seen == set(read_vocabulary(MAPPINGS).types)


def test_every_response_names_the_sources_of_all_that_it_shows(
    answers: list[Answer], sources: dict[str, set[str]]
) -> None:
    for call, _, body in answers:
        named = {source["id"] for source in body["provenance"]["sources"]}
        shown = {name: value for name, value in body.items() if name not in {"provenance", "notice"}}
        for item in objects(shown):
            stated = {source["id"] if isinstance(source, dict) else source for source in item.get("sources", ())}
            of_entity = sources.get(str(item.get("id")), set())
            assert stated | of_entity <= named, f"{call}: {item.get('id')} needs {(stated | of_entity) - named}"
