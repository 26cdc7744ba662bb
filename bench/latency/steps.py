"""What two steps of docs/scaling.md bring: 304s, and a second process. A table on standard output.

    python -m bench.latency.steps

starts a node, the shipped graph and services of its own, and asks them in turns for a minute.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

import httpx
from rich.console import Console

from akg.evaluation.metrics import read_judgments
from bench.figures import table
from bench.latency.client import request
from bench.latency.interleaved import load_client, spread
from bench.latency.page import spread_text
from bench.latency.questions import TYPED
from bench.latency.services import own_engine, service
from bench.latency.warm_up import JUDGMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.latency.interleaved import Client

ROUNDS, SECONDS, WARM = 5, 2.0, 0.5
IN_FLIGHT = 8
RECORDS = 32


def main() -> None:
    """Measure in turns, and print the medians."""
    notes = Console(stderr=True, highlight=False)
    with ExitStack() as stack:
        engine = stack.enter_context(own_engine(notes))
        engine.build()
        deeds = contenders(stack, engine.url, engine.alias)
        rates: dict[str, list[float]] = {name: [] for name in deeds}
        for turn in range(ROUNDS + 1):
            notes.print(f"round {turn} of {ROUNDS}")
            for name, deed in deeds.items():
                found = deed()
                if turn:
                    rates[name].append(found)
    rows = [[name, spread_text(spread(found))] for name, found in rates.items()]
    print(table([f"{IN_FLIGHT} in flight", "answers a second"], rows))


def contenders(stack: ExitStack, url: str, alias: str) -> Mapping[str, Callable[[], float]]:
    """Targets, by what the row says."""
    clients = [stack.enter_context(load_client()) for _ in range(2)]
    pool = stack.enter_context(ThreadPoolExecutor(2))
    warm = stack.enter_context(service(url, alias, {})).port
    cold = [stack.enter_context(service(url, alias, {"AKG_RESPONSE_CACHE_BYTES": "0"})).port for _ in range(2)]
    records, tags = learned(warm)
    requests = [[request("GET", path)] for path in records]
    known = [[request("GET", path, headers={"If-None-Match": tag})] for path, tag in zip(records, tags, strict=True)]
    queries = [one.query for one in read_judgments(JUDGMENTS) if one.kind in TYPED]
    searches = [[request("GET", str(httpx.URL("/search", params={"query": one})))] for one in queries]

    def two() -> float:
        return sum(
            pool.map(lambda pair: rate(pair[0], pair[1], searches, IN_FLIGHT // 2), zip(clients, cold, strict=True))
        )

    first = clients[0]
    return {
        "records from the cache": lambda: rate(first, warm, requests),
        "304 for whoever has them": lambda: unchanged(first, warm, known),
        "searches asked for the first time, one process": lambda: rate(first, cold[0], searches),
        "the same, two processes, on the same two cores": two,
    }


def learned(port: int) -> tuple[list[str], list[str]]:
    """Addresses of records with their ETags; the service has them in its cache then."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        cards = client.get("/disability", params={"limit": RECORDS}).json()["results"]
        paths = [f"/disability/{card['id'].partition(':')[2]}" for card in cards]
        tags = [[client.get(path) for _ in range(3)][-1].headers["ETag"] for path in paths]
    return paths, tags


def rate(client: Client, port: int, scripts: Sequence[Sequence[bytes]], in_flight: int = IN_FLIGHT) -> float:
    """Answers a second of one turn."""
    turn = client.asking(port, scripts).ask(in_flight, WARM, SECONDS)
    if turn.failed:
        raise SystemExit(f"{turn.failed} answers were not whole, or none of 200")
    return turn.rate


def unchanged(client: Client, port: int, scripts: Sequence[Sequence[bytes]]) -> float:
    """Answers a second that are 304; the load client counts whatever is not 200 as failed."""
    turn = client.asking(port, scripts).ask(IN_FLIGHT, WARM, SECONDS)
    if turn.micros:
        raise SystemExit(f"{len(turn.micros)} answers were 200 and not 304")
    return turn.failed / SECONDS


if __name__ == "__main__":
    main()
