"""Fills a new index: encodes documents, sends them as `_bulk` requests, deletes stale ones, merges segments.

A release stores the digests of its documents in documents (`_id` is `digests/` and a number), so that an incremental
build sends only what differs (docs/decisions/0014 says why).
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import orjson
from opensearchpy import OpenSearch, TransportError
from opensearchpy.helpers import streaming_bulk

from indexer.release.parallel import DaemonPool, ordered
from schema.document_ids import DIGESTS, METADATA_PREFIXES, metadata_id
from schema.json_types import JsonObject

DIGESTS_PER_DOCUMENT = 20_000  # about 1.3 MB
DIGEST_BYTES = 12
MAX_BATCH_BYTES = 2 * 1024 * 1024
MAX_BATCH_DOCUMENTS = 2_000  # so that progress shows even if few documents are sent
MAX_RETRIES = 8  # with pauses of 1, 2, 4, 8 and then 16 seconds: 79 together
MAX_PAUSE_SECONDS = 16
TOO_MANY_REQUESTS = 429
TIMEOUT_SECONDS = 120
SENDERS = 2  # concurrent bulk requests: with one, OpenSearch waits for the network a third of the time
MAX_WAITING_BATCHES = 24  # some documents take longer to index than to build, others less
MERGE_TIMEOUT_SECONDS = 3600  # for a million entities; the shipped graph takes four seconds
IDS_PER_DELETE = 10_000


class EncodedDocument(NamedTuple):
    """A document as two lines of a bulk request; no lines if the base release has the same document."""

    key: str
    digest: str
    lines: bytes


@dataclass(frozen=True, slots=True)
class BaseRelease:
    """The release that an incremental build clones: its index, and the digest of each document by `_id`."""

    index: str
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class IndexInput:
    """The documents of a new index. The base has those without lines."""

    documents: Iterable[EncodedDocument]
    base: BaseRelease | None = None


def encode(key: str, body: JsonObject, base_digests: Mapping[str, str]) -> EncodedDocument:
    """Encode one document, without lines if `base_digests` has its digest under its `_id`."""
    text = orjson.dumps(body)
    digest = hashlib.blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
    unchanged = base_digests.get(key) == digest
    lines = b"" if unchanged else b'{"index":{"_id":%b}}\n%b\n' % (orjson.dumps(key), text)
    return EncodedDocument(key, digest, lines)


def encode_documents(
    documents: Iterable[tuple[str, JsonObject]], base_digests: Mapping[str, str] | None = None
) -> Iterator[EncodedDocument]:
    """Encode the documents in order."""
    base_digests = base_digests or {}
    return (encode(key, body, base_digests) for key, body in documents)


class DigestTracker:
    """Follows the documents of an index input: adds their digests, and finds what the base has beyond them.

    `has_changes` says whether a sent document describes the graph.
    """

    def __init__(self, index_input: IndexInput) -> None:
        self._documents = index_input.documents
        self.stale_ids = set(index_input.base.digests) if index_input.base else set()
        self.count = 0
        self.has_changes = False

    def documents(self, per_document: int = DIGESTS_PER_DOCUMENT) -> Iterator[EncodedDocument]:
        """Yield every document, and after each `per_document` of them one with their digests, to bound memory."""
        digests: list[tuple[str, str]] = []
        number = 0
        for document in chain(self._documents, [None]):
            if document is not None:
                digests.append((document.key, document.digest))
                yield self._track(document)
            if digests and (document is None or len(digests) >= per_document):
                body = {"doc": DIGESTS, DIGESTS: {"lines": digests}}
                yield self._track(encode(metadata_id(DIGESTS, number), body, {}))
                digests, number = [], number + 1

    def _track(self, document: EncodedDocument) -> EncodedDocument:
        self.stale_ids.discard(document.key)
        self.count += 1
        self.has_changes = self.has_changes or bool(document.lines and not document.key.startswith(METADATA_PREFIXES))
        return document


def count_digest_documents(documents: int) -> int:
    """Return how many documents store the digests of that many others."""
    return -(-documents // DIGESTS_PER_DOCUMENT)


def read_digests(documents: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """Return the digests in these documents, given as (`_id`, body), which get an empty digest themselves."""
    digests: dict[str, str] = {}
    for key, body in documents:
        digests[key] = ""
        digests.update(body[DIGESTS]["lines"])
    return digests


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
        max_backoff=MAX_PAUSE_SECONDS,
        request_timeout=TIMEOUT_SECONDS,
    )
    for accepted, outcome in outcomes:
        if not accepted:
            raise RejectedDocumentError(f"OpenSearch rejected a document: {outcome}")


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
    with DaemonPool(SENDERS) as pool:  # after Ctrl-C nothing waits for running requests
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
