"""Reads several entities of one type in request order: one request to OpenSearch, two if an id was retired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.engine.hits import cards, hit_sources
from api.errors import InvalidError
from api.graph import query_bodies
from api.pagination import single_page
from api.parameters import MAX_ID_LENGTH
from api.result import ServiceResult
from schema.text import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine.search_engine import SearchEngine
    from schema.json_types import JsonObject
    from schema.vocabulary import Vocabulary

MAX_IDS = 100


async def get_batch(
    engine: SearchEngine, vocabulary: Vocabulary, type_name: str, id_lists: Sequence[str]
) -> ServiceResult:
    """Return the cards of entities. `id_lists` are lists of ids, keys or slugs, separated by commas.

    Each entity appears once; unknown ids are in `missing`. Raise InvalidError for no id and for more than MAX_IDS.
    """
    ids = _split_ids(id_lists)
    id_by_retired = {f"{type_name}:{id_.removeprefix(f'{type_name}:')}"[:MAX_ID_LENGTH]: id_ for id_ in ids}
    batch, moved = await engine.search_all(
        [
            query_bodies.batch_body(type_name, [id_[:MAX_ID_LENGTH] for id_ in ids]),
            query_bodies.moved_body(*id_by_retired),
        ]
    )
    replacements = {id_by_retired[hit["_id"]]: hit["_source"]["moved_to"] for hit in moved.body["hits"]["hits"]}
    responses = [batch]
    if replacements:
        body = query_bodies.cards_body(*dict.fromkeys(replacements.values()))
        responses.append(await engine.search(body, of=batch.release))
    card_by_form = {form: card for response in responses for card in cards(response) for form in _id_forms(card)}
    card_by_id = {id_: card_by_form.get(fold(replacements.get(id_, id_))) for id_ in ids}
    missing = [id_ for id_, card in card_by_id.items() if card is None]
    results = {card["id"]: card for card in card_by_id.values() if card is not None}
    body = {
        "results": list(results.values()),
        **single_page(len(results), len(ids)),
        "missing": missing,
        "moved": [{"given": id_, "to": target} for id_, target in replacements.items()],
    }
    if warnings := _other_type_warnings(vocabulary, type_name, missing):
        body["warnings"] = warnings
    return ServiceResult(body, batch.release, [source for response in responses for source in hit_sources(response)])


def _split_ids(id_lists: Sequence[str]) -> list[str]:
    """Return each id once, in request order."""
    ids = list(dict.fromkeys(id_ for text in id_lists for part in text.split(",") if (id_ := part.strip())))
    if not ids:
        raise _ids_error("too_short", "give at least one id; separate several with commas", id_lists, {"min_length": 1})
    if len(ids) > MAX_IDS:
        context = {"max_length": MAX_IDS, "actual_length": len(ids)}
        raise _ids_error("too_long", f"give at most {MAX_IDS} ids, not {len(ids)}", id_lists, context)
    return ids


def _ids_error(kind: str, message: str, id_lists: Sequence[str], context: Mapping[str, int]) -> InvalidError:
    problem = {"loc": ["query", "ids"], "msg": message, "type": kind, "input": ",".join(id_lists), "ctx": dict(context)}
    return InvalidError([problem])


def _id_forms(card: Mapping[str, Any]) -> set[str]:
    """Return every way to write the id of a card, folded as OpenSearch folds it."""
    key = card["id"].partition(":")[2]
    return {fold(form) for name in (key, card["slug"]) for form in (name, f"{card['type']}:{name}")}


def _other_type_warnings(vocabulary: Vocabulary, type_name: str, missing: Sequence[str]) -> list[JsonObject]:
    """Return a warning for the missing ids that begin with another type, with the request that returns them."""
    ids_by_type: dict[str, list[str]] = {}
    for id_ in missing:
        prefix, colon, _ = id_.partition(":")
        if colon and prefix in vocabulary.types and prefix != type_name:
            ids_by_type.setdefault(prefix, []).append(id_)
    return [
        {
            "parameter": "ids",
            "message": f"{', '.join(ids)}: not a {type_name}; request /{other_type}?ids={','.join(ids)}",
            "nearest": None,
        }
        for other_type, ids in ids_by_type.items()
    ]
