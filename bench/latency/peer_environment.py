"""The environment of what is measured beside the service, and the programs that run in it."""

from __future__ import annotations

import json
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.latency.interleaved import Contender
from bench.latency.names import FLOOR, SQL_ROUTE, STAC, TABLE_ROUTE
from bench.latency.services import CHECKOUT, program
from bench.latency.stats import Turn
from tests.support.serving import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bench.latency.engines import Engine
    from bench.latency.services import Running

PYTHON = CHECKOUT / ".venv" / "bench" / "bin" / "python"
PEERS = Path(__file__).with_name("peers")
PACKAGES = {STAC: "stac-fastapi-opensearch", SQL_ROUTE: "datasette", TABLE_ROUTE: "datasette", FLOOR: "tantivy"}
ASK_VERSIONS = """
import importlib.metadata, json, sys
found = {one.metadata["Name"].lower().replace("_", "-"): one.version for one in importlib.metadata.distributions()}
print(json.dumps({name: found.get(name) for name in sys.argv[1:]}))
"""
PREFIX = "akgbench"  # of the indices that stac-fastapi-opensearch makes
MISSING = "its packages are not installed (`make bench` does that)"


def versions() -> Mapping[str, str]:
    """The versions of the packages that are installed, by contender."""
    if not PYTHON.exists():
        return {}
    command = [str(PYTHON), "-c", ASK_VERSIONS, *sorted(set(PACKAGES.values()))]
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
        with program([str(PYTHON), script, "serve", str(port)], port, environ) as running:
            command = [str(PYTHON), script, "load", str(port), str(documents)]
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
    command = [str(PYTHON), str(PEERS / "sqlite_tables.py")]
    subprocess.run([*command, "load", str(documents), str(database), str(target)], check=True, capture_output=True)
    with program([*command, "serve", str(database), str(port)], port, {}) as running:
        yield running


@contextmanager
def floor(documents: Path, queries: list[str], target: int) -> Iterator[Contender]:
    """tantivy, which answers one question at a time; its cards have so many bytes."""
    texts = documents.with_name("queries.json")
    texts.write_text(json.dumps(queries), "utf-8")
    command = [str(PYTHON), str(PEERS / "tantivy_floor.py"), str(documents), str(texts), str(target)]
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
