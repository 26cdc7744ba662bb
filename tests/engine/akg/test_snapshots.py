"""`akg snapshot verify` and `akg snapshot prune` on a real node: intact, damaged and old snapshots, and Ctrl-C."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from opensearchpy import OpenSearch
from typer.testing import CliRunner

from akg.cli import app
from akg.interrupts import INTERRUPTED
from akg.reports.snapshots import SnapshotPrune, SnapshotVerify
from indexer.snapshots.restore import Restore
from indexer.snapshots.snapshots import Snapshots
from indexer.snapshots.verification import verify_snapshot
from tests.support.interrupted import AKG, end_of, running, wait_until
from tests.support.operator_session import OperatorSession

REPOSITORY = "akg-verified"
PLACE = {"AKG_SNAPSHOT_REPOSITORY": REPOSITORY, "AKG_SNAPSHOT_LOCATION": REPOSITORY}


@pytest.fixture
def snapshot(operator: OperatorSession) -> Iterator[str]:
    """A snapshot of the live release, in a repository of its own."""
    operator.run("snapshot", "create", environ=PLACE)
    yield operator.releases.live_index()
    client = operator.releases.client
    for found in client.snapshot.get(repository=REPOSITORY, snapshot="_all")["snapshots"]:
        client.snapshot.delete(repository=REPOSITORY, snapshot=found["snapshot"])
    client.snapshot.delete_repository(repository=REPOSITORY)


def verification(operator: OperatorSession, code: int, *words: str) -> SnapshotVerify:
    environ = {**operator.environ, **PLACE}
    result = CliRunner().invoke(app, ["snapshot", "verify", *words, "--json"], env=environ)
    assert result.exit_code == code, result.output
    return SnapshotVerify.model_validate_json(result.stdout, extra="forbid")


def pruning(operator: OperatorSession, *words: str) -> SnapshotPrune:
    environ = {**operator.environ, **PLACE}
    result = CliRunner().invoke(app, ["snapshot", "prune", *words, "--json"], env=environ)
    assert result.exit_code == 0, result.output
    return SnapshotPrune.model_validate_json(result.stdout, extra="forbid")


def data_files(client: OpenSearch) -> list[Path]:
    """Return the files of the repository that hold segments, in the folder of the node."""
    (node,) = client.nodes.info(metric="settings")["nodes"].values()
    repo = node["settings"]["path"]["repo"]
    folder = Path(repo if isinstance(repo, str) else repo[0]) / REPOSITORY
    return sorted(folder.glob("indices/*/*/__*"))


def test_an_intact_snapshot_is_restored_verified_and_deleted_beside_the_live_release(
    operator: OperatorSession, snapshot: str
) -> None:
    before = operator.state()
    assert f"Intact: {snapshot}" in operator.run("snapshot", "verify", environ=PLACE)
    found = verification(operator, 0, snapshot)
    assert (found.snapshot, found.intact, found.problems) == (snapshot, True, [])
    assert found.entities > 0
    assert operator.state() == before


def test_a_damaged_snapshot_is_found(operator: OperatorSession, snapshot: str) -> None:
    before = operator.state()
    for path in data_files(operator.releases.client):
        path.write_bytes(path.read_bytes()[:-100])
    snapshots = Snapshots(operator.releases.client, operator.releases.alias, REPOSITORY)
    impatient = Restore(snapshots, {}, {}, lambda *_: time.sleep(0.02))  # the command waits a minute for a shard
    found = verify_snapshot(impatient, snapshot, datetime.now(UTC))
    assert found.problems == (f"OpenSearch does not restore {snapshot}. See the log of the cluster.",)
    assert operator.state() == before


def test_a_snapshot_that_contains_a_wrong_release_is_found(operator: OperatorSession) -> None:
    client, live = operator.releases.client, operator.releases.live_index()
    query = {"query": {"term": {"doc": "edges"}}}
    client.indices.put_settings(index=live, body={"index.blocks.write": False})
    client.delete_by_query(index=live, body=query, params={"refresh": "true"})
    operator.run("snapshot", "create", environ=PLACE)
    found = verification(operator, 1)
    assert (found.snapshot, found.intact) == (live, False)
    output = operator.run("snapshot", "verify", code=1, environ=PLACE)
    assert found.problems[0] in output
    assert f"Damaged: {live}" in output
    operator.run("snapshot", "delete", live, "--yes", environ=PLACE)
    operator.run("index", "build", "--force", "--from-scratch")
    operator.run("index", "prune", "--keep", "1")


def test_an_unknown_snapshot_is_named_with_the_nearest(operator: OperatorSession, snapshot: str) -> None:
    output = operator.run("snapshot", "verify", f"{snapshot}x", code=1, environ=PLACE)
    assert f"Nearest: {snapshot}." in " ".join(output.split())


def test_ctrl_c_deletes_the_copy_and_leaves_the_live_release(operator: OperatorSession, snapshot: str) -> None:
    client, before = operator.releases.client, operator.state()
    body = {"type": "fs", "settings": {"location": REPOSITORY, "max_restore_bytes_per_sec": "50kb"}}
    client.snapshot.create_repository(repository=REPOSITORY, body=body)
    environ = {**os.environ, **operator.environ, **PLACE}
    with running([AKG, "snapshot", "verify", snapshot], environ) as process:
        wait_until(lambda: len(operator.state()[1]) > len(before[1]))
        assert "Stopped" in end_of(process)
    assert process.returncode == INTERRUPTED
    assert operator.state() == before


def test_pruning_deletes_by_count_and_age_and_keeps_the_live_release(operator: OperatorSession, snapshot: str) -> None:
    operator.run("index", "build", "--force")
    operator.run("snapshot", "create", environ=PLACE)
    second = operator.releases.live_index()
    assert "Give --keep, --older-than or both" in operator.run("snapshot", "prune", code=2, environ=PLACE)
    planned = pruning(operator, "--keep", "1", "--dry-run")
    assert (planned.dry_run, planned.deleted, planned.kept) == (True, [snapshot], [second])
    assert pruning(operator, "--keep", "1", "--older-than", "1").deleted == []
    operator.run("index", "rollback", snapshot)
    assert pruning(operator, "--keep", "1").deleted == []  # that of the live release stays
    operator.run("index", "rollback", second)
    assert pruning(operator, "--keep", "1") == planned.model_copy(update={"dry_run": False})
    assert pruning(operator, "--older-than", "0").kept == [second]
    assert "Would delete: nothing" in operator.run("snapshot", "prune", "--keep", "1", "--dry-run", environ=PLACE)
    operator.run("index", "prune", "--keep", "1")
