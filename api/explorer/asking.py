"""Pages to ask: what helps, how two things are connected, how two conditions compare. Forms keep what was typed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import BeforeValidator
from starlette.responses import Response

from api import envelope, models
from api.connecting import Between
from api.errors import InvalidError, MovedError
from api.explorer import shapes
from api.explorer.calls import Call, given
from api.explorer.looking import Setting, Words, blank, sealed
from api.explorer.rendering import Page
from api.naming import SEED_TYPES
from api.neighbors import Walk
from api.observation import current
from api.routes import LONGEST_QUERY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import APIRouter

    from api.explorer.rendering import Renderer
    from api.routes import Door

Body = dict[str, Any]
RECOMMENDED, CONNECTED, COMPARED = 20, 5, 500
INVALID = 422
From = Annotated[str | None, Query(alias="from", max_length=LONGEST_QUERY), BeforeValidator(blank)]


def asking(router: APIRouter, door: Door, renderer: Renderer) -> None:
    """The three forms."""
    _recommend_json(router, door)
    _recommend(router, door, renderer)
    _connections(router, door, renderer)
    _compare(router, door, renderer)


def _recommend_json(router: APIRouter, door: Door) -> None:
    @router.get("/explore/recommend.json")
    async def recommend_json(
        disability: Words = None,
        limitation: Words = None,
        work_function: Words = None,
        occupation: Words = None,
        setting: Setting = None,
    ) -> Response:
        """Give what `POST /recommend` gives, at an address that a link can lead to."""
        asked = _asked(disability, limitation, work_function, occupation, setting)
        body = sealed(door, await door.answers.recommend(models.RecommendRequest(**asked)))
        headers = {"Cache-Control": door.envelope.cache}
        return Response(envelope.dumps(body), media_type=envelope.JSON, headers=headers)


def _recommend(router: APIRouter, door: Door, renderer: Renderer) -> None:
    @router.get("/explore/recommend")
    async def recommend(
        request: Request,
        disability: Words = None,
        limitation: Words = None,
        work_function: Words = None,
        occupation: Words = None,
        setting: Setting = None,
    ) -> Response:
        """Rank what helps, with the chain that leads to each."""
        asked = _asked(disability, limitation, work_function, occupation, setting)
        form = _Form("recommend.html", "What helps?", asked, tuple(SEED_TYPES))
        if not any(asked.get(name) for name in SEED_TYPES):
            return await form.empty(door, renderer, request)
        try:
            body = sealed(door, await door.answers.recommend(models.RecommendRequest(**asked)))
        except InvalidError as error:
            return await form.refused(error, door, renderer, request)
        current().answered(body)
        call = Call(
            "/recommend",
            body=asked,
            tool="recommend_accommodations",
            arguments=asked,
            link=f"/explore/recommend.json?{urlencode(asked)}",
        )
        seeds = {one["field"]: one["entity"] for one in body["seeds"]}
        body, choices = await _choices(door, body, asked, seeds, request.url.path)
        title = f"What helps: {', '.join(seed['entity']['name'] for seed in body['seeds'])}"
        most = max((one["score"] for one in body["results"]), default=1) or 1
        return form.answered(title, [body], (call,), {"most": most, "choices": choices}, renderer, request)


def _asked(*values: str | None) -> Body:
    names = (*SEED_TYPES, "setting")
    return {name: value.strip() for name, value in zip(names, values, strict=True) if value and value.strip()}


def _connections(router: APIRouter, door: Door, renderer: Renderer) -> None:
    @router.get("/explore/connections")
    async def connections(request: Request, from_: From = None, to: Words = None) -> Response:
        """Explain how two entities are connected."""
        asked = {"from": (from_ or "").strip(), "to": (to or "").strip()}
        form = _Form("connections.html", "How are these connected?", asked, ("from", "to"))
        if not all(asked.values()):
            return await form.empty(door, renderer, request)
        try:
            body = sealed(door, await door.answers.connections(Between(asked["from"], asked["to"], CONNECTED)))
        except InvalidError as error:
            return await form.refused(error, door, renderer, request)
        current().answered(body)
        params = given((*asked.items(), ("limit", CONNECTED)))
        call = Call("/connections", params, tool="connections", arguments=asked)
        ends = {name: body[name]["entity"] for name in asked}
        body, choices = await _choices(door, body, asked, ends, request.url.path)
        title = f"{ends['from']['name']} and {ends['to']['name']}: how they are connected"
        return form.answered(title, [body], (call,), {"choices": choices}, renderer, request)


async def _choices(
    door: Door, body: Body, asked: Mapping[str, str], taken: Mapping[str, Body], path: str
) -> tuple[Body, list[Body]]:
    """The answer without its warnings of namesakes, and each as what was typed, what it was taken for, and links."""
    found = shapes.namesakes(body.get("warnings") or ())
    if not found:
        return body, []
    by_type: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for names in found.values() for name in names):
        by_type.setdefault(name.partition(":")[0], []).append(name)
    replies = await asyncio.gather(*(door.answers.batch(kind, names) for kind, names in by_type.items()))
    cards = {one["id"]: one for reply in replies for one in reply.body["results"]}
    choices = [
        {
            "given": asked[field],
            "taken": taken[field],
            "others": [
                {**cards[name], "link": f"{path}?{urlencode({**asked, field: name})}"}
                for name in names
                if name in cards
            ],
        }
        for field, names in found.items()
    ]
    return {**body, "warnings": [one for one in body["warnings"] if one["parameter"] not in found]}, choices


def _compare(router: APIRouter, door: Door, renderer: Renderer) -> None:
    @router.get("/explore/compare")
    async def compare(request: Request, first: Words = None, second: Words = None) -> Response:
        """Set two conditions side by side."""
        asked = {"first": (first or "").strip(), "second": (second or "").strip()}
        form = _Form("compare.html", "Compare two conditions", asked, ("first", "second"))
        if not all(asked.values()):
            return await form.empty(door, renderer, request)
        try:
            joined = await _joined(door, asked)
        except InvalidError as error:
            return await form.refused(_renamed(error), door, renderer, request)
        pair = [joined["from"]["entity"], joined["to"]["entity"]]
        edges = ("has_limitation", "recommends")
        walks = [Walk("disability", one["slug"], edge, COMPARED) for edge in edges for one in pair]
        found = [sealed(door, reply) for reply in await asyncio.gather(*map(door.answers.neighbors, walks))]
        calls = [
            Call(
                f"/disability/{one.given}/neighbors",
                (("edge", one.edge), ("limit", str(COMPARED))),
                tool="get_related",
                arguments={"id": f"disability:{one.given}", "edge": one.edge, "limit": COMPARED},
            )
            for one in walks
        ]
        shown = {
            "pair": pair,
            "limitations": shapes.shared(found[0]["results"], found[1]["results"]),
            "solutions": shapes.shared(found[2]["results"], found[3]["results"]),
        }
        title = f"{pair[0]['name']} and {pair[1]['name']} compared"
        return form.answered(title, [joined, *found], calls, shown, renderer, request)


async def _joined(door: Door, asked: Mapping[str, str]) -> Body:
    """Both conditions by whatever they are called, and how they are connected; a retired id is followed."""
    start, end = (one if one.startswith("disability:") else f"disability:{one}" for one in asked.values())
    try:
        return sealed(door, await door.answers.connections(Between(start, end, CONNECTED)))
    except MovedError as moved:
        heir = str(moved.extra["moved_to"])
        old = moved.detail.partition(" ")[0]
        pair = [heir if one == old else one for one in (start, end)]
        return sealed(door, await door.answers.connections(Between(pair[0], pair[1], CONNECTED)))


def _renamed(error: InvalidError) -> InvalidError:
    """The same problems under the names of the form's fields."""
    names = {"from": "first", "to": "second"}
    return InvalidError([{**one, "loc": [names.get(str(part), part) for part in one["loc"]]} for one in error.problems])


class _Form:
    """One form: empty, refused with the nearest that would do, or with its answer."""

    def __init__(self, template: str, name: str, asked: Mapping[str, str], fields: Sequence[str]) -> None:
        self._template = template
        self._name = name
        self._shown: Body = {"asked": asked, "fields": fields, "problems": [], "answer": None}

    async def empty(self, door: Door, renderer: Renderer, request: Request) -> Response:
        """The form, with nothing asked yet."""
        graph = sealed(door, await door.answers.graph())
        page = Page(self._template, self._name, [graph], (), ((self._name, ""),), self._shown)
        return renderer.send(page, request)

    async def refused(self, error: InvalidError, door: Door, renderer: Renderer, request: Request) -> Response:
        """The form with what does not fit, and links that ask for the nearest instead."""
        graph = sealed(door, await door.answers.graph())
        asked = {name: value for name, value in self._shown["asked"].items() if value}
        shown = {**self._shown, "problems": shapes.mending(error.problems, asked, request.url.path)}
        page = Page(self._template, f"{self._name} Not found", [graph], (), ((self._name, ""),), shown, INVALID)
        return renderer.send(page, request)

    def answered(
        self,
        title: str,
        bodies: Sequence[Body],
        calls: Sequence[Call],
        shown: Mapping[str, Any],
        renderer: Renderer,
        request: Request,
    ) -> Response:
        """The form with its answer below."""
        shown = {**self._shown, "answer": bodies[0], **shown}
        crumbs = ((self._name, request.url.path), ("Answer", ""))
        return renderer.send(Page(self._template, title, bodies, calls, crumbs, shown), request)
