"""A release that takes over what stays is the same as one that was built from scratch."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from opensearchpy.helpers import scan
from worlds import WORLD, serving

from indexer.copying import base_of
from indexer.encoding import DIGESTS, Filling, encoded
from indexer.plan import with_rules
from indexer.release import NotCopiedError, ReleaseError, Releases
from indexer.synonyms import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from opensearchpy import OpenSearch

    from indexer.encoding import Base
    from indexer.release import Plan

START = datetime(2026, 1, 1, tzinfo=UTC)
ENGINE = "3.8.0"
LATER = START + timedelta(days=1)
WIDE = Rule("spelling.txt", 1, ("qwerty",), ("telework",))
QUESTIONS = (
    *("/search?query=vision&explain=true", "/search?query=calm+works&explain=true", "/search?query=telewrk"),
    *("/vendor?limit=100", "/solution/telework/neighbors?edge=recommended_for", "/export", "/graph"),
    "/related_conditions/low-vision",
)


def plan_of(content: Path) -> Plan:
    """The plan of these tables for this engine."""
    plan = worlds.plan_of(content)
    return replace(plan, meta={**plan.meta, "engine": ENGINE})


@pytest.fixture
def desk(client: OpenSearch, request: pytest.FixtureRequest) -> Iterator[Releases]:
    """Releases behind an alias of this test's own, with one published."""
    releases = Releases(client, f"akg-base-{abs(hash(request.node.name)) % 10**9}")
    releases.build(plan_of(WORLD), START, lambda _: None)
    yield releases
    client.indices.delete(index=f"{releases.alias}*")


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """The small world, where an editor gave a vendor another name, added one, and took an ability's tie away."""
    content = tmp_path / "world"
    shutil.copytree(WORLD, content)
    vendors = content / "vendors.csv"
    first, *rest = vendors.read_text("utf-8").replace("Quiet Works", "Calm Works").splitlines()
    added = rest[0].split(",")
    added[first.split(",").index("slug")], added[first.split(",").index("name")] = "new-works", "New Works"
    vendors.write_text("\n".join([first, *rest, ",".join(added)]) + "\n", "utf-8")
    limits = content / "limitation_abilities.csv"
    limits.write_text("".join(limits.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    return content


def on_base(desk: Releases, plan: Plan, base: Base | None) -> tuple[str, list[str]]:
    """Build a plan beside its base; the new index, and the `_id`s of what was sent."""
    sent = []

    def noted() -> Iterator[Any]:
        for one in encoded(plan.documents, base.digests if base else None):
            if one.lines:
                sent.append(one.key)
            yield one

    return desk.build(plan, LATER, lambda _: None, Filling(noted(), base)), sent


def stored(desk: Releases, index: str) -> dict[str, Any]:
    return {hit["_id"]: hit["_source"] for hit in scan(desk.client, index=index) if DIGESTS not in hit["_id"]}


async def test_it_is_the_same_as_one_from_scratch(desk: Releases, changed: Path, node_url: str) -> None:
    base = base_of(desk, plan_of(changed))
    assert base is not None
    assert base.index == desk.live_index()
    index, sent = on_base(desk, plan_of(changed), base)
    assert 0 < len(sent) < len(base.digests) / 2
    whole = Releases(desk.client, f"{desk.alias}-whole")
    other = whole.build(plan_of(changed), LATER, lambda _: None)
    assert stored(desk, index) == stored(whole, other)
    for one in (index, other):
        (shard,) = desk.client.indices.segments(index=one)["indices"][one]["shards"]["0"]
        assert len(shard["segments"]) == 1
    async with serving(node_url, desk.alias) as mine, serving(node_url, whole.alias) as theirs:
        for question in QUESTIONS:
            answers = [(await service.get(question)).json() for service in (mine, theirs)]
            assert answers[0] == answers[1], question  # scores included
    settings = desk.client.indices.get_settings(index=index)[index]["settings"]["index"]
    assert settings["blocks"]["write"] == "true"
    assert settings["number_of_replicas"] == "0"


def test_nothing_is_sent_where_nothing_changed(desk: Releases) -> None:
    before = desk.live_index()
    index, sent = on_base(desk, plan_of(WORLD), base_of(desk, plan_of(WORLD)))
    assert sent == []
    assert stored(desk, index) == stored(desk, before)
    again = base_of(desk, plan_of(WORLD))
    assert again is not None
    assert again.index == index  # what was taken over can be taken over from


def test_copies_are_made_of_what_is_merged(desk: Releases) -> None:
    """Made before, they would be merged each for itself, and weigh words differently from then on."""
    seen: list[dict[str, str]] = []

    def placed() -> dict[str, str]:
        newest = max(desk.metas())
        index = desk.client.indices.get_settings(index=newest)[newest]["settings"]["index"]
        return {name: index[name] for name in ("number_of_replicas", "auto_expand_replicas")}

    plan = plan_of(WORLD)
    base = base_of(desk, plan)
    assert base is not None
    filling = Filling(encoded(plan.documents, base.digests), base)
    desk.build(plan, LATER, lambda _: seen.append(placed()), filling)
    assert seen[0] == {"number_of_replicas": "0", "auto_expand_replicas": "false"}
    assert placed() == {"number_of_replicas": "0", "auto_expand_replicas": "0-2"}


def test_it_has_the_rules_of_its_own_plan(desk: Releases) -> None:
    plan = plan_of(WORLD)
    plan = replace(plan, body=with_rules(plan.body, [WIDE]))
    index, sent = on_base(desk, plan, base_of(desk, plan))
    filters = desk.client.indices.get_settings(index=index)[index]["settings"]["index"]["analysis"]["filter"]
    assert (filters["rules"]["synonyms"], sent) == ([WIDE.text], [])


@pytest.mark.parametrize("other", ["shape", "shards", "engine", "digests"])
def test_a_release_of_another_kind_is_no_base(desk: Releases, other: str) -> None:
    plan, live = plan_of(WORLD), desk.live_index()
    if other == "shape":
        plan = replace(plan, meta={**plan.meta, "shape": "other"})
    elif other == "shards":
        index = {**plan.body["settings"]["index"], "number_of_shards": 2}
        plan = replace(plan, body={**plan.body, "settings": {**plan.body["settings"], "index": index}})
    elif other == "engine":
        plan = replace(plan, meta={**plan.meta, "engine": "2.19.0"})
    else:
        desk.client.indices.put_settings(index=live, body={"index.blocks.write": False})
        desk.client.delete_by_query(index=live, body={"query": {"term": {"doc": DIGESTS}}}, params={"refresh": "true"})
    assert base_of(desk, plan) is None


def test_a_base_that_the_engine_does_not_copy_is_told_of(desk: Releases) -> None:
    live = desk.live_index()
    base = base_of(desk, plan_of(WORLD))
    desk.client.indices.put_settings(index=live, body={"index.blocks.write": False})  # nothing is copied without it
    with pytest.raises(NotCopiedError, match=f"does not copy {live}"):
        on_base(desk, plan_of(WORLD), base)
    assert desk.live_indices() == [live]
    assert list(desk.metas()) == [live]


def test_what_the_base_lost_is_missed(desk: Releases) -> None:
    live = desk.live_index()
    desk.client.indices.put_settings(index=live, body={"index.blocks.write": False})
    desk.client.delete(index=live, id="solution:telework/products", params={"refresh": "true"})
    desk.client.indices.put_settings(index=live, body={"index.blocks.write": True})
    with pytest.raises(ReleaseError, match="documents in the index"):
        on_base(desk, plan_of(WORLD), base_of(desk, plan_of(WORLD)))
    assert desk.live_indices() == [live]


def test_there_is_no_base_before_the_first_release(client: OpenSearch) -> None:
    assert base_of(Releases(client, "akg-base-none"), plan_of(WORLD)) is None
