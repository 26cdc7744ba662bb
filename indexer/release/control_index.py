"""The control index: small documents that commands store about themselves, and no user input.

It stores the writer lease and the history of synonym rules. Commands must be able to write them while disks are full,
because only commands that hold the lease make room.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from opensearchpy import NotFoundError, OpenSearch

from indexer.release.full_disks import WITHOUT_BLOCK, write_despite_full_disks
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

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ControlDocument:
    """A document of the control index; with the parameters `if_unchanged`, a write fails if it changed since."""

    body: JsonObject
    if_unchanged: Mapping[str, int]


def ensure_control_index(client: OpenSearch) -> None:
    """Create the index if it is missing, and add fields that an index of an older version lacks."""
    try:
        properties = client.indices.get_mapping(index=CONTROL_INDEX)[CONTROL_INDEX]["mappings"]["properties"]
    except NotFoundError:
        client.indices.create(index=CONTROL_INDEX, body=BODY, params={"wait_for_active_shards": "1"}, ignore=400)
        return
    if set(properties) != set(MAPPINGS["properties"]):
        _despite_full_disks(client, lambda: client.indices.put_mapping(index=CONTROL_INDEX, body=MAPPINGS))


def control_document(client: OpenSearch, key: str) -> ControlDocument | None:
    """Return a document of the control index; None if there is none."""
    try:
        document = client.get(index=CONTROL_INDEX, id=key)
    except NotFoundError:
        return None
    return ControlDocument(document["_source"], _version(document))


def write_control_document(
    client: OpenSearch, key: str, body: JsonObject, condition: Mapping[str, int | str] | None = None
) -> Mapping[str, int]:
    """Write a document; return the parameters of a write that fails if it changed since.

    Raise ConflictError if the condition does not hold: `if_unchanged` of a document, or `op_type`.
    """
    params = dict(condition or {})  # the client removes its options from the parameters
    return _version(
        _despite_full_disks(client, lambda: client.index(index=CONTROL_INDEX, id=key, body=body, params=dict(params)))
    )


def delete_control_document(client: OpenSearch, key: str, if_unchanged: Mapping[str, int]) -> None:
    """Delete a document. Raise ConflictError if it changed, and NotFoundError if there is none."""
    _despite_full_disks(client, lambda: client.delete(index=CONTROL_INDEX, id=key, params=dict(if_unchanged)))


def _despite_full_disks(client: OpenSearch, write: Callable[[], Result]) -> Result:
    """Write to the control index, and remove the block of full disks from this index alone."""
    return write_despite_full_disks(write, lambda: client.indices.put_settings(index=CONTROL_INDEX, body=WITHOUT_BLOCK))


def _version(document: Mapping[str, int]) -> Mapping[str, int]:
    return {"if_seq_no": document["_seq_no"], "if_primary_term": document["_primary_term"]}
