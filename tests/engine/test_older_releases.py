"""A release of an earlier version is answered from as it was.

There the record is inside the document of its entity, no entity has points of its own, and no beginnings of whole names
are kept.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from worlds import WORLD, plan_of, serving

from indexer.release import Plan, Releases

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    import httpx
    from opensearchpy import OpenSearch

ALIAS = "akg-older"
ADHD = "attention-deficit-hyperactivity-disorder"
Document = dict[str, Any]
SWAPPED = ("/search?query=screen", "/suggest?query=s")


def as_before(documents: Iterable[tuple[str, Document]]) -> Iterator[tuple[str, Document]]:
    """The documents as they were: a record was a part of what finds it, and searches worked out who is ahead."""
    written = dict(documents)
    for key, body in written.items():
        if body["doc"] == "entity":
            before = {name: part for name, part in body.items() if name != "prior"}
            yield key, {**before, "record": written[f"{key}/record"]["record"]}
        elif body["doc"] != "record":
            yield key, body


def of_before(plan: Plan) -> Plan:
    """The plan as an earlier version would have made it."""
    body = copy.deepcopy(dict(plan.body))
    fields = body["mappings"]["properties"]
    del fields["prior"]
    for name in ("name", "aliases"):
        del fields[name]["fields"]["begins"]
    meta = {name: part for name, part in plan.meta.items() if name != "documents"}
    return replace(plan, documents=as_before(plan.documents), body=body, meta=meta)


@pytest.fixture
async def older(client: OpenSearch, node_url: str) -> AsyncIterator[httpx.AsyncClient]:
    plan = plan_of(WORLD)
    Releases(client, ALIAS).build(of_before(plan), datetime.now(UTC), lambda _: None)
    async with serving(node_url, ALIAS) as service:
        yield service
    client.indices.delete(index=f"{ALIAS}-*")


async def test_every_answer_is_the_same(older: httpx.AsyncClient, service: httpx.AsyncClient) -> None:
    for path in (
        f"/disability/{ADHD}",
        "/solution/telework",
        "/occupation/15-1252.00",
        "/occupation/software-developers",
        "/occupation/15-1252",
        "/disability/DOID:1210",
        "/disability/Disability:LOW-VISION",
        "/disability/relapsing-remitting-multiple-sclerosis",
        "/disability/add",
        "/disability/nope",
        "/occupation/software-developers/neighbors?edge=requires",
        "/limitation/blind/neighbors?edge=recommends",
        "/related_conditions/Multiple-Sclerosis",
        "/disability?ids=low-vision,add",
        "/connections?from=adhd&to=quiet%20works",
        "/search?query=low%20visoin",
        "/search?query=screen",
        "/search?query=software&setting=school",
        "/search?query=help%20with%20focus&scope=solution&scope=product",
        "/search?query=apps%20for%20blind%20people&synonyms=off",
        "/suggest?query=s",
        "/suggest?query=screen%20re",
        "/suggest?query=adh",
        "/recommend?disability=nope",
    ):
        now, before = [await one.get(path) for one in (service, older)]
        assert now.status_code == before.status_code, path
        assert _told(now) == _told(before), path


async def test_the_first_answer_after_a_swap_to_an_older_release_and_back_is_right(
    client: OpenSearch, node_url: str
) -> None:
    alias = f"{ALIAS}-swapped"
    releases = Releases(client, alias)
    releases.build(plan_of(WORLD), datetime.now(UTC), lambda _: None)
    async with serving(node_url, alias, release_check_seconds=60, answers_bytes=0) as one:
        first = [_told(await one.get(path)) for path in SWAPPED]
        for path, told in zip(SWAPPED, first, strict=True):
            for again in (of_before(plan_of(WORLD)), plan_of(WORLD)):
                releases.build(again, datetime.now(UTC), lambda _: None)
                assert _told(await one.get(path)) == told
    client.indices.delete(index=f"{alias}-*")


def _told(answer: httpx.Response) -> Document:
    return {name: part for name, part in answer.json().items() if name not in {"provenance", "request_id"}}
