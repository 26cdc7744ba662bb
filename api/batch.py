"""Several entities of one type in one call, in the order asked: one engine request, two where an id was retired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import lookups, results
from api.errors import InvalidError
from api.naming import LONGEST_ID
from api.results import Reply
from api.words import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine import Engine
    from api.vocabulary import Vocabulary

Body = dict[str, Any]
MOST = 100


async def batch(engine: Engine, vocabulary: Vocabulary, type_name: str, given: Sequence[str]) -> Reply:
    """The cards of the entities that `given` names: lists of ids, keys or slugs with commas between them.

    Each entity stands once, where it was asked for first; what is not there is in `missing`. Raises InvalidError for
    no id at all and for more than MOST.
    """
    asked = _asked(given)
    retired = {f"{type_name}:{one.removeprefix(f'{type_name}:')}"[:LONGEST_ID]: one for one in asked}
    bodies = [lookups.batch_body(type_name, [one[:LONGEST_ID] for one in asked]), lookups.moved_body(*retired)]
    found, moved = await engine.search_all(bodies)
    heirs = {retired[hit["_id"]]: hit["_source"]["moved_to"] for hit in moved.body["hits"]["hits"]}
    answers = [found]
    if heirs:
        body = lookups.cards_body(*dict.fromkeys(heirs.values()))
        answers.append(await engine.search(body, of=found.release))
    known = {form: card for answer in answers for card in results.cards(answer) for form in _forms(card)}
    cards = {one: known.get(fold(heirs.get(one, one))) for one in asked}
    missing = [one for one, card in cards.items() if card is None]
    shown = {card["id"]: card for card in cards.values() if card is not None}
    answer = {
        "results": list(shown.values()),
        **results.unpaged(len(shown), len(asked)),
        "missing": missing,
        "moved": [{"given": one, "to": heir} for one, heir in heirs.items()],
    }
    if warnings := _of_other_types(vocabulary, type_name, missing):
        answer["warnings"] = warnings
    return Reply(answer, found.release, [source for one in answers for source in results.hit_sources(one)])


def _asked(given: Sequence[str]) -> list[str]:
    """Each id once, in the order given."""
    listed = [one.strip() for text in given for one in text.split(",")]
    asked = list(dict.fromkeys(filter(None, listed)))
    if not asked:
        raise _wrong("too_short", "give at least one id, several with commas between them", given, {"min_length": 1})
    if len(asked) > MOST:
        context = {"max_length": MOST, "actual_length": len(asked)}
        raise _wrong("too_long", f"give up to {MOST} ids; these are {len(asked)}", given, context)
    return asked


def _wrong(kind: str, message: str, given: Sequence[str], context: Mapping[str, int]) -> InvalidError:
    problem = {"loc": ["query", "ids"], "msg": message, "type": kind, "input": ",".join(given), "ctx": dict(context)}
    return InvalidError([problem])


def _forms(card: Mapping[str, Any]) -> set[str]:
    """Every way to write the id of a card, folded as the engine folds it."""
    key = card["id"].partition(":")[2]
    return {fold(form) for one in (key, card["slug"]) for form in (one, f"{card['type']}:{one}")}


def _of_other_types(vocabulary: Vocabulary, type_name: str, missing: Sequence[str]) -> list[Body]:
    """Which of the missing ids say themselves that they are of another type, and where to ask for those."""
    others: dict[str, list[str]] = {}
    for one in missing:
        kind = one.partition(":")[0]
        if ":" in one and kind in vocabulary.types and kind != type_name:
            others.setdefault(kind, []).append(one)
    return [
        {
            "parameter": "ids",
            "message": f"{', '.join(ids)}: no {type_name}; ask /{kind}?ids={','.join(ids)}",
            "nearest": None,
        }
        for kind, ids in others.items()
    ]
