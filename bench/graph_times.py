"""Measure the answers that are computed from edges, on one running service or on two in turns.

    python -m bench.graph_times --after http://localhost:8092 [--before http://localhost:8091] [--conditions 1000]

Both services must have their response cache and rate limits off. The requests go to them in turns, one at a time,
after a first round that does not count. `--engine URL` also publishes a release with a vendor of 25,000 products,
serves it in this process, and measures its filtered neighbors.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import httpx
from opensearchpy import OpenSearch
from rich.console import Console
from rich.progress import track

from bench.figures import percentile
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, serving
from tests.support.hub_release import hub_release

Call = tuple[str, str, dict[str, str] | None]  # method, path, body
HUB_SIZE, HUB_ALIAS, HUB_TIMES = 25_000, "akg-hub-bench", 200
HUB_PATHS = ("&min_weight=0.9", "&basis=source&min_weight=0.5", "&query=lamp%20777", "&sort=name&offset=20000")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
out = Console(highlight=False, soft_wrap=True)


def ids(client: httpx.Client, path: str) -> list[str]:
    """Return the ids of all entities of a list."""
    found: list[str] = []
    link: str | None = path
    while link:
        page = client.get(link).raise_for_status().json()
        found += [item["id"] for item in page["results"]]
        link = page["next"]
    return found


def calls(client: httpx.Client, conditions: int, rng: random.Random) -> dict[str, list[Call]]:
    """Return the requests of each measure."""
    main, narrower = (ids(client, f"/disability?limit=100&kind={kind}") for kind in ("main", "narrower"))
    jobs, limitations, functions = (
        ids(client, f"/{name}?limit=100") for name in ("occupation", "limitation", "workrelatedfunction")
    )
    sample = rng.sample([*main, *narrower], min(conditions, len(main) + len(narrower)))

    def path(id_: str) -> str:
        return f"/{id_.replace(':', '/', 1)}"

    pairs = list(zip(rng.sample(jobs, 100), rng.choices(main, k=100), strict=True))
    return {
        "recommend, one seed, conditions at random": [("POST", "/recommend", {"disability": id_}) for id_ in sample],
        "recommend, one seed, main conditions": [("POST", "/recommend", {"disability": id_}) for id_ in main],
        "recommend, three seeds, setting and job": [
            (
                "POST",
                "/recommend",
                {
                    "disability": id_,
                    "limitation": rng.choice(limitations),
                    "work_function": rng.choice(functions),
                    "occupation": rng.choice(jobs),
                    "setting": "work",
                },
            )
            for id_ in main
        ],
        "connections, a job and a condition": [("GET", f"/connections?from={a}&to={b}", None) for a, b in pairs],
        "related conditions": [("GET", f"/related_conditions/{id_}", None) for id_ in main],
        "neighbors by id": [("GET", f"{path(id_)}/neighbors?edge=requires", None) for id_ in jobs[:300]],
        "records of conditions": [("GET", path(id_), None) for id_ in sample],
    }


def measure(clients: Sequence[httpx.Client], requests: Sequence[Call]) -> Iterator[list[float]]:
    """Yield the durations in milliseconds at each client; the first round does not count."""
    durations: list[list[float]] = [[] for _ in clients]
    for counts in (False, True):
        for method, path, body in requests:
            for client, measured in zip(clients, durations, strict=True):
                began = time.perf_counter()
                client.request(method, path, json=body).raise_for_status()
                if counts:
                    measured.append(1000 * (time.perf_counter() - began))
    yield from durations


async def measure_hub(engine: str) -> None:
    """Print the times of filtered neighbors of a vendor with HUB_SIZE products."""
    settings = {"response_cache_bytes": 0}
    with (
        OpenSearch(hosts=[engine], timeout=120) as client,
        hub_release(client, HUB_ALIAS, read_vocabulary(MAPPINGS), HUB_SIZE),
    ):
        async with serving(engine, HUB_ALIAS, **settings) as service:
            for filters in HUB_PATHS:
                durations = []
                for _ in range(HUB_TIMES):
                    began = time.perf_counter()
                    response = await service.get(f"/vendor/hub/neighbors?edge=sells{filters}")
                    durations.append(1000 * (time.perf_counter() - began))
                total = response.raise_for_status().json()["total"]
                p50, p95 = (percentile(durations[HUB_TIMES // 4 :], share) for share in (0.5, 0.95))
                out.print(f"| {HUB_SIZE:,} edges, `{filters[1:]}`, {total:,} match | | {p50:.1f} / {p95:.1f} | |")


def main() -> None:
    """Run the command and print a Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m bench.graph_times", description=__doc__.partition("\n")[0])
    parser.add_argument("--after", required=True, help="URL of the service, on this machine")
    parser.add_argument("--before", help="URL of a service to compare with, on this machine")
    parser.add_argument("--engine", help="URL of OpenSearch, for the measure of a hub")
    parser.add_argument("--conditions", type=int, default=1000)
    arguments = parser.parse_args()
    urls = [url for url in (arguments.before, arguments.after) if url]
    if any(urlsplit(url).hostname not in LOOPBACK for url in (*urls, *filter(None, [arguments.engine]))):
        parser.error("all addresses must be of this machine")
    clients = [httpx.Client(base_url=url, timeout=60, trust_env=False) for url in urls]
    measures = calls(clients[-1], arguments.conditions, random.Random(7))  # noqa: S311 - a sample, no secret
    out.print("| p50 / p95, ms | before | now | now ÷ before |\n| --- | --- | --- | --- |")
    for name, requests in track(measures.items(), console=Console(stderr=True)):
        cells = [[percentile(times, share) for share in (0.5, 0.95)] for times in measure(clients, requests)]
        shown = " | ".join(f"{p50:.1f} / {p95:.1f}" for p50, p95 in cells)
        before = "" if len(cells) > 1 else " |"
        ratio = f"{cells[1][0] / cells[0][0]:.2f}" if len(cells) > 1 else ""
        out.print(f"| {name} |{before} {shown} | {ratio} |")
    if arguments.engine:
        asyncio.run(measure_hub(arguments.engine))


if __name__ == "__main__":
    main()
