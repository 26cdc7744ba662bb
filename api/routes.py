"""The REST door: reads requests, asks `answers`, sends what comes back through the envelope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from api import envelope, listing, models, queries
from api.connecting import Between
from api.downloads import download
from api.errors import EngineAwayError, InvalidError, MethodError
from api.examples import described, described_file
from api.exports import live_export
from api.naming import LONGEST_ID, idle, ignored, unknown
from api.neighbors import Walk
from api.observation import current
from api.usage_totals import MOST_DAYS, SMALLEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.answers import Answers
    from api.engine import Engine
    from api.envelope import Envelope
    from api.health import Health
    from api.results import Reply
    from api.usage_totals import Totals
    from api.vocabulary import Vocabulary

LONGEST_QUERY = 500
DEEPEST = 99_000  # with the largest limit still inside the engine's result window of 100,000

CALLED = "an id, key, slug, name or other name"  # what a text may be that names an entity of any type

Limit = Annotated[int, Query(ge=1, le=500, description="Most results to return.")]
ListLimit = Annotated[int, Query(ge=1, le=100, description="Most entities to return.")]
SuggestLimit = Annotated[int, Query(ge=1, le=50, description="Most names to return.")]
RelatedLimit = Annotated[int, Query(ge=1, le=50, description="Most conditions to return.")]
Offset = Annotated[int, Query(ge=0, description="Results to pass over.")]
SearchOffset = Annotated[int, Query(ge=0, le=DEEPEST, description="Results to pass over.")]
Text = Annotated[
    str, Query(min_length=1, max_length=LONGEST_QUERY, description="What to look for: a name, words or an id.")
]
Scope = Annotated[list[models.TypeName] | None, Query(description="Only these types; repeat it for several.")]
SettingQuery = Annotated[models.SettingName | None, Query(description="Only solutions used in this setting.")]
KindQuery = Annotated[
    models.ConditionKind | None,
    Query(description="Only conditions with lists of their own, or only the narrower ones that inherit."),
]
GroupingQuery = Annotated[
    str | None, Query(min_length=1, max_length=LONGEST_ID, description="Only what falls under this grouping.")
]
Ids = Annotated[list[str] | None, Query(description="Only these, by id, key or slug, with commas between; up to 100.")]
Switch = Annotated[Literal["on", "off"], Query()]
ConnectionLimit = Annotated[int, Query(ge=1, le=20, description="Most connections to return.")]
From = Annotated[str, Query(alias="from", min_length=1, max_length=LONGEST_QUERY, description=f"One end: {CALLED}.")]
To = Annotated[str, Query(min_length=1, max_length=LONGEST_QUERY, description=f"The other end: {CALLED}.")]
Days = Annotated[int, Query(ge=1, le=MOST_DAYS, description="Days to tell of, today included.")]
TypePath = Annotated[str, Path(alias="type", description="A type of entity.")]
FilePath = Annotated[str, Path(description="The name of a file; /export lists them.")]
IdPath = Annotated[str, Path(alias="id", description="An id, its key or its slug.")]
EdgeQuery = Annotated[str, Query(min_length=1, description="The name of an edge; /graph lists them.")]


@dataclass(frozen=True, slots=True)
class Door:
    """What every route needs."""

    engine: Engine
    answers: Answers
    envelope: Envelope
    vocabulary: Vocabulary
    health: Health
    totals: Totals

    def reply(
        self,
        request: Request,
        found: Reply,
        known: Sequence[str] = (),
        extra: Sequence[str] = (),
        warnings: Sequence[dict[str, Any]] = (),
    ) -> Response:
        """Send an answer; parameters that do not exist are named in `warnings`, before those given."""
        seen = current()
        seen.route = request.scope["route"].path
        seen.answered(found.body)
        asked = [request.scope["path"], request.scope["query_string"].decode("latin-1"), *extra]
        tag = envelope.etag(found.release, asked)
        sealed = self.envelope.sealed(found, [*unknown_parameters(request, known), *warnings])
        return self.envelope.answer(sealed, tag, request.headers.get("if-none-match"))

    def type_named(self, given: str) -> str:
        """The type, or the 422 that lists the types."""
        if given not in self.vocabulary.types:
            raise unknown("type", ("path", "type"), given, self.vocabulary.types)
        return given


def unknown_parameters(request: Request, known: Sequence[str]) -> list[dict[str, Any]]:
    """Query parameters that this route does not have, each with the nearest one it has."""
    return [ignored("parameter", name, known) for name in dict.fromkeys(request.query_params) if name not in known]


def own_parameters(request: Request, known: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The caller's own parameters without `offset`, for the links to other pages."""
    given = request.query_params.multi_items()
    return tuple((name, value) for name, value in given if name in known and name != "offset")


def rest(door: Door) -> APIRouter:
    """All REST routes. Fixed paths stand before `/{type}`, which would take them."""
    router = APIRouter()
    _health(router, door)
    _search(router, door)
    _recommend(router, door)
    _graph(router, door)
    _export(router, door)
    _usage(router, door)
    _entities(router, door)
    _lists(router, door)
    return router


def _health(router: APIRouter, door: Door) -> None:
    @router.get("/healthz", **described("healthz", models.Health))
    async def healthz() -> Response:
        """Say that the process lives, and what it knows of its engine. Always 200."""
        state = "up" if await door.health.engine_is_up() else "down"
        release = door.engine.release
        version = release.data_version if release else None
        body = {"status": "ok", "engine": state, "data_version": version}
        return _uncached(door.envelope.seal(body, release))

    @router.get("/readyz", **described("readyz", models.Health))
    async def readyz(request: Request) -> Response:
        """Answer 200 only when a real query on the live release works, and this process is not about to end."""
        if request.scope.get("state", {}).get("draining"):
            raise EngineAwayError("This process is about to end and takes no more work.")
        release = await door.health.ready()
        body = {"status": "ready", "engine": "up", "data_version": release.data_version}
        return _uncached(door.envelope.seal(body, release))


def _uncached(body: dict[str, Any]) -> Response:
    return Response(envelope.dumps(body), media_type=envelope.JSON, headers={"Cache-Control": "no-store"})


def _search(router: APIRouter, door: Door) -> None:
    known = ("query", "scope", "setting", "limit", "offset", "synonyms", "spelling")

    @router.get("/search", **described("search", models.SearchPage))
    async def search(  # noqa: PLR0913, PLR0917 - one argument per query parameter
        request: Request,
        query: Text,
        scope: Scope = None,
        setting: SettingQuery = None,
        limit: Limit = 20,
        offset: SearchOffset = 0,
        synonyms: Switch = "on",
        spelling: Switch = "on",
    ) -> Response:
        """Search names, other names and summaries of everything; each hit says why it is there."""
        if not query.strip():
            raise InvalidError([_blank(query)])
        on = {"synonyms": synonyms == "on", "spelling": spelling == "on"}
        ask = queries.Search(query, tuple(scope or ()), limit, offset, **on, setting=setting)
        return door.reply(request, await door.answers.search(ask, own_parameters(request, known)), known)

    @router.get("/suggest", **described("suggest", models.SuggestPage))
    async def suggest(request: Request, query: Text, scope: Scope = None, limit: SuggestLimit = 10) -> Response:
        """Complete what is being typed: the last word as a beginning, a slip in the others forgiven."""
        if not query.strip():
            raise InvalidError([_blank(query)])
        found = await door.answers.suggest(query, tuple(scope or ()), limit)
        return door.reply(request, found, ("query", "scope", "limit"))


def _blank(query: str) -> dict[str, Any]:
    return {
        "loc": ["query", "query"],
        "msg": "String should have at least 1 character that is not a space",
        "type": "string_too_short",
        "input": query,
        "ctx": {"min_length": 1},
    }


def _recommend(router: APIRouter, door: Door) -> None:
    @router.post("/recommend", **described("recommend", models.RecommendPage))
    async def recommend(request: Request, ask: models.RecommendRequest) -> Response:
        """Rank solutions for a condition, a limitation, a work-related function, or several of them together."""
        found = await door.answers.recommend(ask)
        return door.reply(request, found, (), [ask.model_dump_json()])

    @router.get("/recommend", include_in_schema=False)
    async def recommend_by_get() -> Response:
        """Refuse: a fixed path wins over `/{type}`."""
        raise MethodError("Ask for recommendations with POST and a JSON body.", allowed=["POST", "OPTIONS"])

    @router.get("/related_conditions/{id}", **described("related_conditions", models.RelatedPage))
    async def related_conditions(request: Request, id_: IdPath, limit: RelatedLimit = 10) -> Response:
        """List conditions whose limitations are most alike, with the shared ones named, most telling first."""
        return door.reply(request, await door.answers.related(id_, limit), ("limit",))


def _graph(router: APIRouter, door: Door) -> None:
    @router.get("/connections", **described("connections", models.ConnectionPage))
    async def connections(request: Request, from_: From, to: To, limit: ConnectionLimit = 5) -> Response:
        """Explain how two entities are connected: chains of up to four edges, the most telling first."""
        found = await door.answers.connections(Between(from_, to, limit))
        return door.reply(request, found, ("from", "to", "limit"))

    @router.get("/graph", **described("graph", models.GraphSummary))
    async def graph(request: Request) -> Response:
        """Describe the graph: its types and edges with counts, inverse names and an example call each."""
        return door.reply(request, await door.answers.graph())

    @router.get("/graph/changes", **described("graph_changes", models.GraphChanges))
    async def graph_changes(request: Request) -> Response:
        """Say what the live release changed: entities, edges and synonym rules that are new, other or gone."""
        return door.reply(request, await door.answers.changes())


def _export(router: APIRouter, door: Door) -> None:
    @router.get("/export", **described("exports", models.ExportPage))
    async def exports(request: Request) -> Response:
        """List the files in which the whole release can be had, with their sizes and sums."""
        return door.reply(request, await door.answers.export())

    @router.get("/export/{file}", **described_file("export"))
    async def export(request: Request, file: FilePath) -> Response:
        """Send one file of the release, whole or in part."""
        found = await live_export(door.engine)
        return await download(door.engine, found.release, found.named(file), request, door.envelope.cache)


def _usage(router: APIRouter, door: Door) -> None:
    @router.get("/usage", **described("usage", models.UsageTotals))
    async def usage(request: Request, days: Days = 30) -> Response:
        """Tell how many requests there were on each day, by door, route and status; small numbers are not told."""
        told = {"days": await door.totals.days(days), "smallest": SMALLEST}
        warnings = unknown_parameters(request, ("days",))
        body = door.envelope.seal({**told, "warnings": warnings} if warnings else told, door.engine.release)
        return Response(envelope.dumps(body), media_type=envelope.JSON, headers={"Cache-Control": "public, max-age=60"})


def _entities(router: APIRouter, door: Door) -> None:
    paged = ("limit", "offset")

    @router.get("/{type}/{id}/neighbors", **described("neighbors", models.NeighborPage))
    async def neighbors(
        request: Request, type_: TypePath, id_: IdPath, edge: EdgeQuery, limit: Limit = 20, offset: Offset = 0
    ) -> Response:
        """List what an entity is joined to by one edge, best first, complete at any size."""
        known = ("edge", *paged)
        ask = Walk(door.type_named(type_), id_, edge, limit, offset, own_parameters(request, known))
        return door.reply(request, await door.answers.neighbors(ask), known)

    @router.get("/{type}/{id}", **described("entity", models.Record))
    async def entity(request: Request, type_: TypePath, id_: IdPath) -> Response:
        """Give everything about one entity."""
        return door.reply(request, await door.answers.entity(door.type_named(type_), id_))


def _lists(router: APIRouter, door: Door) -> None:
    paged = ("limit", "offset")

    @router.get("/{type}", **described("list", models.CardPage))
    async def entities(  # noqa: PLR0913, PLR0917 - one argument per query parameter
        request: Request,
        type_: TypePath,
        limit: ListLimit = 20,
        offset: Offset = 0,
        ids: Ids = None,
        setting: SettingQuery = None,
        grouping: GroupingQuery = None,
        kind: KindQuery = None,
    ) -> Response:
        """List all entities of a type, by name, main conditions before narrower ones; or those that `ids` names.

        `setting` narrows solutions, `grouping` conditions and limitations, `kind` conditions.
        """
        name = door.type_named(type_)
        own, filters = listing.narrowed(name, {"setting": setting, "grouping": grouping, "kind": kind})
        known = (*own, *paged, "ids")
        if ids is not None:
            unused = [idle(one, "ids") for one in (*own, *paged) if one in request.query_params]
            return door.reply(request, await door.answers.batch(name, ids), known, warnings=unused)
        params = own_parameters(request, (*own, *paged))
        return door.reply(request, await door.answers.entities(name, limit, offset, params, filters), known)
