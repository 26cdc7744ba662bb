"""One page of an entity's edges of one name: one engine request by id or key, two by any other form.

What a narrow condition inherits takes one more: the pages of those that speak for it are joined.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from api import inheriting, queries, results
from api.finding import forms_bodies, located
from api.naming import CARD_FIELDS, owner_of, unknown
from api.results import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.engine import Engine
    from api.release import Release
    from api.vocabulary import Vocabulary

Body = dict[str, Any]
PAGE = 100  # edges per page document, as the indexer writes them
DEEPEST = 2**31 - 1  # page numbers are 32-bit integers
# Of an entity that has no such edge: what it is, and which edges it has.
ENTITY = [*(f"record.{name}" for name in CARD_FIELDS), "record.edges.name", "record.edges.total", "record.inherits"]


@dataclass(frozen=True, slots=True)
class Walk:
    """What a caller asks: the edges called `edge` of an entity. `params` are the caller's own, for links to pages."""

    type: str
    given: str
    edge: str
    limit: int = 20
    offset: int = 0
    params: tuple[tuple[str, str], ...] = ()

    @property
    def owner(self) -> str:
        """The id that was meant, if what was given is an id or a key."""
        return owner_of(self.type, self.given)

    @property
    def numbers(self) -> tuple[int, int]:
        """The first and the last page document that hold what was asked."""
        return min(self.offset // PAGE, DEEPEST), min((self.offset + self.limit - 1) // PAGE, DEEPEST)


async def neighbors(engine: Engine, vocabulary: Vocabulary, ask: Walk) -> Reply:
    """One page of an entity's edges of one name, best first."""
    first, last = ask.numbers
    wanted = dict.fromkeys([0, *range(first, last + 1)])  # the first page knows the total, whatever the offset
    documents, release = await engine.fetch([f"{ask.owner}/{ask.edge}/{number}" for number in wanted])
    if documents[0] is None:
        return await _otherwise(engine, vocabulary, ask)
    return _page([document for document in documents if document is not None], ask, release)


async def _otherwise(engine: Engine, vocabulary: Vocabulary, ask: Walk) -> Reply:
    """The same for an entity that was named by its slug, or that has no such edge, or that is not there."""
    head, rest, *forms = await engine.search_all(
        [
            queries.pages_body(ask.owner, ask.edge, 0, 0),
            queries.pages_body(ask.owner, ask.edge, *ask.numbers),
            *forms_bodies(ask.type, ask.given, ENTITY),
        ]
    )
    documents = [hit["_source"] for answer in (head, rest) for hit in answer.body["hits"]["hits"]]
    if documents:
        return _page(documents, ask, head.release)
    place = f"/{{type}}/{{key}}/neighbors?{urlencode(ask.params)}"
    record = located(ask.type, ask.given, forms, place)["record"]
    totals = {group["name"]: group["total"] for group in record.get("edges", ())}
    if totals.get(ask.edge) and inheriting.speakers(record):
        return await _inherited(engine, record, ask, head.release)
    if totals.get(ask.edge) and ask.given != record["id"]:  # a code by which pages are not known
        return await neighbors(engine, vocabulary, replace(ask, given=record["id"]))
    return _none(vocabulary, record, ask, head.release)


async def _inherited(engine: Engine, record: Mapping[str, Any], ask: Walk, release: Release) -> Reply:
    wanted = [
        f"{one['id']}/{ask.edge}/{number}"
        for one in inheriting.speakers(record)
        for number in range(-(-one["totals"][ask.edge] // PAGE))
    ]
    found, _ = await engine.fetch(wanted, release)
    pages = [document["page"] for document in found if document]
    items = inheriting.merged([(page["entity"]["id"], page["items"]) for page in pages])
    shown = items[ask.offset : ask.offset + ask.limit]
    entity = {name: record[name] for name in CARD_FIELDS if name in record}
    paging = results.page(f"{record['url']}/neighbors", ask.params, len(items), ask.limit, ask.offset)
    return Reply({"entity": entity, "edge": ask.edge, "results": shown, **paging}, release, _sources(shown))


def _page(documents: list[Mapping[str, Any]], ask: Walk, release: Release) -> Reply:
    head = documents[0]["page"]
    pages = {document["number"]: document["page"]["items"] for document in documents}
    items = [
        item
        for number in sorted(pages)
        for place, item in enumerate(pages[number], start=number * PAGE)
        if ask.offset <= place < ask.offset + ask.limit
    ]
    paging = results.page(f"{head['entity']['url']}/neighbors", ask.params, head["total"], ask.limit, ask.offset)
    body = {"entity": head["entity"], "edge": ask.edge, "results": items, **paging}
    return Reply(body, release, _sources(items))


def _sources(items: list[Body]) -> list[str]:
    return [source for item in items for source in (*item["sources"], *item.get("school_sources", ()))]


def _none(vocabulary: Vocabulary, record: Mapping[str, Any], ask: Walk, release: Release) -> Reply:
    """An edge that this type may have but this entity has not is an empty page; any other is a mistake."""
    allowed = vocabulary.edges_of(record["type"])
    if ask.edge not in allowed:
        have = {group["name"]: group["total"] for group in record.get("edges", ())}
        raise unknown("edge", ("query", "edge"), ask.edge, have or allowed, have)
    entity = {name: record[name] for name in CARD_FIELDS if name in record}
    paging = results.page(f"{record['url']}/neighbors", ask.params, 0, ask.limit, ask.offset)
    return Reply({"entity": entity, "edge": ask.edge, "results": [], **paging}, release)
