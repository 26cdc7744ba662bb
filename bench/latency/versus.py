"""The service beside what one would take instead: the same documents, the same queries, responses of one size.

The other programs run in an environment of their own.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import httpx
import orjson

from akg.evaluation.metrics import read_judgments
from api.about import VERSION
from bench.latency.client import request
from bench.latency.interleaved import Contender, Race, Turn, judged, run, schedule
from bench.latency.paths import PAGE, SAYS, Ask, documents, full_pages, records, searches
from bench.latency.questions import JSON, MOST, Question, evenly
from bench.latency.report import (
    CACHED,
    FLOOR,
    PEER_RECORD,
    PEER_SEARCH,
    SQL_ROUTE,
    STAC,
    TABLE_ROUTE,
    UNCACHED,
    Does,
    Footprint,
    LeftOut,
    Measured,
    Peers,
)
from bench.latency.routes import started, taught
from bench.latency.services import memory, program
from bench.latency.warm_up import JUDGMENTS
from bench.processes import PEERS_PYTHON
from tests.support.serving import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bench.latency.interleaved import Client, Pace
    from bench.latency.services import Engine, Running

PEERS = Path(__file__).with_name("peers")
PACKAGES = {STAC: "stac-fastapi-opensearch", SQL_ROUTE: "datasette", TABLE_ROUTE: "datasette", FLOOR: "tantivy"}
ASK_VERSIONS = """
import importlib.metadata, json, sys
found = {one.metadata["Name"].lower().replace("_", "-"): one.version for one in importlib.metadata.distributions()}
print(json.dumps({name: found.get(name) for name in sys.argv[1:]}))
"""
PREFIX = "akgbench"  # of the indices that stac-fastapi-opensearch makes
MISSING = "its packages are not installed (`make bench` does that)"


def installed_versions() -> Mapping[str, str]:
    """The versions of the packages that are installed, by contender."""
    if not PEERS_PYTHON.exists():
        return {}
    command = [str(PEERS_PYTHON), "-c", ASK_VERSIONS, *sorted(set(PACKAGES.values()))]
    versions = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {name: versions[package] for name, package in PACKAGES.items() if versions[package]}


@contextmanager
def stac(engine: Engine, documents: Path) -> Iterator[Running]:
    """Its application over the engine, with all documents as items; its indices are gone afterwards."""
    port = free_port()
    environ = {
        "ES_HOST": "127.0.0.1",
        "ES_PORT": str(engine.port),
        "ES_USE_SSL": "false",
        "ES_VERIFY_CERTS": "false",
        "STAC_COLLECTIONS_INDEX": f"{PREFIX}-collections",
        "STAC_ITEMS_INDEX_PREFIX": f"{PREFIX}-items-",
        "DATABASE_REFRESH": "false",
    }
    script = str(PEERS / "stac_items.py")
    try:
        with program([str(PEERS_PYTHON), script, "serve", str(port)], port, environ) as running:
            command = [str(PEERS_PYTHON), script, "load", str(port), str(documents)]
            subprocess.run(command, check=True, capture_output=True)
            with engine.client as client:
                client.indices.refresh(index=f"{PREFIX}-*")
            yield running
    finally:
        with engine.client as client:
            client.indices.delete(index=f"{PREFIX}-*", params={"expand_wildcards": "all", "ignore_unavailable": "true"})


@contextmanager
def datasette(documents: Path, target: int) -> Iterator[Running]:
    """Serve a database that never changes, in datasette; rows of its answers have so many bytes."""
    port = free_port()
    database = documents.with_name("entities.db")
    command = [str(PEERS_PYTHON), str(PEERS / "sqlite_tables.py")]
    subprocess.run([*command, "load", str(documents), str(database), str(target)], check=True, capture_output=True)
    with program([*command, "serve", str(database), str(port)], port, {}) as running:
        yield running


@contextmanager
def floor(documents: Path, queries: list[str], target: int) -> Iterator[Contender]:
    """tantivy, which answers one question at a time; its cards have so many bytes."""
    texts = documents.with_name("queries.json")
    texts.write_text(json.dumps(queries), "utf-8")
    command = [str(PEERS_PYTHON), str(PEERS / "tantivy_floor.py"), str(documents), str(texts), str(target)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        given, said = process.stdin, process.stdout
        assert given is not None
        assert said is not None

        def ask(_: int, __: float, seconds: float) -> Turn:
            given.write(f"{seconds}\n")
            given.flush()
            return Turn(**json.loads(said.readline()))

        try:
            yield Contender(ask, alone=True)
        finally:
            process.terminate()


def measure(
    engine: Engine, client: Client, pace: Pace, progress: Callable[[str, int], Callable[..., None]]
) -> Measured:
    """Measure all that are installed."""
    found = installed_versions()
    missing = [LeftOut(name, MISSING) for name in PACKAGES if name not in found]
    with tempfile.TemporaryDirectory(prefix="akg-bench-") as folder, ExitStack() as stack:
        step = progress("Peers", 2 + len(found))
        path = Path(folder) / "documents.ndjson"
        step("documents")
        with engine.client as reading, path.open("wb") as lines:
            for document in documents(reading, engine.alias):
                lines.write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
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
    peers = [
        Peers(
            queries=counts[race.name],
            does=[Does(name, versions.get(name, ""), SAYS[name][race.name]) for name in race.contenders],
            held=judged(race, turns, pace.levels),
        )
        for race in races
    ]
    return Measured(peers=peers, memory=held, left_out=missing)


def _ask(path: Path) -> Ask:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    typed = [one.query for one in read_judgments(JUDGMENTS) if one.kind != "typo"]
    queries = full_pages([f"{one['name']} . {one['text']}" for one in lines], typed, MOST)
    owning = [one for one in lines if not one["record"].get("inherits")]
    return Ask(queries, [{name: one[name] for name in ("id", "item")} for one in evenly(owning, MOST)])


def _page_size(running: Running, paths: Sequence[str]) -> float:
    """Mean bytes of a response."""
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
        running[STAC] = stack.enter_context(stac(engine, given.path))
    if SQL_ROUTE in found:
        given.step("datasette")
        running[SQL_ROUTE] = running[TABLE_ROUTE] = stack.enter_context(datasette(given.path, given.target))
    if FLOOR in found:
        given.step("tantivy")
        direct[FLOOR] = stack.enter_context(floor(given.path, list(given.ask.queries), given.target))
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
