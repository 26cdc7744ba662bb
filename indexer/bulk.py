"""Documents go to the engine in batches, as bytes; what a busy engine turns away is sent again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
from opensearchpy import TransportError
from opensearchpy.helpers import streaming_bulk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from opensearchpy import OpenSearch

    from indexer.encoding import Encoded

BATCH_BYTES = 2 * 1024 * 1024
MOST_DOCUMENTS = 2_000  # so that progress shows where hardly any must be sent
RETRIES = 5  # of documents that a busy engine turns away
BUSY = 429
ENGINE_SECONDS = 120


class RefusedError(Exception):
    """The engine does not take a document; says which, and why."""


@dataclass(frozen=True, slots=True)
class Batch:
    """So many documents, and the lines of a bulk request for those of them that must be sent."""

    documents: int
    lines: bytes


def batches(documents: Iterable[Encoded], most: int = BATCH_BYTES) -> Iterator[Batch]:
    """The documents in order. A batch has at most so many bytes, or one document that alone has more."""
    held: list[bytes] = []
    size = 0
    for one in documents:
        if held and (size + len(one.lines) > most or len(held) >= MOST_DOCUMENTS):
            yield Batch(len(held), b"".join(held))
            held, size = [], 0
        held.append(one.lines)
        size += len(one.lines)
    if held:
        yield Batch(len(held), b"".join(held))


def send(client: OpenSearch, index: str, batch: Batch) -> int:
    """Index one batch and return how many documents it has; RefusedError where the engine never takes one."""
    if not batch.lines:
        return batch.documents
    # An answer that names each document costs both sides more than it tells: mostly all went well.
    params = {"filter_path": "errors", "request_timeout": ENGINE_SECONDS}
    try:
        taken = not client.bulk(index=index, body=batch.lines, params=params)["errors"]
    except TransportError as error:
        if error.status_code != BUSY:
            raise
        taken = False
    if not taken:
        _insist(client, index, batch)
    return batch.documents


def _insist(client: OpenSearch, index: str, batch: Batch) -> None:
    """Send the batch again until the engine has taken each document, waiting longer each time that it is busy."""
    lines = iter(batch.lines.splitlines())
    outcomes = streaming_bulk(
        client,
        (
            {"_index": index, **orjson.loads(head)["index"], "_source": orjson.loads(body)}
            for head, body in zip(lines, lines, strict=True)
        ),
        chunk_size=batch.documents,
        raise_on_error=False,  # with True a document's 429 is never tried again
        max_retries=RETRIES,
        initial_backoff=1,
        request_timeout=ENGINE_SECONDS,
    )
    for done, outcome in outcomes:
        if not done:
            raise RefusedError(f"The engine refused a document: {outcome}")
