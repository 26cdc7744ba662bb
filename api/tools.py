"""The tools of the MCP door: what each takes and gives, and which answer stands behind it.

One row of TOOLS is one tool; its words stand in `tool_words`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from api import citing, listing, models, queries, results, tool_text
from api.connecting import Between
from api.errors import InvalidError, MovedError, NotFoundError, ServiceError
from api.naming import LONGEST_ID
from api.neighbors import Walk
from api.tool_inputs import (
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
    sent,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from pydantic import BaseModel

    from api.answers import Answers
    from api.results import Reply

MOST_RELATED = 50  # conditions that are kept for each
FOUND = 10  # results of `search`, which has no limit of its own


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `ask` gets what `takes` holds; `shape` turns the sealed body into `gives`; `tell` says it as text."""

    name: str
    takes: type[Arguments]
    gives: type[BaseModel]
    ask: Callable[[Answers, Any], Awaitable[Reply]]
    tell: Callable[[Mapping[str, Any]], str]
    shape: Callable[[dict[str, Any], str], dict[str, Any]] = lambda body, _: body


async def _search(answers: Answers, given: SearchArguments) -> Reply:
    ask = queries.Search(
        given.query,
        tuple(given.scope),
        given.limit,
        given.offset,
        synonyms=given.synonyms == "on",
        spelling=given.spelling == "on",
        setting=given.setting,
    )
    return await answers.search(ask, sent(given))


async def _entity(answers: Answers, given: EntityArguments) -> Reply:
    reply = await _at_home(given.id, given.type, answers.entity)
    ideas = reply.body["accommodation_ideas"]
    longest = max((len(idea["solutions"]) for idea in ideas), default=0)
    if longest <= given.ideas:
        return reply
    cut = [{**idea, "solutions": idea["solutions"][: given.ideas]} for idea in ideas]
    told = f"accommodation_ideas shows up to {given.ideas} of each heading; get_entity with ideas={longest} shows all."
    return _warned(replace(reply, body={**reply.body, "accommodation_ideas": cut}), "ideas", told)


async def _entities(answers: Answers, given: ListArguments) -> Reply:
    wanted = {"setting": given.setting, "grouping": given.grouping, "kind": given.kind}
    own, filters = listing.narrowed(given.type, wanted)
    idle = [name for name, value in wanted.items() if value and name not in own]
    params = [one for one in sent(given) if one[0] not in idle]
    reply = await answers.entities(given.type, given.limit, given.offset, params, filters)
    for name in idle:
        reply = _warned(reply, name, f"{name} had no effect: it does not narrow the type {given.type}.")
    return reply


async def _related(answers: Answers, given: RelatedArguments) -> Reply:
    async def follow(kind: str, key: str) -> Reply:
        walk = Walk(kind, key, given.edge, given.limit, given.offset, tuple(sent(given)))
        return await answers.neighbors(walk)

    return await _at_home(given.id, given.type, follow)


async def _recommend(answers: Answers, given: RecommendArguments) -> Reply:
    return await answers.recommend(models.RecommendRequest(**given.model_dump(exclude_unset=True)))


async def _conditions(answers: Answers, given: ConditionsArguments) -> Reply:
    async def related(_: str, key: str) -> Reply:
        return await answers.related(key, MOST_RELATED if given.other else given.limit)

    reply = await _at_home(given.id, "disability", related)
    if not given.other:
        return reply
    other = (await _at_home(given.other, "disability", answers.entity)).body
    found = [one for one in reply.body["results"] if one["id"] == other["id"]]
    compared = replace(reply, body={**reply.body, "results": found, **results.unpaged(len(found), given.limit)})
    if found:
        return compared
    told = (
        f"{other['name']} is not among the {MOST_RELATED} conditions most like {reply.body['entity']['name']}. "
        "What each can bring: get_related with edge=has_limitation."
    )
    return _warned(compared, "other", told)


async def _connections(answers: Answers, given: ConnectionArguments) -> Reply:
    return await answers.connections(Between(given.start, given.end, given.limit))


async def _graph(answers: Answers, _: NoArguments) -> Reply:
    return await answers.graph()


async def _find(answers: Answers, given: FindArguments) -> Reply:
    return await answers.search(queries.Search(given.query, (), FOUND, 0), sent(given))


async def _fetch(answers: Answers, given: FetchArguments) -> Reply:
    return await _at_home(given.id, None, answers.entity)


async def _at_home(given: str, kind: str | None, ask: Callable[[str, str], Awaitable[Reply]]) -> Reply:
    """Ask for the entity that an id names, and for its heir where the id was retired."""
    kind, key = named(given, kind)
    try:
        return await ask(kind, key)
    except MovedError as moved:
        heir = str(moved.extra["moved_to"])
        reply = await ask(*named(heir, None))
        return _warned(reply, "id", f"{kind}:{key} is now {heir}; this is its answer.", heir)


def named(given: str, kind: str | None) -> tuple[str, str]:
    """Type and key of an id such as `solution:telework`; raise InvalidError where the type is missing or another."""
    own, colon, key = given.strip().partition(":")
    if colon and own in models.TYPES:
        if kind not in (None, own):
            raise _misnamed(f"id: {given[:LONGEST_ID]!r} is a {own}, and a {kind} is needed here.")
        return own, key
    if kind is None:
        raise _misnamed(
            f"id: {given[:LONGEST_ID]!r} does not say its type. Give the full id, such as solution:telework, or the "
            "type beside it. search_accommodations finds ids by name."
        )
    return kind, given.strip()


def _misnamed(message: str) -> InvalidError:
    return InvalidError([{"loc": ["id"], "msg": message, "type": "unknown_type"}])


def _warned(reply: Reply, parameter: str, message: str, nearest: str | None = None) -> Reply:
    line = {"parameter": parameter, "message": message, "nearest": nearest}
    return replace(reply, body={**reply.body, "warnings": [*reply.body.get("warnings", []), line]})


def mend(error: ServiceError) -> str:
    """What a model should read to mend its call, or to know that it need not."""
    if isinstance(error, InvalidError):
        return "\n".join(_told(problem) for problem in error.problems)
    if isinstance(error, NotFoundError):
        said = error.detail.partition(" Nearest: ")[0]
        return f"{said}{_near(error.extra.get('suggestions', ()))} search_accommodations finds ids by name."
    return f"{error.title}: {error.detail} This says nothing about the data: it is no empty result."


def _told(problem: Mapping[str, Any]) -> str:
    """A problem with the ids of the nearest entities, where REST has them beside the sentence."""
    nearest = problem.get("ctx", {}).get("nearest")
    if not isinstance(nearest, list):
        return str(problem["msg"])
    said = str(problem["msg"]).partition("; nearest: ")[0]
    return f"{said}.{_near(nearest)}{'' if nearest else ' search_accommodations finds ids by other words.'}"


def _near(cards: Sequence[Mapping[str, Any]]) -> str:
    shown = ", ".join(f"{card['name']} [{card['id']}]" for card in cards)
    return f" Nearest: {shown}." if shown else ""


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("search_accommodations", SearchArguments, models.SearchPage, _search, tool_text.search_text),
        Tool(
            "recommend_accommodations",
            RecommendArguments,
            models.RecommendPage,
            _recommend,
            tool_text.recommend_text,
        ),
        Tool("get_entity", EntityArguments, models.Record, _entity, tool_text.entity_text),
        Tool("get_related", RelatedArguments, models.NeighborPage, _related, tool_text.neighbors_text),
        Tool("related_conditions", ConditionsArguments, models.RelatedPage, _conditions, tool_text.related_text),
        Tool("connections", ConnectionArguments, models.ConnectionPage, _connections, tool_text.connections_text),
        Tool("list_entities", ListArguments, models.CardPage, _entities, tool_text.cards_text),
        Tool("describe_graph", NoArguments, models.GraphSummary, _graph, tool_text.graph_text),
        Tool("search", FindArguments, models.FoundDocuments, _find, citing.as_json, citing.found),
        Tool("fetch", FetchArguments, models.Document, _fetch, citing.as_json, citing.document),
    )
}
