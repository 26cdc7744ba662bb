"""The short way from a plain GET to the function that answers it; everything else goes through FastAPI.

FastAPI looks through all routes, opens several contexts and works out what each parameter is, for each request again,
which took longer than a cheap answer itself. Here that is worked out once, from the same routes and their signatures.
What is not plain, or does not fit, is left to FastAPI, which has the words for it.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from fastapi.params import Param, Path
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.routing import Route

from api.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Receive, Scope, Send

REQUEST = "request"  # what functions call the request itself, if they want it


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: `name` in the code, `alias` in the address. `read` raises ValidationError."""

    name: str
    alias: str
    in_path: bool
    required: bool
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Way:
    """A route, and the parameters of its function if that can be reached straight."""

    route: Route
    parameters: Sequence[Parameter] | None = None
    wants_request: bool = False

    def arguments(self, in_path: Mapping[str, str], query: Mapping[str, str]) -> dict[str, Any] | None:
        """What was sent, as the function takes it; None where FastAPI should read it."""
        if self.parameters is None:
            return None
        found = {}
        for one in self.parameters:
            text = (in_path if one.in_path else query).get(one.alias)
            if text is not None:
                try:
                    found[one.name] = one.read(text)
                except ValidationError:  # a list among them, which is never one text
                    return None
            elif one.required:
                return None
        return found


class Straight:
    """Wraps the application. `routes` are all of its routes in their order, `plain` those that are reached straight."""

    def __init__(
        self,
        app: ASGIApp,
        routes: Sequence[BaseRoute],
        plain: Sequence[BaseRoute],
        to_response: Callable[[ServiceError], Response],
    ) -> None:
        self._app = app
        self._to_response = to_response
        gets = [route for route in routes if isinstance(route, Route) and "GET" in (route.methods or {"GET"})]
        ways = [_way(route) if route in plain else Way(route) for route in gets]
        self._others = [way for way in ways if _beginning(way.route.path).startswith("{")]
        self._known = {
            name: [way for way in ways if way in self._others or _beginning(way.route.path) == name]
            for name in {_beginning(way.route.path) for way in ways}
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        way, in_path = self._find(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else (None, {})
        request = Request(scope, receive) if way else None
        arguments = way.arguments(in_path, request.query_params) if way and request else None
        if way is None or arguments is None:
            await self._app(scope, receive, send)
            return
        scope.update(route=way.route, path_params=in_path)
        if way.wants_request:
            arguments[REQUEST] = request
        try:
            answer = await way.route.endpoint(**arguments)
        except ServiceError as error:
            answer = self._to_response(error)
        await answer(scope, receive, send)

    def _find(self, path: str) -> tuple[Way | None, dict[str, str]]:
        """The first route for this path: fixed beginnings stand before those that take any."""
        for way in self._known.get(_beginning(path), self._others):
            if found := way.route.path_regex.match(path):
                return way, found.groupdict()
        return None, {}


def _beginning(path: str) -> str:
    return path.split("/", 2)[1] if "/" in path else path


def _way(route: Route) -> Way:
    hints = get_type_hints(route.endpoint, include_extras=True)
    taken = inspect.signature(route.endpoint).parameters
    parameters = []
    for name in taken.keys() - {REQUEST}:
        told = next(part for part in get_args(hints[name]) if isinstance(part, Param))
        required = taken[name].default is inspect.Parameter.empty
        read = TypeAdapter(hints[name]).validate_python
        parameters.append(Parameter(name, told.alias or name, isinstance(told, Path), required, read))
    return Way(route, parameters, REQUEST in taken)
