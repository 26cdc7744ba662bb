"""Search and suggest: the first request, spelling corrections, and the response."""

from collections.abc import Sequence
from dataclasses import replace

from api.engine.release import EngineResponse, Release
from api.engine.search_engine import SearchEngine
from api.result import ServiceResult, page_links, single_page
from api.search import query_builder, results, spelling, two_phase
from api.search.query import ParsedQuery, SearchRequest
from api.search.spelling import (
    MAX_OFFERED,
    Correction,
    Dictionary,
    is_correctable,
    is_partial_correction,
    same_beginnings,
)
from schema.json_types import JsonObject


class SearchService:
    """Searches names. It has no state. Words of the `dictionary` are never typos."""

    def __init__(self, engine: SearchEngine, dictionary: Dictionary) -> None:
        self._engine = engine
        self._dictionary = dictionary

    async def search(self, request: SearchRequest, params: Sequence[tuple[str, str]]) -> ServiceResult:
        """Ranked hits with reasons. One request to OpenSearch, or up to five if no hit is a strong match."""
        response, suggestions = await self._first_search(request)
        offered: list[tuple[Correction, EngineResponse]] = []
        searched = request
        if not results.is_strong_match(response):
            head, offered = await self._offered(request, response, suggestions)
            if offered and _replaces(*offered[0], head, request.query):
                correction, found = offered[0]
                searched = replace(request, query=correction.query)
                if request.offset:
                    found = await self._engine.search(query_builder.search_body(searched), response.release)
                response = found
        return _search_result(request, searched.with_rules(response.release), response, offered, params)

    async def _offered(
        self, request: SearchRequest, response: EngineResponse, suggestions: Sequence[EngineResponse]
    ) -> tuple[EngineResponse, list[tuple[Correction, EngineResponse]]]:
        """The response with the best hit of all, and the corrections to offer if that is not a strong match.

        A later page has another best hit, which takes up to two requests more.
        """
        first, head = request, response
        if not (bodies := _spelling(request)):
            return head, []
        if request.offset:
            first = replace(request, offset=0, limit=1, facets=False)
            beside = () if suggestions else bodies
            head, *rest = await self._engine.search_all([query_builder.search_body(first), *beside], response.release)
            suggestions = suggestions or rest
        if results.is_strong_match(head):
            return head, []
        suggestions = suggestions or await self._engine.search_all(bodies, response.release)
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
        response, *suggestions = await self._engine.search_all([body, *beside])
        return response, suggestions

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
        far = spelling.far_names_body(query)
        if offered or far is None or original.total:
            return offered
        words = list(dict.fromkeys(query.tokens))
        exist = [spelling.word_exists_body(word) for word in words]
        response, *found = await self._engine.search_all([far, *exist], release)
        known = {word for word, hits in zip(words, found, strict=True) if hits.total}
        weak = results.weak_suggestions(query, response, known, self._dictionary)
        return await self._try_corrections(request, weak, release)

    async def _try_corrections(
        self, request: SearchRequest, corrections: Sequence[Correction], release: Release
    ) -> list[tuple[Correction, EngineResponse]]:
        if not corrections:
            return []
        requests = [replace(request, query=correction.query) for correction in corrections]
        responses = await self._engine.search_all(
            [query_builder.search_body(corrected) for corrected in requests], release
        )
        pairs = zip(corrections, responses, strict=True)
        offered = [(correction, response) for correction, response in pairs if _is_offered(correction, response)]
        offered.sort(
            key=lambda pair: (not results.is_whole_name(pair[1]), not same_beginnings(request.query, pair[0].query))
        )
        tried = [correction for correction, _ in offered]
        return [pair for pair in offered if not is_partial_correction(request.query, pair[0], tried)][:MAX_OFFERED]

    async def suggest(self, query: ParsedQuery, scope: tuple[str, ...], limit: int) -> ServiceResult:
        """Names that complete the query. One request to OpenSearch."""
        response = await self._engine.search(query_builder.suggest_body(query, scope, limit))
        body = {"query": query.raw, **results.completions(query, response), **single_page(response.total, limit)}
        return ServiceResult(body, response.release, response.sources)


def _search_result(
    request: SearchRequest,
    searched: SearchRequest,
    response: EngineResponse,
    offered: Sequence[tuple[Correction, EngineResponse]],
    params: Sequence[tuple[str, str]],
) -> ServiceResult:
    """The hits of `searched`, which is the request, or the request with a corrected query."""
    hits = shown = results.hits(searched, response)
    corrected = None
    if searched.query.raw != request.query.raw:
        corrected = {"from": request.query.raw.strip(), "to": searched.query.text}
        shown = results.corrected_hits(request.query, searched.query, hits)
    body = {
        "query": request.query.raw,
        "synonyms_used": request.expands_synonyms,
        "spelling_used": request.spelling,
        "results": shown,
        **page_links("/search", params, response.total, request.limit, request.offset),
        "synonyms": results.interpretations(searched, response, hits),
        "did_you_mean": [
            {"query": correction.query.text, "highlighted": correction.highlighted, "total": found.total}
            for correction, found in offered
        ],
        "corrected": corrected,
        "facets": {"type": response.buckets["types"]},  # of all types, whatever the scope
    }
    return ServiceResult(body, response.release, response.sources)


def _spelling(request: SearchRequest) -> list[JsonObject]:
    """The requests for corrections; none if they are off, or the query is too long for them."""
    if not request.spelling or not is_correctable(request.query):
        return []
    bodies = spelling.spelling_body(request.query), spelling.near_names_body(request.query)
    return [body for body in bodies if body]


def _is_offered(correction: Correction, response: EngineResponse) -> bool:
    matches = results.is_whole_name(response) or results.matches_type_hint(response) or not correction.only_name
    return response.total > 0 and matches


def _replaces(correction: Correction, response: EngineResponse, original: EngineResponse, query: ParsedQuery) -> bool:
    return not correction.is_weak and results.prefer_correction(response, original, query, correction.query)
