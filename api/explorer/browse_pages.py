"""Search, list, entity, relation and graph pages."""

import asyncio
from dataclasses import asdict, replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from api.context import AppContext, IdPath, TypePath
from api.explorer import labels, view_models
from api.explorer.list_address import LinkedEntity, ListAddress, link_facets
from api.explorer.page_parameters import ListPageParameters, RelationPageParameters, SearchPageParameters
from api.explorer.reading_links import recommend_url, search_parts
from api.explorer.renderer import Breadcrumbs, Page, Renderer
from api.explorer.view_models import ApiCall, Params, query_params
from api.graph import query_bodies
from api.graph.edge_filters import ANY_EDGE
from api.graph.linked_lists import ListPage
from api.graph.neighbors import NeighborsRequest
from api.graph.resolve import EntityReference, resolve_entities
from api.result import ServiceResult
from api.search.query import ParsedQuery, SearchRequest
from api.telemetry.usage_counters import current_request
from schema.entity_kinds import BASES
from schema.json_types import JsonObject

SEARCH_PAGE_SIZE, LIST_PAGE_SIZE, RELATION_PAGE_SIZE = 20, 50, 50
MAX_RELATED_CONDITIONS = 5
MAX_SOURCE_EDGES = 1_000  # edges read for the source filter; near vision has 886, in 10 pages
MAX_GRAPH_NEIGHBORS = 10  # of each relation
MAX_JOB_ABILITIES = 10
MAX_JOB_LIMITATIONS = 12
MAX_LIMITATION_SOLUTIONS = 3


def add_browse_pages(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    """Add the pages. The path of the graph page comes before that of relations, which matches it."""
    _add_search(router, context, renderer)
    _add_graph(router, context, renderer)
    _add_relation(router, context, renderer)
    _add_entity(router, context, renderer)
    _add_list(router, context, renderer)


def _add_search(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/search")
    async def search(request: Request, parameters: Annotated[SearchPageParameters, Query()]) -> Response:
        """Search, and explain each hit."""
        breadcrumbs, query = (("Search", ""),), (parameters.query or "").strip()
        scope, setting, offset = parameters.scope or [], parameters.setting, parameters.offset
        data: JsonObject = {"query": query, "scope": scope, "setting": setting or "", "response": None}
        if not query:
            graph = renderer.body(await context.service.graph())
            return renderer.send(Page("search.html", "Search", [graph], (), breadcrumbs, data), request)
        spelling = parameters.spelling != "off"
        params = query_params((("query", query), *(("scope", name) for name in scope), ("setting", setting)))
        params += () if spelling else (("spelling", "off"),)
        params += (("matching", "loose"),) if parameters.matching == "loose" else ()
        search_request = SearchRequest(
            ParsedQuery.parse(query),
            tuple(scope),
            SEARCH_PAGE_SIZE,
            offset,
            spelling=spelling,
            setting=setting,
            loose=parameters.matching == "loose",
        )
        result = await context.service.search(search_request, params)
        body = renderer.body(result)
        current_request().add_result(body)
        if result.empty_search:
            current_request().add_empty_search(result.empty_search.words, result.empty_search.scope)
        call = ApiCall(
            "/search",
            _with_offset(params, offset),
            tool="search_accommodations",
            arguments=_arguments(query=query, scope=scope, setting=setting, offset=offset),
        )
        facets = view_models.facet_links(body["facets"]["type"], params, scope)
        data |= {"response": body, "facets": facets, "pages": _page_links(body)}
        data |= {"read_parts": search_parts(body["reading"], query), "recommend_url": recommend_url(body["recommend"])}
        title = f"Search: {labels.shorten(query, 60)}"
        return renderer.send(Page("search.html", title, [body], (call,), breadcrumbs, data), request)


def _add_graph(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/{type}/{id}/graph")
    async def graph(request: Request, type_: TypePath, id_: IdPath) -> Response:
        """Show the neighbors of an entity as a graph and as a table."""
        body = renderer.body(await context.service.entity(type_, id_))
        breadcrumbs = (*_type_breadcrumb(body), (body["name"], f"/explore{body['url']}"), ("Graph", ""))
        data = {"entity": body, "limit": MAX_GRAPH_NEIGHBORS}
        page = Page("graph.html", f"Graph of {body['name']}", [body], (_entity_call(body),), breadcrumbs, data)
        return renderer.send(page, request)


def _add_relation(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/{type}/{id}/{edge}")
    async def relation(
        request: Request,
        type_: TypePath,
        id_: IdPath,
        edge: str,
        parameters: Annotated[RelationPageParameters, Query()],
    ) -> Response:
        """List the neighbors of an entity over one edge, filtered or sorted by name."""
        offset, filters = parameters.offset, parameters.filters
        values = {name: value for name, value in asdict(filters).items() if value != getattr(ANY_EDGE, name)}
        params = query_params((("edge", edge), *values.items(), ("limit", RELATION_PAGE_SIZE)))
        neighbors = NeighborsRequest(type_, id_, edge, RELATION_PAGE_SIZE, offset, params, filters)
        result = await context.service.neighbors(neighbors)
        body = renderer.body(result)
        entity = body["entity"]
        current_request().add_result(body)
        call = ApiCall(
            f"{entity['url']}/neighbors",
            _with_offset(params, offset),
            tool="get_related",
            arguments=_arguments(id=entity["id"], edge=edge, **values, limit=RELATION_PAGE_SIZE, offset=offset),
        )
        label = context.vocabulary.edges[edge].label
        entity_breadcrumb = (entity["name"], f"/explore{entity['url']}")
        breadcrumbs = (*_type_breadcrumb(entity), entity_breadcrumb, (label.capitalize(), ""))
        data = {
            "entity": entity,
            "edge": edge,
            "response": body,
            "label": label,
            "pages": _page_links(body),
            "selected": asdict(filters),
            **await _edge_options(context, neighbors, result),
        }
        page = Page("relation.html", f"{entity['name']} {label}", [body], (call,), breadcrumbs, data)
        return renderer.send(page, request)


def _add_entity(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/{type}/{id}")
    async def entity(request: Request, type_: TypePath, id_: IdPath) -> Response:
        """Show the record of an entity; of a condition also similar ones, of a job also what it requires."""
        body = renderer.body(await context.service.entity(type_, id_))
        bodies, calls = [body], [_entity_call(body)]
        data: JsonObject = {"entity": body, "related": None, "job": None}
        if body["type"] == "disability":
            data["related"] = renderer.body(
                await context.service.related(EntityReference.parse(body["id"]), MAX_RELATED_CONDITIONS)
            )
            bodies.append(data["related"])
            path = f"/related_conditions/{body['slug']}"
            arguments = {"id": body["id"], "limit": MAX_RELATED_CONDITIONS}
            params = (("limit", str(MAX_RELATED_CONDITIONS)),)
            calls.append(ApiCall(path, params, tool="related_conditions", arguments=arguments))
        if body["type"] == "occupation":
            data["job"] = await _job_requirements(context, renderer, body)
        breadcrumbs = (*_type_breadcrumb(body), (body["name"], ""))
        return renderer.send(Page("entity.html", body["name"], bodies, calls, breadcrumbs, data), request)


def _add_list(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/{type}")
    async def entities(
        request: Request, type_: TypePath, parameters: Annotated[ListPageParameters, Query()]
    ) -> Response:
        """List all entities of a type."""
        selected = parameters.model_dump(include={"setting", "grouping", "kind"})
        available, filters = query_bodies.list_filters(type_, selected)
        address = parameters.address(type_, available)
        params = (*address.params, ("limit", str(LIST_PAGE_SIZE)))
        page = ListPage(parameters.inherited, LIST_PAGE_SIZE, parameters.offset, filters, params)
        body = renderer.body(await context.service.entities(type_, page, parameters.linked_to, parameters.edge))
        current_request().add_result(body)
        linked = await _linked_entities(context, address)
        call = ApiCall(
            f"/{type_}",
            _with_offset(params, parameters.offset),
            tool="list_entities",
            arguments=_arguments(type=type_, **address.arguments, limit=LIST_PAGE_SIZE, offset=parameters.offset),
        )
        title = labels.PLURAL_TYPES[type_]
        data = {
            "type": type_,
            "description": context.vocabulary.types[type_].description,
            "response": body,
            "available": available,
            "selected": selected,
            "address": address,
            "linked": linked,
            "link_facets": link_facets(body.get("facets", {}), linked, address),
            "pages": _page_links(body),
        }
        return renderer.send(Page("list.html", title, [body], (call,), ((title, ""),), data), request)


async def _edge_options(context: AppContext, request: NeighborsRequest, result: ServiceResult) -> JsonObject:
    """Return the options of the filters of a list of edges, and whether any filter is set."""
    filters, type_ = request.filters, result.body["entity"]["type"]
    types = [target for start, target in context.vocabulary.edges[request.edge].pairs if start == type_]
    sources = view_models.filter_options(await _edge_sources(context, request, result), filters.source)
    known = result.release.sources  # the sources may be read from a release that is published in between
    titles = {id_: known[id_]["title"] for id_ in sources if id_ in known}
    return {
        "types": view_models.filter_options(types, filters.target_type),
        "bases": BASES,
        "source_titles": dict(sorted(titles.items(), key=lambda pair: pair[1].casefold())),
        "is_filtered": bool(replace(filters, sort=ANY_EDGE.sort)),
    }


async def _edge_sources(context: AppContext, request: NeighborsRequest, result: ServiceResult) -> list[str]:
    """Return the ids of the sources of all edges of a list, of which the result has one page.

    Of a list that is too long to read, these are all sources of the release.
    """
    if request.filters or len(result.body["results"]) < result.body["total"] <= MAX_SOURCE_EDGES:
        id_ = result.body["entity"]["id"]
        result = await context.service.neighbors(NeighborsRequest(request.type, id_, request.edge, MAX_SOURCE_EDGES))
    if result.body["total"] > MAX_SOURCE_EDGES:
        return list(result.release.sources)
    edges = result.body["results"]
    return list({id_: None for edge in edges for id_ in (*edge["sources"], *edge.get("school_sources", ()))})


async def _linked_entities(context: AppContext, address: ListAddress) -> list[LinkedEntity]:
    """Return the entities that the links of a list name."""
    if not address.links:
        return []
    references = {f"linked_to.{number}": EntityReference.parse(text) for number, (text, _) in enumerate(address.links)}
    resolved, _ = await resolve_entities(context.engine, references)
    return [
        LinkedEntity(
            resolved[name].card,
            context.vocabulary.edges[edge].label if edge else "",
            address.without_link(number).url,
        )
        for number, (name, (_, edge)) in enumerate(zip(references, address.links, strict=True))
    ]


async def _job_requirements(context: AppContext, renderer: Renderer, record: JsonObject) -> JsonObject:
    """Return the most important abilities of a job, the limitations that affect them, and solutions for those."""

    async def neighbors(url: str, edge: str, limit: int) -> JsonObject:
        _, type_, key = url.split("/")
        return renderer.body(await context.service.neighbors(NeighborsRequest(type_, key, edge, limit, 0, ())))

    abilities = await neighbors(record["url"], "requires", MAX_JOB_ABILITIES)
    affecting = await asyncio.gather(
        *(neighbors(ability["url"], "limited_by", RELATION_PAGE_SIZE) for ability in abilities["results"])
    )
    rows = [
        {"ability": ability, "limitations": body["results"]}
        for ability, body in zip(abilities["results"], affecting, strict=True)
    ]
    limitations = view_models.limitations_by_frequency(rows)[:MAX_JOB_LIMITATIONS]
    solutions = await asyncio.gather(
        *(neighbors(limitation["url"], "recommends", MAX_LIMITATION_SOLUTIONS) for limitation in limitations)
    )
    helped = [
        {"limitation": limitation, "solutions": body["results"], "total": body["total"]}
        for limitation, body in zip(limitations, solutions, strict=True)
    ]
    return {"total": abilities["total"], "rows": rows, "helped": helped}


def _entity_call(record: JsonObject) -> ApiCall:
    return ApiCall(record["url"], tool="get_entity", arguments={"id": record["id"]})


def _type_breadcrumb(card: JsonObject) -> Breadcrumbs:
    return ((labels.PLURAL_TYPES[card["type"]], f"/explore/{card['type']}"),)


def _with_offset(params: Params, offset: int) -> Params:
    return (*params, ("offset", str(offset))) if offset else params


def _arguments(**values: object) -> JsonObject:
    return {name: value for name, value in values.items() if value or value is False}


def _page_links(body: JsonObject) -> dict[str, str | None]:
    """Return the pages before and after this one, from the links of the API."""
    return {name: view_models.page_url(body[name]) for name in ("prev", "next")}
