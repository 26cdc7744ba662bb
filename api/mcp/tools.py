"""The table of MCP tools: arguments, service call and text of each.

The results of `search` and `fetch` are documents with an address to cite, for research connectors.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import orjson

from api import models
from api.errors import InvalidError, MovedError, NotFoundError, ServiceError
from api.graph import query_bodies
from api.graph.connections import ConnectionsRequest
from api.graph.edge_filters import EdgeFilters
from api.graph.linked_lists import ListPage
from api.graph.neighbors import NeighborsRequest
from api.graph.resolve import EntityReference
from api.mcp import text
from api.mcp.arguments import (
    Arguments,
    ConditionsArguments,
    ConnectionArguments,
    EntityArguments,
    FetchArguments,
    FindArguments,
    ListArguments,
    NoArguments,
    RecommendArguments,
    RelatedArguments,
    SearchArguments,
    query_parameters,
)
from api.mcp.question_text import GUIDE_ID, guide_address, guide_document
from api.parameters import MAX_ID_LENGTH
from api.recommend.seeds import RecommendQuery
from api.result import ServiceResult, ambiguity_warnings, request_warning, single_page, unused_without_warning
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from schema.entity_kinds import type_noun
from schema.json_types import JsonObject
from schema.text import with_article

DOCUMENT_HITS = 10  # results of `search`, which has no `limit`
ESCAPES = 200  # characters that JSON adds to the text of a document, for line ends and quotes
ENTITY = "akg://entity"
LINK_NAMES = ("edge", "inherited")  # arguments of `list_entities` that need `linked_to`


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` gets `arguments`; `shape` turns the wrapped body into the full result; `text` renders it.

    `text_arguments` are the arguments that `text` needs beside the body.
    """

    name: str
    arguments: type[Arguments]
    run: Callable[[GraphService, Any], Awaitable[ServiceResult]]
    text: Callable[..., str]
    shape: Callable[[dict[str, Any], str], dict[str, Any]] = lambda body, _: body
    text_arguments: tuple[str, ...] = ()

    def render(self, body: Mapping[str, Any], arguments: Arguments) -> str:
        """Return the text of a full result."""
        return self.text(body, **{name: getattr(arguments, name) for name in self.text_arguments})


async def _search(service: GraphService, arguments: SearchArguments) -> ServiceResult:
    request = SearchRequest(
        ParsedQuery.parse(arguments.query),
        tuple(arguments.scope),
        arguments.limit,
        arguments.offset,
        synonyms=arguments.synonyms == "on",
        spelling=arguments.spelling == "on",
        setting=arguments.setting,
        loose=arguments.matching == "loose",
    )
    return await service.search(request, query_parameters(arguments))


async def _entity(service: GraphService, arguments: EntityArguments) -> ServiceResult:
    return await _request_by_id(service, arguments.id, arguments.type, service.entity)


async def _entities(service: GraphService, arguments: ListArguments) -> ServiceResult:
    wanted = {"setting": arguments.setting, "grouping": arguments.grouping, "kind": arguments.kind}
    applicable, filters = query_bodies.list_filters(arguments.type, wanted)
    unused = [name for name, value in wanted.items() if value and name not in applicable]
    params = [pair for pair in query_parameters(arguments) if pair[0] not in unused]
    page = ListPage(arguments.inherited, arguments.limit, arguments.offset, filters, params)
    result = await service.entities(arguments.type, page, arguments.linked_to, arguments.edge)
    reason = f"had no effect: it does not apply to the type {arguments.type}."
    warnings = [request_warning(name, f"{name} {reason}") for name in unused]
    if not arguments.linked_to:
        sent = {name for name, _ in params}
        warnings += [unused_without_warning(name, "linked_to") for name in LINK_NAMES if name in sent]
    return _with_warnings(result, *warnings)


async def _related(service: GraphService, arguments: RelatedArguments) -> ServiceResult:
    names = {field.name for field in fields(EdgeFilters)}
    filters = EdgeFilters(**arguments.model_dump(include=names))

    async def follow(kind: str, key: str) -> ServiceResult:
        params = tuple(query_parameters(arguments))
        request = NeighborsRequest(kind, key, arguments.edge, arguments.limit, arguments.offset, params, filters)
        return await service.neighbors(request)

    return await _request_by_id(service, arguments.id, arguments.type, follow)


async def _recommend(service: GraphService, arguments: RecommendArguments) -> ServiceResult:
    values = arguments.model_dump(exclude_unset=True, exclude={"detail"})
    request = models.RecommendRequest(**{name: value for name, value in values.items() if value != []})
    return await service.recommend(RecommendQuery.parse(request))


async def _conditions(service: GraphService, arguments: ConditionsArguments) -> ServiceResult:
    async def related(type_name: str, key: str) -> ServiceResult:
        limit = text.MAX_RELATED if arguments.other else arguments.limit
        return await service.related(EntityReference.parse(key, type_name), limit)

    result = await _request_by_id(service, arguments.id, "disability", related)
    if not arguments.other:
        return result
    other = (await _request_by_id(service, arguments.other, "disability", service.entity)).body
    matches = [card for card in result.body["results"] if card["id"] == other["id"]]
    compared = replace(result, body={**result.body, "results": matches, **single_page(len(matches), arguments.limit)})
    if matches:
        return compared
    message = (
        f"{other['name']} is not among the {text.MAX_RELATED} conditions most related to "
        f"{result.body['entity']['name']}. For the limitations of each: get_related with edge=has_limitation."
    )
    return _with_warnings(compared, request_warning("other", message))


async def _connections(service: GraphService, arguments: ConnectionArguments) -> ServiceResult:
    return await service.connections(ConnectionsRequest.parse(arguments.start, arguments.end, arguments.limit))


async def _graph(service: GraphService, _: NoArguments) -> ServiceResult:
    return await service.graph()


async def _find(service: GraphService, arguments: FindArguments) -> ServiceResult:
    return await service.search(
        SearchRequest(ParsedQuery.parse(arguments.query), limit=DOCUMENT_HITS), query_parameters(arguments)
    )


async def _fetch(service: GraphService, arguments: FetchArguments) -> ServiceResult:
    if arguments.id.startswith(GUIDE_ID):
        return await service.guide(arguments.id.removeprefix(GUIDE_ID))
    return await _request_by_id(service, arguments.id, None, service.entity)


async def _request_by_id(
    service: GraphService,
    entity_id: str,
    type_name: str | None,
    request: Callable[[str, str], Awaitable[ServiceResult]],
) -> ServiceResult:
    """Request the entity of an id, the one that replaced it, or the only one with this slug or name."""
    reference = parse_id(entity_id, type_name)
    unknown = None
    if reference.type:
        try:
            return await request(reference.type, reference.query.raw)
        except MovedError as moved:
            new_id = str(moved.extra["moved_to"])
            result = await request(*_split_id(new_id))
            message = f"{reference.type}:{reference.query.raw} is now {new_id}."
            return _with_warnings(result, request_warning("id", message, new_id))
        except NotFoundError as error:
            unknown = error
    entity = await service.resolve(reference, unknown)
    result = await request(*_split_id(entity.card["id"]))
    return _with_warnings(result, *ambiguity_warnings("id", entity.text, entity.card, entity.alternatives))


def _split_id(entity_id: str) -> tuple[str, str]:
    type_name, _, key = entity_id.partition(":")
    return type_name, key


def parse_id(entity_id: str, type_name: str | None) -> EntityReference:
    """Return what an id names; raise InvalidError if it begins with another type than the given one."""
    reference = EntityReference.parse(entity_id)
    if type_name and reference.type not in ("", type_name):
        actual, expected = with_article(type_noun(reference.type)), with_article(type_noun(type_name))
        message = f"id: {entity_id[:MAX_ID_LENGTH]!r} is {actual}; this tool needs {expected}."
        raise InvalidError([{"loc": ["id"], "msg": message, "type": "unknown_type"}])
    return replace(reference, type=reference.type or type_name or "")


def _with_warnings(result: ServiceResult, *warnings: JsonObject) -> ServiceResult:
    if not warnings:
        return result
    return replace(result, body={**result.body, "warnings": [*result.body.get("warnings", []), *warnings]})


def error_text(error: ServiceError) -> str:
    """Return the text from which a model can correct its call."""
    if isinstance(error, InvalidError):
        return "\n".join(_problem_text(problem) for problem in error.problems)
    if isinstance(error, NotFoundError):
        message = error.detail.partition(" Nearest: ")[0]
        return f"{message}{_nearest(error.extra.get('suggestions', ()))} search_accommodations finds ids by name."
    return f"{error.title}: {error.detail} The data was not searched; this is not an empty result."


def _problem_text(problem: Mapping[str, Any]) -> str:
    """Return a problem with the ids of the nearest entities, which REST has in `ctx`."""
    nearest = problem.get("ctx", {}).get("nearest")
    if not isinstance(nearest, list):
        return str(problem["msg"])
    message = str(problem["msg"]).partition("; nearest: ")[0]
    return f"{message}.{_nearest(nearest)}{'' if nearest else ' search_accommodations finds ids by other words.'}"


def _nearest(cards: Sequence[Mapping[str, Any]]) -> str:
    shown = ", ".join(f"{card['name']} [{card['id']}]" for card in cards)
    return f" Nearest: {shown}." if shown else ""


def address(card: Mapping[str, Any], base: str) -> str:
    """Return the address of an entity: under `base`, or as a resource if the service has no address (stdio)."""
    return f"{base}{card['url']}" if base else f"{ENTITY}{card['url']}"


def document_hits(body: Mapping[str, Any], base: str) -> JsonObject:
    """Return the result of `search` for a SearchPage."""
    guides = [
        {"id": f"{GUIDE_ID}{guide['id']}", "title": guide["title"], "url": guide_address(guide, base)}
        for guide in body["guides"]  # one for a crisis comes first
    ]
    hits = [{"id": card["id"], "title": card["name"], "url": address(card, base)} for card in body["results"]]
    return {"results": [*guides, *hits], "provenance": body["provenance"], "notice": body["notice"]}


def document(body: Mapping[str, Any], base: str) -> JsonObject:
    """Return the result of `fetch` for a Record or a Guide."""
    if "links" in body:
        return guide_document(body, base)
    metadata = {
        "type": body["type"],
        "data_version": str(body["provenance"]["data_version"]),
        "licences": "; ".join(map(_terms, body["sources"])),
        "notice": body["notice"]["text"],
        **body["external_ids"],
    }
    found = {
        "id": body["id"],
        "title": body["name"],
        "text": "",
        "url": address(body, base),
        "metadata": metadata,
        "provenance": body["provenance"],
        "notice": body["notice"],
    }
    room = text.MAX_TEXT - len(as_json(found)) - ESCAPES
    return {**found, "text": text.entity_text(body, room)}


def _terms(source: Mapping[str, Any]) -> str:
    """Return the title, the licence and where it can be read, if the release has the address."""
    address = f" ({url})" if (url := source.get("licence_url")) else ""
    return f"{source['title']}: {source['licence']}{address}"


def as_json(body: Mapping[str, Any]) -> str:
    """Return the text content of `search` and `fetch`: JSON without the list of sources, which `_meta` has."""
    return orjson.dumps({name: value for name, value in body.items() if name != "provenance"}).decode()


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("search_accommodations", SearchArguments, _search, text.search_text),
        Tool("recommend_accommodations", RecommendArguments, _recommend, text.recommend_text),
        Tool("get_entity", EntityArguments, _entity, text.entity_text),
        Tool("get_related", RelatedArguments, _related, text.neighbors_text, text_arguments=("sort",)),
        Tool("related_conditions", ConditionsArguments, _conditions, text.related_text),
        Tool("connections", ConnectionArguments, _connections, text.connections_text),
        Tool("list_entities", ListArguments, _entities, text.cards_text),
        Tool("describe_graph", NoArguments, _graph, text.graph_text),
        Tool("search", FindArguments, _find, as_json, document_hits),
        Tool("fetch", FetchArguments, _fetch, as_json, document),
    )
}
