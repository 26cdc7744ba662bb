"""The service facade. REST, MCP and the explorer all call it."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial

from api.clock import utc_date
from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.errors import NoReleaseError, NotFoundError
from api.graph.catalogue import Catalogue
from api.graph.connections import get_connections
from api.graph.entities import get_batch, list_entities
from api.graph.linked_lists import LinkedListRequest, ListPage, list_linked
from api.graph.neighbors import get_neighbors
from api.graph.records import get_entity
from api.graph.release_contents import graph_changes, graph_summary, live_export
from api.graph.resolve import resolve_id
from api.parameters import MAX_ID_LENGTH
from api.recommend.related_service import get_related
from api.recommend.service import Recommender
from api.result import ServiceResult, page_links
from api.search.guides.index import SOURCES as GUIDE_SOURCES
from api.search.service import SearchService
from schema.document_ids import CHANGES, ENTITY
from schema.english_words import Dictionary
from schema.text import nearest
from schema.vocabulary import Vocabulary


class GraphService:
    """Every request that the service supports. Its only state are cached parts of the release.

    Words of the `dictionary` are never corrected. Pins apply until the end of `today`.
    """

    def __init__(
        self,
        engine: SearchEngine,
        vocabulary: Vocabulary,
        dictionary: Dictionary,
        today: Callable[[], date] = utc_date,
    ) -> None:
        self._engine = engine
        self._vocabulary = vocabulary
        search = SearchService(engine, dictionary, today)
        catalogue = Catalogue(engine)
        self.search = search.search
        self.suggest = search.suggest
        self._guides = search.guides
        # Lookups and recommendations, each bound to what it reads.
        self.entity = partial(get_entity, engine, catalogue, vocabulary)
        self._linked = partial(list_linked, engine, catalogue, vocabulary)
        self.batch = partial(get_batch, engine, vocabulary)
        self.neighbors = partial(get_neighbors, engine, catalogue, vocabulary)
        self.connections = partial(get_connections, engine, catalogue, vocabulary)
        self.resolve = partial(resolve_id, engine)
        self.related = partial(get_related, engine, catalogue)
        self.recommend = Recommender(engine, catalogue, search.read_question).recommend

    async def entities(
        self, type_name: str, page: ListPage, linked_to: Sequence[str] | None = None, edges: Sequence[str] | None = None
    ) -> ServiceResult:
        """Return one page of the entities of a type, or of those with an edge to each of `linked_to`."""
        if linked_to:
            return await self._linked(LinkedListRequest.parse(type_name, linked_to, edges or (), page))
        return await list_entities(self._engine, type_name, page.limit, page.offset, page.params, page.filters)

    async def guides(
        self, limit: int | None = None, offset: int = 0, params: Sequence[tuple[str, str]] = ()
    ) -> ServiceResult:
        """Return the guides by title: all, or one page of them."""
        release = await self._engine.live_release()
        index = await self._guides.read(release)
        guides = list(index.guides.values())
        size = limit or max(1, len(guides))
        results = [guide.brief() for guide in guides[offset : offset + size]]
        body = {"results": results, **page_links("/guides", params, len(guides), size, offset)}
        return ServiceResult(body, release, [*GUIDE_SOURCES])

    async def guide(self, id_: str) -> ServiceResult:
        """Return a guide; raise NotFoundError with the nearest titles."""
        release = await self._engine.live_release()
        index = await self._guides.read(release)
        if (guide := index.guides.get(id_.casefold())) is None:
            near = nearest(id_[:MAX_ID_LENGTH], list(index.guides))
            hint = f" Did you mean {near}?" if near else ""
            message = f"There is no guide {id_[:MAX_ID_LENGTH]!r}.{hint} GET /guides lists all."
            raise NotFoundError(message, suggestions=[])
        return ServiceResult(guide.full(), release, [*GUIDE_SOURCES])

    @property
    def release(self) -> Release | None:
        """The last known live release."""
        return self._engine.release

    async def export(self) -> ServiceResult:
        """Return the list of the files that hold the whole release."""
        export = await live_export(self._engine)
        return ServiceResult(export.listing, export.release, list(export.release.sources))

    async def graph(self) -> ServiceResult:
        """Return the types and edges with their counts."""
        release = await self.ready()
        return ServiceResult(graph_summary(self._vocabulary, release.counts, release.examples), release)

    async def changes(self) -> ServiceResult:
        """Return what changed in the live release since the previous one."""
        (document,), release = await self._engine.fetch([CHANGES])
        return ServiceResult(graph_changes(document, release.rules_since), release)

    async def ready(self) -> Release:
        """Run a real query on the alias; raise EngineUnavailableError if it fails, NoReleaseError without entities."""
        response = await self._engine.search({"size": 1, "_source": False, "query": {"term": {"doc": ENTITY}}})
        if not response.hits:
            raise NoReleaseError("The live release is empty.")
        return response.release
