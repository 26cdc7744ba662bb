"""Full-text search and type-ahead: `/search` and `/suggest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.responses import Response  # noqa: TC002 - as above

from api import models
from api.context import link_parameters
from api.parameters import SearchParameters, SuggestParameters, names_of
from api.rest.openapi_examples import route_options
from api.search.query import ParsedQuery, SearchRequest

if TYPE_CHECKING:
    from fastapi import APIRouter

    from api.context import AppContext


def add_search_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/search` and `/suggest`."""

    @router.get("/search", **route_options("search", models.SearchPage))
    async def search(request: Request, parameters: Annotated[SearchParameters, Query()]) -> Response:
        """Search names, aliases and summaries of all types; each hit says why it matches."""
        names = names_of(SearchParameters)
        switches = {"synonyms": parameters.synonyms == "on", "spelling": parameters.spelling == "on"}
        search_request = SearchRequest(
            ParsedQuery.parse(parameters.query),
            tuple(parameters.scope or ()),
            parameters.limit,
            parameters.offset,
            **switches,
            setting=parameters.setting,
        )
        result = await context.service.search(search_request, link_parameters(request, names))
        return context.respond(request, result, names)

    @router.get("/suggest", **route_options("suggest", models.SuggestPage))
    async def suggest(request: Request, parameters: Annotated[SuggestParameters, Query()]) -> Response:
        """Complete a query while it is typed: the last word is a prefix, and the words before it may have a typo."""
        query = ParsedQuery.parse(parameters.query)
        result = await context.service.suggest(query, tuple(parameters.scope or ()), parameters.limit)
        return context.respond(request, result, names_of(SuggestParameters))
