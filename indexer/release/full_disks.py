"""Writes while disks are full: the block that OpenSearch sets above the flood-stage watermark is removed for them.

The block keeps documents, settings and aliases of an index from changing. Only commands that make room remove it, and
only from the indices that they must change.
"""

from collections.abc import Callable
from typing import TypeVar

from opensearchpy import TransportError
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

from schema.json_types import JsonObject

FLOOD_STAGE_BLOCK = "index.blocks.read_only_allow_delete"  # a setting of an index
WITHOUT_BLOCK: JsonObject = {FLOOD_STAGE_BLOCK: None}
UNBLOCK_SECONDS = 10.0  # OpenSearch may set the block again between its removal and the write
UNBLOCK_PAUSE_SECONDS = 0.2
BLOCK_ERROR = "cluster_block_exception"
BLOCK_STATUSES = frozenset((403, 429))  # the status of the block differs between versions of OpenSearch

Result = TypeVar("Result")


def is_flood_stage_block(error: BaseException) -> bool:
    """Return whether OpenSearch rejected a write because a disk is above the flood-stage watermark."""
    return (
        isinstance(error, TransportError)
        and error.status_code in BLOCK_STATUSES
        and error.error == BLOCK_ERROR
        and "read-only-allow-delete" in str(error.info)
    )


def write_despite_full_disks(write: Callable[[], Result], unblock: Callable[[], None]) -> Result:
    """Write; if full disks block that, remove the block with `unblock` and try again, for UNBLOCK_SECONDS."""
    retrying = Retrying(
        retry=retry_if_exception(is_flood_stage_block),
        before_sleep=lambda _: unblock(),
        wait=wait_fixed(UNBLOCK_PAUSE_SECONDS),
        stop=stop_after_delay(UNBLOCK_SECONDS),
        reraise=True,
    )
    return retrying(write)
