"""Every route against the same question sent to the engine directly, with the plain routes beside three of them."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from statistics import fmean
from typing import TYPE_CHECKING

import httpx

from bench.latency.interleaved import Race, judged, run, schedule
from bench.latency.questions import NEIGHBORS, RECORD, SEARCH
from bench.latency.report import CACHED, ENGINE, PLAIN, PLAIN_CACHED, UNCACHED, Footprint, LeftOut, Measured, Route
from bench.latency.services import memory, plain, service
from bench.latency.warm_up import NO_CACHE, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.latency.interleaved import Client, Pace, Turns
    from bench.latency.questions import Question
    from bench.latency.services import Engine, Running
    from bench.latency.warm_up import Recorded

PAIRS = ((UNCACHED, ENGINE), (CACHED, ENGINE), (PLAIN, ENGINE), (PLAIN_CACHED, ENGINE))
BESIDE_PLAIN = (SEARCH, RECORD, NEIGHBORS)
TYPED = {"Content-Type": "application/json"}
MOST_KEPT = 0.9  # a few records are too large to be kept


def measure(
    engine: Engine,
    client: Client,
    names: Sequence[str],
    pace: Pace,
    progress: Callable[[str, int], Callable[..., None]],
) -> Measured:
    """Measure these routes. `progress` receives a stage with its steps and returns a callback for each step."""
    step = progress("Questions", len(names))
    found = asyncio.run(prepare(engine.url, engine.alias, names, step))
    recorded = {name: some for name, some in found.items() if some}
    missing = [LeftOut(name, "the graph has nothing to ask it") for name, some in found.items() if not some]
    with ExitStack() as stack:
        running = started(stack, engine)
        kept = {
            name: taught(running, [one.question for one in some], plain_too=name in BESIDE_PLAIN)
            for name, some in recorded.items()
        }
        races = [
            _race(name, some, engine, _beside(name, running, kept[name]), client) for name, some in recorded.items()
        ]
        steps = progress("Routes", sum(1 for _ in schedule(races, pace)))
        turns = run(races, pace, steps)
        held = [Footprint(name, "after all turns", *memory(one.pid).rounded) for name, one in running.items()]
    routes = [_route(race, recorded[race.name], turns, pace) for race in races]
    uncacheable = [LeftOut(f"{name}, {CACHED}", "such answers are not kept") for name in recorded if not kept[name]]
    return Measured(routes=routes, memory=held, left_out=[*missing, *uncacheable])


def started(stack: ExitStack, engine: Engine) -> dict[str, Running]:
    """The service without and with its cache, and the plain routes, until the stack is closed."""
    return {
        UNCACHED: stack.enter_context(service(engine.url, engine.alias, NO_CACHE)),
        CACHED: stack.enter_context(service(engine.url, engine.alias, {})),
        PLAIN: stack.enter_context(plain(engine.url, engine.alias, cached=False)),
        PLAIN_CACHED: stack.enter_context(plain(engine.url, engine.alias, cached=True)),
    }


def taught(running: Mapping[str, Running], questions: Sequence[Question], *, plain_too: bool) -> bool:
    """Send every request to the caching service; return whether the service then gives nearly all from its cache."""
    kept: list[bool] = []
    for name in (*([PLAIN_CACHED] if plain_too else []), CACHED, CACHED):
        with httpx.Client(base_url=f"http://127.0.0.1:{running[name].port}", timeout=30) as client:
            answers = [
                client.request(one.method, one.path, content=one.body, headers={**one.headers, **TYPED})
                for one in questions
            ]
        kept = [answer.headers.get("cache-status") == "akg; hit" for answer in answers]
    return sum(kept) >= MOST_KEPT * len(kept)


def _beside(name: str, running: Mapping[str, Running], kept: bool) -> dict[str, Running]:  # noqa: FBT001 - one of two
    """Those that answer a route."""
    wanted = {UNCACHED, *([CACHED] if kept else ()), *((PLAIN, PLAIN_CACHED) if name in BESIDE_PLAIN else ())}
    return {one: each for one, each in running.items() if one in wanted}


def _race(
    name: str, recorded: Sequence[Recorded], engine: Engine, running: Mapping[str, Running], client: Client
) -> Race:
    """The engine gets what the service sent it; all others get the question."""
    direct = client.asking(engine.port, [[call.raw for call in one.calls] for one in recorded])
    whole = [[one.question.raw] for one in recorded]
    contenders = {ENGINE: direct} if all(one.calls for one in recorded) else {}
    return Race(name, contenders | {one: client.asking(each.port, whole) for one, each in running.items()}, PAIRS)


def _route(race: Race, recorded: Sequence[Recorded], turns: Turns, pace: Pace) -> Route:
    return Route(
        example=recorded[0].question.shown,
        questions=len(recorded),
        requests=round(fmean(one.first for one in recorded), 2),
        again=round(fmean(len(one.calls) for one in recorded), 2),
        held=judged(race, turns, pace.levels),
    )
