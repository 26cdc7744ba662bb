"""Reads entities of one type: several in request order, or a list; and the document of one by any form of its id."""

from collections.abc import Mapping, Sequence
from typing import Any

from api.engine.release import EngineResponse, Release
from api.engine.search_engine import SearchEngine
from api.errors import MovedError, NotFoundError
from api.graph import query_bodies
from api.graph.query_bodies import full_id
from api.graph.resolve import named_in_order
from api.parameters import MAX_ID_LENGTH, trim_id
from api.request_text import MAX_UNKNOWN, shorten
from api.result import (
    ServiceResult,
    list_nearest,
    page_links,
    request_warning,
    single_page,
    unknown_value_error,
)
from api.search.query import ParsedQuery
from schema.entity_kinds import type_noun
from schema.json_types import JsonObject
from schema.text import fold, with_article
from schema.vocabulary import Vocabulary

MAX_POSITION = 2**31 - 1  # positions and page numbers are 32-bit integers


async def list_entities(
    engine: SearchEngine,
    type_name: str,
    limit: int,
    offset: int,
    params: Sequence[tuple[str, str]],
    filters: Mapping[str, str] | None = None,
) -> ServiceResult:
    """Return one page of the entities of a type by name; raise InvalidError for an unknown grouping."""
    if filters:
        response = await engine.search(query_bodies.filtered_list_body(type_name, limit, offset, filters))
        total = response.total
        require_known_grouping(filters, response.release)
    else:
        response = await engine.search(query_bodies.list_body(type_name, limit, min(offset, MAX_POSITION - limit)))
        total = response.release.counts["types"].get(type_name, 0)
    page = {"results": response.cards, **page_links(f"/{type_name}", params, total, limit, offset)}
    return ServiceResult(page, response.release, response.sources)


def require_known_grouping(filters: Mapping[str, str], release: Release) -> None:
    """Raise InvalidError if the filters name a grouping that the release does not have."""
    grouping = filters.get("groupings")
    if grouping and grouping not in release.groupings:
        raise unknown_value_error("grouping", ("query", "grouping"), grouping, release.groupings)


def lookup_bodies(type_name: str, text: str, fields: Sequence[str] = ()) -> list[JsonObject]:
    """Return the searches for an id that no document has; `require_entity` reads their responses.

    `fields` limits what is read of the document. The id is parsed like a query, because it may be a misspelled name.
    """
    query = ParsedQuery.parse(text.rpartition(":")[2])
    names = [query_bodies.nearest_body(query, type_name), query_bodies.readings_body(query, type_name)]
    entity = query_bodies.entity_body(type_name, text)
    if fields:
        entity["_source"] = list(fields)
    return [entity, query_bodies.moved_body(full_id(type_name, text)), *names]


def require_entity(
    type_name: str, text: str, responses: Sequence[EngineResponse], path: str = "/{type}/{key}"
) -> Mapping[str, Any]:
    """Return the entity's document; raise MovedError for a retired id and NotFoundError for an unknown one.

    `path` is the path of the same request for the entity that replaces a retired one.
    """
    hits, moved, nearest, named = (response.hits for response in responses)
    if hits and not moved:  # a retired id is also a form of the id of its successor
        return hits[0].document
    if moved:
        target = moved[0].document["moved_to"]
        target_type, _, key = target.partition(":")
        location = path.format(type=target_type, key=key)
        raise MovedError(f"{full_id(type_name, text)} is now {target}.", location=location, moved_to=target)
    meant = named_in_order(ParsedQuery.parse(text.rpartition(":")[2]), named)  # names are no ids
    cards = [*(hit.card for _, hit in meant), *(hit.card for hit in nearest)]
    suggestions = list({card["id"]: card for card in cards}.values())
    listed = list_nearest(card["id"] for card in suggestions)
    message = f"There is no {type_noun(type_name)} {text[:MAX_ID_LENGTH]!r}. Nearest: {listed}."
    raise NotFoundError(message, suggestions=suggestions).with_sources(
        [source for response in responses[2:] for source in response.sources]
    )


async def get_batch(engine: SearchEngine, vocabulary: Vocabulary, type_name: str, ids: Sequence[str]) -> ServiceResult:
    """Return the cards of entities by any form of their ids. Each appears once; unknown ids are in `missing`."""
    full_ids = {id_: full_id(type_name, trim_id(id_)[:MAX_ID_LENGTH]) for id_ in ids}
    batch, moved = await engine.search_all(
        [query_bodies.batch_body(list(full_ids.values())), query_bodies.moved_body(*full_ids.values())]
    )
    card_by_form = {fold(form): hit.card for hit in batch.hits for form in hit.document["ids"]}
    replacements = {fold(hit.id): hit.document["moved_to"] for hit in moved.hits}
    card_by_id = {id_: card_by_form.get(fold(replacements.get(fold(full), full))) for id_, full in full_ids.items()}
    missing = [shorten(id_) for id_, card in card_by_id.items() if card is None]
    results = {card["id"]: card for card in card_by_id.values() if card is not None}
    body = {
        "results": list(results.values()),
        **single_page(len(results), len(ids)),
        "missing": missing,
        "moved": [{"given": id_, "to": to} for id_, full in full_ids.items() if (to := replacements.get(fold(full)))],
    }
    if warnings := _other_type_warnings(vocabulary, type_name, missing):
        body["warnings"] = warnings
    return ServiceResult(body, batch.release, batch.sources)


def _other_type_warnings(vocabulary: Vocabulary, type_name: str, missing: Sequence[str]) -> list[JsonObject]:
    """Return a warning for the missing ids that begin with another type, with the request that returns them."""
    ids_by_type: dict[str, list[str]] = {}
    for id_ in missing:
        prefix, colon, _ = id_.partition(":")
        if colon and prefix in vocabulary.types and prefix != type_name:
            ids_by_type.setdefault(prefix, []).append(id_)
    expected = with_article(type_noun(type_name))
    return [
        request_warning(
            "ids", f"{_listed(ids)}: not {expected}; request /{other_type}?ids={','.join(ids[:MAX_UNKNOWN])}"
        )
        for other_type, ids in ids_by_type.items()
    ]


def _listed(ids: Sequence[str]) -> str:
    more = len(ids[MAX_UNKNOWN:])
    return ", ".join(ids[:MAX_UNKNOWN]) + (f" and {more} more" if more else "")
