"""Restores the release of a snapshot; a partly restored release is never live.

A restore creates a staging index, verifies it, clones it under the name of the release without a stamp, and stamps and
publishes it last.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from opensearchpy import NotFoundError, OpenSearch

from indexer.release.live_alias import REQUEST_TIMEOUT, failing_with_warning, published
from indexer.release.losses import Guard, keys_of_release
from indexer.release.releases import Releases, staging_prefix
from indexer.release.stored_releases import ReleaseError, raise_if_problems
from indexer.release.verify import Expected, verify
from indexer.snapshots.repository import TIMEOUT, register
from indexer.snapshots.snapshots import OnProgress, Snapshot, Snapshots
from schema.release_names import TIME_FORMAT

SHARD_SECONDS = 30  # for the shards of a node that has just started
CLOSED = "index.verified_before_close"  # a setting that only closed indices have
MAX_IDLE_POLLS = 120  # while no shard is starting; there are two a second


@dataclass(frozen=True, slots=True)
class Restore:
    """One restore. `inverses` has the inverse names of edges, `index_settings` what may differ between clusters.

    `on_progress` is as in `Snapshots.create`. `max_loss` is the share of a type or an edge name that may be lost; None
    allows any loss.
    """

    snapshots: Snapshots
    inverses: Mapping[str, str]
    index_settings: Mapping[str, Any]
    on_progress: OnProgress
    max_loss: float | None = None

    @property
    def client(self) -> OpenSearch:
        """The client of the snapshots."""
        return self.snapshots.client

    def problems(self, index: str) -> list[str]:
        """Return every difference between an index and what its `_meta` says."""
        return verify(self.client, index, Expected.from_index(self.client, index, self.inverses))

    def run(self, name: str | None, now: datetime) -> str:
        """Publish the release of this snapshot, by default of the newest; return its index.

        A release that still exists and is intact is published as it is. What is live stays live until the restored
        release is verified, even if it is broken. Raise ReleaseError if too much would be lost.
        """
        register(self.client, self.snapshots.repository, self.snapshots.location, writing=False)
        snapshot = self.snapshots.find_complete(name)
        releases = Releases(self.client, self.snapshots.alias, check_lease=self.snapshots.check_lease).planning()
        releases.delete_leftovers()
        if self._is_intact(releases, snapshot.name):
            self._check_loss(releases, snapshot.name)
            releases.publish(snapshot.name)
            return snapshot.name
        staging = f"{staging_prefix(releases.index_alias)}{now.strftime(TIME_FORMAT)}"
        # What is live is never deleted, even if it is broken: the release then gets another name.
        index = releases.new_name(now) if snapshot.name in releases.live_indices() else snapshot.name
        try:
            self.restore_to(staging, snapshot)
            raise_if_problems(self.problems(staging))
            self._check_loss(releases, staging)
            self._clone_to_release(releases, staging, index, snapshot)
        finally:
            releases.discard(staging)
        _publish_copy(releases, index, snapshot.name)
        return index

    def _is_intact(self, releases: Releases, index: str) -> bool:
        """Return whether a release exists, is open, has all shards and is as its `_meta` says.

        Other errors are raised: an OpenSearch that is busy says nothing about the index.
        """
        if index not in {release.index for release in releases.complete_releases()}:
            return False
        timeout = {"timeout": f"{SHARD_SECONDS}s", "ignore": REQUEST_TIMEOUT, **TIMEOUT}
        health = self.client.cluster.health(index=index, params={"wait_for_status": "yellow", **timeout})
        if health["status"] == "red" or self.client.indices.get_settings(index=index, name=CLOSED):
            return False
        try:
            return not self.problems(index)
        except NotFoundError:
            return False

    def restore_to(self, staging: str, snapshot: Snapshot) -> None:
        """Restore a snapshot as an index of this name, without an alias, and wait until all its shards are active."""
        body = {
            "indices": snapshot.name,
            "include_global_state": False,
            "include_aliases": False,  # the alias moves last
            "rename_pattern": ".+",
            "rename_replacement": staging,
            "index_settings": dict(self.index_settings),
        }
        self.client.snapshot.restore(
            repository=self.snapshots.repository, snapshot=snapshot.name, body=body, params=TIMEOUT
        )
        self._wait_for_shards(staging, snapshot)

    def _wait_for_shards(self, index: str, snapshot: Snapshot) -> None:
        """Wait until every primary shard of an index is active. The health color is not reliable during a restore."""
        idle_polls = 0
        while (health := self.client.cluster.health(index=index))["active_primary_shards"] < snapshot.shards:
            idle_polls = 0 if health["initializing_shards"] else idle_polls + 1
            if idle_polls > MAX_IDLE_POLLS:
                raise ReleaseError(f"OpenSearch does not restore {snapshot.name}. See the log of the cluster.")
            self.on_progress(self._recovered_bytes(index), snapshot.size_bytes)

    def _recovered_bytes(self, index: str) -> int:
        shards = self.client.indices.recovery(index=index).get(index, {}).get("shards", [])
        return sum(shard["index"]["size"]["recovered_in_bytes"] for shard in shards if shard["primary"])

    def _clone_to_release(self, releases: Releases, staging: str, index: str, snapshot: Snapshot) -> None:
        """Clone a verified staging index under the name of a release, and write the stamp last."""
        meta = releases.metadata(staging)
        self.client.indices.put_mapping(index=staging, body={"_meta": {**meta, "complete": False}})
        releases.discard(index)  # a broken release that is not live, if there is one
        try:
            settings = {"settings": {"index": dict(self.index_settings)}}
            self.client.indices.clone(index=staging, target=index, body=settings, params=TIMEOUT)
            self._wait_for_shards(index, snapshot)
            self.client.indices.put_mapping(index=index, body={"_meta": {**meta, "index": index, "was_live": False}})
        except BaseException:
            releases.discard(index)
            raise

    def _check_loss(self, releases: Releases, index: str) -> None:
        """Raise ReleaseError if the live release has much that this index lacks."""
        live = releases.live_indices()
        if self.max_loss is not None and len(live) == 1:
            after = releases.metadata(index)["counts"]
            keys = keys_of_release(releases, index)
            guard = Guard(self.inverses, self.max_loss)
            guard.require_no_loss(releases, releases.metadata(live[0]), after, keys.__contains__ if keys else None)


def _publish_copy(releases: Releases, index: str, original: str) -> None:
    """Publish a restored release. If it has another name because its broken original was live, delete that."""
    try:
        releases.publish(index)
    except BaseException:
        releases.discard_unless_live(index)
        raise
    if index != original:
        with published(index), failing_with_warning(f"{index} is live. The broken {original} was not deleted."):
            releases.discard(original)
