"""The small index beside the releases: who may write, and which rules were live when. Holds no word of any caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opensearchpy import NotFoundError

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

INDEX = "akg-control"
MAPPINGS: dict[str, Any] = {
    "dynamic": "strict",
    "properties": {
        "holder": {"type": "object", "enabled": False},
        "history": {"type": "object", "enabled": False},
    },
}
BODY = {
    "settings": {"index": {"number_of_shards": 1, "number_of_replicas": 0, "auto_expand_replicas": "0-1"}},
    "mappings": MAPPINGS,
}


def ensure(client: OpenSearch) -> None:
    """Make the index where there is none, and give one of an older version the fields it lacks."""
    try:
        found = client.indices.get_mapping(index=INDEX)[INDEX]["mappings"]["properties"]
    except NotFoundError:
        client.indices.create(index=INDEX, body=BODY, params={"wait_for_active_shards": "1"}, ignore=400)
        return
    if set(found) != set(MAPPINGS["properties"]):
        client.indices.put_mapping(index=INDEX, body=MAPPINGS)
