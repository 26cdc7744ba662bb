"""Builds the 422 of a request without seeds or with unknown ones, and the warnings about unknown fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.engine.hits import cards
from api.errors import InvalidError
from api.graph.query_bodies import named_body
from api.graph.resolve import best_card
from api.parameters import MAX_ID_LENGTH
from api.problems import list_nearest, not_found_problem, unknown_parameter_warning
from api.recommend.query_bodies import SEED_FIELDS, SEED_TYPES
from api.search import query_builder
from api.search.query import ParsedQuery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine.release import Release
    from api.engine.search_engine import SearchEngine
    from api.models import RecommendRequest
    from schema.json_types import JsonObject


def unknown_field_warnings(request: RecommendRequest) -> list[JsonObject]:
    """Return a warning for each unknown field of the body, with the nearest known one."""
    valid = [*SEED_TYPES, "setting", "limit"]
    return [unknown_parameter_warning("field", name, valid) for name in request.model_extra or {}]


def no_seed_error(request: RecommendRequest) -> InvalidError:
    """Return the 422 for a request without a seed, with the fields that it may have misspelled."""
    near = [warning["nearest"] for warning in unknown_field_warnings(request) if warning["nearest"]]
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    problem = {
        "loc": ["body"],
        "msg": f"give at least one of {', '.join(SEED_TYPES)}{hint}",
        "type": "no_seed",
        "input": None,
        "ctx": {"fields": list(SEED_TYPES), "nearest": near},
    }
    return InvalidError([problem])


async def unknown_seeds_error(engine: SearchEngine, texts: Mapping[str, str], release: Release) -> InvalidError:
    """Return the 422 for texts that name no seed, by field: another type has the name, or which names are nearest."""
    bodies = [query_builder.nearest_body(SEED_TYPES[field], text) for field, text in texts.items()]
    bodies += [named_body(ParsedQuery.parse(text), *SEED_FIELDS) for text in texts.values()]
    responses = await engine.search_all(bodies, release)
    nearest, of_any_type = responses[: len(texts)], responses[len(texts) :]
    problems = []
    for (field, text), near, by_name in zip(texts.items(), nearest, of_any_type, strict=True):
        card = best_card(by_name)
        problems.append(_other_type_problem(field, text, card) if card else _unknown_problem(field, text, cards(near)))
    return InvalidError(problems)


def _other_type_problem(field: str, text: str, card: JsonObject) -> JsonObject:
    right = SEED_FIELDS[card["type"]]
    name = text[:MAX_ID_LENGTH]
    message = f"{name!r} names {card['name']}, which is a {right}, not a {field}; give it as {right!r}"
    return not_found_problem(("body", field), message, "seed_of_another_kind", text, [card])


def _unknown_problem(field: str, text: str, nearest: Sequence[JsonObject]) -> JsonObject:
    listed = list_nearest(card["name"] for card in nearest)
    message = f"no {field} is called {text[:MAX_ID_LENGTH]!r}; nearest: {listed}"
    return not_found_problem(("body", field), message, "unknown_seed", text, nearest)
