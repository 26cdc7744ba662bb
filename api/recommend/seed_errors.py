"""What to say about seeds that are missing, unknown or sent in a wrong field."""

from collections.abc import Sequence

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.errors import InvalidError
from api.graph.query_bodies import named_body, nearest_body
from api.graph.resolve import best_card
from api.models import NO_SEED, RecommendRequest
from api.recommend.seeds import SEED_FIELDS, SEED_TYPES, SeedText
from api.request_text import shorten
from api.result import list_nearest, not_found_problem, problem, request_warning, unknown_name_warnings
from api.search.query import ParsedQuery
from api.search.reading.model import Reading
from schema.entity_kinds import type_noun
from schema.json_types import JsonObject
from schema.text import join_names, with_article

MAX_WORDS_SHOWN = 5


def unknown_field_warnings(request: RecommendRequest) -> list[JsonObject]:
    """Return warnings about unknown fields of the body, with the nearest known ones."""
    return unknown_name_warnings("field", request.model_extra or {}, type(request).model_fields)


def no_seed_error(request: RecommendRequest) -> InvalidError:
    """Return the 422 for a request without a seed, with the fields that it may have misspelled."""
    near = [warning["nearest"] for warning in unknown_field_warnings(request) if warning["nearest"]]
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    known = request.model_dump(exclude_unset=True, exclude=set(request.model_extra or ()))
    sent = {name: _as_sent(value) for name, value in known.items()}
    return InvalidError(
        [problem(["body"], NO_SEED + hint, "no_seed", sent, {"fields": list(SEED_TYPES), "nearest": near})]
    )


def _as_sent(value: object) -> object:
    """Return the texts of a field as they may have been sent: one text, a list, or nothing."""
    if not isinstance(value, tuple):
        return value
    return value[0] if len(value) == 1 else list(value) or None


async def unknown_seeds_error(engine: SearchEngine, texts: Sequence[SeedText], release: Release) -> InvalidError:
    """Return the 422 for texts that name no seed: another type has the name, or which names are nearest."""
    nearest_bodies = [nearest_body(text.query, SEED_TYPES[text.field]) for text in texts]
    of_any_type = [named_body(text.query, *SEED_FIELDS) for text in texts]
    responses = await engine.search_all([*nearest_bodies, *of_any_type], release)
    problems = []
    for text, near, by_name in zip(texts, responses[: len(texts)], responses[len(texts) :], strict=True):
        field, query = text.field, text.query
        name, candidates = shorten(query.raw), near.cards
        message = f"unknown {type_noun(field)} {name!r}; nearest: {list_nearest(card['name'] for card in candidates)}"
        kind = "unknown_seed"
        card = best_card(query, by_name)
        if card and (right := SEED_FIELDS[card["type"]]) != field:
            right_type, wrong_type = with_article(type_noun(right)), with_article(type_noun(field))
            message = f"{name!r} is {right_type} ({card['name']}), not {wrong_type}; send it as {right!r}"
            kind, candidates = "seed_of_another_kind", [card]
        problems.append(not_found_problem(("body", field), message, kind, query.raw, candidates))
    return InvalidError(problems).with_sources([source for response in responses for source in response.sources])


def unknown_seed_warnings(error: InvalidError) -> list[JsonObject]:
    """Return the problems of an error as warnings: the other seeds of the request have an answer."""
    warnings = []
    for one in error.problems:
        nearest = [candidate["id"] for candidate in one["ctx"]["nearest"]]
        warnings.append(request_warning(one["loc"][-1], f"{one['msg']}. It has no effect.", next(iter(nearest), None)))
    return warnings


def nothing_understood_error(question: ParsedQuery, reading: Reading) -> InvalidError:
    """Return the 422 for a question that names nothing to recommend for."""
    message = "the question names no condition, limitation, work-related function or job"
    if reading.dropped:
        names = join_names([f"‘{part.text}’" for part, _ in reading.dropped], MAX_WORDS_SHOWN)
        message += f"; it says that {names} {'does' if len(reading.dropped) == 1 else 'do'} not apply, or no longer"
    if reading.unused:
        message += f"; no name has {join_names([f'‘{word}’' for word in reading.unused], MAX_WORDS_SHOWN)}"
    near = [(card, sources) for card, sources in reading.similar if card["type"] in SEED_FIELDS]
    if near:
        message += f"; nearest: {list_nearest(card['name'] for card, _ in near)}"
    context = {"fields": ["question"], "nearest": [card for card, _ in near]}
    error = InvalidError([problem(["body", "question"], message, "no_seed", question.raw, context)])
    return error.with_sources([source for _, sources in near for source in sources])
