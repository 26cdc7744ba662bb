"""The OpenAPI document: valid, complete, with examples, and what a running service does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

from api.rest.openapi import ERRORS_BY_ROUTE
from tests.support.fixture_graphs import listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from schema.vocabulary import Vocabulary


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
    sent = {name: one["responses"]["200"]["content"] for name, one in operations(document).items()}
    assert sent.keys() == set(ERRORS_BY_ROUTE)
    assert set(sent.pop("export")) == {"application/gzip", "text/csv", "application/json"}
    assert [name for name, content in sent.items() if "$ref" not in content["application/json"]["schema"]] == []


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


@pytest.fixture(scope="module")
def served_operations(node_url: str, service: httpx.AsyncClient) -> Iterator[dict[str, Any]]:
    """What the document of a running service describes, by name."""
    assert service  # the world is published
    with listening(node_url, "akg-world", rate_limit=0, deadline_seconds=20) as url:
        document = schemathesis.openapi.from_url(f"{url}/openapi.json")
        found = [one.ok() for one in document.get_all_operations() if isinstance(one, Ok)]
        by_id = {one.definition.raw["operationId"]: one for one in found}
        assert by_id.keys() == set(ERRORS_BY_ROUTE)
        yield by_id


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fits", "does not fit"])
@pytest.mark.parametrize("name", sorted(ERRORS_BY_ROUTE))
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
