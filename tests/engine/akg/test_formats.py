"""Releases of another format: the commands name them, and neither publish nor delete them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from opensearchpy import OpenSearch

from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from schema.release_names import FORMAT_VERSION
from tests.support.fixture_graphs import WORLD, plan_of, serving
from tests.support.operator_session import OperatorSession, open_session

ALIAS, ALONE = "akg-formats", "akg-formats-alone"
START = datetime(2026, 1, 1, tzinfo=UTC)
REPOSITORY = "akg-formats"
NOTICE = "which this program does not change: 2 of format 0. Once no service of that version runs,"
WRONG = "has format 0; this program reads format 5."


@pytest.fixture(scope="module")
def earlier(client: OpenSearch) -> Iterator[Releases]:
    """Two releases named like those of version 0.1.0."""
    releases = Releases(client, ALIAS, format_version=0)
    for hours in range(2):
        publish_release(releases, plan_of(WORLD), START + timedelta(hours=hours), lambda _: None)
    yield releases
    client.indices.delete(index=f"{ALIAS}-*")


@pytest.fixture(scope="module")
def operator(
    tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str, earlier: Releases
) -> OperatorSession:
    assert earlier
    return open_session(tmp_path_factory.mktemp("operator"), client, node_url, ALIAS)


def words(output: str) -> str:
    """Return the output without line breaks."""
    return " ".join(output.split())


def test_names_of_earlier_releases_have_no_format(earlier: Releases, operator: OperatorSession) -> None:
    assert earlier.live_indices() == [f"{ALIAS}-20260101t010000z"]
    assert [index.startswith(f"{ALIAS}-f5-") for index in operator.releases.live_indices()] == [True]
    (live,) = operator.releases.complete_releases()
    assert operator.releases.metadata(live.index)["format"] == FORMAT_VERSION


def test_lists_and_status_count_them(operator: OperatorSession) -> None:
    for command in (("index", "releases"), ("status",)):
        assert NOTICE in words(operator.run(*command))


@pytest.mark.parametrize("command", [("index", "rollback"), ("index", "diff")])
def test_rejects_a_release_of_another_format(
    operator: OperatorSession, earlier: Releases, command: tuple[str, ...]
) -> None:
    before = operator.state()
    assert WRONG in words(operator.run(*command, f"{ALIAS}-20260101t000000z", code=1))
    assert operator.state() == before
    assert earlier.live_indices() == [f"{ALIAS}-20260101t010000z"]


def test_a_rollback_stays_within_the_format(operator: OperatorSession) -> None:
    output = words(operator.run("index", "rollback", code=1))
    assert "Releases of format 0 are read by other versions of the service" in output


def test_commands_delete_only_releases_of_their_format(operator: OperatorSession, earlier: Releases) -> None:
    before = [release.index for release in earlier.complete_releases()]
    operator.run("index", "build", "--from-scratch")
    assert len(operator.releases.complete_releases()) == 2
    operator.run("index", "prune", "--keep", "1")
    assert len(operator.releases.complete_releases()) == 1
    assert [release.index for release in earlier.complete_releases()] == before
    own = operator.state()
    assert earlier.prune(keep=0) == before[1:]
    assert earlier.delete_leftovers() == []
    assert operator.state() == (own[0], [index for index in own[1] if index not in before[1:]])


@pytest.mark.parametrize("command", [("index", "rollback"), ("synonyms", "apply", "--accept"), ("snapshot", "create")])
def test_without_a_release_of_this_format_commands_say_what_to_run(
    operator: OperatorSession, client: OpenSearch, command: tuple[str, ...]
) -> None:
    releases = Releases(client, ALONE, format_version=0)
    publish_release(releases, plan_of(WORLD), START, lambda _: None)
    repository = {"AKG_SNAPSHOT_REPOSITORY": REPOSITORY, "AKG_SNAPSHOT_LOCATION": REPOSITORY}
    output = words(operator.run(*command, code=1, environ={"AKG_ALIAS": ALONE, **repository}))
    assert "format 0" in output
    assert ("`akg index build`" in output) == (command != ("index", "rollback"))
    client.indices.delete(index=f"{ALONE}-*")


def test_snapshots_of_another_format_are_counted_and_not_restored(
    operator: OperatorSession, client: OpenSearch, earlier: Releases
) -> None:
    environ = {"AKG_SNAPSHOT_REPOSITORY": REPOSITORY, "AKG_SNAPSHOT_LOCATION": REPOSITORY}
    operator.run("snapshot", "create", environ=environ)
    (index,) = earlier.live_indices()
    described = {"akg": {"alias": ALIAS, "released": "2026-01-01T01:00:00Z"}}  # as version 0.1.0 describes it
    body = {"indices": index, "include_global_state": False, "metadata": described}
    client.snapshot.create(repository=REPOSITORY, snapshot=index, body=body, params={"wait_for_completion": "true"})
    listed = operator.run("snapshot", "list", environ=environ)
    assert operator.releases.live_indices()[0] in listed
    assert index not in listed
    assert "1 snapshot of format 0" in listed
    before = operator.state()
    assert WRONG in words(operator.run("snapshot", "restore", index, code=1, environ=environ))
    assert operator.state() == before
    client.snapshot.delete(repository=REPOSITORY, snapshot="*")
    client.snapshot.delete_repository(repository=REPOSITORY)


async def test_prune_deletes_every_release_of_a_named_format(operator: OperatorSession, earlier: Releases) -> None:
    live, indices = operator.state()
    assert "This program reads format 5." in words(operator.run("index", "prune", "--format", "5", code=2))
    deleted = operator.run("index", "prune", "--format", "0")
    gone = [index for index in indices if not index.startswith(f"{ALIAS}-f5-")]
    assert gone
    assert all(index in deleted for index in gone)
    assert operator.state() == (live, [index for index in indices if index not in gone])
    assert earlier.live_indices() == []
    assert NOTICE not in words(operator.run("index", "releases"))
    async with serving(operator.url, ALIAS) as service:
        assert (await service.get("/readyz")).status_code == httpx.codes.OK
