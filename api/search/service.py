"""Searches: the first request, then corrections and fewer words if the first results are poor, and the response."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from urllib.parse import urlencode

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.result import EmptySearch, ServiceResult, page_links, single_page
from api.search import suggest
from api.search.explanation import correct_reason, explain_hit, interpretations, reason_without
from api.search.fallback import attempts
from api.search.fallback.attempts import CorrectionResults
from api.search.fallback.wording import WORDING
from api.search.guides.index import SOURCES as GUIDE_SOURCES
from api.search.guides.index import GuideCache, GuideIndex, GuideMatch, guide_names
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import reading_body, search_body
from api.search.ranking import RankedHit, rank_hit
from api.search.ranking_table import NAMED
from api.search.reading.long_text import joined, split
from api.search.reading.model import Reading
from api.search.reading.reader import read
from api.search.reading.typed_words import with_typed_words
from api.search.results import SearchResults, select
from schema.english_words import Dictionary
from schema.json_types import JsonObject

NO_CORRECTIONS: CorrectionResults = ()


class SearchService:
    """Searches names. Words of the `dictionary` are never typos; pins may end `today`."""

    def __init__(self, engine: SearchEngine, dictionary: Dictionary, today: Callable[[], date]) -> None:
        self._engine = engine
        self._dictionary = dictionary
        self._today = today
        self.guides = GuideCache(engine)

    async def search(self, request: SearchRequest, params: Sequence[tuple[str, str]]) -> ServiceResult:
        """Return ranked hits with reasons.

        One request to OpenSearch; one more to count many hits or for fewer words, two for corrections, and one if not
        all that the words name is among the hits. With a scope, these are for all types, and one more for the scope.
        """
        release = await self._engine.known_release()
        # Of all types, a scope needs only the facets and the words.
        of_all_types = replace(request, scope=(), offset=0, limit=0) if request.scope else request
        guided, guides = await self._with_guides(of_all_types, release)
        found = await self.find(guided)
        if found.release.index != release.index:  # another release went live, perhaps with other rules
            guided, guides = await self._with_guides(of_all_types, found.release)
            found = await self.find(guided, found.release)
        typed, offered = found, NO_CORRECTIONS
        if not guided.query.is_guide:
            found, offered = await self._fall_back(found)
        reading = await self._reading(typed, found, offered, guides)
        shown = await self._in_scope(request, typed, found) if request.scope else found
        named = [hit.card["name"] for hit in found.head if hit.match.kind in NAMED]
        return _search_result(request, shown, named, offered, reading, params)

    async def _in_scope(self, request: SearchRequest, typed: SearchResults, found: SearchResults) -> SearchResults:
        """Return the hits of a scope, for the words with which something was found; the facets are of all types."""
        request = replace(request, query=typed.request.query, left_out=typed.request.left_out, facets=False)
        shown = await self.find(replace(request, query=found.request.query), found.release)
        is_subset = set(found.request.query.tokens) <= set(request.query.tokens)  # as typed, or fewer words
        if is_subset and not request.query.is_guide and attempts.may_need_more(shown, self._dictionary):
            bodies = attempts.filling_bodies(request, shown)
            responses = await self._engine.search_all(list(bodies.values()), found.release) if bodies else ()
            shown = attempts.filled(request.query, shown, dict(zip(bodies, responses, strict=True)))
        return replace(shown, by_type=found.by_type)

    async def _with_guides(self, request: SearchRequest, release: Release) -> tuple[SearchRequest, list[GuideMatch]]:
        """Return a request with what its query names in a release and the operator's pin, and the guides it names."""
        guides = await self._matching_guides(request.query, release)
        request = _with_guide_names(request, guides)
        return request.with_pin(release, self._today()).with_release(release), guides

    def _guided(self, index: GuideIndex, request: SearchRequest) -> SearchRequest:
        """Return a request with the names of guides in its query."""
        return _with_guide_names(request, self._match(index, request.query))

    def _match(self, index: GuideIndex, query: ParsedQuery) -> list[GuideMatch]:
        """Return the guides that a query names. Words that are not in the dictionary may be misspelled."""
        return index.match(query, unknown={token for token in query.tokens if token not in self._dictionary.common})

    async def read(self, query: ParsedQuery, *, spelling: bool = True) -> Reading:
        """Return the reading of a question; with spelling, misspelled words are corrected."""
        release = await self._engine.known_release()
        request = SearchRequest(query, spelling=spelling, facets=False).with_release(release)
        found = typed = select(request, await self._engine.search(search_body(request)))
        offered = NO_CORRECTIONS
        if spelling:
            found, offered = await self._fall_back(found)
        return await self._reading(typed, found, offered, await self._matching_guides(query, found.release))

    async def read_question(self, query: ParsedQuery, *, spelling: bool = True) -> Reading:
        """Return the reading of a question that may be longer than a query."""
        pieces = split(query)
        readings = [await self.read(piece.query, spelling=spelling) for piece in pieces]
        if len(pieces) == 1:
            return readings[0]
        # Words of a crisis may stand where two pieces meet, or behind the last.
        whole = await self._matching_guides(query, await self._engine.known_release())
        return joined(pieces, readings, [match.guide for match in whole if match.guide.is_crisis])

    async def _reading(
        self, typed: SearchResults, found: SearchResults, offered: CorrectionResults, guides: Sequence[GuideMatch]
    ) -> Reading:
        """Return the reading of the query as it was typed, or of the correction of which more can be read.

        With the guides, if it names none, and the entities that `found` has because they share words with the question.
        """
        query = typed.request.query
        reading = read(query, await self._named_hits(query, typed), guides)
        for correction, result in offered:
            corrected_query = result.request.query
            if correction.is_weak or not reading.unused:
                continue
            hits = await self._named_hits(corrected_query, result)
            corrected = read(corrected_query, hits, await self._matching_guides(corrected_query, typed.release))
            if len(corrected.parts) > len(reading.parts) and len(corrected.unused) < len(reading.unused):
                guides_shown = reading.guides or corrected.guides
                reading = replace(with_typed_words(corrected, query, corrected_query), guides=guides_shown)
        if found.guides and not reading.guides:
            index = await self.guides.read(found.release)
            reading = replace(reading, guides=[index.guides[id_] for id_ in found.guides])
        described = [(hit.card, hit.payload["sources"]) for hit in found.head if hit.match.kind == WORDING]
        return replace(reading, similar=described)

    async def _matching_guides(self, query: ParsedQuery, release: Release) -> list[GuideMatch]:
        """Return the guides that a query names."""
        return self._match(await self.guides.read(release), query)

    async def _named_hits(self, query: ParsedQuery, found: SearchResults) -> Sequence[RankedHit]:
        """Return all hits that parts of a query name; those of its search may be incomplete."""
        is_pinned = found.request.query.pinned or found.request.left_out  # a pin does not change what words mean
        if not is_pinned and found.has_all_named:
            return found.head
        query = replace(query, pinned="")
        response = await self._engine.search(reading_body(query), found.release)
        return [rank_hit(query, hit) for hit in response.hits]

    async def find(self, request: SearchRequest, release: Release | None = None) -> SearchResults:
        """Return the page of a search: one request, a second if the page or the counts go beyond the ranked hits.

        Without a release it searches the live one.
        """
        found = select(request, await self._engine.search(search_body(request), release))
        (found,) = await self._completed([found])
        return found

    async def _completed(self, results: Sequence[SearchResults]) -> list[SearchResults]:
        """Return results with the hits and counts that they miss, in one request if any do."""
        incomplete = {
            place: search_body(one.request, first=missing.start, size=len(missing), good_only=not one.request.loose)
            for place, one in enumerate(results)
            if (missing := one.missing) is not None
        }
        if not incomplete:
            return list(results)
        responses = await self._engine.search_all(list(incomplete.values()), results[0].release)
        later = dict(zip(incomplete, responses, strict=True))
        return [one.with_missing(later[place]) if place in later else one for place, one in enumerate(results)]

    async def _fall_back(self, found: SearchResults) -> tuple[SearchResults, CorrectionResults]:
        """Return the hits of a correction or of fewer words if these are better, and the corrections to offer."""
        release, request = found.release, found.request
        if not (evidence_bodies := attempts.evidence_bodies(found, self._dictionary)):
            return found, NO_CORRECTIONS
        early = attempts.fallback_requests(found, attempts.fewer_words_to_try(found))
        first = [*evidence_bodies.values(), *map(search_body, early)]
        responses = await self._engine.search_all(first, release)
        named = dict(zip(evidence_bodies, responses, strict=False))
        evidence = attempts.Evidence.of(found, named, self._dictionary)
        guided = partial(self._guided, await self.guides.read(release))
        results = attempts.lazy_results(early, responses[len(evidence_bodies) :], guided)
        offered = NO_CORRECTIONS
        chosen = attempts.choose_results(found, offered, evidence.results_in_order(results))
        if evidence.corrections or (chosen is None and evidence.unsearched(results)):
            corrected = [correction.query for correction in evidence.corrections]
            later = attempts.fallback_requests(found, [*corrected, *evidence.unsearched(results)])
            responses = await self._engine.search_all(list(map(search_body, later)), release)
            results |= attempts.lazy_results(later, responses, guided)
            shown = evidence.shown(request.query, results, release.hidden_names)
            credible = attempts.credible_corrections(found, shown)
            complete = await self._completed([result for _, result in credible])
            offered = [(one, result) for (one, _), result in zip(credible, complete, strict=True)]
            chosen = attempts.choose_results(found, offered, evidence.results_in_order(results))
        if chosen is None:
            chosen = found
        elif any(chosen is result for _, result in offered):
            return chosen, offered
        else:
            (chosen,) = await self._completed([chosen])
        return attempts.filled(request.query, chosen, named), offered

    async def suggest(self, query: ParsedQuery, scope: tuple[str, ...], limit: int) -> ServiceResult:
        """Return names that complete the query. One request to OpenSearch."""
        response = await self._engine.search(suggest.suggest_body(query, scope))
        shown = suggest.completions(query, response, limit)
        body = {
            "query": query.raw,
            "results": [completion.result for completion in shown],
            "groups": suggest.ids_by_type(shown),
            **single_page(response.total, limit),
        }
        return ServiceResult(body, response.release, [source for one in shown for source in one.sources])


def _with_guide_names(request: SearchRequest, guides: Sequence[GuideMatch]) -> SearchRequest:
    return replace(request, query=replace(request.query, guide_names=guide_names(guides)))


def _search_result(
    request: SearchRequest,
    found: SearchResults,
    named: Sequence[str],
    offered: CorrectionResults,
    reading: Reading,
    params: Sequence[tuple[str, str]],
) -> ServiceResult:
    """Return the response: the hits of the query, of its correction, or of fewer of its words."""
    searched, typed = found.request.query, request.query
    is_corrected = any(one.query.raw == searched.raw for one, _ in offered)
    ignored = [] if is_corrected else [word for word in typed.keywords if word not in searched.tokens]
    matches = [explain_hit(searched, hit, named) for hit in found.page]
    if is_corrected:
        matches = [correct_reason(match, typed, searched) for match in matches]
    else:
        matches = [reason_without(match, hit, ignored) for match, hit in zip(matches, found.page, strict=True)]
    body: JsonObject = {
        "query": typed.raw,
        "synonyms_used": request.expands_synonyms,
        "spelling_used": request.spelling,
        "results": [
            {**hit.card, "score": round(hit.score, 2), "score_parts": hit.parts, "match": match}
            for hit, match in zip(found.page, matches, strict=True)
        ],
        **page_links("/search", params, found.total, request.limit, request.offset),
        "matching": "loose" if request.loose else "strict",
        "less_likely": _less_likely(found, params),
        "synonyms": interpretations(found.request, found.page),
        "ignored_words": ignored,
        "did_you_mean": [
            {"query": one.query.text, "highlighted": one.highlighted, "total": result.total} for one, result in offered
        ],
        "corrected": {"from": typed.raw.strip(), "to": searched.text} if is_corrected else None,
        "facets": {"type": found.by_type},
        **_reading_members(typed, reading),
    }
    empty = None if found.total else EmptySearch(len(typed.words), request.scope)
    return ServiceResult(body, found.release, _sources(found, reading), empty)


def _sources(found: SearchResults, reading: Reading) -> list[str]:
    """Return the ids of the sources of all that a response shows."""
    of_hits = [source for hit in found.page for source in hit.payload["sources"]]
    return [*of_hits, *reading.sources, *(GUIDE_SOURCES if reading.guides else ())]


def _reading_members(query: ParsedQuery, reading: Reading) -> JsonObject:
    """Return how a query was read, the guides that it names, and the request that recommends for what it names.

    With a guide for a crisis that request has the words, so that its response has the guide, too.
    """
    body = reading.recommend_body()
    if body and any(guide.is_crisis for guide in reading.guides):
        body = {"question": query.raw}
    return {
        "reading": reading.as_json(),
        "guides": [guide.brief() for guide in reading.guides],
        "recommend": {"method": "POST", "path": "/recommend", "body": body} if body else None,
    }


def _less_likely(found: SearchResults, params: Sequence[tuple[str, str]]) -> JsonObject | None:
    """Return how many hits match only loosely and are not shown, with the link to the list that has them."""
    if not found.less_likely:
        return None
    others = [(name, value) for name, value in params if name not in {"matching", "offset"}]
    return {"total": found.less_likely, "url": f"/search?{urlencode([*others, ('matching', 'loose')])}"}
