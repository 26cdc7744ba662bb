"""Ctrl-C ends each command that waits, on a slow repository, for another writer or for a silent OpenSearch."""

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from opensearchpy import OpenSearch

from akg.cli import Commands
from akg.interrupts import INTERRUPTED
from akg.node.state import Folders, find_node
from indexer.release.control_index import (
    control_document,
    delete_control_document,
    ensure_control_index,
    write_control_document,
)
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.release.writer_lease import new_holder
from tests.support.fixture_graphs import WORLD, plan_of
from tests.support.interrupted import AKG, WAIT_SECONDS, end_of, line_with, running, silent_server, wait_until

ALIAS = "akg-interrupted"
REPOSITORY = "akg-slow"
SLOW_SECONDS = 20  # for one release
START = datetime(2026, 1, 1, tzinfo=UTC)
# Arguments of every command that sends requests. `{url}` is the server, `{folder}` an empty folder.
WAITING: dict[str, tuple[str, ...]] = {
    "node fetch": ("--cache", "{folder}", "--repository", "{url}"),
    "node status": (),
    "import onet": ("{url}/db_31_0_csv.zip",),
    "import table": ("{url}/tables.zip",),
    "overlay preview": ("{folder}",),
    "index build": (),
    "index diff": ("akg-entities-f5-20260101t000000z",),
    "index verify": (),
    "index list": (),
    "index releases": (),
    "index rollback": (),
    "index prune": (),
    "synonyms try": ("deaf",),
    "synonyms preview": (),
    "synonyms apply": (),
    "synonyms undo": (),
    "synonyms status": (),
    "synonyms history": (),
    "snapshot create": (),
    "snapshot list": (),
    "snapshot restore": (),
    "snapshot verify": (),
    "snapshot prune": ("--keep", "7"),
    "snapshot delete": ("name", "--yes"),
    "eval search": ("--report", "{folder}/report.json"),
    "eval synonyms": (),
    "eval compare": ("live",),
    "eval precision": (),
    "eval questions": (),
    "eval scenarios": (),
    "eval readings": (),
    "eval names": (),
    "eval typos": (),
    "eval spellings": (),
    "dashboards install": ("--url", "{url}"),
    "status": (),
    "export": ("{folder}/export",),
    "up": ("--port", "0"),
}
ELSEWHERE = {  # tested with what they wait for: a node, web pages, a request, a client
    *("node start", "node stop", "market verify", "serve", "mcp", "exporter"),
}
WAITING_FOR_NOTHING = {
    *("content check", "content stats", "market status", "import list", "import remove", "synonyms lint"),
    *("eval recommend", "eval history", "overlay new", "overlay check"),
}


def commands() -> set[str]:
    """Return the words of every command."""
    names = set()
    for name, command in Commands().items():
        names |= {f"{name} {nested}" for nested in command.commands} if hasattr(command, "commands") else {name}
    return names


def test_every_command_is_covered() -> None:
    assert commands() == WAITING.keys() | ELSEWHERE | WAITING_FOR_NOTHING


@pytest.mark.parametrize("command", WAITING)
def test_a_command_whose_server_never_responds_ends(command: str, tmp_path: Path) -> None:
    with silent_server() as server:
        url = "http://{}:{}".format(*server.getsockname())
        words = [word.format(url=url, folder=tmp_path) for word in (*command.split(), *WAITING[command])]
        environ = {
            "AKG_OPENSEARCH_URL": "" if command == "node fetch" else url,
            "AKG_DATA": str(tmp_path),
            "AKG_CONTENT": str(WORLD),
            "HOME": str(tmp_path),
            "NO_PROXY": "127.0.0.1",
        }
        with running([AKG, *words], environ) as process:
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                end_of(process)
    assert process.returncode == INTERRUPTED


@pytest.fixture
def releases(client: OpenSearch) -> Iterator[Releases]:
    releases = Releases(client, ALIAS)
    publish_release(releases, plan_of(WORLD), START, lambda _: None)
    yield releases
    client.indices.delete(index=f"{ALIAS}-*")


@pytest.fixture
def environ(node_url: str, tmp_path: Path) -> dict[str, str]:
    return {
        "AKG_OPENSEARCH_URL": node_url,
        "AKG_ALIAS": ALIAS,
        "AKG_SNAPSHOT_REPOSITORY": REPOSITORY,
        "AKG_DATA": str(tmp_path),
    }


@pytest.fixture
def repository(client: OpenSearch, releases: Releases) -> Iterator[int]:
    """A repository; yields the rate at which it takes SLOW_SECONDS for a release."""
    set_rate(client, 40_000_000)
    yield releases.complete_releases()[0].size_bytes // SLOW_SECONDS
    wait_until(lambda: not states(client) & {"IN_PROGRESS"})
    for snapshot in client.snapshot.get(repository=REPOSITORY, snapshot="_all")["snapshots"]:
        client.snapshot.delete(repository=REPOSITORY, snapshot=snapshot["snapshot"])
    client.snapshot.delete_repository(repository=REPOSITORY)


def set_rate(client: OpenSearch, bytes_per_second: int) -> None:
    limits = {f"max_{kind}_bytes_per_sec": f"{bytes_per_second}b" for kind in ("snapshot", "restore")}
    body = {"type": "fs", "settings": {"location": REPOSITORY, **limits}}
    client.snapshot.create_repository(repository=REPOSITORY, body=body)


def states(client: OpenSearch) -> set[str]:
    snapshots = client.snapshot.get(repository=REPOSITORY, snapshot="_all")["snapshots"]
    return {snapshot["state"] for snapshot in snapshots}


def akg(environ: dict[str, str], *words: str) -> None:
    with running([AKG, *words], environ) as process:
        _, errors = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 0, errors


def test_the_wait_for_a_snapshot_ends_and_the_next_takes_it(
    client: OpenSearch, environ: dict[str, str], repository: int
) -> None:
    set_rate(client, repository)
    with running([AKG, "snapshot", "create"], environ) as process:
        wait_until(lambda: "IN_PROGRESS" in states(client))
        assert "Stopped" in end_of(process)
    assert process.returncode == INTERRUPTED
    wait_until(lambda: "IN_PROGRESS" not in states(client))
    assert states(client) <= {"PARTIAL", "FAILED"}
    set_rate(client, 40_000_000)
    akg(environ, "snapshot", "create")
    assert states(client) == {"SUCCESS"}


def test_the_wait_of_a_restore_ends_and_the_next_restores(
    client: OpenSearch, environ: dict[str, str], releases: Releases, repository: int
) -> None:
    akg(environ, "snapshot", "create")
    (first,) = releases.live_indices()
    second = publish_release(releases, plan_of(WORLD), START + timedelta(days=1), lambda _: None)
    client.indices.delete(index=first)
    set_rate(client, repository)
    with running([AKG, "snapshot", "restore"], environ) as process:
        wait_until(lambda: client.indices.get(index=f"{ALIAS}-f*-aside-*"))
        assert "Stopped" in end_of(process)
    assert process.returncode == INTERRUPTED
    assert releases.live_indices() == [second]
    set_rate(client, 40_000_000)
    akg(environ, "snapshot", "restore")
    assert releases.live_indices() == [first]
    assert sorted(client.indices.get(index=f"{ALIAS}-*")) == sorted([first, second])


def test_the_wait_for_the_lease_of_another_machine_ends_and_leaves_it(
    client: OpenSearch, environ: dict[str, str], releases: Releases
) -> None:
    ensure_control_index(client)
    key, holder = f"writer-{releases.index_alias}", {**new_holder(), "boot": "of another machine"}
    write_control_document(client, key, {"holder": holder}, {"op_type": "create"})
    with running([AKG, "index", "prune"], environ) as process:
        line_with(process, "gives no sign")
        assert "Stopped" in end_of(process)
    document = control_document(client, key)
    assert document is not None
    assert document.body["holder"] == holder
    delete_control_document(client, key, document.if_unchanged)


def test_the_stop_of_a_node_that_does_not_stop_ends(node_root: Path, engine_cache: Path) -> None:
    environ = {"AKG_DATA": str(node_root), "AKG_CACHE": str(engine_cache), "AKG_OPENSEARCH_URL": ""}
    with running([AKG, "node", "start", "--port", "0"], environ) as starting:
        wait_until(lambda: find_node(Folders(node_root)))
        found = find_node(Folders(node_root))
        assert found is not None
        found[1].suspend()
        with running([AKG, "node", "stop"], environ) as stopping:
            with pytest.raises(subprocess.TimeoutExpired):
                stopping.wait(5)
            end_of(stopping)
        end_of(starting)
    assert find_node(Folders(node_root)) is None
