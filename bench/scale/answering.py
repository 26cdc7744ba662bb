"""A service and the operator's commands over one release of a node: how long each route and a new rule take."""

from __future__ import annotations

import time
from contextlib import ExitStack
from random import Random
from typing import TYPE_CHECKING, Any

import httpx

from bench.faults.figures import quantile
from bench.faults.services import Service, run
from bench.scale.synthetic_graph import HUB_NUMBER, NARROW, World
from bench.scale.words import FIRST
from tests.support.fixture_graphs import MAPPINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bench.faults.services import Leash


PATIENCE = 60
OK = 200
LAST_PAGE = 20
NAMED = ("disability", NARROW, "solution", "product", "occupation")
DEEP = (0, 1_000, 10_000, 24_980)  # offsets in the list of a hub's edges
Question = tuple[str, str, dict[str, Any] | None]


def questions(world: World, chance: Random) -> dict[str, Callable[[], Question]]:
    """For each route what makes a question of it, each time another one."""

    def some(kind: str) -> str:
        return world.id(kind, chance.randrange(world.size(kind))).replace(":", "/", 1)

    def name(kind: str) -> str:
        return world.name(kind, chance.randrange(world.size(kind)))

    def get(path: str) -> Question:
        return "GET", path, None

    def seed(kind: str) -> str:
        return world.id(kind, chance.randrange(world.size(kind)))

    return {
        "search, a name": lambda: get(f"/search?query={name('product')}"),
        "search, words": lambda: get(f"/search?query={name('product').split()[1]} for {name('disability').split()[0]}"),
        "search, a word of a name": lambda: get(f"/search?query={name(chance.choice(NAMED)).split()[1]}"),
        "search, the most frequent word": lambda: get(f"/search?query={FIRST[NARROW][0]}"),
        "search, a word around many": lambda: get(f"/search?query={FIRST['solution'][0]}"),
        "search, a slip": lambda: get(f"/search?query={_slip(name('narrower'))}"),
        "suggest": lambda: get(f"/suggest?query={name('vendor')[: chance.randrange(3, 7)]}"),
        "entity": lambda: get(f"/{some('narrower')}"),
        "entity, a hub": lambda: get(f"/{world.id('vendor', HUB_NUMBER).replace(':', '/', 1)}"),
        "list": lambda: get(f"/product?offset={chance.randrange(world.size('product') - LAST_PAGE)}"),
        "neighbors": lambda: get(f"/{some('occupation')}/neighbors?edge=related_occupation"),
        "recommend": lambda: ("POST", "/recommend", {"disability": seed("disability")}),
        "recommend, a job": lambda: (
            *("POST", "/recommend"),
            {"disability": seed("disability"), "occupation": seed("occupation")},
        ),
        "related conditions": lambda: get(f"/related_conditions/{seed('disability')}"),
        "connections": lambda: get(f"/connections?from={seed('disability')}&to={seed('product')}"),
        "graph": lambda: get("/graph"),
    }


def _slip(name: str) -> str:
    return name[:3] + name[4:]


def deep(world: World) -> Iterator[tuple[str, Question]]:
    """Pages of the edges of a hub, from the first to the last that there is."""
    most = sum(world.of_hub(product) for product in range(world.size("product")))
    hub = world.id("vendor", HUB_NUMBER).replace(":", "/", 1)
    for offset in [one for one in DEEP if one < most]:
        yield f"a hub's edges from {offset:,}", ("GET", f"/{hub}/neighbors?edge=sells&offset={offset}", None)


def measure_routes(
    services: Sequence[tuple[str, World]], times: int, warm: int, seed: int
) -> list[dict[str, dict[str, float]]]:
    """Milliseconds of each route for each service and its world, p50 and p99; and how many answers were not 200.

    They are measured in turns, question by question, so that each meets the same machine and the same engine. The first
    `warm` questions of each route do not count.
    """
    found: list[dict[str, dict[str, float]]] = [{} for _ in services]
    with ExitStack() as held:
        clients = [held.enter_context(httpx.Client(base_url=url, timeout=PATIENCE)) for url, _ in services]
        routes = [_routes(world, seed) for _, world in services]
        for route in dict.fromkeys(name for one in routes for name in one):
            asking = [(client, one[route]) for client, one in zip(clients, routes, strict=True) if route in one]
            rows = [one for one, has in zip(found, routes, strict=True) if route in has]
            for one, figures in zip(rows, _measured(asking, times, warm), strict=True):
                one[route] = figures
    return found


def _routes(world: World, seed: int) -> dict[str, Callable[[], Question]]:
    chance = Random(seed)  # noqa: S311 - which questions
    return questions(world, chance) | {name: (lambda question=question: question) for name, question in deep(world)}


def _measured(
    asking: Sequence[tuple[httpx.Client, Callable[[], Question]]], times: int, warm: int
) -> list[dict[str, float]]:
    took: list[list[float]] = [[] for _ in asking]
    wrong = [0] * len(asking)
    for turn in range(warm + times):
        for place, (client, make) in enumerate(asking):
            method, path, body = make()
            began = time.perf_counter()
            answer = client.request(method, path, json=body)
            if turn >= warm:
                took[place].append(time.perf_counter() - began)
                wrong[place] += answer.status_code != OK
    return [_figures(*one) for one in zip(took, wrong, strict=True)]


def _figures(took: Sequence[float], wrong: int) -> dict[str, float]:
    p50, p99 = (round(1000 * quantile(took, share), 2) for share in (0.5, 0.99))
    return {"p50_ms": p50, "p99_ms": p99, "not_200": wrong}


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
    worlds: Sequence[tuple[World, Mapping[str, str]]], folder: Path, times: int, warm: int, held: Leash
) -> list[dict[str, dict[str, float]]]:
    """Start a service for each world with its settings, ask each route so many times about it in turns, and end all."""
    services = [
        Service(f"service {place}", dict(environ), folder / f"service-{place}.log", held)
        for place, (_, environ) in enumerate(worlds)
    ]
    try:
        for service in services:
            service.start()
        for service in services:
            service.await_ready()
        asking = [(service.url, world) for service, (world, _) in zip(services, worlds, strict=True)]
        return measure_routes(asking, times, warm, worlds[0][0].seed)
    finally:
        for service in services:
            service.kill()


def applied(environ: Mapping[str, str], folder: Path, rule: str) -> float:
    """Seconds that one more synonym rule takes until all readers have it."""
    mappings = folder / "mappings"
    (mappings / "synonyms").mkdir(parents=True, exist_ok=True)
    for path in (*MAPPINGS.glob("*.json"), *(MAPPINGS / "synonyms").glob("*.txt")):
        (mappings / path.relative_to(MAPPINGS)).write_bytes(path.read_bytes())
    with (mappings / "synonyms" / "spelling.txt").open("a", encoding="utf-8") as rules:
        rules.write(rule)
    ended = run({**environ, "AKG_MAPPINGS": str(mappings)}, "synonyms", "apply", "--accept")
    if ended.code:
        raise SystemExit(ended.said[-2000:])
    return round(ended.seconds, 1)
