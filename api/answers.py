"""Search, entity, list, neighbors, recommend, related, graph: query → engine → result. Both doors call these."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from api import inheriting, listing, parted, queries, results, slip_queries
from api.batch import batch
from api.connecting import Between, connections
from api.errors import EngineAwayError
from api.exports import live_export
from api.finding import forms_bodies, located
from api.naming import owner_of, unknown
from api.neighbors import DEEPEST, Walk, neighbors
from api.recommending import recommend
from api.relating import related
from api.results import Reply
from api.spelling import MOST, Correct, Fix, halfway, same_beginnings, worth_trying

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine import Engine
    from api.models import RecommendRequest
    from api.release import Answer, Release
    from api.vocabulary import Vocabulary

Body = dict[str, Any]
CHANGES = "changes"  # what a release keeps about itself


class Answers:
    """Every question the graph answers. Holds no state of its own. `correct` words are never taken for slips."""

    def __init__(self, engine: Engine, vocabulary: Vocabulary, correct: Correct) -> None:
        self._engine = engine
        self._vocabulary = vocabulary
        self._correct = correct

    async def search(self, ask: queries.Search, params: Sequence[tuple[str, str]]) -> Reply:
        """Ranked hits with reasons. One engine request, or up to five where nothing strong matched.

        A later page takes its spelling help from the best hit of all, in two requests more where it needs any.
        """
        answer, told = await self._asked(ask)
        fixed: list[tuple[Fix, Answer]] = []
        corrected, read = None, ask
        if not results.strong(answer) and (bodies := _spelling(ask)):
            first, head = ask, answer
            if ask.offset:
                first = replace(ask, offset=0, limit=1, facets=False)
                beside = () if told else bodies
                head, *said = await self._engine.search_all([queries.search_body(first), *beside], answer.release)
                told = told or said
            if not results.strong(head):
                told = told or await self._engine.search_all(bodies, answer.release)
                fixed = await self._fixed(first, head, told)
            if fixed and not fixed[0][0].guess and results.better(fixed[0][1], head, ask.query, fixed[0][0].text):
                fix, answer = fixed[0][0].text, fixed[0][1]
                corrected = {"from": ask.query.strip(), "to": fix}
                read = replace(ask, query=fix)
                params = [(name, fix if name == "query" else value) for name, value in params]
                if ask.offset:
                    answer = await self._engine.search(queries.search_body(read), answer.release)
        found = results.hits(read, answer)
        body = {
            "query": ask.query,
            "synonyms_used": queries.rules_apply(ask),
            "spelling_used": ask.spelling,
            "results": results.corrected_hits(ask.query, read.query, found) if corrected else found,
            **results.page("/search", params, results.total(answer), ask.limit, ask.offset),
            "synonyms": results.readings(read, answer, found),
            "did_you_mean": [_told(fix, found_by) for fix, found_by in fixed],
            "corrected": corrected,
            "facets": results.facets(answer),
        }
        return Reply(body, answer.release, results.hit_sources(answer))

    async def _asked(self, ask: queries.Search) -> tuple[Answer, Sequence[Answer]]:
        """What is found. Where that is nothing, it is sought again beside what spelling help asks, in one request."""
        body = queries.search_body(ask)
        if parted.worth(ask, self._engine.release):
            return await self._in_parts(ask, body), ()
        if found := await self._engine.hits(body):
            return found, ()
        if not (beside := _spelling(ask)):
            return await self._engine.by_name(body), ()
        answer, *said = await self._engine.search_all([body, *beside])
        return answer, said

    async def _in_parts(self, ask: queries.Search, body: Body) -> Answer:
        """What is found of one word, in one request; in one search where a release that differs has gone live since."""
        ruled = parted.ruled(ask, self._engine.release)
        ranked, counted = await self._engine.search_all(parted.bodies(body, ask.query, ruled=ruled))
        if parted.fits(ranked.release) and parted.ruled(ask, ranked.release) == ruled:
            return parted.joined(ranked, counted)
        return await self._engine.by_name(body, ranked.release)

    async def _fixed(self, ask: queries.Search, asked: Answer, told: Sequence[Answer]) -> list[tuple[Fix, Answer]]:
        """Corrected queries that find something, with what they find, the most certain first.

        Where nothing was asked for that there is, and no fix is sure, names that may be meant.
        """
        said, *near = told
        fixed = await self._tried(ask, results.fixes(ask.query, said, near, self._correct), asked.release)
        far = slip_queries.far_names_body(ask.query)
        if fixed or far is None or results.total(asked):
            return fixed
        words = slip_queries.words_of(ask.query)
        there = [slip_queries.word_body(word) for word in words]
        answer, *found = await self._engine.search_all([far, *there], asked.release)
        known = {word for word, one in zip(words, found, strict=True) if results.total(one)}
        return await self._tried(ask, results.guesses(ask.query, answer, known, self._correct), asked.release)

    async def _tried(self, ask: queries.Search, fixes: Sequence[Fix], release: Release) -> list[tuple[Fix, Answer]]:
        if not fixes:
            return []
        asks = [replace(ask, query=fix.text) for fix in fixes]
        answers = await self._engine.search_all([queries.search_body(one) for one in asks], release)
        offered = [
            (fix, answer)
            for fix, answer in zip(fixes, answers, strict=True)
            if results.total(answer) and (results.whole(answer) or results.named_beside(answer) or not fix.only_name)
        ]
        offered.sort(key=lambda one: (not results.whole(one[1]), not same_beginnings(ask.query, one[0].text)))
        return [one for one in offered if not halfway(ask.query, one[0], [fix for fix, _ in offered])][:MOST]

    async def suggest(self, typed: str, scope: tuple[str, ...], limit: int) -> Reply:
        """Names that go on from what was typed. One engine request, two where none does."""
        answer = await self._engine.search(queries.suggest_body(typed, scope, limit))
        paging = results.unpaged(results.total(answer), limit)
        body = {"query": typed, **results.completions(typed, answer), **paging}
        return Reply(body, answer.release, results.hit_sources(answer))

    async def entities(
        self,
        type_name: str,
        limit: int,
        offset: int,
        params: Sequence[tuple[str, str]],
        filters: Mapping[str, str] | None = None,
    ) -> Reply:
        """All entities of a type, by name, or those that the filters leave."""
        if filters:
            answer = await self._engine.search(listing.filtered_list_body(type_name, limit, offset, filters))
            total = results.total(answer)
            if not total:
                _refuse_unknown(answer, filters)
        else:
            answer = await self._engine.search(listing.list_body(type_name, limit, min(offset, DEEPEST - limit)))
            total = answer.release.counts["types"].get(type_name, 0)
        body = {"results": results.cards(answer), **results.page(f"/{type_name}", params, total, limit, offset)}
        return Reply(body, answer.release, results.hit_sources(answer))

    async def batch(self, type_name: str, given: Sequence[str]) -> Reply:
        """Several entities of a type, in the order asked."""
        return await batch(self._engine, self._vocabulary, type_name, given)

    async def entity(self, type_name: str, given: str) -> Reply:
        """The record of one entity. One engine request by id or key, two by any other form; one more for an heir."""
        (document,), release = await self._engine.fetch([f"{owner_of(type_name, given)}/record"])
        if document is None:
            forms = await self._engine.search_all(forms_bodies(type_name, given))
            document, release = located(type_name, given, forms), forms[0].release
        record = dict(document["record"])
        if speaking := [one["id"] for one in inheriting.speakers(record)]:
            found, _ = await self._engine.fetch([f"{one}/heirlooms" for one in speaking], release)
            left = {one: given["heirlooms"] for one, given in zip(speaking, found, strict=True) if given}
            record = inheriting.completed(record, left)
        return Reply(record, release, [source["id"] for source in record["sources"]])

    async def neighbors(self, ask: Walk) -> Reply:
        """One page of an entity's edges of one name, best first. One engine request by id or key, else two."""
        return await neighbors(self._engine, self._vocabulary, ask)

    async def connections(self, ask: Between) -> Reply:
        """Short chains that join two entities, the most telling first. At most three engine requests."""
        return await connections(self._engine, self._vocabulary, ask)

    async def related(self, given: str, limit: int) -> Reply:
        """Conditions with similar limitations, most alike first."""
        return await related(self._engine, given, limit)

    async def recommend(self, ask: RecommendRequest) -> Reply:
        """Ranked solutions with the chain that leads to each. Two engine requests."""
        return await recommend(self._engine, ask)

    async def export(self) -> Reply:
        """The files in which the whole release can be had."""
        export = await live_export(self._engine)
        return Reply(export.listing, export.release, list(export.release.sources))

    async def graph(self) -> Reply:
        """The types and edges with their counts."""
        release = await self.ready()
        return Reply(results.graph(self._vocabulary, release.counts, release.examples), release)

    async def changes(self) -> Reply:
        """What is other in the live release than in the one before."""
        (document,), release = await self._engine.fetch([CHANGES])
        return Reply(results.changes(document, release.rules_since), release)

    async def ready(self) -> Release:
        """Run a real query on the alias; raise EngineAwayError where it does not work."""
        answer = await self._engine.search({"size": 1, "_source": False, "query": {"term": {"doc": "entity"}}})
        if not answer.body["hits"]["hits"]:
            raise EngineAwayError("The live release is empty.")
        return answer.release


def _spelling(ask: queries.Search) -> list[Body]:
    """What spelling help asks first; nothing where it is off, or the query too long for it."""
    if not ask.spelling or not worth_trying(ask.query):
        return []
    bodies = slip_queries.spelling_body(ask.query), slip_queries.near_names_body(ask.query)
    return [body for body in bodies if body]


def _told(fix: Fix, answer: Answer) -> Body:
    return {"query": fix.text, "highlighted": fix.highlighted, "total": results.total(answer)}


def _refuse_unknown(answer: Answer, filters: Mapping[str, str]) -> None:
    """Raise the 422 for a value that no entity of the type has, with those that some have."""
    for field, value in filters.items():
        valid = [bucket["key"] for bucket in answer.body["aggregations"][field]["buckets"]]
        if value not in valid:
            name = field.removesuffix("s")
            raise unknown(name, ("query", name), value, valid)
