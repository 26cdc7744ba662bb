"""What the route handlers of the REST API and of the explorer need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, LiteralString

from fastapi import Path
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError
from starlette.requests import Request
from starlette.responses import Response

from api.engine.search_engine import SearchEngine
from api.health import Health
from api.http import envelope
from api.http.envelope import Envelope
from api.parameters import MAX_ID_LENGTH, trim_id
from api.result import ServiceResult, unknown_name_warnings
from api.service import GraphService
from api.telemetry.usage_counters import current_request
from api.telemetry.usage_report import UsageReport
from schema.entity_kinds import ENTITY_TYPES
from schema.text import nearest
from schema.vocabulary import Vocabulary


def _known_type(name: str) -> str:
    if name not in ENTITY_TYPES:
        near = nearest(name[:MAX_ID_LENGTH], ENTITY_TYPES)
        message: LiteralString = f"unknown type {name[:MAX_ID_LENGTH]!r}; valid: {', '.join(ENTITY_TYPES)}"
        raise PydanticCustomError("unknown_type", message, {"valid": list(ENTITY_TYPES), "nearest": near})
    return name


TypePath = Annotated[str, Path(alias="type", description="An entity type."), AfterValidator(_known_type)]
IdPath = Annotated[str, Path(alias="id", description="An id, its key or its slug."), AfterValidator(trim_id)]


@dataclass(frozen=True, slots=True)
class AppContext:
    """The parts of the service that handlers use, and the responses that all of them build in the same way."""

    engine: SearchEngine
    service: GraphService
    envelope: Envelope
    vocabulary: Vocabulary
    health: Health
    usage_report: UsageReport

    def respond(
        self,
        request: Request,
        result: ServiceResult,
        parameters: Sequence[str] = (),
        etag_parts: Sequence[str] = (),
        warnings: Sequence[dict[str, Any]] = (),
    ) -> Response:
        """Wrap a result; warn of query parameters that are not among `parameters`, before the given `warnings`."""
        facts = current_request()
        facts.route = request.scope["route"].path
        facts.add_result(result.body)
        if result.empty_search:
            facts.add_empty_search(result.empty_search.words, result.empty_search.scope)
        parts = [request.scope["path"], request.scope["query_string"].decode("latin-1"), *etag_parts]
        tag = envelope.etag(result.release, parts)
        body = self.envelope.wrap_result(result, [*unknown_parameters(request, parameters), *warnings])
        return self.envelope.respond(body, tag, request.headers.get("if-none-match"))


def unknown_parameters(request: Request, parameters: Sequence[str]) -> list[dict[str, Any]]:
    """Return warnings about query parameters that the route does not have, with the nearest that it has."""
    names = dict.fromkeys(request.query_params)
    return unknown_name_warnings("parameter", [name for name in names if name not in parameters], parameters)


def link_parameters(
    request: Request, parameters: Sequence[str], lists: Mapping[str, Sequence[str] | None] | None = None
) -> tuple[tuple[str, str], ...]:
    """Return the known query parameters of the request without `offset`, for the links to other pages.

    `lists` has the values of those that may be repeated. Of others the last value counts, as for FastAPI.
    """
    values = {name: [value] for name, value in request.query_params.items()}
    values |= {name: [*(texts or ())] for name, texts in (lists or {}).items() if name in values}
    names = [name for name in values if name in parameters and name != "offset"]
    return tuple((name, value) for name in names for value in values[name])
