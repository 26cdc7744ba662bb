"""A release of an earlier version, with each record inside the document of its entity, is answered from as it was."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from worlds import WORLD, plan_of, serving

from indexer.release import Releases

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    import httpx
    from opensearchpy import OpenSearch

ALIAS = "akg-older"
ADHD = "attention-deficit-hyperactivity-disorder"
Document = dict[str, Any]


def as_before(documents: Iterable[tuple[str, Document]]) -> Iterator[tuple[str, Document]]:
    """The documents as they were when a record was a part of what finds it."""
    written = dict(documents)
    for key, body in written.items():
        if body["doc"] == "entity":
            yield key, {**body, "record": written[f"{key}/record"]["record"]}
        elif body["doc"] != "record":
            yield key, body


@pytest.fixture
async def older(client: OpenSearch, node_url: str) -> AsyncIterator[httpx.AsyncClient]:
    plan = plan_of(WORLD)
    plan = replace(plan, documents=as_before(plan.documents))
    Releases(client, ALIAS).build(plan, datetime.now(UTC), lambda _: None)
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
    ):
        now, before = [await one.get(path) for one in (service, older)]
        assert now.status_code == before.status_code, path
        assert _told(now) == _told(before), path


def _told(answer: httpx.Response) -> Document:
    return {name: part for name, part in answer.json().items() if name not in {"provenance", "request_id"}}
