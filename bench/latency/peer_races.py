"""Races of the service with alternative programs: the same documents, the same queries, responses of equal size.

The other programs run in a separate Python environment.
"""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import httpx
import orjson

from akg.evaluation.metrics import read_judgments
from api.about import VERSION
from bench.latency.interleaved import Client, Contender, Pace, Race, StartStage, Turn, race_result, run, schedule
from bench.latency.load_client import encode_request
from bench.latency.peer_requests import (
    DESCRIPTIONS,
    PAGE_SIZE,
    PeerQueries,
    documents,
    full_page_queries,
    records,
    searches,
)
from bench.latency.report import (
    CACHED,
    FLOOR,
    PEER_RECORD,
    PEER_SEARCH,
    SQL_ROUTE,
    STAC,
    TABLE_ROUTE,
    UNCACHED,
    ContenderInfo,
    Footprint,
    PartResult,
    Peers,
    Skipped,
)
from bench.latency.route_requests import JSON, MAX_REQUESTS, Request, evenly
from bench.latency.routes import fill_caches, start_services
from bench.latency.services import Engine, Running, memory, program, service
from bench.latency.warm_up import JUDGMENTS, NO_CACHE
from bench.processes import PEERS_PYTHON
from tests.support.serving import free_port

PEERS = Path(__file__).with_name("peers")
PACKAGES = {STAC: "stac-fastapi-opensearch", SQL_ROUTE: "datasette", TABLE_ROUTE: "datasette", FLOOR: "tantivy"}
VERSIONS_SCRIPT = """
import importlib.metadata, json, sys
found = {one.metadata["Name"].lower().replace("_", "-"): one.version for one in importlib.metadata.distributions()}
print(json.dumps({name: found.get(name) for name in sys.argv[1:]}))
"""
PREFIX = "akgbench"  # of the indices of stac-fastapi-opensearch
NOT_INSTALLED = "its packages are not installed (`make bench` installs them)"


def installed_versions() -> Mapping[str, str]:
    """Return the versions of the installed packages by contender."""
    if not PEERS_PYTHON.exists():
        return {}
    command = [str(PEERS_PYTHON), "-c", VERSIONS_SCRIPT, *sorted(set(PACKAGES.values()))]
    versions = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {name: versions[package] for name, package in PACKAGES.items() if versions[package]}


@contextmanager
def stac(engine: Engine, documents: Path) -> Iterator[Running]:
    """Serve all documents as items with stac-fastapi-opensearch; delete its indices afterwards."""
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
    """Serve an immutable database in datasette; rows are padded to `target` bytes."""
    port = free_port()
    database = documents.with_name("entities.db")
    command = [str(PEERS_PYTHON), str(PEERS / "sqlite_tables.py")]
    subprocess.run([*command, "load", str(documents), str(database), str(target)], check=True, capture_output=True)
    with program([*command, "serve", str(database), str(port)], port, {}) as running:
        yield running


@contextmanager
def tantivy(documents: Path, queries: list[str], target: int) -> Iterator[Contender]:
    """Run tantivy, which handles one query at a time; cards are padded to `target` bytes."""
    texts = documents.with_name("queries.json")
    texts.write_text(json.dumps(queries), "utf-8")
    command = [str(PEERS_PYTHON), str(PEERS / "tantivy_floor.py"), str(documents), str(texts), str(target)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def send(_: int, __: float, seconds: float) -> Turn:
            stdin.write(f"{seconds}\n")
            stdin.flush()
            return Turn(**json.loads(stdout.readline()))

        try:
            yield Contender(send, is_sequential=True)
        finally:
            process.terminate()


def measure(engine: Engine, client: Client, pace: Pace, progress: StartStage) -> PartResult:
    versions = installed_versions()
    missing = [Skipped(name, NOT_INSTALLED) for name in PACKAGES if name not in versions]
    with tempfile.TemporaryDirectory(prefix="akg-bench-") as folder, ExitStack() as stack:
        step = progress("Peers", 2 + len(versions))
        path = Path(folder) / "documents.ndjson"
        step("documents")
        _write_documents(engine, path)
        step("requests")
        queries = _select_queries(path)
        running = start_services(stack, engine)
        paths = [*searches(queries)[CACHED], *records(queries)[CACHED]]
        fill_caches(running, [Request("GET", item) for item in paths], plain_too=True)
        size = _page_size(running[CACHED], searches(queries)[CACHED])
        data = _Peers(path, queries, round(size / PAGE_SIZE), step)
        in_process = _start_peers(stack, engine, running, versions, data)
        if STAC in running:
            queries = replace(
                queries, items=max(1, round(PAGE_SIZE * size / _page_size(running[STAC], searches(queries)[STAC])))
            )
        races = _races(client, running, in_process, queries)
        turns = run(races, pace, progress("Other programs", sum(1 for _ in schedule(races, pace))))
        processes = {
            name: item for name, item in running.items() if name != TABLE_ROUTE
        }  # the same process as the SQL route
        result = [Footprint(name, "after all turns", *memory(item.pid).rounded) for name, item in processes.items()]
    counts = {PEER_SEARCH: len(queries.queries), PEER_RECORD: len(queries.ids)}
    versions = {**dict.fromkeys((UNCACHED, CACHED), VERSION), **versions}
    peers = [
        Peers(
            queries=counts[race.name],
            contenders=[
                ContenderInfo(name, versions.get(name, ""), DESCRIPTIONS[name][race.name]) for name in race.contenders
            ],
            result=race_result(race, turns, pace.levels),
        )
        for race in races
    ]
    return PartResult(peers=peers, memory=result, skipped=missing)


def _write_documents(engine: Engine, path: Path) -> None:
    """Write all documents; a service of its own returns the records, so that the measured ones stay as started."""
    with (
        engine.client as reading,
        service(engine.url, engine.alias, NO_CACHE) as source,
        httpx.Client(base_url=f"http://127.0.0.1:{source.port}", timeout=60) as client,
        path.open("wb") as lines,
    ):
        for document in documents(reading, engine.index_alias, client):
            lines.write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))


def _select_queries(path: Path) -> PeerQueries:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    typed = [item.query for item in read_judgments(JUDGMENTS) if item.kind != "typo"]
    queries = full_page_queries([f"{item['name']} . {item['text']}" for item in lines], typed, MAX_REQUESTS)
    entities = [item for item in lines if not item["record"].get("inherits")]
    return PeerQueries(
        queries, [{name: item[name] for name in ("id", "item")} for item in evenly(entities, MAX_REQUESTS)]
    )


def _page_size(running: Running, paths: Sequence[str]) -> float:
    with httpx.Client(base_url=f"http://127.0.0.1:{running.port}", timeout=60) as client:
        return fmean(len(client.get(path).raise_for_status().content) for path in paths)


@dataclass(frozen=True, slots=True)
class _Peers:
    """The data for the other programs; `target` is the size of one hit in bytes."""

    path: Path
    queries: PeerQueries
    target: int
    step: Callable[..., None]


def _start_peers(
    stack: ExitStack, engine: Engine, running: dict[str, Running], versions: Mapping[str, str], peers: _Peers
) -> dict[str, Contender]:
    """Start the installed programs: add HTTP servers to `running`, and return the in-process contenders."""
    in_process = {}
    if STAC in versions:
        peers.step(STAC)
        running[STAC] = stack.enter_context(stac(engine, peers.path))
    if SQL_ROUTE in versions:
        peers.step("datasette")
        running[SQL_ROUTE] = running[TABLE_ROUTE] = stack.enter_context(datasette(peers.path, peers.target))
    if FLOOR in versions:
        peers.step("tantivy")
        in_process[FLOOR] = stack.enter_context(tantivy(peers.path, list(peers.queries.queries), peers.target))
    return in_process


def _races(
    client: Client, running: Mapping[str, Running], in_process: Mapping[str, Contender], queries: PeerQueries
) -> list[Race]:
    def race(name: str, paths: Mapping[str, list[str]], extra: Mapping[str, Contender]) -> Race:
        http_contenders = {
            item: client.contender(
                running[item].port, [[encode_request("GET", path, headers=JSON)] for path in requests]
            )
            for item, requests in paths.items()
            if item in running
        }
        contenders = {**http_contenders, **extra}
        pairs = [
            (measured, baseline) for baseline in contenders for measured in (UNCACHED, CACHED) if measured != baseline
        ]
        return Race(name, contenders, pairs)

    return [race(PEER_SEARCH, searches(queries), in_process), race(PEER_RECORD, records(queries), {})]
