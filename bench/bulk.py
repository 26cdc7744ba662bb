"""A bare `_bulk` of documents that lie ready on the disk, to compare a build with."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from indexer.release.bulk import MAX_WAITING_BATCHES, SENDERS, Batch, batches, encode_documents, merge, send
from indexer.release.parallel import ordered
from indexer.release.releases import raise_if_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from opensearchpy import OpenSearch

    from schema.json_types import JsonObject

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class StoredBatches:
    """Batches of documents in a file, as many in each as the indexer sends."""

    file: BinaryIO
    sizes: list[tuple[int, int]]  # documents and bytes of each

    @staticmethod
    def write(documents: Iterable[tuple[str, JsonObject]], file: BinaryIO) -> StoredBatches:
        """Write documents as bodies of bulk requests."""
        encoded = batches(encode_documents(documents))
        return StoredBatches(file, [(batch.documents, file.write(batch.lines)) for batch in encoded])

    def __iter__(self) -> Iterator[Batch]:
        """Read them from the first to the last."""
        self.file.seek(0)
        return (Batch(documents, self.file.read(size)) for documents, size in self.sizes)

    @property
    def megabytes(self) -> float:
        """What all bodies take."""
        return sum(size for _, size in self.sizes) / MEGABYTE


class BulkSeconds(NamedTuple):
    """Seconds until the index was made, until all was sent, and until it was one segment."""

    made: float
    sent: float
    merged: float


def bare_bulk(client: OpenSearch, index: str, body: Mapping[str, Any], stored: StoredBatches) -> BulkSeconds:
    """Send batches into an index of this form, as many at once as a build does, and merge them; delete the index.

    Nothing is verified.
    """
    client.indices.delete(index=index, params={"ignore_unavailable": "true"})
    began = time.perf_counter()
    client.indices.create(index=index, body=dict(body))
    made = time.perf_counter() - began
    with ThreadPoolExecutor(SENDERS) as pool:
        for _ in ordered(pool, partial(send, client, index), iter(stored), SENDERS + MAX_WAITING_BATCHES):
            pass
    sent = time.perf_counter() - began
    problems = merge(client, index)
    client.indices.flush(index=index)
    merged = time.perf_counter() - began
    raise_if_problems(problems)
    client.indices.delete(index=index)
    return BulkSeconds(made, sent, merged)
