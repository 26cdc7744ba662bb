"""Measure two steps of docs/explanation/scaling.md, 304 responses and a second process; print a table.

    python -m bench.latency.scaling_steps

starts a temporary node with the shipped graph and services, and measures in turns for a minute.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
from rich.console import Console

from akg.evaluation.metrics import read_judgments
from bench.figures import table
from bench.latency.interleaved import Client, load_client, spread
from bench.latency.load_client import encode_request
from bench.latency.page import IN_FLIGHT, spread_text
from bench.latency.route_requests import TYPED_KINDS
from bench.latency.services import scratch_engine, service
from bench.latency.warm_up import JUDGMENTS

ROUNDS, SECONDS, WARM = 5, 2.0, 0.5
RECORDS = 32


def main() -> None:
    notes = Console(stderr=True, highlight=False)
    with ExitStack() as stack:
        engine = stack.enter_context(scratch_engine(notes))
        engine.build()
        measurements = contenders(stack, engine.url, engine.alias)
        rates: dict[str, list[float]] = {name: [] for name in measurements}
        for turn in range(ROUNDS + 1):
            notes.print(f"round {turn} of {ROUNDS}")
            for name, measure in measurements.items():
                responses_per_second = measure()
                if turn:
                    rates[name].append(responses_per_second)
    rows = [[name, spread_text(spread(values))] for name, values in rates.items()]
    print(table([f"{IN_FLIGHT} in flight", "responses/s"], rows))


def contenders(stack: ExitStack, url: str, alias: str) -> Mapping[str, Callable[[], float]]:
    """Return the measurements by the label of their row."""
    clients = [stack.enter_context(load_client()) for _ in range(2)]
    pool = stack.enter_context(ThreadPoolExecutor(2))
    warm = stack.enter_context(service(url, alias, {})).port
    cold = [stack.enter_context(service(url, alias, {"AKG_RESPONSE_CACHE_BYTES": "0"})).port for _ in range(2)]
    records, tags = cache_records(warm)
    requests = [[encode_request("GET", path)] for path in records]
    conditional = [
        [encode_request("GET", path, headers={"If-None-Match": tag})] for path, tag in zip(records, tags, strict=True)
    ]
    queries = [judgment.query for judgment in read_judgments(JUDGMENTS) if judgment.kind in TYPED_KINDS]
    searches = [[encode_request("GET", str(httpx.URL("/search", params={"query": query})))] for query in queries]

    def two_processes() -> float:
        return sum(pool.map(lambda client, port: rate(client, port, searches, IN_FLIGHT // 2), clients, cold))

    first = clients[0]
    return {
        "records from the cache": lambda: rate(first, warm, requests),
        "304 responses": lambda: not_modified_rate(first, warm, conditional),
        "uncached searches, one process": lambda: rate(first, cold[0], searches),
        "uncached searches, two processes, on the same two cores": two_processes,
    }


def cache_records(port: int) -> tuple[list[str], list[str]]:
    """Fill the cache with records; return their paths and ETags."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        cards = client.get("/disability", params={"limit": RECORDS}).json()["results"]
        paths = [f"/disability/{card['id'].partition(':')[2]}" for card in cards]
        tags = [[client.get(path) for _ in range(3)][-1].headers["ETag"] for path in paths]
    return paths, tags


def rate(client: Client, port: int, scripts: Sequence[Sequence[bytes]], in_flight: int = IN_FLIGHT) -> float:
    turn = client.contender(port, scripts).send(in_flight, WARM, SECONDS)
    if turn.failed:
        raise SystemExit(f"{turn.failed} responses were incomplete or not 200")
    return turn.rate


def not_modified_rate(client: Client, port: int, scripts: Sequence[Sequence[bytes]]) -> float:
    """Return 304 responses per second; the load client counts them as failed, because they are not 200."""
    turn = client.contender(port, scripts).send(IN_FLIGHT, WARM, SECONDS)
    if turn.micros:
        raise SystemExit(f"{len(turn.micros)} responses were 200, expected 304")
    return turn.failed / SECONDS


if __name__ == "__main__":
    main()
