"""Pages to look things up: search, lists, one entity, its relations page by page, its neighborhood as a graph."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query, Request
from pydantic import BeforeValidator
from starlette.responses import Response  # noqa: TC002 - read by the framework from the annotations

from api import listing, queries
from api.explorer import shapes, wording
from api.explorer.calls import Call, given
from api.explorer.rendering import Page
from api.models import ConditionKind, SettingName, TypeName
from api.neighbors import Walk
from api.observation import current
from api.routes import LONGEST_QUERY, GroupingQuery, IdPath, Offset, SearchOffset, TypePath

if TYPE_CHECKING:
    from fastapi import APIRouter

    from api.explorer.rendering import Crumbs, Renderer
    from api.results import Reply
    from api.routes import Door

Body = dict[str, Any]
RESULTS, LISTED, EDGES, RELATED = 20, 50, 50, 5
IN_GRAPH = 10  # neighbors of each relation in the picture
TOUCHED, HELPED = 10, 3  # abilities of a job that are looked at, and accommodations for each limitation
MOST_HELPED = 12  # limitations of a job that are shown with what helps


def blank(value: object) -> object:
    """Fields of a form that were left empty count as not given."""
    return None if value in ("", [""]) else value


Words = Annotated[str | None, Query(max_length=LONGEST_QUERY), BeforeValidator(blank)]
Scopes = Annotated[list[TypeName] | None, Query(), BeforeValidator(blank)]
Setting = Annotated[SettingName | None, Query(), BeforeValidator(blank)]
Kind = Annotated[ConditionKind | None, Query(), BeforeValidator(blank)]


def sealed(door: Door, reply: Reply) -> Body:
    """The body that the JSON route of this question sends."""
    return door.envelope.sealed(reply)


def searching(router: APIRouter, door: Door, renderer: Renderer) -> None:
    """The search page."""

    @router.get("/explore/search")
    async def search(
        request: Request,
        query: Words = None,
        scope: Scopes = None,
        setting: Setting = None,
        offset: SearchOffset = 0,
        spelling: Annotated[str, Query()] = "on",
    ) -> Response:
        """Search, with the reason of each hit."""
        crumbs: Crumbs = (("Search", ""),)
        words = (query or "").strip()
        shown: Body = {"query": words, "scope": scope or [], "setting": setting or "", "answer": None}
        if not words:
            graph = sealed(door, await door.answers.graph())
            return renderer.send(Page("search.html", "Search", [graph], (), crumbs, shown), request)
        on = spelling != "off"
        params = given((("query", words), *(("scope", one) for one in scope or ()), ("setting", setting)))
        params += () if on else (("spelling", "off"),)
        ask = queries.Search(words, tuple(scope or ()), RESULTS, offset, spelling=on, setting=setting)
        body = sealed(door, await door.answers.search(ask, params))
        current().answered(body)
        call = Call(
            "/search",
            (*params, ("offset", str(offset))) if offset else params,
            tool="search_accommodations",
            arguments=_arguments(query=words, scope=scope, setting=setting, offset=offset),
        )
        shown |= {"answer": body, "facets": shapes.facets(body, words, scope or [], setting), "paged": _pages(body)}
        title = f"Search: {wording.shortened(words, 60)}"
        return renderer.send(Page("search.html", title, [body], (call,), crumbs, shown), request)


def browsing(router: APIRouter, door: Door, renderer: Renderer) -> None:
    """Lists and entities. `graph` is no edge, so its path comes first."""
    _picture(router, door, renderer)
    _relation(router, door, renderer)
    _entity(router, door, renderer)
    _entities(router, door, renderer)


def _picture(router: APIRouter, door: Door, renderer: Renderer) -> None:
    @router.get("/explore/{type}/{id}/graph")
    async def picture(request: Request, type_: TypePath, id_: IdPath) -> Response:
        """Draw what an entity is joined to."""
        body = sealed(door, await door.answers.entity(door.type_named(type_), id_))
        crumbs = (*_above(body), (body["name"], wording.page_of(body["url"])), ("Neighborhood", ""))
        shown = {"entity": body, "groups": shapes.picture(body, IN_GRAPH)}
        page = Page("graph.html", f"Neighborhood of {body['name']}", [body], (_record(body),), crumbs, shown)
        return renderer.send(page, request)


def _relation(router: APIRouter, door: Door, renderer: Renderer) -> None:
    @router.get("/explore/{type}/{id}/{edge}")
    async def relation(request: Request, type_: TypePath, id_: IdPath, edge: str, offset: Offset = 0) -> Response:
        """List what an entity is joined to by one edge."""
        params = given((("edge", edge), ("limit", EDGES)))
        walk = Walk(door.type_named(type_), id_, edge, EDGES, offset, params)
        body = sealed(door, await door.answers.neighbors(walk))
        entity = body["entity"]
        current().answered(body)
        call = Call(
            f"{entity['url']}/neighbors",
            (*params, ("offset", str(offset))) if offset else params,
            tool="get_related",
            arguments=_arguments(id=entity["id"], edge=edge, limit=EDGES, offset=offset),
        )
        label = door.vocabulary.edges[edge].label
        crumbs = (*_above(entity), (entity["name"], wording.page_of(entity["url"])), (label.capitalize(), ""))
        shown = {"entity": entity, "answer": body, "label": label, "paged": _pages(body)}
        page = Page("relation.html", f"{entity['name']} {label}", [body], (call,), crumbs, shown)
        return renderer.send(page, request)


def _entity(router: APIRouter, door: Door, renderer: Renderer) -> None:
    @router.get("/explore/{type}/{id}")
    async def entity(request: Request, type_: TypePath, id_: IdPath) -> Response:
        """Show everything about one entity."""
        body = sealed(door, await door.answers.entity(door.type_named(type_), id_))
        bodies, calls = [body], [_record(body)]
        shown: Body = {"entity": body, "related": None, "needs": None}
        if body["type"] == "disability":
            shown["related"] = sealed(door, await door.answers.related(body["slug"], RELATED))
            bodies.append(shown["related"])
            path = f"/related_conditions/{body['slug']}"
            arguments = {"id": body["id"], "limit": RELATED}
            calls.append(Call(path, (("limit", str(RELATED)),), tool="related_conditions", arguments=arguments))
        if body["type"] == "occupation":
            shown["needs"] = await _needs(door, body)
        return renderer.send(
            Page("entity.html", body["name"], bodies, tuple(calls), (*_above(body), (body["name"], "")), shown), request
        )


def _entities(router: APIRouter, door: Door, renderer: Renderer) -> None:
    @router.get("/explore/{type}")
    async def entities(
        request: Request,
        type_: TypePath,
        offset: Offset = 0,
        setting: Setting = None,
        grouping: GroupingQuery = None,
        kind: Kind = None,
    ) -> Response:
        """List all entities of a type."""
        name = door.type_named(type_)
        wanted = {"setting": setting, "grouping": grouping, "kind": kind}
        own, filters = listing.narrowed(name, wanted)
        params = given((("limit", LISTED), *((one, wanted[one]) for one in own)))
        body = sealed(door, await door.answers.entities(name, LISTED, offset, params, filters))
        current().answered(body)
        call = Call(
            f"/{name}",
            (*params, ("offset", str(offset))) if offset else params,
            tool="list_entities",
            arguments=_arguments(type=name, **filters, limit=LISTED, offset=offset),
        )
        title = wording.MANY[name]
        shown = {"type": name, "says": door.vocabulary.types[name], "answer": body, "own": own, "wanted": wanted}
        shown["paged"] = _pages(body)
        return renderer.send(Page("list.html", title, [body], (call,), ((title, ""),), shown), request)


async def _needs(door: Door, record: Body) -> Body:
    """What a job asks for most, which limitations can touch it, and what helps with those."""
    asked = await _neighbors(door, record["url"], "requires", TOUCHED)
    touching = await asyncio.gather(
        *(_neighbors(door, ability["url"], "limited_by", EDGES) for ability in asked["results"])
    )
    rows = [
        {"ability": ability, "limitations": body["results"]}
        for ability, body in zip(asked["results"], touching, strict=True)
    ]
    limitations = shapes.most_touching(rows)[:MOST_HELPED]
    helping = await asyncio.gather(*(_neighbors(door, one["url"], "recommends", HELPED) for one in limitations))
    helped = [
        {"limitation": one, "solutions": body["results"], "total": body["total"]}
        for one, body in zip(limitations, helping, strict=True)
    ]
    return {"total": asked["total"], "rows": rows, "helped": helped}


async def _neighbors(door: Door, url: str, edge: str, limit: int) -> Body:
    _, kind, key = url.split("/")
    return sealed(door, await door.answers.neighbors(Walk(kind, key, edge, limit, 0, ())))


def _record(body: Body) -> Call:
    return Call(body["url"], tool="get_entity", arguments={"id": body["id"]})


def _above(card: Body) -> Crumbs:
    return ((wording.MANY[card["type"]], f"/explore/{card['type']}"),)


def _arguments(**values: object) -> Body:
    return {name: value for name, value in values.items() if value}


def _pages(body: Body) -> Body:
    """Links to the pages before and after, made of those that the API gives."""
    return {name: shapes.page_link(body[name]) for name in ("prev", "next")}
