"""Fills a new index: sends documents, deletes stale ones of the base, merges segments."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from indexer.release.bulk import TIMEOUT_SECONDS, batches, send
from indexer.release.encoding import DigestTracker
from indexer.release.parallel import ordered
from schema.document_ids import METADATA_PREFIXES

if TYPE_CHECKING:
    from collections.abc import Callable

    from opensearchpy import OpenSearch

    from indexer.release.encoding import IndexInput

SENDERS = 2  # concurrent bulk requests: with one, OpenSearch waits for the network a third of the time
MAX_WAITING_BATCHES = 24  # some documents take longer to index than to build, others less
MERGE_TIMEOUT_SECONDS = 3600  # for a million entities; the shipped graph takes four seconds
IDS_PER_DELETE = 10_000


@dataclass(frozen=True, slots=True)
class FillResult:
    """The problems of a filled index, and whether its documents about the graph differ from those of its base."""

    problems: list[str]
    has_changes: bool


def fill(client: OpenSearch, index: str, index_input: IndexInput, on_progress: Callable[[int], None]) -> FillResult:
    """Send what must be sent, and delete what the base has beyond that. Raise RejectedDocumentError.

    `on_progress` gets the number of documents that are done, unchanged ones included.
    """
    tracker = DigestTracker(index_input)
    with ThreadPoolExecutor(SENDERS) as pool:
        ahead = SENDERS + MAX_WAITING_BATCHES
        for documents in ordered(pool, partial(send, client, index), batches(tracker.documents()), ahead):
            on_progress(documents)
    stale_ids = sorted(tracker.stale_ids)
    for start in range(0, len(stale_ids), IDS_PER_DELETE):
        body = {"query": {"ids": {"values": stale_ids[start : start + IDS_PER_DELETE]}}}
        client.delete_by_query(index=index, body=body, params={"request_timeout": TIMEOUT_SECONDS})
        on_progress(0)
    client.indices.refresh(index=index)
    count = client.count(index=index)["count"]
    problems = [] if count == tracker.count else [f"{count} documents in the index, {tracker.count} were built"]
    stale = any(not key.startswith(METADATA_PREFIXES) for key in stale_ids)
    return FillResult(problems, tracker.has_changes or stale)


def merge(client: OpenSearch, index: str) -> list[str]:
    """Merge the index into one segment without deleted documents; return the problems."""
    params = {"max_num_segments": 1, "request_timeout": MERGE_TIMEOUT_SECONDS}
    shards = client.indices.forcemerge(index=index, params=params)["_shards"]
    client.indices.refresh(index=index)  # or the searcher keeps the merged segments
    return [f"shards could not be merged: {shards}"] if shards["failed"] else []
