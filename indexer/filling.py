"""A new index gets the documents of a release: all of them, or what differs from the release that it is a copy of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from indexer.bulk import ENGINE_SECONDS, batches, send
from indexer.encoding import OWN, Noted
from indexer.parallel import parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opensearchpy import OpenSearch

    from indexer.encoding import Filling

SENDERS = 2  # bulk requests under way: with one, the engine waits for the wire a third of the time
AHEAD = 24  # batches that may wait: some documents cost the engine more than they cost to make, others less
MERGE_SECONDS = 3600  # of a million entities, four seconds for the shipped graph
DELETED = 10_000  # documents in one request


@dataclass(frozen=True, slots=True)
class Filled:
    """What is wrong with an index after it was filled; whether what it tells of the graph differs from its base."""

    problems: list[str]
    differs: bool


def fill(client: OpenSearch, index: str, filling: Filling, on_sent: Callable[[int], None]) -> Filled:
    """Send what must be sent, and delete what the base has beyond that.

    `on_sent` hears of every document, those included that stay. RefusedError where the engine never takes one.
    """
    noted = Noted(filling)
    for passed in parallel(partial(send, client, index), batches(noted.documents()), SENDERS, AHEAD):
        on_sent(passed)
    for several in _in_parts(sorted(noted.gone)):
        body = {"query": {"ids": {"values": several}}}
        client.delete_by_query(index=index, body=body, params={"request_timeout": ENGINE_SECONDS})
        on_sent(0)
    client.indices.refresh(index=index)
    found = client.count(index=index)["count"]
    problems = [] if found == noted.count else [f"{found} documents in the index, {noted.count} were made"]
    return Filled(problems, noted.differs or any(not key.startswith(OWN) for key in noted.gone))


def merge(client: OpenSearch, index: str) -> list[str]:
    """Bring the index into one segment, without what was deleted; return what is wrong then."""
    params = {"max_num_segments": 1, "request_timeout": MERGE_SECONDS}
    shards = client.indices.forcemerge(index=index, params=params)["_shards"]
    client.indices.refresh(index=index)  # after the merge, else the searcher holds on to what was merged away
    return [f"shards could not be merged: {shards}"] if shards["failed"] else []


def _in_parts(keys: list[str]) -> Iterator[list[str]]:
    remaining = iter(keys)
    return iter(lambda: list(islice(remaining, DELETED)), [])
