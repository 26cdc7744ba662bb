"""Related conditions: what the release has ready for a condition, or for the broader one that speaks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import results, seed_queries
from api.errors import InternalError
from api.explaining import related_warnings, related_why
from api.finding import forms_bodies, located
from api.naming import CARD_FIELDS, owner_of
from api.results import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.engine import Engine

Body = dict[str, Any]
SHOWN = [*(f"record.{name}" for name in CARD_FIELDS), "record.inherits"]


async def related(engine: Engine, given: str, limit: int) -> Reply:
    """Conditions with similar limitations, most alike first.

    One engine request by id or key; two by another form of it, or for a condition that only inherits.
    """
    owner = owner_of("disability", given)
    (document,), release = await engine.fetch([f"{owner}/related"])
    if document is not None:
        return Reply(_body(document["related"]["entity"], document["related"], limit), release)
    bodies = [seed_queries.related_body(owner), *forms_bodies("disability", given, SHOWN)]
    answer, *forms = await engine.search_all(bodies)
    hits = [hit["_source"] for hit in answer.body["hits"]["hits"]]
    record = located("disability", given, forms, "/related_conditions/{key}")["record"]
    own = {name: record[name] for name in CARD_FIELDS if name in record}
    wanted = next((one["id"] for one in record["inherits"] if one.get("totals")), own["id"])
    spoken = next((hit["related"] for hit in hits if hit["related"]["entity"]["id"] == wanted), None)
    if spoken is None:
        if given == own["id"]:
            raise InternalError  # a condition of which nobody speaks
        return await related(engine, own["id"], limit)  # a code by which the lists are not known
    return Reply(_body(own, spoken, limit), answer.release)


def _body(own: Mapping[str, Any], spoken: Mapping[str, Any], limit: int) -> Body:
    inherits = spoken["entity"] if spoken["entity"]["id"] != own["id"] else None
    items = [{**one, "why": related_why(spoken["entity"], one)} for one in spoken["items"][:limit]]
    body = {
        "entity": own,
        "inherited_from": inherits,
        "results": items,
        **results.unpaged(len(spoken["items"]), limit),
    }
    warnings = related_warnings(spoken)
    return body | ({"warnings": warnings} if warnings else {})
