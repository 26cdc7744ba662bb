"""A release from an incremental build equals one that was built from scratch."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from opensearchpy import OpenSearch
from opensearchpy.helpers import scan

from indexer.release.bulk import BaseRelease, EncodedDocument, IndexInput, encode_documents
from indexer.release.plan import ReleasePlan, with_rules
from indexer.release.publish import CloneError, find_base_release, publish_release
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from schema.document_ids import DIGESTS
from schema.synonyms import SynonymRule
from tests.support import fixture_graphs
from tests.support.fixture_graphs import WORLD, serving

START = datetime(2026, 1, 1, tzinfo=UTC)
ENGINE = "3.8.0"
LATER = START + timedelta(days=1)
WIDE = SynonymRule("spelling.txt", 1, ("qwerty",), ("telework",))
REQUESTS = (
    *("/search?query=vision&explain=true", "/search?query=calm+works&explain=true", "/search?query=telewrk"),
    *("/vendor?limit=100", "/solution/telework/neighbors?edge=recommended_for", "/export", "/graph"),
    "/related_conditions/low-vision",
)


def plan_of(content: Path) -> ReleasePlan:
    plan = fixture_graphs.plan_of(content)
    return replace(plan, meta={**plan.meta, "engine": ENGINE})


@pytest.fixture
def releases(client: OpenSearch, request: pytest.FixtureRequest) -> Iterator[Releases]:
    releases = Releases(client, f"akg-base-{abs(hash(request.node.name)) % 10**9}")
    publish_release(releases, plan_of(WORLD), START, lambda _: None)
    yield releases
    client.indices.delete(index=f"{releases.alias}*")


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """Copy the test world, rename a vendor, add one, and remove a link of an ability."""
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


def build_on(releases: Releases, plan: ReleasePlan, base: BaseRelease | None) -> tuple[str, list[str]]:
    """Build a plan from its base; return the new index, and the `_id`s of the documents that were sent."""
    sent = []

    def recorded() -> Iterator[EncodedDocument]:
        for document in encode_documents(plan.documents, base.digests if base else None):
            if document.lines:
                sent.append(document.key)
            yield document

    return publish_release(releases, plan, LATER, lambda _: None, IndexInput(recorded(), base)), sent


def stored(releases: Releases, index: str) -> dict[str, Any]:
    return {hit["_id"]: hit["_source"] for hit in scan(releases.client, index=index) if DIGESTS not in hit["_id"]}


async def test_equals_a_build_from_scratch(releases: Releases, changed: Path, node_url: str) -> None:
    base = find_base_release(releases, plan_of(changed))
    assert base is not None
    assert base.index == releases.live_index()
    index, sent = build_on(releases, plan_of(changed), base)
    assert 0 < len(sent) < len(base.digests) / 2
    from_scratch = Releases(releases.client, f"{releases.alias}-full")
    full_index = publish_release(from_scratch, plan_of(changed), LATER, lambda _: None)
    assert stored(releases, index) == stored(from_scratch, full_index)
    for name in (index, full_index):
        (shard,) = releases.client.indices.segments(index=name)["indices"][name]["shards"]["0"]
        assert len(shard["segments"]) == 1
    async with serving(node_url, releases.alias) as incremental, serving(node_url, from_scratch.alias) as full:
        for path in REQUESTS:
            bodies = [(await service.get(path)).json() for service in (incremental, full)]
            assert bodies[0] == bodies[1], path  # scores included
    settings = releases.client.indices.get_settings(index=index)[index]["settings"]["index"]
    assert settings["blocks"]["write"] == "true"
    assert settings["number_of_replicas"] == "0"


def test_sends_no_document_if_nothing_changed(releases: Releases) -> None:
    before = releases.live_index()
    index, sent = build_on(releases, plan_of(WORLD), find_base_release(releases, plan_of(WORLD)))
    assert sent == []
    assert stored(releases, index) == stored(releases, before)
    next_base = find_base_release(releases, plan_of(WORLD))
    assert next_base is not None
    assert next_base.index == index  # a clone can be a base too


def test_replicas_are_allocated_after_the_merge(releases: Releases) -> None:
    """Earlier copies would each be merged differently, and score terms differently."""
    seen: list[dict[str, str]] = []

    def replica_settings() -> dict[str, str]:
        newest = max(releases.metadata_by_index())
        index = releases.client.indices.get_settings(index=newest)[newest]["settings"]["index"]
        return {name: index[name] for name in ("number_of_replicas", "auto_expand_replicas")}

    plan = plan_of(WORLD)
    base = find_base_release(releases, plan)
    assert base is not None
    index_input = IndexInput(encode_documents(plan.documents, base.digests), base)
    publish_release(releases, plan, LATER, lambda _: seen.append(replica_settings()), index_input)
    assert seen[0] == {"number_of_replicas": "0", "auto_expand_replicas": "false"}
    assert replica_settings() == {"number_of_replicas": "0", "auto_expand_replicas": "0-2"}


def test_a_clone_has_the_rules_of_the_plan(releases: Releases) -> None:
    plan = plan_of(WORLD)
    plan = replace(plan, body=with_rules(plan.body, [WIDE]))
    index, sent = build_on(releases, plan, find_base_release(releases, plan))
    filters = releases.client.indices.get_settings(index=index)[index]["settings"]["index"]["analysis"]["filter"]
    assert (filters["rules"]["synonyms"], sent) == ([WIDE.text], [])


@pytest.mark.parametrize("difference", ["shape", "shards", "engine", "digests"])
def test_a_release_that_differs_in_kind_is_not_a_base(releases: Releases, difference: str) -> None:
    plan, live = plan_of(WORLD), releases.live_index()
    if difference == "shape":
        plan = replace(plan, meta={**plan.meta, "shape": "other"})
    elif difference == "shards":
        index = {**plan.body["settings"]["index"], "number_of_shards": 2}
        plan = replace(plan, body={**plan.body, "settings": {**plan.body["settings"], "index": index}})
    elif difference == "engine":
        plan = replace(plan, meta={**plan.meta, "engine": "2.19.0"})
    else:
        releases.client.indices.put_settings(index=live, body={"index.blocks.write": False})
        releases.client.delete_by_query(
            index=live, body={"query": {"term": {"doc": DIGESTS}}}, params={"refresh": "true"}
        )
    assert find_base_release(releases, plan) is None


def test_reports_a_base_that_cannot_be_cloned(releases: Releases) -> None:
    live = releases.live_index()
    base = find_base_release(releases, plan_of(WORLD))
    releases.client.indices.put_settings(
        index=live, body={"index.blocks.write": False}
    )  # OpenSearch clones only a blocked index
    with pytest.raises(CloneError, match=f"could not clone {live}"):
        build_on(releases, plan_of(WORLD), base)
    assert releases.live_indices() == [live]
    assert list(releases.metadata_by_index()) == [live]


def test_detects_missing_documents_of_the_base(releases: Releases) -> None:
    live = releases.live_index()
    releases.client.indices.put_settings(index=live, body={"index.blocks.write": False})
    releases.client.delete(index=live, id="solution:telework/recommended_for/0", params={"refresh": "true"})
    releases.client.indices.put_settings(index=live, body={"index.blocks.write": True})
    with pytest.raises(ReleaseError, match="documents in the index"):
        build_on(releases, plan_of(WORLD), find_base_release(releases, plan_of(WORLD)))
    assert releases.live_indices() == [live]


def test_without_a_release_there_is_no_base(client: OpenSearch) -> None:
    assert find_base_release(Releases(client, "akg-base-none"), plan_of(WORLD)) is None
