"""The REST door: reads requests, asks `answers`, sends what comes back through the envelope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from api import envelope, models, queries
from api.errors import DeadlineError, EngineAwayError, InvalidError, MethodError, ServiceError
from api.examples import described
from api.naming import ignored, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.answers import Answers
    from api.engine import Engine
    from api.envelope import Envelope
    from api.results import Reply
    from api.vocabulary import Vocabulary

LONGEST_QUERY = 500
DEEPEST = 99_000  # with the largest limit still inside the engine's result window of 100,000

Limit = Annotated[int, Query(ge=1, le=500, description="Most results to return.")]
ListLimit = Annotated[int, Query(ge=1, le=100, description="Most entities to return.")]
SuggestLimit = Annotated[int, Query(ge=1, le=50, description="Most names to return.")]
RelatedLimit = Annotated[int, Query(ge=1, le=50, description="Most conditions to return.")]
Kind = Annotated[
    Literal["main", "narrower"] | None,
    Query(description="Conditions only: those with lists of their own, or the narrower ones that inherit."),
]
Offset = Annotated[int, Query(ge=0, description="Results to pass over.")]
SearchOffset = Annotated[int, Query(ge=0, le=DEEPEST, description="Results to pass over.")]
Text = Annotated[
    str, Query(min_length=1, max_length=LONGEST_QUERY, description="What to look for: a name, words or an id.")
]
Scope = Annotated[list[models.TypeName] | None, Query(description="Only these types; repeat it for several.")]
Switch = Annotated[Literal["on", "off"], Query()]
TypePath = Annotated[str, Path(alias="type", description="A type of entity.")]
IdPath = Annotated[str, Path(alias="id", description="An id, its key or its slug.")]
EdgeQuery = Annotated[str, Query(min_length=1, description="The name of an edge; /graph lists them.")]


@dataclass(frozen=True, slots=True)
class Door:
    """What every route needs."""

    engine: Engine
    answers: Answers
    envelope: Envelope
    vocabulary: Vocabulary

    def reply(self, request: Request, found: Reply, known: Sequence[str] = (), extra: Sequence[str] = ()) -> Response:
        """Send an answer; parameters that do not exist are named in `warnings`."""
        warnings = unknown_parameters(request, known)
        warnings += found.body.get("warnings", [])
        body = {**found.body, "warnings": warnings} if warnings else found.body
        tag = envelope.etag(found.release, [request.url.path, request.url.query, *extra])
        sealed = self.envelope.seal(body, found.release, found.sources)
        if "sources" in found.body and "summaries" in found.body:
            sealed["provenance"]["sources"] = found.body["sources"] or sealed["provenance"]["sources"]
        return self.envelope.answer(sealed, tag, request.headers.get("if-none-match"))

    def type_named(self, given: str) -> str:
        """The type, or the 422 that lists the types."""
        if given not in self.vocabulary.types:
            raise unknown("type", ("path", "type"), given, self.vocabulary.types)
        return given


def unknown_parameters(request: Request, known: Sequence[str]) -> list[dict[str, Any]]:
    """Query parameters that this route does not have, each with the nearest one it has."""
    return [ignored("parameter", name, known) for name in dict.fromkeys(request.query_params) if name not in known]


def own_parameters(request: Request, known: Sequence[str]) -> list[tuple[str, str]]:
    """The caller's own parameters without `offset`, for the links to other pages."""
    return [(name, value) for name, value in request.query_params.multi_items() if name in known and name != "offset"]


def rest(door: Door) -> APIRouter:
    """All REST routes. Fixed paths stand before `/{type}`, which would take them."""
    router = APIRouter()
    _health(router, door)
    _search(router, door)
    _recommend(router, door)
    _graph(router, door)
    _entities(router, door)
    return router


def _health(router: APIRouter, door: Door) -> None:
    @router.get("/healthz", **described("healthz", models.Health))
    async def healthz() -> Response:
        """Say that the process lives, and what it knows of its engine. Always 200."""
        state = "up"
        try:
            await door.engine.look()
        except ServiceError:
            state = "down"
        release = door.engine.release
        version = release.data_version if release else None
        body = {"status": "ok", "engine": state, "data_version": version}
        return _uncached(door.envelope.seal(body, release))

    @router.get("/readyz", **described("readyz", models.Health))
    async def readyz() -> Response:
        """Answer 200 only when a real query on the live release works."""
        try:
            release = await door.answers.ready()
        except DeadlineError as error:
            raise EngineAwayError(error.detail) from None
        body = {"status": "ready", "engine": "up", "data_version": release.data_version}
        return _uncached(door.envelope.seal(body, release))


def _uncached(body: dict[str, Any]) -> Response:
    return Response(envelope.dumps(body), media_type=envelope.JSON, headers={"Cache-Control": "no-store"})


def _search(router: APIRouter, door: Door) -> None:
    known = ("query", "scope", "limit", "offset", "synonyms", "spelling")

    @router.get("/search", **described("search", models.SearchPage))
    async def search(  # noqa: PLR0913, PLR0917 - one argument per query parameter
        request: Request,
        query: Text,
        scope: Scope = None,
        limit: Limit = 20,
        offset: SearchOffset = 0,
        synonyms: Switch = "on",
        spelling: Switch = "on",
    ) -> Response:
        """Search names, other names and summaries of everything; each hit says why it is there."""
        if not query.strip():
            raise InvalidError([_blank(query)])
        ask = queries.Search(
            query, tuple(scope or ()), limit, offset, synonyms=synonyms == "on", spelling=spelling == "on"
        )
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
    @router.get("/graph", **described("graph", models.GraphSummary))
    async def graph(request: Request) -> Response:
        """Describe the graph: its types and edges with counts, inverse names and an example call each."""
        return door.reply(request, await door.answers.graph())


def _entities(router: APIRouter, door: Door) -> None:
    paged = ("limit", "offset")

    @router.get("/{type}/{id}/neighbors", **described("neighbors", models.NeighborPage))
    async def neighbors(
        request: Request, type_: TypePath, id_: IdPath, edge: EdgeQuery, limit: Limit = 20, offset: Offset = 0
    ) -> Response:
        """List what an entity is joined to by one edge, best first, complete at any size."""
        known = ("edge", *paged)
        params = own_parameters(request, known)
        found = await door.answers.neighbors(door.type_named(type_), id_, edge, limit, offset, params)
        return door.reply(request, found, known)

    @router.get("/{type}/{id}", **described("entity", models.Record))
    async def entity(request: Request, type_: TypePath, id_: IdPath) -> Response:
        """Give everything about one entity."""
        return door.reply(request, await door.answers.entity(door.type_named(type_), id_))

    @router.get("/{type}", **described("list", models.CardPage))
    async def entities(
        request: Request, type_: TypePath, kind: Kind = None, limit: ListLimit = 20, offset: Offset = 0
    ) -> Response:
        """List all entities of a type, by name; conditions with lists of their own before narrower ones."""
        type_name = door.type_named(type_)
        known = ("kind", *paged) if type_name == "disability" else paged
        params = own_parameters(request, known)
        wanted = kind if "kind" in known else None
        return door.reply(request, await door.answers.entities(type_name, limit, offset, params, wanted), known)
