"""The service is as its OpenAPI document tells it, for requests that fit the document and for those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.fixture_graphs import listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

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
def operations(node_url: str, service: httpx.AsyncClient) -> Iterator[dict[str, Any]]:
    """What the document of a running service describes, by name."""
    assert service  # the world is published
    with listening(node_url, "akg-world", rate_limit=0, deadline_seconds=20) as url:
        document = schemathesis.openapi.from_url(f"{url}/openapi.json")
        found = [one.ok() for one in document.get_all_operations() if isinstance(one, Ok)]
        yield {one.definition.raw["operationId"]: one for one in found}


def test_the_document_describes_these(operations: dict[str, Any]) -> None:
    assert operations.keys() == OPERATIONS


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fits", "does not fit"])
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_answer_is_one_that_the_document_describes(
    operations: dict[str, Any], name: str, mode: GenerationMode
) -> None:
    operation = operations[name]
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
