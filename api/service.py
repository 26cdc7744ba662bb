"""The service facade. REST, MCP and the explorer all call it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from api.engine.release import hit_sources, total_hits
from api.errors import EngineUnavailableError
from api.graph.connections import get_connections
from api.graph.entities import get_batch, get_entity, list_entities
from api.graph.neighbors import get_neighbors
from api.graph.release_contents import graph_changes, graph_summary, live_export
from api.recommend.related import get_related
from api.recommend.service import recommend
from api.result import ServiceResult, page_links, single_page
from api.search import query_builder, results, two_phase
from api.search import spelling as slip_queries
from api.search.spelling import MAX_OFFERED, is_correctable, is_partial_correction, same_beginnings
from schema.document_ids import CHANGES, ENTITY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.engine.release import EngineResponse, Release
    from api.engine.search_engine import SearchEngine
    from api.search.query import ParsedQuery, SearchRequest
    from api.search.spelling import Correction, Dictionary
    from schema.json_types import JsonObject
    from schema.vocabulary import Vocabulary


class GraphService:
    """Every request that the service supports. It has no state. Words of the `dictionary` are never typos."""

    def __init__(self, engine: SearchEngine, vocabulary: Vocabulary, dictionary: Dictionary) -> None:
        self._engine = engine
        self._vocabulary = vocabulary
        self._dictionary = dictionary
        # Lookups and recommendations, each bound to what it reads.
        self.entity = partial(get_entity, engine)
        self.entities = partial(list_entities, engine)
        self.batch = partial(get_batch, engine, vocabulary)
        self.neighbors = partial(get_neighbors, engine, vocabulary)
        self.connections = partial(get_connections, engine, vocabulary)
        self.related = partial(get_related, engine)
        self.recommend = partial(recommend, engine)

    async def search(self, request: SearchRequest, params: Sequence[tuple[str, str]]) -> ServiceResult:
        """Ranked hits with reasons. One request to OpenSearch, or up to five if no hit is a strong match."""
        answer, suggestions = await self._first_search(request)
        offered: list[tuple[Correction, EngineResponse]] = []
        searched = request
        if not results.is_strong_match(answer):
            head, offered = await self._offered(request, answer, suggestions)
            if offered and _replaces(*offered[0], head, request.query):
                correction, found = offered[0]
                searched = replace(request, query=correction.query)
                if request.offset:
                    found = await self._engine.search(query_builder.search_body(searched), answer.release)
                answer = found
        return _search_reply(request, searched.with_rules(answer.release), answer, offered, params)

    async def _offered(
        self, request: SearchRequest, answer: EngineResponse, suggestions: Sequence[EngineResponse]
    ) -> tuple[EngineResponse, list[tuple[Correction, EngineResponse]]]:
        """The answer with the best hit of all, and the corrections to offer if that is not a strong match.

        A later page has another best hit, which takes up to two requests more.
        """
        first, head = request, answer
        if not (bodies := _spelling(request)):
            return head, []
        if request.offset:
            first = replace(request, offset=0, limit=1, facets=False)
            beside = () if suggestions else bodies
            head, *rest = await self._engine.search_all([query_builder.search_body(first), *beside], answer.release)
            suggestions = suggestions or rest
        if results.is_strong_match(head):
            return head, []
        suggestions = suggestions or await self._engine.search_all(bodies, answer.release)
        return head, await self._corrections(first, head, suggestions)

    async def _first_search(self, request: SearchRequest) -> tuple[EngineResponse, Sequence[EngineResponse]]:
        """Search; if that finds nothing, search again together with the requests for corrections."""
        body = query_builder.search_body(request)
        if two_phase.worth(request, self._engine.release):
            return await self._in_parts(request, body), ()
        if found := await self._engine.search_alias(body):
            return found, ()
        if not (beside := _spelling(request)):
            return await self._engine.search_index(body), ()
        answer, *suggestions = await self._engine.search_all([body, *beside])
        return answer, suggestions

    async def _in_parts(self, request: SearchRequest, body: JsonObject) -> EngineResponse:
        """What is found of one word, in one request; in one search where a release that differs has gone live since."""
        ruled = two_phase.ruled(request, self._engine.release)
        ranked, counted = await self._engine.search_all(two_phase.bodies(body, request.query, ruled=ruled))
        if two_phase.fits(ranked.release) and two_phase.ruled(request, ranked.release) == ruled:
            return two_phase.joined(ranked, counted)
        return await self._engine.search_index(body, ranked.release)

    async def _corrections(
        self, request: SearchRequest, original: EngineResponse, suggestions: Sequence[EngineResponse]
    ) -> list[tuple[Correction, EngineResponse]]:
        """Corrections that find something, with what they find, the most certain first.

        If the query finds nothing and no correction is certain, names that may be meant.
        """
        query, release = request.query, original.release
        suggester, *near = suggestions
        corrections = results.corrections(query, suggester, near, self._dictionary)
        offered = await self._try_corrections(request, corrections, release)
        far = slip_queries.far_names_body(query)
        if offered or far is None or total_hits(original):
            return offered
        words = list(dict.fromkeys(query.tokens))
        exist = [slip_queries.word_exists_body(word) for word in words]
        answer, *found = await self._engine.search_all([far, *exist], release)
        known = {word for word, hits in zip(words, found, strict=True) if total_hits(hits)}
        weak = results.weak_suggestions(query, answer, known, self._dictionary)
        return await self._try_corrections(request, weak, release)

    async def _try_corrections(
        self, request: SearchRequest, corrections: Sequence[Correction], release: Release
    ) -> list[tuple[Correction, EngineResponse]]:
        if not corrections:
            return []
        requests = [replace(request, query=correction.query) for correction in corrections]
        answers = await self._engine.search_all(
            [query_builder.search_body(corrected) for corrected in requests], release
        )
        pairs = zip(corrections, answers, strict=True)
        offered = [(correction, answer) for correction, answer in pairs if _is_offered(correction, answer)]
        offered.sort(
            key=lambda pair: (not results.is_whole_name(pair[1]), not same_beginnings(request.query, pair[0].query))
        )
        tried = [correction for correction, _ in offered]
        return [pair for pair in offered if not is_partial_correction(request.query, pair[0], tried)][:MAX_OFFERED]

    async def suggest(self, query: ParsedQuery, scope: tuple[str, ...], limit: int) -> ServiceResult:
        """Names that complete the query. One request to OpenSearch."""
        answer = await self._engine.search(query_builder.suggest_body(query, scope, limit))
        body = {"query": query.raw, **results.completions(query, answer), **single_page(total_hits(answer), limit)}
        return ServiceResult(body, answer.release, hit_sources(answer))

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
        """Run a real query on the alias; raise EngineUnavailableError where it does not work."""
        answer = await self._engine.search({"size": 1, "_source": False, "query": {"term": {"doc": ENTITY}}})
        if not answer.body["hits"]["hits"]:
            raise EngineUnavailableError("The live release is empty.")
        return answer.release


def _search_reply(
    request: SearchRequest,
    searched: SearchRequest,
    answer: EngineResponse,
    offered: Sequence[tuple[Correction, EngineResponse]],
    params: Sequence[tuple[str, str]],
) -> ServiceResult:
    """The hits of `searched`, which is the request, or the request with a corrected query."""
    hits = shown = results.hits(searched, answer)
    corrected = None
    if searched.query.raw != request.query.raw:
        corrected = {"from": request.query.raw.strip(), "to": searched.query.text}
        params = [(name, searched.query.text if name == "query" else value) for name, value in params]
        shown = results.corrected_hits(request.query, searched.query, hits)
    body = {
        "query": request.query.raw,
        "synonyms_used": request.expands_synonyms,
        "spelling_used": request.spelling,
        "results": shown,
        **page_links("/search", params, total_hits(answer), request.limit, request.offset),
        "synonyms": results.interpretations(searched, answer, hits),
        "did_you_mean": [
            {"query": correction.query.text, "highlighted": correction.highlighted, "total": total_hits(found)}
            for correction, found in offered
        ],
        "corrected": corrected,
        "facets": results.facets(answer),
    }
    return ServiceResult(body, answer.release, hit_sources(answer))


def _spelling(request: SearchRequest) -> list[JsonObject]:
    """The requests for corrections; none if they are off, or the query is too long for them."""
    if not request.spelling or not is_correctable(request.query):
        return []
    bodies = slip_queries.spelling_body(request.query), slip_queries.near_names_body(request.query)
    return [body for body in bodies if body]


def _is_offered(correction: Correction, answer: EngineResponse) -> bool:
    matches = results.is_whole_name(answer) or results.matches_type_hint(answer) or not correction.only_name
    return total_hits(answer) > 0 and matches


def _replaces(correction: Correction, answer: EngineResponse, original: EngineResponse, query: ParsedQuery) -> bool:
    return not correction.is_weak and results.prefer_correction(answer, original, query, correction.query)
