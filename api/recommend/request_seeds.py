"""Resolves a request: its texts, the parts of its question, its setting, and the solutions that it excludes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.query_bodies import named_body, nearest_body
from api.graph.resolve import best_card
from api.models.recommend import MAX_SEEDS
from api.recommend.seed_errors import (
    no_seed_error,
    nothing_understood_error,
    unknown_seed_warnings,
    unknown_seeds_error,
)
from api.recommend.seeds import RecommendQuery, ResolvedSeed, SeedText, in_order, resolve_seeds
from api.request_text import MAX_UNKNOWN, shorten
from api.result import list_nearest, request_warning
from api.search.query import ParsedQuery
from api.search.reading.model import MATCHED_BY_SEED, Part, Reading
from schema.json_types import JsonObject
from schema.text import join_names

SOLUTION = "solution"
NO_NEED = (
    "The question names {names}, but no condition, limitation or job to recommend for. "
    "Add what is hard for the person, or follow the entity that the reading shows."
)
MAX_NAMES = 3  # in a sentence
SEVERAL = 2  # names in a text; the only one is a name of another type


class ReadQuestion(Protocol):
    """Reads a question; with `spelling`, misspelled words are corrected."""

    async def __call__(self, query: ParsedQuery, *, spelling: bool = True) -> Reading:
        """Return the reading."""


@dataclass(slots=True)
class ResolvedRequest:
    """What a request asks for: seeds in an order of their own, the setting, excluded solutions by id, and warnings."""

    seeds: Sequence[ResolvedSeed]
    setting: str | None
    release: Release
    reading: Reading | None = None
    excluded: Mapping[str, JsonObject] = field(default_factory=dict)
    warnings: list[JsonObject] = field(default_factory=list)


async def resolve_request(engine: SearchEngine, read_question: ReadQuestion, query: RecommendQuery) -> ResolvedRequest:
    """Return what a request asks for. Raise InvalidError if nothing of it names a seed."""
    if not query.seeds and not query.question:
        raise no_seed_error(query.request)
    reading = await read_question(query.question) if query.question else None
    texts, overridden, warnings = _texts(query, reading)
    if not texts and query.question and reading:
        named = [part.entity["name"] for part in reading.parts if part.entity]
        if not reading.guides and not named:
            raise nothing_understood_error(query.question, reading)
        if named:
            warnings.append(request_warning("question", NO_NEED.format(names=join_names(named, MAX_NAMES))))
        return ResolvedRequest([], None, await engine.known_release(), reading, {}, warnings)
    seeds, unknown, release = await resolve_seeds(engine, texts)
    if unknown:
        parts, unknown = await _read_parts(read_question, unknown)
        if parts:
            of_parts, _, _ = await resolve_seeds(engine, parts)
            seeds += of_parts
    if unknown:
        error = await unknown_seeds_error(engine, unknown, release)
        without = {text.field for text in unknown} - {seed.field for seed in seeds}
        if of_question := [text for text in overridden if text.field in without]:  # better than nothing in a field
            found, _, _ = await resolve_seeds(engine, of_question)
            seeds += found
            overridden = [text for text in overridden if text.field not in without]
        if not seeds:
            raise error
        warnings += unknown_seed_warnings(error)
    warnings += map(_overridden_warning, overridden)
    excluded, not_excluded = await _resolve_excluded(engine, query.exclude, release)
    setting = query.request.setting or (reading.setting if reading else None)
    return ResolvedRequest(in_order(seeds)[:MAX_SEEDS], setting, release, reading, excluded, warnings + not_excluded)


def _texts(query: RecommendQuery, reading: Reading | None) -> tuple[list[SeedText], list[SeedText], list[JsonObject]]:
    """Return the texts that count, those of the question that a given field overrides, and warnings."""
    texts: list[SeedText] = list(query.seeds)
    overridden: list[SeedText] = []
    warnings: list[JsonObject] = []
    if reading and reading.words_read:
        count = reading.words_read
        message = f"Only the first {count} words of the question are read. Put what matters first, or ask in parts."
        warnings.append(request_warning("question", message))
    given = {text.field for text in query.seeds}
    for part in reading.parts if reading else ():
        if (text := _seed_text(part)) is None:
            continue
        (overridden if text.field in given else texts).append(text)
    if reading and reading.setting and query.request.setting not in (None, reading.setting):
        message = f"The setting {reading.setting} of the question has no effect, because the field setting is given."
        warnings.append(request_warning("question", message))
    if len(texts) > MAX_SEEDS:
        left = [text.given for text in texts[MAX_SEEDS:]]
        message = f"Only the first {MAX_SEEDS} parts count; {', '.join(left)} have no effect."
        warnings.append(request_warning("question", message))
    return texts[:MAX_SEEDS], overridden, warnings


def _overridden_warning(text: SeedText) -> JsonObject:
    message = f"‘{text.given}’ in the question has no effect, because the field {text.field} is given."
    return request_warning("question", message)


def _seed_text(part: Part) -> SeedText | None:
    """Return the text of the seed that a part of a question gives, if it gives one."""
    if part.seed is None:
        return None
    name, value = part.seed
    return SeedText(name, ParsedQuery.parse(value), part.text, MATCHED_BY_SEED[part.matched_by])


async def _read_parts(
    read_question: ReadQuestion, unknown: Sequence[SeedText]
) -> tuple[list[SeedText], list[SeedText]]:
    """Return the parts of texts that name several seeds ("cancer fatigue"), and the texts that do not."""
    parts: list[SeedText] = []
    unread: list[SeedText] = []
    for text in unknown:
        reading = await read_question(text.query, spelling=False)
        seeds = [_seed_text(part) for part in reading.parts]
        if reading.unused or reading.dropped or len(seeds) < SEVERAL or None in seeds:
            unread.append(text)
        else:
            parts += filter(None, seeds)
    return parts, unread


async def _resolve_excluded(
    engine: SearchEngine, texts: Sequence[ParsedQuery], release: Release
) -> tuple[dict[str, JsonObject], list[JsonObject]]:
    """Return the excluded solutions by id, and a warning for each text that names none."""
    if not texts:
        return {}, []
    texts = [text.with_release(release) for text in texts]
    bodies = [named_body(text, SOLUTION) for text in texts]
    nearest = [nearest_body(text, SOLUTION) for text in texts]
    responses = await engine.search_all([*bodies, *nearest], release)
    excluded: dict[str, JsonObject] = {}
    warnings: list[JsonObject] = []
    for text, named, near in zip(texts, responses[: len(texts)], responses[len(texts) :], strict=True):
        if card := best_card(text, named):
            excluded[card["id"]] = card
            continue
        listed = list_nearest(card["name"] for card in near.cards)
        message = f"unknown solution {shorten(text.raw)!r} is not excluded; nearest: {listed}"
        warnings.append(request_warning("exclude", message, next((card["id"] for card in near.cards), None)))
    if more := len(warnings[MAX_UNKNOWN:]):
        warnings[MAX_UNKNOWN:] = [request_warning("exclude", f"and {more} more unknown solutions are not excluded")]
    return excluded, warnings
