"""A service and the operator's commands over one release of a node: how long each route and a new rule take."""

from __future__ import annotations

import itertools
import shutil
import time
from collections import Counter
from contextlib import ExitStack
from random import Random
from typing import TYPE_CHECKING, Any

import httpx

from bench.figures import percentile
from bench.processes import Service, run
from bench.scale.synthetic_graph import HUB_NUMBER, NARROW, World
from bench.scale.words import FIRST
from tests.support.fixture_graphs import MAPPINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bench.processes import ProcessGuard

TIMEOUT_SECONDS = 60
LAST_PAGE = 20
NAMED = ("disability", NARROW, "solution", "product", "occupation")
DEEP = (0, 1_000, 10_000, 24_980)  # offsets in the list of a hub's edges
Question = tuple[str, str, dict[str, Any] | None]


def questions(world: World, rng: Random) -> dict[str, Callable[[], Question]]:
    """For each route what makes a question of it, each time another one."""

    def some(kind: str) -> str:
        return world.id(kind, rng.randrange(world.size(kind)))

    def path(kind: str) -> str:
        return some(kind).replace(":", "/", 1)

    def name(kind: str) -> str:
        return world.name(kind, rng.randrange(world.size(kind)))

    def get(path: str) -> Question:
        return "GET", path, None

    def recommend(*kinds: str) -> Question:
        return "POST", "/recommend", {kind: some(kind) for kind in kinds}

    def misspelled(name: str) -> str:
        return name[:3] + name[4:]

    return {
        "search, a name": lambda: get(f"/search?query={name('product')}"),
        "search, words": lambda: get(f"/search?query={name('product').split()[1]} for {name('disability').split()[0]}"),
        "search, a word of a name": lambda: get(f"/search?query={name(rng.choice(NAMED)).split()[1]}"),
        "search, the most frequent word": lambda: get(f"/search?query={FIRST[NARROW][0]}"),
        "search, a word around many": lambda: get(f"/search?query={FIRST['solution'][0]}"),
        "search, a slip": lambda: get(f"/search?query={misspelled(name('narrower'))}"),
        "suggest": lambda: get(f"/suggest?query={name('vendor')[: rng.randrange(3, 7)]}"),
        "entity": lambda: get(f"/{path('narrower')}"),
        "entity, a hub": lambda: get(f"/{_hub(world)}"),
        "list": lambda: get(f"/product?offset={rng.randrange(world.size('product') - LAST_PAGE)}"),
        "neighbors": lambda: get(f"/{path('occupation')}/neighbors?edge=related_occupation"),
        "recommend": lambda: recommend("disability"),
        "recommend, a job": lambda: recommend("disability", "occupation"),
        "related conditions": lambda: get(f"/related_conditions/{some('disability')}"),
        "connections": lambda: get(f"/connections?from={some('disability')}&to={some('product')}"),
        "graph": lambda: get("/graph"),
    }


def _hub(world: World) -> str:
    return world.id("vendor", HUB_NUMBER).replace(":", "/", 1)


def deep(world: World) -> Iterator[tuple[str, Question]]:
    """Pages of the edges of a hub, from the first to the last that there is."""
    most = sum(world.of_hub(product) for product in range(world.size("product")))
    for offset in [one for one in DEEP if one < most]:
        yield f"a hub's edges from {offset:,}", ("GET", f"/{_hub(world)}/neighbors?edge=sells&offset={offset}", None)


def _routes(world: World, seed: int) -> dict[str, Callable[[], Question]]:
    rng = Random(seed)  # noqa: S311 - which questions
    return questions(world, rng) | {name: (lambda question=question: question) for name, question in deep(world)}


def measure_routes(
    services: Sequence[tuple[str, World]], times: int, warm: int, seed: int
) -> list[dict[str, dict[str, float]]]:
    """Milliseconds of each route for each service and its world, p50 and p99; and how many responses were not 200.

    They are measured in turns, question by question, so that each meets the same machine and the same OpenSearch. The
    first `warm` questions of each route do not count.
    """
    results: list[dict[str, dict[str, float]]] = [{} for _ in services]
    with ExitStack() as stack:
        clients = [stack.enter_context(httpx.Client(base_url=url, timeout=TIMEOUT_SECONDS)) for url, _ in services]
        routes = [_routes(world, seed) for _, world in services]
        for route in dict.fromkeys(name for one in routes for name in one):
            took: dict[int, list[float]] = {place: [] for place, one in enumerate(routes) if route in one}
            wrong: Counter[int] = Counter()
            for turn, place in itertools.product(range(warm + times), took):
                method, path, body = routes[place][route]()
                began = time.perf_counter()
                response = clients[place].request(method, path, json=body)
                if turn >= warm:
                    took[place].append(time.perf_counter() - began)
                    wrong[place] += response.status_code != httpx.codes.OK
            for place, seconds in took.items():
                p50, p99 = (round(1000 * percentile(seconds, share), 2) for share in (0.5, 0.99))
                results[place][route] = {"p50_ms": p50, "p99_ms": p99, "not_200": wrong[place]}
    return results


def settings(url: str, folder: Path, alias: str) -> dict[str, str]:
    """Settings of the service and the commands: nothing is limited, counted or answered from a cache."""
    return {
        "AKG_OPENSEARCH_URL": url,
        "AKG_ALIAS": alias,
        "AKG_DATA": str(folder / "data"),
        "AKG_RATE_LIMIT": "0",
        "AKG_USAGE_MONTHS": "0",
        "AKG_RESPONSE_CACHE_BYTES": "0",
        "AKG_DEADLINE_SECONDS": "30",
    }


def answered(
    worlds: Sequence[tuple[World, Mapping[str, str]]], folder: Path, times: int, warm: int, guard: ProcessGuard
) -> list[dict[str, dict[str, float]]]:
    """Start a service for each world with its settings, ask each route so many times about it in turns, and end all."""
    with ExitStack() as stack:
        asking = []
        for place, (world, environ) in enumerate(worlds):
            service = Service(f"service {place}", environ, folder / f"service-{place}.log", guard)
            stack.callback(service.kill)
            service.start()
            service.await_ready()
            asking.append((service.url, world))
        return measure_routes(asking, times, warm, worlds[0][0].seed)


def applied(environ: Mapping[str, str], folder: Path, rule: str) -> float:
    """Seconds that one more synonym rule takes until all readers have it."""
    mappings = folder / "mappings"
    shutil.copytree(MAPPINGS, mappings, dirs_exist_ok=True)
    with (mappings / "synonyms" / "spelling.txt").open("a", encoding="utf-8") as rules:
        rules.write(rule)
    ended = run({**environ, "AKG_MAPPINGS": str(mappings)}, "synonyms", "apply", "--accept")
    if ended.code:
        raise SystemExit(ended.output[-2000:])
    return round(ended.seconds, 1)
