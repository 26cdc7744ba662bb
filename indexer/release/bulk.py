"""Sends documents in batches as `_bulk` requests, and repeats those that a busy cluster rejects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
from opensearchpy import TransportError
from opensearchpy.helpers import streaming_bulk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from opensearchpy import OpenSearch

    from indexer.release.encoding import EncodedDocument

MAX_BATCH_BYTES = 2 * 1024 * 1024
MAX_BATCH_DOCUMENTS = 2_000  # so that progress shows even if few documents are sent
MAX_RETRIES = 5
TOO_MANY_REQUESTS = 429
TIMEOUT_SECONDS = 120


class RejectedDocumentError(Exception):
    """OpenSearch rejects a document; the message has its reason."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The number of documents, and the lines of a bulk request for those that must be sent."""

    documents: int
    lines: bytes


def batches(documents: Iterable[EncodedDocument], max_bytes: int = MAX_BATCH_BYTES) -> Iterator[Batch]:
    """Yield the documents in order. A batch is larger than the maximum only if it has one document."""
    parts: list[bytes] = []
    size = 0
    for document in documents:
        if parts and (size + len(document.lines) > max_bytes or len(parts) >= MAX_BATCH_DOCUMENTS):
            yield Batch(len(parts), b"".join(parts))
            parts, size = [], 0
        parts.append(document.lines)
        size += len(document.lines)
    if parts:
        yield Batch(len(parts), b"".join(parts))


def send(client: OpenSearch, index: str, batch: Batch) -> int:
    """Index one batch and return its number of documents. Raise RejectedDocumentError."""
    if not batch.lines:
        return batch.documents
    # A response that lists each document costs both sides more than it is worth: batches rarely fail.
    params = {"filter_path": "errors", "request_timeout": TIMEOUT_SECONDS}
    try:
        failed = client.bulk(index=index, body=batch.lines, params=params)["errors"]
    except TransportError as error:
        if error.status_code != TOO_MANY_REQUESTS:
            raise
        failed = True
    if failed:
        _send_with_retries(client, index, batch)
    return batch.documents


def _send_with_retries(client: OpenSearch, index: str, batch: Batch) -> None:
    """Send the batch again with exponential back-off until OpenSearch has accepted each document."""
    lines = iter(batch.lines.splitlines())
    outcomes = streaming_bulk(
        client,
        (
            {"_index": index, **orjson.loads(action)["index"], "_source": orjson.loads(body)}
            for action, body in zip(lines, lines, strict=True)
        ),
        chunk_size=batch.documents,
        raise_on_error=False,  # with True the helper does not retry a document's 429
        max_retries=MAX_RETRIES,
        initial_backoff=1,
        request_timeout=TIMEOUT_SECONDS,
    )
    for accepted, outcome in outcomes:
        if not accepted:
            raise RejectedDocumentError(f"OpenSearch rejected a document: {outcome}")
