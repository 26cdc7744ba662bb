"""The OpenAPI document is valid and complete, has examples, and describes a running service."""

from collections.abc import Iterator
from typing import Any

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

from api.rest.openapi import ERRORS_BY_ROUTE
from schema.vocabulary import Vocabulary
from tests.support.fixture_graphs import listening

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SETTINGS = settings(
    max_examples=12, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()}


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


def test_the_document_has_version_license_and_notice(document: dict[str, Any]) -> None:
    assert document["info"]["version"] == "0.1.0"
    licence = document["info"]["license"]
    assert licence["identifier"] == "Apache-2.0 AND CC-BY-4.0"
    assert "Apache-2.0" in licence["name"]
    assert "CC BY 4.0" in licence["name"]
    assert "not legal, medical or HR advice" in document["info"]["description"]


def test_every_schema_is_used_and_every_reference_is_defined(document: dict[str, Any]) -> None:
    defined = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references(document)) == defined


def test_every_route_has_a_response_model_or_media_type(document: dict[str, Any]) -> None:
    content_types = {name: operation["responses"]["200"]["content"] for name, operation in operations(document).items()}
    assert content_types.keys() == set(ERRORS_BY_ROUTE)
    assert set(content_types.pop("export")) == {"application/gzip", "text/csv", "text/plain", "application/json"}
    assert [
        name for name, content in content_types.items() if "$ref" not in content["application/json"]["schema"]
    ] == []


def test_every_route_and_schema_has_a_description(document: dict[str, Any]) -> None:
    descriptions = [operation["description"] for operation in operations(document).values()]
    descriptions += [schema["description"] for schema in document["components"]["schemas"].values()]
    assert all(text.endswith(".") or "\n" in text for text in descriptions)


def test_every_required_parameter_has_a_valid_example(document: dict[str, Any], vocabulary: Vocabulary) -> None:
    for name, operation in operations(document).items():
        for parameter in operation.get("parameters", ()):
            if parameter["required"]:
                assert parameter["example"], f"{name}: {parameter['name']}"
                valid = parameter["schema"].get("enum")
                assert valid is None or parameter["example"] in valid
    example = {
        parameter["name"]: parameter["example"] for parameter in operations(document)["neighbors"]["parameters"][:3]
    }
    assert example["edge"] in {kind.name for kind in vocabulary.edges_from(example["type"])}


@pytest.mark.parametrize(
    ("operation", "name", "bounds"),
    [  # minimum, maximum, default
        ("search", "limit", (1, 500, 20)),
        ("neighbors", "limit", (1, 500, 20)),
        ("related_conditions", "limit", (1, 50, 10)),
        ("list", "limit", (1, 100, 20)),
        ("list", "offset", (0, None, 0)),
    ],
)
def test_parameters_have_the_bounds_of_the_interface(
    document: dict[str, Any], operation: str, name: str, bounds: tuple[int | None, ...]
) -> None:
    parameters = operations(document)[operation]["parameters"]
    (schema,) = (parameter["schema"] for parameter in parameters if parameter["name"] == name)
    assert schema["type"] == "integer"
    assert tuple(schema.get(bound) for bound in ("minimum", "maximum", "default")) == bounds


def test_a_query_is_required_and_not_empty(document: dict[str, Any]) -> None:
    (query,) = (each for each in operations(document)["search"]["parameters"] if each["name"] == "query")
    assert query["required"]
    assert query["schema"]["minLength"] == 1


def test_no_route_needs_credentials(document: dict[str, Any]) -> None:
    assert "securitySchemes" not in document["components"]
    assert [name for name, operation in operations(document).items() if "security" in operation] == []


def test_types_and_edges_are_enumerated(document: dict[str, Any], vocabulary: Vocabulary) -> None:
    schemas = {parameter["name"]: parameter["schema"] for parameter in operations(document)["neighbors"]["parameters"]}
    assert schemas["type"]["enum"] == list(vocabulary.types)
    assert schemas["edge"]["enum"] == list(vocabulary.edges)


def test_the_recommend_request_has_a_valid_example(document: dict[str, Any]) -> None:
    request = document["components"]["schemas"]["RecommendRequest"]
    assert all(set(example) <= set(request["properties"]) for example in request["examples"])
    assert request["examples"]


@pytest.fixture(scope="module")
def served_operations(node_url: str, service: httpx.AsyncClient) -> Iterator[dict[str, Any]]:
    assert service  # the world is published
    with listening(node_url, "akg-world", rate_limit=0, deadline_seconds=20) as url:
        document = schemathesis.openapi.from_url(f"{url}/openapi.json")
        found = [operation.ok() for operation in document.get_all_operations() if isinstance(operation, Ok)]
        by_id = {operation.definition.raw["operationId"]: operation for operation in found}
        assert by_id.keys() == set(ERRORS_BY_ROUTE)
        yield by_id


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["valid", "invalid"])
@pytest.mark.parametrize("name", sorted(ERRORS_BY_ROUTE))
def test_every_response_matches_the_document(
    served_operations: dict[str, Any], name: str, mode: GenerationMode
) -> None:
    operation = served_operations[name]
    if mode is GenerationMode.NEGATIVE and not (operation.query or operation.path_parameters or operation.body):
        return  # no input that could be invalid
    if name in ("export", "guide") and mode is GenerationMode.NEGATIVE:
        return  # any text is a valid name of a file or guide

    @SETTINGS
    @seed(20_261_121)
    @given(case=operation.as_strategy(generation_mode=mode))
    def call_operation(case: schemathesis.Case[Any]) -> None:
        case.validate_response(case.call(), checks=CHECKS)

    call_operation()
