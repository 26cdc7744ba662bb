"""Runs judged queries and name lookups on the live release. Reads only."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from akg.evaluation.metrics import SEARCH_DEPTH, score
from api.engine.hits import card as read_card
from api.graph import query_bodies
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import search_body
from schema.text import name_key

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from akg.evaluation.metrics import Judgment, Outcome
    from api.engine.search_engine import SearchEngine
    from api.service import GraphService

BATCH_SIZE = 50
MAX_IN_FLIGHT = 4  # queries; more only compete with OpenSearch for the same cores
PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True)
class EntityName:
    """A text that must find its entity; `kind` is id, slug, name or alias."""

    entity: str
    kind: str
    text: str


async def run_judgments(
    service: GraphService, judgments: Sequence[Judgment], on_query: Callable[[], object]
) -> list[Outcome]:
    """Run every judged query as a client would and score its hits."""
    results = await run_queries(service, [judgment.query for judgment in judgments], on_query)
    return [score(judgment, [hit["id"] for hit in hits]) for judgment, hits in zip(judgments, results, strict=True)]


async def run_queries(
    service: GraphService, queries: Iterable[str], on_query: Callable[[], object]
) -> list[list[dict[str, Any]]]:
    """Return the first hits of each query as a client would get them, with MAX_IN_FLIGHT queries at a time."""
    semaphore = asyncio.Semaphore(MAX_IN_FLIGHT)

    async def run(query: str) -> list[dict[str, Any]]:
        async with semaphore:
            request = SearchRequest(ParsedQuery.parse(query), limit=SEARCH_DEPTH, facets=True)
            result = await service.search(request, [])
        on_query()
        hits: list[dict[str, Any]] = result.body["results"]
        return hits

    return list(await asyncio.gather(*map(run, queries)))


async def entity_names(engine: SearchEngine) -> AsyncIterator[EntityName]:
    """Yield every id, slug, name and alias of the live release."""
    release = await engine.refresh_live_release()
    for kind, total in release.counts["types"].items():
        for offset in range(0, total, PAGE_SIZE):
            response = await engine.search(query_bodies.list_body(kind, PAGE_SIZE, offset))
            for hit in response.body["hits"]["hits"]:
                card = read_card(hit)
                yield EntityName(card["id"], "id", card["id"])
                yield EntityName(card["id"], "slug", card["slug"])
                yield EntityName(card["id"], "name", card["name"])
                for alias in hit["fields"].get("alias_list", ()):
                    yield EntityName(card["id"], "alias", alias)


async def names_not_first(
    engine: SearchEngine, names: Sequence[EntityName], on_query: Callable[[], object]
) -> list[EntityName]:
    """Return the names whose entity is not the first hit, nor tied with entities that have the same name."""
    missed = []
    for start in range(0, len(names), BATCH_SIZE):
        batch = names[start : start + BATCH_SIZE]
        queries = [ParsedQuery.parse(name.text) for name in batch]
        requests = [SearchRequest(query, limit=SEARCH_DEPTH, facets=False) for query in queries]
        responses = await engine.search_all([search_body(request) for request in requests])
        for name, response in zip(batch, responses, strict=True):
            if not is_first_or_tied(name, [_name_keys(hit) for hit in response.body["hits"]["hits"]]):
                missed.append(name)
            on_query()
    return missed


def _name_keys(hit: Mapping[str, Any]) -> tuple[str, set[str]]:
    card = read_card(hit)
    texts = (card["name"], card["slug"], *hit["fields"].get("alias_list", ()))
    return card["id"], {name_key(text) for text in texts}


def is_first_or_tied(name: EntityName, hits: Sequence[tuple[str, set[str]]]) -> bool:
    """Whether every hit before the entity, as id and name keys, has the same name."""
    for entity, keys in hits:
        if entity == name.entity:
            return True
        if name_key(name.text) not in keys:
            return False
    return bool(hits)  # all hits of the page have the same name
