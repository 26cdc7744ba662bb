"""Recommend, connections and compare pages: forms that keep their input and show the results below."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Self
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from pydantic import Field, model_validator
from starlette.responses import Response

from api import models
from api.context import AppContext
from api.errors import InvalidError
from api.explorer import view_models
from api.explorer.page_parameters import PageParameters, QueryText, QueryTexts
from api.explorer.reading_links import RECOMMEND, field_parts, leave_out_url, recommend_parts
from api.explorer.renderer import Page, Renderer
from api.explorer.view_models import ApiCall, query_params
from api.graph.connections import ConnectionsRequest
from api.graph.neighbors import NeighborsRequest
from api.graph.resolve import EntityReference
from api.http import envelope
from api.parameters import MAX_QUERY_LENGTH
from api.recommend.seeds import SEED_TYPES, RecommendQuery
from api.recommend.service import MAX_LIMIT
from api.telemetry.usage_counters import current_request
from schema.entity_kinds import SettingName
from schema.json_types import JsonObject

MAX_CONNECTIONS = 5
MAX_COMPARED = 500  # neighbors of each condition and edge
COMPARED_EDGES = ("has_limitation", "recommends")
INVALID = 422
From = Annotated[str | None, Query(alias="from", max_length=MAX_QUERY_LENGTH)]


class RecommendParameters(PageParameters):
    """Query parameters of the recommend page."""

    question: QueryText = None
    disability: QueryTexts = Field(default_factory=list)
    limitation: QueryTexts = Field(default_factory=list)
    work_function: QueryTexts = Field(default_factory=list)
    occupation: QueryTexts = Field(default_factory=list)
    exclude: QueryTexts = Field(default_factory=list, max_length=models.MAX_EXCLUDED)
    setting: SettingName | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] | None = None

    @model_validator(mode="after")
    def limit_seeds(self) -> Self:
        """Reject more seeds than a ranking can serve."""
        models.require_few_seeds(sum(len(getattr(self, name)) for name in SEED_TYPES))
        return self

    def values(self) -> dict[str, Any]:
        """Return the fields that are filled in, stripped of spaces: a text, or a list of several."""
        fields: dict[str, Any] = {"question": (self.question or "").strip(), "setting": self.setting or ""}
        for name in (*SEED_TYPES, "exclude"):
            texts = [text.strip() for text in getattr(self, name)]
            fields[name] = texts[0] if len(texts) == 1 else texts
        fields["limit"] = self.limit
        return {name: value for name, value in fields.items() if value}

    def query(self) -> RecommendQuery:
        """Return the same request as `POST /recommend`."""
        return RecommendQuery.parse(models.RecommendRequest(**self.values()))


@dataclass(frozen=True, slots=True)
class AmbiguousValue:
    """A form field whose text is the name of several entities: the one it was resolved to, and the others."""

    text: str
    entity: JsonObject
    alternatives: Sequence[JsonObject]  # cards, each with a `link` that selects it


@dataclass(frozen=True, slots=True)
class Form:
    """A form with its submitted values: sent blank, with problems, or with the results below."""

    template: str
    title: str
    fields: Sequence[str]
    values: Mapping[str, Any]
    context: AppContext
    renderer: Renderer
    request: Request

    async def send_problems(self, error: InvalidError) -> Response:
        """Return the form with its problems and links to the nearest names, as a 422."""
        values = {name: value for name, value in self.values.items() if value}
        problems = view_models.form_problems(error.problems, values, self.request.scope["path"])
        return await self.send_blank(f"{self.title}: not found", problems, INVALID)

    async def send_blank(
        self, title: str = "", problems: Sequence[view_models.FieldProblem] = (), status: int = 200
    ) -> Response:
        """Return the form without results."""
        graph = self.renderer.body(await self.context.service.graph())
        data = self._data(problems=problems, response=None, names={})
        page = Page(self.template, title or self.title, [graph], (), ((self.title, ""),), data, status)
        return self.renderer.send(page, self.request)

    def send_results(self, title: str, bodies: Sequence[JsonObject], calls: Sequence[ApiCall], **data: Any) -> Response:  # noqa: ANN401 - template data
        """Return the form with results."""
        breadcrumbs = ((self.title, self.request.scope["path"]), ("Results", ""))
        data = self._data(problems=(), response=bodies[0], **data)
        return self.renderer.send(Page(self.template, title, bodies, calls, breadcrumbs, data), self.request)

    def _data(self, **data: Any) -> JsonObject:  # noqa: ANN401 - template data
        return {"values": self.values, "fields": self.fields, **data}

    async def split_ambiguities(
        self, body: JsonObject, entities: Mapping[str, JsonObject]
    ) -> tuple[JsonObject, list[AmbiguousValue]]:
        """Move the warnings about ambiguous names from the body to a list that links the alternatives."""
        found = view_models.ambiguous_ids(body.get("warnings") or ())
        ids_by_field = {field: ids for field, ids in found.items() if field in entities}
        if not ids_by_field:
            return body, []
        ids_by_type: dict[str, list[str]] = {}
        for id_ in dict.fromkeys(id_ for ids in ids_by_field.values() for id_ in ids):
            ids_by_type.setdefault(id_.partition(":")[0], []).append(id_)
        batches = await asyncio.gather(*(self.context.service.batch(type_, ids) for type_, ids in ids_by_type.items()))
        cards = {card["id"]: card for batch in batches for card in batch.body["results"]}
        path = self.request.scope["path"]
        ambiguous = [
            AmbiguousValue(
                self.values[field],
                entities[field],
                [
                    {**cards[id_], "link": f"{path}?{urlencode({**self.values, field: id_}, doseq=True)}"}
                    for id_ in ids
                    if id_ in cards
                ],
            )
            for field, ids in ids_by_field.items()
        ]
        warnings = [warning for warning in body["warnings"] if warning["parameter"] not in ids_by_field]
        return {**body, "warnings": warnings}, ambiguous


def add_form_pages(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    """Add the three forms."""
    _add_recommend(router, context, renderer)
    _add_connections(router, context, renderer)
    _add_compare(router, context, renderer)


def _add_recommend(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/recommend.json")
    async def recommend_json(request: Request, parameters: Annotated[RecommendParameters, Query()]) -> Response:
        """Return the response of `POST /recommend` at a URL that can be linked."""
        body = renderer.body(await context.service.recommend(parameters.query()))
        if_none_match = request.headers.get("if-none-match")
        return context.envelope.respond_content(envelope.dumps(body), envelope.JSON, if_none_match)

    @router.get("/explore/recommend")
    async def recommend(request: Request, parameters: Annotated[RecommendParameters, Query()]) -> Response:
        """Rank accommodations, each with the path that leads to it."""
        values = parameters.values()
        title = "Recommended accommodations"
        form = Form("recommend.html", title, tuple(SEED_TYPES), values, context, renderer, request)
        if not any(values.get(name) for name in ("question", *SEED_TYPES)):
            return await form.send_blank()
        try:
            body = renderer.body(await context.service.recommend(parameters.query()))
        except InvalidError as error:
            return await form.send_problems(error)
        current_request().add_result(body)
        link = f"/explore/recommend.json?{urlencode(values, doseq=True)}"
        call = ApiCall("/recommend", body=values, tool="recommend_accommodations", arguments=values, link=link)
        seeds = {seed["field"]: seed["entity"] for seed in body["seeds"] if isinstance(values.get(seed["field"]), str)}
        body, ambiguous = await form.split_ambiguities(body, seeds)
        title = f"Accommodations for {', '.join(seed['entity']['name'] for seed in body['seeds'])}"
        best = max((recommendation["score"] for recommendation in body["results"]), default=1) or 1
        read = recommend_parts(body["reading"], values) if body["reading"] else []
        shown = {
            "read_parts": [*read, *field_parts(body["seeds"], values)],
            "names": {seed["given"]: seed["entity"]["name"] for seed in body["seeds"] if _is_key(seed)},
            "more_link": view_models.more_link(values, body, RECOMMEND),
            "leave_out_url": partial(leave_out_url, values),
        }
        return form.send_results(title, [body], [call], best_score=best, ambiguous=ambiguous, **shown)


def _is_key(seed: Mapping[str, Any]) -> bool:
    """Return whether a seed was given by its id or slug, which mean little to a person."""
    card = seed["entity"]
    return seed["given"] in {card["id"], card["slug"]}


def _add_connections(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/connections")
    async def connections(request: Request, from_: From = None, to: QueryText = None) -> Response:
        """Show how two entities are connected."""
        values = {"from": (from_ or "").strip(), "to": (to or "").strip()}
        form = Form("connections.html", "Find connections", ("from", "to"), values, context, renderer, request)
        if not all(values.values()):
            return await form.send_blank()
        try:
            ends = ConnectionsRequest.parse(values["from"], values["to"], MAX_CONNECTIONS)
            body = renderer.body(await context.service.connections(ends))
        except InvalidError as error:
            return await form.send_problems(error)
        current_request().add_result(body)
        params = query_params((*values.items(), ("limit", MAX_CONNECTIONS)))
        call = ApiCall("/connections", params, tool="connections", arguments=values)
        entities = {field: body[field]["entity"] for field in values}
        body, ambiguous = await form.split_ambiguities(body, entities)
        title = f"Connections between {entities['from']['name']} and {entities['to']['name']}"
        return form.send_results(title, [body], [call], ambiguous=ambiguous)


def _add_compare(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/compare")
    async def compare(request: Request, first: QueryText = None, second: QueryText = None) -> Response:
        """Compare the limitations and accommodations of two conditions."""
        values = {"first": (first or "").strip(), "second": (second or "").strip()}
        form = Form("compare.html", "Compare two conditions", ("first", "second"), values, context, renderer, request)
        if not all(values.values()):
            return await form.send_blank()
        try:
            connection = await _connect(context, renderer, values)
        except InvalidError as error:
            return await form.send_problems(_with_form_fields(error))
        pair = [connection["from"]["entity"], connection["to"]["entity"]]
        neighbors = [
            NeighborsRequest("disability", card["slug"], edge, MAX_COMPARED) for edge in COMPARED_EDGES for card in pair
        ]
        bodies = [renderer.body(result) for result in await asyncio.gather(*map(context.service.neighbors, neighbors))]
        calls = [_neighbors_call(card, edge) for edge in COMPARED_EDGES for card in pair]
        results = [body["results"] for body in bodies]
        data = {
            "pair": pair,
            "limitations": view_models.compare(*results[:2]),
            "solutions": view_models.compare(*results[2:]),
        }
        title = f"{pair[0]['name']} and {pair[1]['name']} compared"
        return form.send_results(title, [connection, *bodies], calls, **data)


def _neighbors_call(card: JsonObject, edge: str) -> ApiCall:
    params = (("edge", edge), ("limit", str(MAX_COMPARED)))
    arguments = {"id": card["id"], "edge": edge, "limit": MAX_COMPARED}
    return ApiCall(f"{card['url']}/neighbors", params, tool="get_related", arguments=arguments)


async def _connect(context: AppContext, renderer: Renderer, values: Mapping[str, str]) -> JsonObject:
    """Resolve both conditions by any of their names and return how they are connected."""
    start, end = (EntityReference.parse(text, "disability") for text in values.values())
    return renderer.body(await context.service.connections(ConnectionsRequest(start, end, MAX_CONNECTIONS)))


def _with_form_fields(error: InvalidError) -> InvalidError:
    """Return the problems with the field names of the compare form."""
    fields = {"from": "first", "to": "second"}
    return InvalidError(
        [{**problem, "loc": [fields.get(str(part), part) for part in problem["loc"]]} for problem in error.problems]
    )
