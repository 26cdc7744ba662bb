"""The OpenAPI document as callers fetch it: valid, complete, with real answers and examples. Touches no engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.app import create_app
from api.rest.openapi import ERRORS_BY_ROUTE
from api.settings import Settings
from schema.vocabulary import Vocabulary, read_vocabulary
from tests.support.fixture_graphs import listening
from tests.support.project import MAPPINGS

if TYPE_CHECKING:
    from collections.abc import Iterator


MODELS = {
    "index": "ApiIndex",
    "healthz": "Health",
    "readyz": "Health",
    "search": "SearchPage",
    "suggest": "SuggestPage",
    "recommend": "RecommendPage",
    "related_conditions": "RelatedPage",
    "connections": "ConnectionPage",
    "graph": "GraphSummary",
    "graph_changes": "GraphChanges",
    "exports": "ExportPage",
    "usage": "UsageTotals",
    "neighbors": "NeighborPage",
    "entity": "Record",
    "list": "CardPage",
}
FILE_ROUTE = "export"  # sends files, not answers


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return read_vocabulary(MAPPINGS)


@pytest.fixture(scope="module")
async def document() -> dict[str, Any]:
    transport = httpx.ASGITransport(app=create_app(Settings()))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        response = await client.get("/openapi.json")
    assert response.headers["content-type"] == "application/json"
    return dict(response.json())


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["operationId"]: one for path in document["paths"].values() for one in path.values()}


def references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        yield from ([node["$ref"]] if isinstance(node.get("$ref"), str) else [])
        for child in node.values():
            yield from references(child)
    elif isinstance(node, list):
        for child in node:
            yield from references(child)


def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_it_says_which_version_it_describes_and_that_this_is_no_advice(document: dict[str, Any]) -> None:
    assert document["info"]["version"] == "0.1.0"
    assert document["info"]["license"] == {"name": "Apache-2.0", "identifier": "Apache-2.0"}
    assert "not legal, medical or HR advice" in document["info"]["description"]


def test_every_schema_is_used_and_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    there = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references(document)) == there


def test_every_route_is_described_with_its_real_answer(document: dict[str, Any]) -> None:
    answers = {
        name: one["responses"]["200"]["content"]["application/json"]["schema"]
        for name, one in operations(document).items()
        if name != FILE_ROUTE
    }
    assert answers == {name: {"$ref": f"#/components/schemas/{model}"} for name, model in MODELS.items()}
    assert {*answers, FILE_ROUTE} == set(ERRORS_BY_ROUTE)
    sent = operations(document)[FILE_ROUTE]["responses"]["200"]["content"]
    assert set(sent) == {"application/gzip", "text/csv", "application/json"}


def test_the_paths_are_those_of_the_design(document: dict[str, Any]) -> None:
    assert {(method, path) for path, found in document["paths"].items() for method in found} == {
        ("get", "/"),
        ("get", "/healthz"),
        ("get", "/readyz"),
        ("get", "/search"),
        ("get", "/suggest"),
        ("post", "/recommend"),
        ("get", "/related_conditions/{id}"),
        ("get", "/connections"),
        ("get", "/graph"),
        ("get", "/graph/changes"),
        ("get", "/export"),
        ("get", "/export/{file}"),
        ("get", "/usage"),
        ("get", "/{type}/{id}/neighbors"),
        ("get", "/{type}/{id}"),
        ("get", "/{type}"),
    }


def test_every_route_and_schema_says_what_it_is(document: dict[str, Any]) -> None:
    said = [one["description"] for one in operations(document).values()]
    said += [one["description"] for one in document["components"]["schemas"].values()]
    assert all(text.endswith(".") or "\n" in text for text in said)


def test_everything_a_caller_must_give_has_an_example_that_fits(
    document: dict[str, Any], vocabulary: Vocabulary
) -> None:
    for name, one in operations(document).items():
        for parameter in one.get("parameters", ()):
            if parameter["required"]:
                assert parameter["example"], f"{name}: {parameter['name']}"
                valid = parameter["schema"].get("enum")
                assert valid is None or parameter["example"] in valid
    example = {one["name"]: one["example"] for one in operations(document)["neighbors"]["parameters"][:3]}
    assert example["edge"] in {kind.name for kind in vocabulary.edges_from(example["type"])}


def test_types_and_edges_are_enumerated(document: dict[str, Any], vocabulary: Vocabulary) -> None:
    of = {one["name"]: one["schema"] for one in operations(document)["neighbors"]["parameters"]}
    assert of["type"]["enum"] == list(vocabulary.types)
    assert of["edge"]["enum"] == list(vocabulary.edges)


def test_the_recommend_request_has_a_valid_example(document: dict[str, Any]) -> None:
    request = document["components"]["schemas"]["RecommendRequest"]
    assert all(set(example) <= set(request["properties"]) for example in request["examples"])
    assert request["examples"]


@pytest.mark.parametrize(
    ("route", "name", "bounds"),
    [
        ("search", "limit", {"minimum": 1, "maximum": 500, "default": 20}),
        ("search", "offset", {"minimum": 0, "default": 0}),
        ("suggest", "limit", {"minimum": 1, "maximum": 50, "default": 10}),
        ("neighbors", "limit", {"minimum": 1, "maximum": 500, "default": 20}),
        ("related_conditions", "limit", {"minimum": 1, "maximum": 50, "default": 10}),
        ("connections", "limit", {"minimum": 1, "maximum": 20, "default": 5}),
        ("list", "limit", {"minimum": 1, "maximum": 100, "default": 20}),
        ("list", "offset", {"minimum": 0, "default": 0}),
    ],
)
def test_limits_are_those_of_the_design(
    document: dict[str, Any], route: str, name: str, bounds: dict[str, int]
) -> None:
    (schema,) = (one["schema"] for one in operations(document)[route]["parameters"] if one["name"] == name)
    assert {key: schema[key] for key in bounds} == bounds


OPERATIONS = {
    "index",
    *("healthz", "readyz", "search", "suggest", "recommend", "related_conditions", "connections", "graph"),
    *("graph_changes", "exports", "export", "usage", "neighbors", "entity", "list"),
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
FEW = settings(
    max_examples=12, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def served_operations(node_url: str, service: httpx.AsyncClient) -> Iterator[dict[str, Any]]:
    """What the document of a running service describes, by name."""
    assert service  # the world is published
    with listening(node_url, "akg-world", rate_limit=0, deadline_seconds=20) as url:
        document = schemathesis.openapi.from_url(f"{url}/openapi.json")
        found = [one.ok() for one in document.get_all_operations() if isinstance(one, Ok)]
        yield {one.definition.raw["operationId"]: one for one in found}


def test_the_document_describes_these(served_operations: dict[str, Any]) -> None:
    assert served_operations.keys() == OPERATIONS


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fits", "does not fit"])
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_answer_is_one_that_the_document_describes(
    served_operations: dict[str, Any], name: str, mode: GenerationMode
) -> None:
    operation = served_operations[name]
    if mode is GenerationMode.NEGATIVE and not (operation.query or operation.path_parameters or operation.body):
        return  # nothing that could fail to fit
    if (name, mode) == ("export", GenerationMode.NEGATIVE):
        return  # any text is the name of a file that may be there

    @FEW
    @seed(20_261_121)
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case[Any]) -> None:
        case.validate_response(case.call(), checks=CHECKS)

    ask()
