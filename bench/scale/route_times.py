"""Response times of each route, and the time of `akg synonyms apply`, for one or more releases."""

import itertools
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import httpx

from bench.figures import percentile
from bench.processes import ProcessGuard, Service, run
from bench.scale.synthetic_graph import HUB_NUMBER, NARROW, World
from bench.scale.words import FIRST
from tests.support.fixture_graphs import MAPPINGS

TIMEOUT_SECONDS = 60
LAST_PAGE = 20
NAMED = ("disability", NARROW, "solution", "product", "occupation")
HUB_OFFSETS = (0, 1_000, 10_000, 24_980)  # in the edges of a hub
Request = tuple[str, str, dict[str, Any] | None]


def route_requests(world: World, rng: Random) -> dict[str, Callable[[], Request]]:
    """Return for each route a function that returns a new random request."""

    def random_id(kind: str) -> str:
        return world.id(kind, rng.randrange(world.size(kind)))

    def path(kind: str) -> str:
        return random_id(kind).replace(":", "/", 1)

    def name(kind: str) -> str:
        return world.name(kind, rng.randrange(world.size(kind)))

    def get(path: str) -> Request:
        return "GET", path, None

    def recommend(*kinds: str) -> Request:
        return "POST", "/recommend", {kind: random_id(kind) for kind in kinds}

    def misspelled(name: str) -> str:
        return name[:3] + name[4:]

    return {
        "search, a name": lambda: get(f"/search?query={name('product')}"),
        "search, words": lambda: get(f"/search?query={name('product').split()[1]} for {name('disability').split()[0]}"),
        "search, a word of a name": lambda: get(f"/search?query={name(rng.choice(NAMED)).split()[1]}"),
        "search, the most frequent word": lambda: get(f"/search?query={FIRST[NARROW][0]}"),
        "search, a word around many": lambda: get(f"/search?query={FIRST['solution'][0]}"),
        "search, a typo": lambda: get(f"/search?query={misspelled(name('narrower'))}"),
        "suggest": lambda: get(f"/suggest?query={name('vendor')[: rng.randrange(3, 7)]}"),
        "entity": lambda: get(f"/{path('narrower')}"),
        "entity, a hub": lambda: get(f"/{_hub(world)}"),
        "list": lambda: get(f"/product?offset={rng.randrange(world.size('product') - LAST_PAGE)}"),
        "list, linked to a limitation": lambda: get(f"/solution?linked_to={random_id('limitation')}"),
        "neighbors": lambda: get(f"/{path('occupation')}/neighbors?edge=related_occupation"),
        "neighbors, filtered, a hub": lambda: get(f"/{_hub(world)}/neighbors?edge=sells&min_weight=0.5"),
        "recommend": lambda: recommend("disability"),
        "recommend, a job": lambda: recommend("disability", "occupation"),
        "related conditions": lambda: get(f"/related_conditions/{random_id('disability')}"),
        "connections": lambda: get(f"/connections?from={random_id('disability')}&to={random_id('product')}"),
        "graph": lambda: get("/graph"),
    }


def _hub(world: World) -> str:
    return world.id("vendor", HUB_NUMBER).replace(":", "/", 1)


def hub_pages(world: World) -> Iterator[tuple[str, Request]]:
    """Yield pages of the edges of a hub, from the first to the last."""
    maximum = sum(world.is_hub_product(product) for product in range(world.size("product")))
    for offset in [item for item in HUB_OFFSETS if item < maximum]:
        yield f"a hub's edges from {offset:,}", ("GET", f"/{_hub(world)}/neighbors?edge=sells&offset={offset}", None)


def _routes(world: World, seed: int) -> dict[str, Callable[[], Request]]:
    rng = Random(seed)  # noqa: S311 - which questions
    return route_requests(world, rng) | {name: (lambda request=request: request) for name, request in hub_pages(world)}


def measure_routes(
    services: Sequence[tuple[str, World]], times: int, warm: int, seed: int
) -> list[dict[str, dict[str, float]]]:
    """Return p50 and p99 in milliseconds and the number of responses other than 200, by service and route.

    The services alternate after each request, so that the machine and OpenSearch are in the same state for all. The
    first `warm` requests of each route do not count.
    """
    results: list[dict[str, dict[str, float]]] = [{} for _ in services]
    with ExitStack() as stack:
        clients = [stack.enter_context(httpx.Client(base_url=url, timeout=TIMEOUT_SECONDS)) for url, _ in services]
        routes = [_routes(world, seed) for _, world in services]
        for route in dict.fromkeys(name for item in routes for name in item):
            durations: dict[int, list[float]] = {number: [] for number, item in enumerate(routes) if route in item}
            failures: Counter[int] = Counter()
            for repetition, number in itertools.product(range(warm + times), durations):
                method, path, body = routes[number][route]()
                began = time.perf_counter()
                response = clients[number].request(method, path, json=body)
                if repetition >= warm:
                    durations[number].append(time.perf_counter() - began)
                    failures[number] += response.status_code != httpx.codes.OK
            for number, seconds in durations.items():
                p50, p99 = (round(1000 * percentile(seconds, share), 2) for share in (0.5, 0.99))
                results[number][route] = {"p50_ms": p50, "p99_ms": p99, "not_200": failures[number]}
    return results


def settings(url: str, folder: Path, alias: str) -> dict[str, str]:
    """Return settings of the service and commands: no rate limit, usage counts or response cache."""
    return {
        "AKG_OPENSEARCH_URL": url,
        "AKG_ALIAS": alias,
        "AKG_DATA": str(folder / "data"),
        "AKG_RATE_LIMIT": "0",
        "AKG_USAGE_MONTHS": "0",
        "AKG_RESPONSE_CACHE_BYTES": "0",
        "AKG_DEADLINE_SECONDS": "30",
    }


def measure_worlds(
    worlds: Sequence[tuple[World, Mapping[str, str]]], folder: Path, times: int, warm: int, guard: ProcessGuard
) -> list[dict[str, dict[str, float]]]:
    """Start a service for each world with its settings, measure all routes in turns, and stop the services."""
    with ExitStack() as stack:
        targets = []
        for number, (world, environ) in enumerate(worlds):
            service = Service(f"service {number}", environ, folder / f"service-{number}.log", guard)
            stack.callback(service.kill)
            service.start()
            service.await_ready()
            targets.append((service.url, world))
        return measure_routes(targets, times, warm, worlds[0][0].seed)


def apply_rule(environ: Mapping[str, str], folder: Path, rule: str) -> float:
    """Apply one more synonym rule; return the seconds of the command."""
    mappings = folder / "mappings"
    shutil.copytree(MAPPINGS, mappings, dirs_exist_ok=True)
    with (mappings / "synonyms" / "spelling.txt").open("a", encoding="utf-8") as rules:
        rules.write(rule)
    ended = run({**environ, "AKG_MAPPINGS": str(mappings)}, "synonyms", "apply", "--accept")
    if ended.code:
        raise SystemExit(ended.output[-2000:])
    return round(ended.seconds, 1)
