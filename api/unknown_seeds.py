"""What is told of a seed that nothing of its kind is called: another kind has that name, or which names are nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import lookups, queries, results
from api.errors import InvalidError
from api.naming import FIELDS, LONGEST_ID, SEED_TYPES, listed, unnamed
from api.places import named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine import Engine
    from api.release import Release

Body = dict[str, Any]


async def unknown_seeds(engine: Engine, unknown: Mapping[str, str], of: Release) -> InvalidError:
    """The 422 for these texts, by the fields that gave them. One engine request."""
    bodies = [queries.nearest_body(SEED_TYPES[name], text) for name, text in unknown.items()]
    bodies += [lookups.named_body(text, *FIELDS) for text in unknown.values()]
    answers = await engine.search_all(bodies, of)
    near, elsewhere = answers[: len(unknown)], answers[len(unknown) :]
    problems = []
    for (name, text), nearest, other in zip(unknown.items(), near, elsewhere, strict=True):
        meant = named(other)
        problems.append(_elsewhere(name, text, meant) if meant else _nowhere(name, text, results.cards(nearest)))
    return InvalidError(problems)


def _elsewhere(name: str, text: str, card: Body) -> Body:
    field = FIELDS[card["type"]]
    what = f"{text[:LONGEST_ID]!r} names {card['name']}, which is a {field}, not a {name}; give it as {field!r}"
    return unnamed(("body", name), what, "seed_of_another_kind", text, [card])


def _nowhere(name: str, text: str, nearest: Sequence[Body]) -> Body:
    what = f"no {name} is called {text[:LONGEST_ID]!r}; nearest: {listed(card['name'] for card in nearest)}"
    return unnamed(("body", name), what, "unknown_seed", text, nearest)
