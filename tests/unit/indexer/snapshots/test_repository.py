"""The location of snapshots: a folder or a bucket."""

import pytest

from api.settings import read_settings
from indexer.snapshots.repository import repository_body


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
