"""Plain `_bulk` requests with encoded documents from disk, as a baseline for builds."""

import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from opensearchpy import OpenSearch

from akg.console import MEGABYTE
from indexer.release.bulk import MAX_WAITING_BATCHES, SENDERS, Batch, batches, encode_documents, merge, send
from indexer.release.parallel import ordered
from indexer.release.stored_releases import raise_if_problems
from schema.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class StoredBatches:
    """Encoded `_bulk` bodies in a file, in the batch size of the indexer."""

    file: BinaryIO
    sizes: list[tuple[int, int]]  # documents and bytes of each

    @staticmethod
    def write(documents: Iterable[tuple[str, JsonObject]], file: BinaryIO) -> "StoredBatches":
        encoded = batches(encode_documents(documents))
        return StoredBatches(file, [(batch.documents, file.write(batch.lines)) for batch in encoded])

    def __iter__(self) -> Iterator[Batch]:
        self.file.seek(0)
        return (Batch(documents, self.file.read(size)) for documents, size in self.sizes)

    @property
    def megabytes(self) -> float:
        """The size of all bodies."""
        return sum(size for _, size in self.sizes) / MEGABYTE


class BulkSeconds(NamedTuple):
    """Seconds until the index was created, all documents were sent, and the segments were merged."""

    created: float
    sent: float
    merged: float


def plain_bulk(client: OpenSearch, index: str, body: Mapping[str, Any], stored: StoredBatches) -> BulkSeconds:
    """Create an index, send batches with the concurrency of a build, merge, and delete the index; verify nothing."""
    client.indices.delete(index=index, params={"ignore_unavailable": "true"})
    began = time.perf_counter()
    client.indices.create(index=index, body=dict(body))
    created = time.perf_counter() - began
    with ThreadPoolExecutor(SENDERS) as pool:
        for _ in ordered(pool, partial(send, client, index), iter(stored), SENDERS + MAX_WAITING_BATCHES):
            pass
    sent = time.perf_counter() - began
    problems = merge(client, index)
    client.indices.flush(index=index)
    merged = time.perf_counter() - began
    raise_if_problems(problems)
    client.indices.delete(index=index)
    return BulkSeconds(created, sent, merged)
