"""Search, entity, list, neighbors, recommend, related, graph: query → engine → result. Both doors call these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from api import inheriting, queries, results
from api.errors import EngineAwayError, MovedError, NotFoundError
from api.naming import (
    CARD_FIELDS,
    LONGEST_ID,
    owner_of,
    unknown,
)
from api.recommending import recommend
from api.results import Reply
from api.spelling import same_beginnings, worth_trying

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from api.engine import Answer, Engine, Release
    from api.models import RecommendRequest
    from api.vocabulary import Vocabulary

Body = dict[str, Any]
PAGE = 100  # edges per page document, as the indexer writes them
DEEPEST = 2**31 - 1  # positions are 32-bit integers


class Answers:
    """Every question the graph answers. Holds no state of its own. `correct` words are never taken for slips."""

    def __init__(self, engine: Engine, vocabulary: Vocabulary, correct: Container[str]) -> None:
        self._engine = engine
        self._vocabulary = vocabulary
        self._correct = correct

    async def search(self, ask: queries.Search, params: Sequence[tuple[str, str]]) -> Reply:
        """Ranked hits with reasons. One engine request, or up to three when nothing strong matched."""
        answer = await self._engine.search(queries.search_body(ask))
        found = results.hits(ask, answer)
        suggestions: list[Body] = []
        corrected = None
        if ask.spelling and not results.strong(answer) and worth_trying(ask.query):
            suggestions, best = await self._suggestions(ask)
            if best is not None and results.better(best, answer, ask.query, suggestions[0]["query"]):
                fix = suggestions[0]["query"]
                corrected = {"from": ask.query.strip(), "to": fix}
                answer, found = best, results.corrected_hits(ask, fix, best)
                params = [(name, fix if name == "query" else value) for name, value in params]
        body = {
            "query": ask.query,
            "synonyms_used": queries.rules_apply(ask),
            "spelling_used": ask.spelling,
            "results": found,
            **results.page("/search", params, results.total(answer), ask.limit, ask.offset),
            "synonyms": results.readings(ask, answer, found),
            "did_you_mean": suggestions,
            "corrected": corrected,
            "facets": results.facets(answer),
        }
        return Reply(body, answer.release, results.hit_sources(answer))

    async def _suggestions(self, ask: queries.Search) -> tuple[list[Body], Answer | None]:
        """Corrected queries that find something, the most certain first, and that one's results."""
        bodies = [queries.spelling_body(ask.query), queries.near_names_body(ask.query)]
        said, *near = await self._engine.search_all([body for body in bodies if body])
        fixes = results.fixes(ask.query, said, near, self._correct)
        if not fixes:
            return [], None
        asks = [queries.Search(fix.text, ask.scope, ask.limit, ask.offset, synonyms=ask.synonyms) for fix in fixes]
        answers = await self._engine.search_all([queries.search_body(one) for one in asks])
        offered = [(fix, answer) for fix, answer in zip(fixes, answers, strict=True) if results.total(answer)]
        offered.sort(key=lambda one: (not results.whole(one[1]), not same_beginnings(ask.query, one[0].text)))
        if not offered:
            return [], None
        told = [
            {"query": fix.text, "highlighted": fix.highlighted, "total": results.total(answer)}
            for fix, answer in offered
        ]
        return told, offered[0][1]

    async def suggest(self, typed: str, scope: tuple[str, ...], limit: int) -> Reply:
        """Names that go on from what was typed. One engine request."""
        answer = await self._engine.search(queries.suggest_body(typed, scope, limit))
        paging = results.unpaged(results.total(answer), limit)
        body = {"query": typed, **results.completions(typed, answer), **paging}
        return Reply(body, answer.release, results.hit_sources(answer))

    async def entities(
        self, type_name: str, limit: int, offset: int, params: Sequence[tuple[str, str]], kind: str | None = None
    ) -> Reply:
        """All entities of a type by name, main conditions before narrower ones; with `kind` one of the two."""
        answer = await self._engine.search(queries.list_body(type_name, limit, min(offset, DEEPEST - limit), kind))
        counts = answer.release.counts
        total = counts["kinds"].get(kind, 0) if kind else counts["types"].get(type_name, 0)
        body = {"results": results.cards(answer), **results.page(f"/{type_name}", params, total, limit, offset)}
        return Reply(body, answer.release, results.hit_sources(answer))

    async def entity(self, type_name: str, given: str) -> Reply:
        """The record of one entity, by id, key or slug."""
        owner = owner_of(type_name, given)
        (document,), release = await self._engine.fetch([owner])
        if document is None or "record" not in document:
            document, release = await self._find(type_name, given, document)
        record = dict(document["record"])
        if heritage := record.get("inherits"):
            found, _ = await self._engine.fetch([f"{one['id']}/heirlooms" for one in heritage["from"]])
            left = [(card, one["heirlooms"]) for card, one in zip(heritage["from"], found, strict=True) if one]
            record = inheriting.completed(record, left, self._vocabulary)
        return Reply(record, release, [source["id"] for source in record["sources"]])

    async def _find(
        self, type_name: str, given: str, document: Mapping[str, Any] | None, place: str = "/{type}/{key}"
    ) -> tuple[Mapping[str, Any], Release]:
        """The entity under another form of its id, or the error that says where to look.

        `place` is the path at which the heir of a retired id answers the same question.
        """
        if document is not None:
            heir = document["moved_to"]
            kind, _, key = heir.partition(":")
            raise MovedError(
                f"{owner_of(type_name, given)} is now {heir}.", location=place.format(type=kind, key=key), moved_to=heir
            )
        bodies = [queries.entity_body(type_name, given), queries.nearest_body(type_name, given)]
        found, nearest = await self._engine.search_all(bodies)
        hits = found.body["hits"]["hits"]
        if hits:
            return hits[0]["_source"], found.release
        near = results.cards(nearest)
        hint = f" Nearest: {', '.join(card['id'] for card in near)}." if near else ""
        raise NotFoundError(f"There is no {type_name} {given[:LONGEST_ID]!r}.{hint}", suggestions=near)

    async def neighbors(
        self, type_name: str, given: str, edge: str, limit: int, offset: int, params: Sequence[tuple[str, str]]
    ) -> Reply:
        """One page of an entity's edges of one name, best first. One engine request by id or key, two by slug."""
        owner = owner_of(type_name, given)
        first, last = offset // PAGE, (offset + limit - 1) // PAGE
        pages: Sequence[Mapping[str, Any] | None]
        wanted = dict.fromkeys([0, *range(min(first, DEEPEST), min(last, DEEPEST) + 1)])
        pages, release = await self._engine.fetch([f"{owner}/{edge}/{number}" for number in wanted])
        if pages[0] is None:
            return await self._neighbors_otherwise(type_name, given, edge, limit, offset, params)
        by_number = {
            number: document["page"] for number, document in zip(wanted, pages, strict=True) if document is not None
        }
        return self._neighbor_page(by_number, edge, limit, offset, params, release)

    async def _neighbors_otherwise(
        self, type_name: str, given: str, edge: str, limit: int, offset: int, params: Sequence[tuple[str, str]]
    ) -> Reply:
        owner = owner_of(type_name, given)
        first, last = min(offset // PAGE, DEEPEST), min((offset + limit - 1) // PAGE, DEEPEST)
        bodies = [
            queries.pages_body(owner, edge, 0, 0),
            queries.pages_body(owner, edge, first, last),
            queries.entity_body(type_name, given),
        ]
        head, rest, entity = await self._engine.search_all(bodies)
        documents = [hit["_source"] for answer in (head, rest) for hit in answer.body["hits"]["hits"]]
        if documents:
            by_number = {document["number"]: document["page"] for document in documents}
            return self._neighbor_page(by_number, edge, limit, offset, params, head.release)
        hits = entity.body["hits"]["hits"]
        if not hits:
            (document,), _ = await self._engine.fetch([owner])
            place = f"/{{type}}/{{key}}/neighbors?{urlencode(params)}"
            found, _ = await self._find(type_name, given, document, place)
            record = found["record"]
        else:
            record = hits[0]["_source"]["record"]
        if record.get("inherits", {}).get("totals", {}).get(edge):
            return await self._inherited(record, edge, limit, offset, params)
        return self._no_neighbors(record, edge, limit, offset, params, entity.release)

    async def _inherited(
        self, record: Mapping[str, Any], edge: str, limit: int, offset: int, params: Sequence[tuple[str, str]]
    ) -> Reply:
        """One page of what a narrower condition takes from those above it. One more engine request."""
        wanted = [
            f"{one['id']}/{edge}/{number}"
            for one in record["inherits"]["from"]
            for number in range(-(-one["totals"][edge] // PAGE))
        ]
        found, release = await self._engine.fetch(wanted)
        items = inheriting.merged(
            [(document["page"]["entity"], document["page"]["items"]) for document in found if document]
        )
        body = {
            "entity": {key: record[key] for key in record if key in CARD_FIELDS},
            "edge": edge,
            "results": items[offset : offset + limit],
            **results.page(f"{record['url']}/neighbors", params, len(items), limit, offset),
        }
        return Reply(body, release, [source for item in body["results"] for source in item["sources"]])

    def _neighbor_page(
        self,
        pages: Mapping[int, Mapping[str, Any]],
        edge: str,
        limit: int,
        offset: int,
        params: Sequence[tuple[str, str]],
        release: Release,
    ) -> Reply:
        head = pages[0]
        items = [
            item
            for number in sorted(pages)
            for place, item in enumerate(pages[number]["items"], start=number * PAGE)
            if offset <= place < offset + limit
        ]
        path = f"{head['entity']['url']}/neighbors"
        body = {
            "entity": head["entity"],
            "edge": edge,
            "results": items,
            **results.page(path, params, head["total"], limit, offset),
        }
        return Reply(body, release, [source for item in items for source in item["sources"]])

    def _no_neighbors(
        self,
        record: Mapping[str, Any],
        edge: str,
        limit: int,
        offset: int,
        params: Sequence[tuple[str, str]],
        release: Release,
    ) -> Reply:
        """An edge this type may have but this entity has not is an empty page; any other is a mistake."""
        if edge not in self._vocabulary.edges_of(record["type"]):
            have = {group["name"]: group["total"] for group in record["edges"]}
            raise unknown("edge", ("query", "edge"), edge, have or self._vocabulary.edges_of(record["type"]), have)
        entity = {key: record[key] for key in record if key in CARD_FIELDS}
        body = {
            "entity": entity,
            "edge": edge,
            "results": [],
            **results.page(f"{record['url']}/neighbors", params, 0, limit, offset),
        }
        return Reply(body, release)

    async def related(self, given: str, limit: int) -> Reply:
        """Conditions with similar limitations, most alike first."""
        owner = owner_of("disability", given)
        (document,), release = await self._engine.fetch([f"{owner}/related"])
        if document is None:
            answer = await self._engine.search(queries.related_body(owner))
            hits = answer.body["hits"]["hits"]
            if hits:
                document, release = hits[0]["_source"], answer.release
            else:
                (moved,), _ = await self._engine.fetch([owner])
                document, release = await self._find("disability", given, moved, "/related_conditions/{key}")
        found = document["related"]
        items = [{**one, "why": results.related_why(found["entity"], one)} for one in found["items"][:limit]]
        body = {"entity": found["entity"], "results": items, **results.unpaged(len(found["items"]), limit)}
        return Reply(body, release)

    async def recommend(self, ask: RecommendRequest) -> Reply:
        """Ranked solutions with the chain that leads to each. Two engine requests."""
        return await recommend(self._engine, ask)

    async def graph(self) -> Reply:
        """The types and edges with their counts."""
        release = await self.ready()
        return Reply(results.graph(self._vocabulary, release.counts, release.examples), release)

    async def ready(self) -> Release:
        """Run a real query on the alias; raise EngineAwayError where it does not work."""
        answer = await self._engine.search({"size": 1, "_source": False, "query": {"term": {"doc": "entity"}}})
        if not answer.body["hits"]["hits"]:
            raise EngineAwayError("The live release is empty.")
        return answer.release
