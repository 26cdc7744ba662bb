"""Runs judged queries, names, and names with random typos with the service's own search. Reads only."""

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from akg.connection import connect, engine_urls
from akg.evaluation.metrics import SEARCH_DEPTH, Judgment, Outcome, score
from api.engine.search_engine import SearchEngine
from api.graph import query_bodies
from api.search.hit_order import rank_hits
from api.search.names import all_names
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import HIT, search_body
from api.service import GraphService
from api.settings import Settings, mappings_folder
from schema.english_words import english_words
from schema.json_types import JsonObject
from schema.text import WORD, name_key
from schema.vocabulary import read_vocabulary

BATCH_SIZE = 50
MAX_IN_FLIGHT = 4  # queries; more only compete with OpenSearch for the same cores
PAGE_SIZE = 1000

DEADLINE_SECONDS = 30.0  # an evaluation may wait longer than a client

Result = TypeVar("Result")

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MIN_WORD_LENGTH = 6  # letters of a word that gets a typo
MAX_WORDS = 4  # words of a name that gets typos
MAX_RANK = 3  # of the entity


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
    service: GraphService, queries: Iterable[str], on_query: Callable[[], object], limit: int = SEARCH_DEPTH
) -> list[list[dict[str, Any]]]:
    """Return the first hits of each query as a client would get them."""
    return [body["results"] for body in await run_searches(service, queries, on_query, limit)]


async def run_searches(
    service: GraphService, queries: Iterable[str], on_query: Callable[[], object], limit: int = SEARCH_DEPTH
) -> list[JsonObject]:
    """Return the response to each query as a client would get it, with MAX_IN_FLIGHT queries at a time."""
    semaphore = asyncio.Semaphore(MAX_IN_FLIGHT)

    async def run(query: str) -> JsonObject:
        async with semaphore:
            request = SearchRequest(ParsedQuery.parse(query), limit=limit, facets=True)
            result = await service.search(request, [])
        on_query()
        return result.body

    return list(await asyncio.gather(*map(run, queries)))


async def entity_names(engine: SearchEngine) -> AsyncIterator[EntityName]:
    """Yield every id, slug, name and alias of the live release."""
    release = await engine.refresh_live_release()
    for kind, total in release.counts["types"].items():
        for offset in range(0, total, PAGE_SIZE):
            body = {**query_bodies.list_body(kind, PAGE_SIZE, offset), **HIT}
            for hit in (await engine.search_index(body, release)).hits:
                card = hit.payload["card"]
                yield EntityName(card["id"], "id", card["id"])
                yield EntityName(card["id"], "slug", card["slug"])
                yield EntityName(card["id"], "name", card["name"])
                for alias in all_names(hit.payload)[1:]:
                    yield EntityName(card["id"], "alias", alias)


async def names_not_first(
    engine: SearchEngine, names: Sequence[EntityName], on_query: Callable[[], object]
) -> list[EntityName]:
    """Return the names whose entity is not the first hit, nor tied with entities that have the same name."""
    missed = []
    release = await engine.refresh_live_release()
    for start in range(0, len(names), BATCH_SIZE):
        batch = names[start : start + BATCH_SIZE]
        queries = [ParsedQuery.parse(name.text) for name in batch]
        requests = [SearchRequest(query, facets=False).with_release(release) for query in queries]
        responses = await engine.search_all([search_body(request) for request in requests], release)
        for name, request, response in zip(batch, requests, responses, strict=True):
            if not is_first_or_tied(name, [hit.payload for hit in rank_hits(request.query, response.hits)]):
                missed.append(name)
            on_query()
    return missed


def is_first_or_tied(name: EntityName, payloads: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every hit before the entity has the same name."""
    hits = payloads[:SEARCH_DEPTH]
    for payload in hits:
        card = payload["card"]
        if card["id"] == name.entity:
            return True
        if name_key(name.text) not in map(name_key, (card["slug"], *all_names(payload))):
            return False
    return bool(hits)  # all hits of the page have the same name


def judgments_file(settings: Settings) -> Path:
    """Return the judged queries beside the configured mappings, or the shipped ones."""
    return mappings_folder(settings) / "relevance" / "judgments.tsv"


@asynccontextmanager
async def open_service(
    settings: Settings, index: str | None = None
) -> AsyncIterator[tuple[GraphService, SearchEngine]]:
    """Open the service on an index, or on the live release."""
    settings = settings.model_copy(update={"deadline_seconds": DEADLINE_SECONDS})
    engine = SearchEngine(settings, engine_urls(settings), index)
    try:
        yield GraphService(engine, read_vocabulary(mappings_folder(settings)), english_words()), engine
    finally:
        await engine.close()


def run_with_service(settings: Settings, run: Callable[[GraphService, SearchEngine], Awaitable[Result]]) -> Result:
    """Check OpenSearch, then run a coroutine function on the live release."""

    async def main() -> Result:
        async with open_service(settings) as (service, engine):
            return await run(service, engine)

    connect(settings).close()  # raises ClusterError with what to do, where the service says only 503
    return asyncio.run(main())


@dataclass(frozen=True, slots=True)
class TypoCase:
    """How to edit names, how many to sample, and the share that search must still find."""

    label: str
    samples: int
    min_share: float
    words: int = 1
    first_letter: bool = False


CASES = (
    # 99.7 % are wanted; four samples of 2,000 had 99.65 to 99.75 %, so a minimum of 0.997 would fail by chance.
    TypoCase("one edit", 2000, 0.995),
    TypoCase("two edits", 600, 0.95, words=2),
    TypoCase("first letter", 600, 0.80, first_letter=True),
)


async def lost_names(
    service: GraphService,
    names: Sequence[EntityName],
    case: TypoCase,
    rng: random.Random,
    on_query: Callable[[], object],
) -> list[tuple[str, str]]:
    """Search for a sample of names with typos; return the names that were not found, each with its typos."""
    entities = entities_by_name(names)
    lost = []
    for _ in range(case.samples):
        name, text = draw(names, rng, first_letter=case.first_letter, words=case.words)
        if not await is_recovered(service, entities[name_key(name.text)], text):
            lost.append((name.text, text))
        on_query()
    return lost


async def is_recovered(service: GraphService, entities: set[str], text: str) -> bool:
    """Whether a text, or a query suggested for it, has one of the entities among its first MAX_RANK results."""

    async def search(query: str) -> tuple[bool, list[str]]:
        body = (await service.search(SearchRequest(ParsedQuery.parse(query), limit=MAX_RANK), [])).body
        is_hit = not entities.isdisjoint(hit["id"] for hit in body["results"])
        return is_hit, [suggestion["query"] for suggestion in body["did_you_mean"]]

    is_hit, suggestions = await search(text)
    for query in () if is_hit else suggestions:
        is_hit, _ = await search(query)
        if is_hit:
            break
    return is_hit


def entities_by_name(names: Iterable[EntityName]) -> dict[str, set[str]]:
    """Return the entities of each name key: two dozen occupations are called "Associate Professor"."""
    entities: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        entities[name_key(name.text)].add(name.entity)
    return entities


def draw(
    names: Sequence[EntityName], rng: random.Random, *, first_letter: bool = False, words: int = 1
) -> tuple[EntityName, str]:
    """Return a random name and its text with typos."""
    while True:
        name = rng.choice(names)
        text = with_typos(name.text, rng, first_letter=first_letter, words=words)
        if text is not None:
            return name, text


def with_typos(text: str, rng: random.Random, *, first_letter: bool = False, words: int = 1) -> str | None:
    """Edit that many words of six letters or more once each; None if the text has too few of them."""
    spans = [match.span() for match in WORD.finditer(text) if len(match[0]) >= MIN_WORD_LENGTH and match[0].isalpha()]
    if len(spans) < words or len(WORD.findall(text)) > MAX_WORDS:
        return None
    for begin, end in sorted(rng.sample(spans, words), reverse=True):
        text = text[:begin] + _edit(text[begin:end], rng, first_letter=first_letter) + text[end:]
    return text


def _edit(word: str, rng: random.Random, *, first_letter: bool) -> str:
    """Edit a word until its name key changes: swapping two equal letters changes nothing."""
    while True:
        edited = _edit_once(word, rng, first_letter=first_letter)
        if name_key(edited) != name_key(word):
            return edited


def _edit_once(word: str, rng: random.Random, *, first_letter: bool) -> str:
    letter = rng.choice([letter for letter in LETTERS if letter != word[0].lower()])
    if first_letter:
        return letter + word[1:]
    index = rng.randrange(1, len(word) - 1)
    endings = (
        letter + word[index:],  # inserted
        word[index + 1 :],  # deleted
        letter + word[index + 1 :],  # replaced
        word[index + 1] + word[index] + word[index + 2 :],  # swapped
    )
    return word[:index] + rng.choice(endings)
