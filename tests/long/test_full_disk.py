"""A node whose disk is above the flood-stage watermark: OpenSearch itself sets the blocks, again and again."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from opensearchpy import OpenSearch, TransportError

from akg.node import start
from indexer.release.control_index import CONTROL_INDEX
from tests.support.operator_session import OperatorSession, open_session

ALIAS = "akg-flood"
WATERMARK = "cluster.routing.allocation.disk.watermark"
STAGES = ("low", "high", "flood_stage")
MORE_THAN_ANY_DISK = "900pb"  # free space below which a stage is reached
BLOCK = "index.blocks.read_only_allow_delete"
SECONDS = 60.0  # until OpenSearch has looked at the disk, which it does every ten seconds here
ZORK = "zork => zork, telework\n"


@pytest.fixture
def client(node_root: Path, engine_cache: Path) -> Iterator[OpenSearch]:
    """A client of a node of its own: watermarks, which a local node does not heed, hold for all indices."""
    with OpenSearch(hosts=[start(node_root, cache=engine_cache, http_port=0).url], timeout=60) as opened:
        heeded = {"cluster.info.update.interval": "10s", "cluster.routing.allocation.disk.threshold_enabled": True}
        opened.cluster.put_settings(body={"persistent": heeded})
        yield opened


@pytest.fixture
def session(tmp_path: Path, client: OpenSearch) -> OperatorSession:
    """Three releases: the built one, one with a rule more, and that one undone."""
    session = open_session(tmp_path, client, client.transport.get_connection().host, ALIAS)
    session.rules.write_text(session.rules.read_text() + ZORK)
    session.run("synonyms", "apply", "--accept")
    return session


def fill_disk(client: OpenSearch) -> None:
    """Raise the watermarks above the free space of any disk, and wait until OpenSearch has blocked writes."""
    settings = {f"{WATERMARK}.{stage}": MORE_THAN_ANY_DISK for stage in STAGES}
    client.cluster.put_settings(body={"persistent": settings})
    wait_for_blocks(client)


def wait_for_blocks(client: OpenSearch) -> None:
    """Wait until OpenSearch has blocked the control index. It skips releases, which take no writes as it is."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        settings = client.indices.get_settings(index=CONTROL_INDEX, params={"flat_settings": "true"})
        if settings[CONTROL_INDEX]["settings"].get(BLOCK) == "true":
            return
        time.sleep(0.5)
    pytest.fail("OpenSearch set no block")


def watermarks(client: OpenSearch) -> set[str]:
    """Return the values of the watermarks."""
    settings = client.cluster.get_settings(params={"flat_settings": "true"})["persistent"]
    return {settings[f"{WATERMARK}.{stage}"] for stage in STAGES}


def test_commands_that_make_room_work_above_the_real_watermarks(session: OperatorSession, client: OpenSearch) -> None:
    place = {"AKG_SNAPSHOT_REPOSITORY": ALIAS, "AKG_SNAPSHOT_LOCATION": ALIAS}
    session.run("snapshot", "create", environ=place)
    snapshot = session.releases.live_index()
    client.indices.create(index=f"{session.releases.index_alias}-20990101t000000z")  # left by a killed command
    fill_disk(client)
    with pytest.raises(TransportError, match="flood-stage watermark"):
        client.index(index=CONTROL_INDEX, id="blocked", body={"holder": {}})
    assert session.run("status").splitlines()[0].startswith("! The disk is full")

    session.run("synonyms", "undo")
    undone, earlier = (release.index for release in session.releases.complete_releases())
    assert session.releases.live_index() == undone
    wait_for_blocks(client)
    session.run("index", "rollback")
    assert session.releases.live_index() == earlier
    wait_for_blocks(client)
    session.run("snapshot", "delete", snapshot, "--yes", environ=place)
    assert snapshot not in session.run("snapshot", "list", environ=place)
    wait_for_blocks(client)
    session.run("index", "prune", "--keep", "1")
    assert session.state() == ([earlier], sorted([earlier, undone]))
    assert watermarks(client) == {MORE_THAN_ANY_DISK}  # no command changes them
