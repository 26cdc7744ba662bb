"""Related conditions: what the release has ready for a condition, or for the broader one that speaks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import results, seed_queries
from api.errors import InternalError
from api.explaining import related_warnings, related_why
from api.finding import forms_bodies, located
from api.naming import owner_of
from api.results import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.engine import Engine

Body = dict[str, Any]


async def related(engine: Engine, given: str, limit: int) -> Reply:
    """Conditions with similar limitations, most alike first.

    One engine request by id or key; two by another form of it, or for a condition that only inherits.
    """
    owner = owner_of("disability", given)
    (document,), release = await engine.fetch([f"{owner}/related"])
    if document is not None:
        found = document["related"]
        spoken = await _speaking(engine, found) if found["heir_of"] else found
        return Reply(_body(found, spoken, limit), release)
    bodies = [seed_queries.related_body(owner), *forms_bodies("disability", given)]
    answer, *forms = await engine.search_all(bodies)
    hits = [hit["_source"] for hit in answer.body["hits"]["hits"]]
    own = next((hit["related"] for hit in hits if owner.casefold() in map(str.casefold, hit["owner"])), None)
    if own is None:
        located("disability", given, forms, "/related_conditions/{key}")
        raise InternalError  # an entity without its related document
    speaking = next((hit["related"] for hit in hits if hit["related"]["entity"]["id"] == own["heir_of"]), own)
    return Reply(_body(own, speaking, limit), answer.release)


async def _speaking(engine: Engine, found: Mapping[str, Any]) -> Mapping[str, Any]:
    (document,), _ = await engine.fetch([f"{found['heir_of']}/related"])
    spoken: Mapping[str, Any] = document["related"] if document else found
    return spoken


def _body(found: Mapping[str, Any], spoken: Mapping[str, Any], limit: int) -> Body:
    inherits = spoken["entity"] if found["heir_of"] else None
    items = [{**one, "why": related_why(spoken["entity"], one)} for one in spoken["items"][:limit]]
    body = {
        "entity": found["entity"],
        "inherited_from": inherits,
        "results": items,
        **results.unpaged(len(spoken["items"]), limit),
    }
    warnings = related_warnings(spoken)
    return body | ({"warnings": warnings} if warnings else {})
