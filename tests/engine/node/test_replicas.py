"""All replicas of an incremental release have the same segments, and so the same term statistics and scores."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from opensearchpy import OpenSearch

from bench.faults.cluster import Cluster
from bench.processes import process_guard
from indexer.release.bulk import IndexInput, encode_documents
from indexer.release.plan import ReleasePlan
from indexer.release.publish import find_base_release, opensearch_version, publish_release
from indexer.release.releases import Releases
from tests.support.fixture_graphs import WORLD, plan_of

START, LATER = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
TIMEOUT_SECONDS = 120


@pytest.fixture
def client(guarded_folder: Path, engine_cache: Path) -> Iterator[OpenSearch]:
    with process_guard() as guard:
        cluster = Cluster(guarded_folder / "two", engine_cache, "300m", guard, size=2)
        try:
            cluster.start()
            with OpenSearch(hosts=list(cluster.urls), timeout=TIMEOUT_SECONDS) as opened:
                yield opened
        finally:
            cluster.close()


def plan_for(client: OpenSearch, content: Path) -> ReleasePlan:
    plan = plan_of(content)
    return replace(plan, meta={**plan.meta, "engine": opensearch_version(client)})


def copies(client: OpenSearch, index: str) -> list[list[tuple[int, int]]]:
    """Return the segments of each copy: the numbers of documents and of deleted documents."""
    (shard,) = client.indices.segments(index=index)["indices"][index]["shards"].values()
    return [[(segment["num_docs"], segment["deleted_docs"]) for segment in copy["segments"].values()] for copy in shard]


def hits_by_node(client: OpenSearch, index: str) -> list[Any]:
    body = {"query": {"match": {"related": "calm works vision"}}, "_source": False}
    responses = [
        client.search(index=index, body=body, params={"preference": f"_only_nodes:{node}"})["hits"]["hits"]
        for node in client.nodes.info()["nodes"]
    ]
    return [[(hit["_id"], hit["_score"]) for hit in hits] for hits in responses]


def test_every_replica_of_an_incremental_release_is_merged(client: OpenSearch, tmp_path: Path) -> None:
    releases = Releases(client, "akg-copies")
    publish_release(releases, plan_for(client, WORLD), START, lambda _: None)
    content = tmp_path / "world"
    shutil.copytree(WORLD, content)
    vendors = content / "vendors.csv"
    vendors.write_text(vendors.read_text("utf-8").replace("Quiet Works", "Calm Works"), "utf-8")
    plan = plan_for(client, content)
    base = find_base_release(releases, plan)
    assert base is not None
    index = publish_release(
        releases, plan, LATER, lambda _: None, IndexInput(encode_documents(plan.documents, base.digests), base)
    )
    first, second = copies(client, index)
    assert first == second
    assert len(first) == 1
    hits, other_hits = hits_by_node(client, index)
    assert hits == other_hits
    assert hits[0][0] == "vendor:quiet-works"
