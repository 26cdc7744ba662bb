"""An entity that was not under the id as given: under another form of it, moved, or nowhere, with the nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import lookups, queries, results
from api.errors import MovedError, NotFoundError
from api.naming import LONGEST_ID, listed, owner_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.release import Answer

Body = dict[str, Any]


def forms_bodies(type_name: str, given: str, fields: Sequence[str] = ()) -> list[Body]:
    """The searches whose answers `located` reads. `fields` are those to read of the document; none: all."""
    entity = queries.entity_body(type_name, given)
    if fields:
        entity["_source"] = list(fields)
    return [entity, lookups.moved_body(owner_of(type_name, given)), queries.nearest_body(type_name, given)]


def located(type_name: str, given: str, answers: Sequence[Answer], place: str = "/{type}/{key}") -> Mapping[str, Any]:
    """The entity's document, or the error that says where to look.

    `place` is the path at which the heir of a retired id answers the same question.
    """
    found, moved, nearest = (answer.body["hits"]["hits"] for answer in answers)
    if found:
        document: Mapping[str, Any] = found[0]["_source"]
        return document
    if moved:
        raise _gone(type_name, given, moved[0]["_source"]["moved_to"], place)
    near = [results.card(hit) for hit in nearest]
    told = f"There is no {type_name} {given[:LONGEST_ID]!r}. Nearest: {listed(card['id'] for card in near)}."
    raise NotFoundError(told, suggestions=near)


def _gone(type_name: str, given: str, heir: str, place: str) -> MovedError:
    """The error that sends callers to the heir of a retired id."""
    kind, _, key = heir.partition(":")
    location = place.format(type=kind, key=key)
    return MovedError(f"{owner_of(type_name, given)} is now {heir}.", location=location, moved_to=heir)
