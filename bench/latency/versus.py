"""The service beside what somebody would take instead: the same documents, the same queries, answers of one size."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import httpx

from akg.evaluation.metrics import read_judgments
from api.about import VERSION
from bench.latency import peer_environment
from bench.latency.corpus import PAGE, documents, dump, full_pages
from bench.latency.http1 import request
from bench.latency.interleaved import Contender, Race, judged, run, schedule
from bench.latency.names import CACHED, FLOOR, PEER_RECORD, PEER_SEARCH, SQL_ROUTE, STAC, TABLE_ROUTE, UNCACHED
from bench.latency.paths import SAYS, Ask, records, searches
from bench.latency.questions import JSON, MOST, Question, evenly
from bench.latency.report import Does, Footprint, LeftOut, Peers
from bench.latency.routes import started, taught
from bench.latency.services import memory
from bench.latency.warm_up import JUDGMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.latency.driver import Client
    from bench.latency.engines import Engine
    from bench.latency.interleaved import Pace
    from bench.latency.services import Running


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it."""

    peers: list[Peers]
    memory: list[Footprint]
    left_out: list[LeftOut]


def measure(
    engine: Engine, client: Client, pace: Pace, progress: Callable[[str, int], Callable[..., None]]
) -> Measured:
    """Measure all that are installed."""
    found = peer_environment.versions()
    missing = [LeftOut(name, peer_environment.MISSING) for name in peer_environment.PACKAGES if name not in found]
    with tempfile.TemporaryDirectory(prefix="akg-bench-") as folder, ExitStack() as stack:
        step = progress("Peers", 2 + len(found))
        path = Path(folder) / "documents.ndjson"
        step("documents")
        with engine.client as reading:
            dump(documents(reading, engine.alias), path)
        step("questions")
        ask = _ask(path)
        running = started(stack, engine)
        paths = [*searches(ask)[CACHED], *records(ask)[CACHED]]
        taught(running, [Question("GET", one) for one in paths], plain_too=True)
        size = _page_size(running[CACHED], searches(ask)[CACHED])
        direct = _started(stack, engine, running, found, _Peers(path, ask, round(size / PAGE), step))
        if STAC in running:
            ask = replace(ask, items=max(1, round(PAGE * size / _page_size(running[STAC], searches(ask)[STAC]))))
        races = _races(client, running, direct, ask)
        turns = run(races, pace, progress("Beside others", sum(1 for _ in schedule(races, pace))))
        own = {name: one for name, one in running.items() if name != TABLE_ROUTE}  # the same process as the SQL route
        held = [Footprint(name, "after all turns", *memory(one.pid).rounded) for name, one in own.items()]
    counts = {PEER_SEARCH: len(ask.queries), PEER_RECORD: len(ask.ids)}
    versions = {**dict.fromkeys((UNCACHED, CACHED), VERSION), **found}
    peers = [Peers(counts[race.name], _does(race, versions), judged(race, turns, pace.levels)) for race in races]
    return Measured(peers, held, missing)


def _ask(path: Path) -> Ask:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    typed = [one.query for one in read_judgments(JUDGMENTS) if one.kind != "typo"]
    queries = full_pages([f"{one['name']} . {one['text']}" for one in lines], typed, MOST)
    owning = [one for one in lines if not one["record"].get("inherits")]
    return Ask(queries, [{name: one[name] for name in ("id", "item")} for one in evenly(owning, MOST)])


def _page_size(running: Running, paths: Sequence[str]) -> float:
    """Mean bytes of an answer."""
    with httpx.Client(base_url=f"http://127.0.0.1:{running.port}", timeout=60) as client:
        return fmean(len(client.get(path).raise_for_status().content) for path in paths)


@dataclass(frozen=True, slots=True)
class _Peers:
    """What they are loaded with; `target` is the bytes of one result."""

    path: Path
    ask: Ask
    target: int
    step: Callable[..., None]


def _started(
    stack: ExitStack, engine: Engine, running: dict[str, Running], found: Mapping[str, str], given: _Peers
) -> dict[str, Contender]:
    """Add what listens to `running`, and return the peers with another way to send requests."""
    direct = {}
    if STAC in found:
        given.step(STAC)
        running[STAC] = stack.enter_context(peer_environment.stac(engine, given.path))
    if SQL_ROUTE in found:
        given.step("datasette")
        running[SQL_ROUTE] = running[TABLE_ROUTE] = stack.enter_context(
            peer_environment.datasette(given.path, given.target)
        )
    if FLOOR in found:
        given.step("tantivy")
        direct[FLOOR] = stack.enter_context(peer_environment.floor(given.path, list(given.ask.queries), given.target))
    return direct


def _races(client: Client, running: Mapping[str, Running], direct: Mapping[str, Contender], ask: Ask) -> list[Race]:
    def race(name: str, paths: Mapping[str, list[str]], more: Mapping[str, Contender]) -> Race:
        listening = {
            one: client.asking(running[one].port, [[request("GET", path, headers=JSON)] for path in requests])
            for one, requests in paths.items()
            if one in running
        }
        contenders = {**listening, **more}
        pairs = [(mine, other) for other in contenders for mine in (UNCACHED, CACHED) if mine != other]
        return Race(name, contenders, pairs)

    return [race(PEER_SEARCH, searches(ask), direct), race(PEER_RECORD, records(ask), {})]


def _does(race: Race, versions: Mapping[str, str]) -> list[Does]:
    return [Does(name, versions.get(name, ""), SAYS[name][race.name]) for name in race.contenders]
