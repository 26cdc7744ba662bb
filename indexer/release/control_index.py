"""The index that stores the writer lease and the history of synonym rules. It stores no user input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opensearchpy import NotFoundError

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

    from schema.json_types import JsonObject

CONTROL_INDEX = "akg-control"
MAPPINGS: JsonObject = {
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


def ensure_control_index(client: OpenSearch) -> None:
    """Create the index if it is missing, and add fields that an index of an older version lacks."""
    try:
        properties = client.indices.get_mapping(index=CONTROL_INDEX)[CONTROL_INDEX]["mappings"]["properties"]
    except NotFoundError:
        client.indices.create(index=CONTROL_INDEX, body=BODY, params={"wait_for_active_shards": "1"}, ignore=400)
        return
    if set(properties) != set(MAPPINGS["properties"]):
        client.indices.put_mapping(index=CONTROL_INDEX, body=MAPPINGS)
