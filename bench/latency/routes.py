"""Races of every route with the same requests sent directly to OpenSearch; three routes also with plain routes."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from statistics import fmean

import httpx

from bench.latency.interleaved import Client, Pace, Race, StartStage, Turns, race_result, run, schedule
from bench.latency.report import CACHED, ENGINE, PLAIN, PLAIN_CACHED, UNCACHED, Footprint, PartResult, Route, Skipped
from bench.latency.route_requests import NEIGHBORS, RECORD, SEARCH, Request
from bench.latency.services import Engine, Running, memory, plain, service
from bench.latency.warm_up import NO_CACHE, Recorded, record_requests

PAIRS = ((UNCACHED, ENGINE), (CACHED, ENGINE), (PLAIN, ENGINE), (PLAIN_CACHED, ENGINE))
PLAIN_ROUTES = (SEARCH, RECORD, NEIGHBORS)
JSON_CONTENT = {"Content-Type": "application/json"}
MIN_CACHED_SHARE = 0.9  # a few records exceed the maximum size of a cached response


def measure(engine: Engine, client: Client, names: Sequence[str], pace: Pace, progress: StartStage) -> PartResult:
    step = progress("Requests", len(names))
    recorded_by_name = asyncio.run(record_requests(engine.url, engine.alias, names, step))
    recorded = {name: items for name, items in recorded_by_name.items() if items}
    missing = [Skipped(name, "the graph has no data for it") for name, items in recorded_by_name.items() if not items]
    with ExitStack() as stack:
        running = start_services(stack, engine)
        cacheable = {
            name: fill_caches(running, [item.request for item in items], plain_too=name in PLAIN_ROUTES)
            for name, items in recorded.items()
        }
        races = [
            _race(name, items, engine, _contenders(name, running, cacheable[name]), client)
            for name, items in recorded.items()
        ]
        steps = progress("Routes", sum(1 for _ in schedule(races, pace)))
        turns = run(races, pace, steps)
        footprints = [
            Footprint(name, "after all turns", *memory(program.pid).rounded) for name, program in running.items()
        ]
    routes = [_route(race, recorded[race.name], turns, pace) for race in races]
    uncacheable = [
        Skipped(f"{name}, {CACHED}", "such responses are not cached") for name in recorded if not cacheable[name]
    ]
    return PartResult(routes=routes, memory=footprints, skipped=[*missing, *uncacheable])


def start_services(stack: ExitStack, engine: Engine) -> dict[str, Running]:
    """Start the service without and with its cache, and the plain routes, until the stack is closed."""
    return {
        UNCACHED: stack.enter_context(service(engine.url, engine.alias, NO_CACHE)),
        CACHED: stack.enter_context(service(engine.url, engine.alias, {})),
        PLAIN: stack.enter_context(plain(engine.url, engine.index_alias, cached=False)),
        PLAIN_CACHED: stack.enter_context(plain(engine.url, engine.index_alias, cached=True)),
    }


def fill_caches(running: Mapping[str, Running], requests: Sequence[Request], *, plain_too: bool) -> bool:
    """Send all requests to the caching service; return whether it then serves nearly all from its cache."""
    hits: list[bool] = []
    for name in (*([PLAIN_CACHED] if plain_too else []), CACHED, CACHED):
        with httpx.Client(base_url=f"http://127.0.0.1:{running[name].port}", timeout=30) as client:
            responses = [
                client.request(item.method, item.path, content=item.body, headers={**item.headers, **JSON_CONTENT})
                for item in requests
            ]
        hits = [response.headers.get("cache-status") == "akg; hit" for response in responses]
    return sum(hits) >= MIN_CACHED_SHARE * len(hits)


def _contenders(name: str, running: Mapping[str, Running], cached: bool) -> dict[str, Running]:  # noqa: FBT001 - private
    included = {UNCACHED, *([CACHED] if cached else ()), *((PLAIN, PLAIN_CACHED) if name in PLAIN_ROUTES else ())}
    return {contender: program for contender, program in running.items() if contender in included}


def _race(
    name: str, recorded: Sequence[Recorded], engine: Engine, running: Mapping[str, Running], client: Client
) -> Race:
    """Return the race: OpenSearch receives the recorded requests, all others the request itself."""
    direct = client.contender(engine.port, [[call.raw for call in item.calls] for item in recorded])
    scripts = [[item.request.raw] for item in recorded]
    contenders = {ENGINE: direct} if all(item.calls for item in recorded) else {}
    contenders |= {contender: client.contender(program.port, scripts) for contender, program in running.items()}
    return Race(name, contenders, PAIRS)


def _route(race: Race, recorded: Sequence[Recorded], turns: Turns, pace: Pace) -> Route:
    return Route(
        example=recorded[0].request.label,
        samples=len(recorded),
        requests=round(fmean(item.first for item in recorded), 2),
        repeat_requests=round(fmean(len(item.calls) for item in recorded), 2),
        result=race_result(race, turns, pace.levels),
    )
