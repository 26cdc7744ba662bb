"""Shards and replicas of a release, and the location of its snapshots, as OpenSearch expects them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from api.settings import SettingsError, read_settings
from indexer.release.plan import ReleasePlan, placement, with_placement
from indexer.release.snapshots import repository_body
from indexer.release.verify import Expected

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("shards", "replicas", "index"),
    [
        (1, "0-1", {"number_of_shards": 1, "number_of_replicas": 0, "auto_expand_replicas": "0-1"}),
        (3, "2", {"number_of_shards": 3, "number_of_replicas": 2, "auto_expand_replicas": "false"}),
        (1, "1-all", {"number_of_shards": 1, "number_of_replicas": 1, "auto_expand_replicas": "1-all"}),
    ],
)
def test_adds_shards_and_replicas_to_the_index_settings(shards: int, replicas: str, index: dict[str, Any]) -> None:
    body = {"settings": {"index": {"number_of_shards": 1, "refresh_interval": "-1"}, "analysis": {}}, "mappings": {}}
    plan = with_placement(ReleasePlan(body, [], Expected({}, {}, {}, {}), {}), placement(shards, replicas))
    assert plan.body == {"settings": {"index": {"refresh_interval": "-1", **index}, "analysis": {}}, "mappings": {}}
    assert body["settings"]["index"] == {"number_of_shards": 1, "refresh_interval": "-1"}


@pytest.mark.parametrize(
    ("location", "kind", "settings"),
    [
        ("", "fs", {"location": "akg"}),
        ("/srv/snapshots/graph", "fs", {"location": "/srv/snapshots/graph"}),
        ("s3://bucket", "s3", {"bucket": "bucket"}),
        ("s3://bucket/", "s3", {"bucket": "bucket"}),
        ("s3://bucket/some/path/", "s3", {"bucket": "bucket", "base_path": "some/path"}),
    ],
)
def test_a_location_is_a_folder_or_a_bucket(location: str, kind: str, settings: dict[str, str]) -> None:
    assert read_settings({"AKG_SNAPSHOT_LOCATION": location}).snapshot_location == location
    assert repository_body(location) == {"type": kind, "settings": settings}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AKG_SNAPSHOT_LOCATION", "gs://bucket/path"),
        ("AKG_SNAPSHOT_LOCATION", "s3://"),
        ("AKG_SNAPSHOT_REPOSITORY", "Two Words"),
        ("AKG_INDEX_SHARDS", "0"),
        ("AKG_INDEX_REPLICAS", "some"),
        ("AKG_INDEX_REPLICAS", "1-"),
        ("AKG_OPENSEARCH_CA_FILE", "nowhere.pem"),
    ],
)
def test_rejects_an_invalid_setting_with_its_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name}: "):
        read_settings({name: value})


def test_a_client_key_needs_a_certificate(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.touch()
    with pytest.raises(SettingsError, match="AKG_OPENSEARCH_CLIENT_KEY needs AKG_OPENSEARCH_CLIENT_CERT"):
        read_settings({"AKG_OPENSEARCH_CLIENT_KEY": str(key)})
