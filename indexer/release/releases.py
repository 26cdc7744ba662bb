"""Changes the releases of one format behind one alias: clone, stamp, publish, roll back and delete them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from opensearchpy import RequestError

from indexer.release.bulk import TIMEOUT_SECONDS
from indexer.release.formats import indices_by_format, no_earlier_release
from indexer.release.full_disks import WITHOUT_BLOCK, write_despite_full_disks
from indexer.release.live_alias import (
    REQUEST_TIMEOUT,
    AliasMovedError,
    failing_with_warning,
    log,
    published,
    wait_for_pending_changes,
)
from indexer.release.retention import is_complete, previous_release, surplus_releases
from indexer.release.stored_releases import ReleaseError, StoredReleases
from schema.errors import AkgError
from schema.release_names import TIME, TIME_FORMAT

KEEP = 2  # releases beside the live one, for rollback
REPLICA_SECONDS = 30  # to wait for the replicas of a new release before it is published
EXISTS = "resource_already_exists_exception"
IN_SNAPSHOT = "snapshot_in_progress_exception"


def without_lease(_: str) -> None:
    """Allow every change: for programs that are the only writer."""


def staging_prefix(alias: str) -> str:
    """Return the prefix of the indices that a restore creates; they are not releases."""
    return f"{alias}-aside-"


@dataclass(frozen=True, slots=True)
class Releases(StoredReleases):
    """The stored releases, to change them.

    `check_lease` is called right before the alias moves and before an index of another command is deleted, with what
    has not happened if it raises an error. `planned_on` has the live releases of a plan, see `planning`.
    """

    check_lease: Callable[[str], None] = without_lease
    planned_on: tuple[str, ...] | None = None

    def planning(self) -> Self:
        """Return these releases for a plan that reads the live one: `publish` fails if another has gone live since.

        A command that was suspended may still publish after it lost its lease.
        """
        return replace(self, planned_on=tuple(self.live_indices()))

    def new_name(self, now: datetime) -> str:
        """Return the name of a new index: this second, or after the newest if the clock is slow: names tell order."""
        existing = indices_by_format(self.client, self.alias).get(self.format_version, ())
        now = max([now, *(later for index in existing if (later := _second_after(index)) is not None)])
        return f"{self.index_alias}-{now.strftime(TIME_FORMAT)}"

    def clone(
        self,
        source: str,
        meta: Mapping[str, Any],
        filters: Mapping[str, Any],
        now: datetime,
        index_settings: Mapping[str, Any] | None = None,
    ) -> str:
        """Clone a release with other token filters, settings and `_meta`; return the name of the clone.

        OpenSearch links the files if the disk supports it, so the size hardly matters. The clone has no stamp of its
        own: `discard` it, or verify and `stamp` it.
        """
        index = self.new_name(now)
        if self.metadata(source).get("index") != source:
            raise ReleaseError(
                f"{source} was built by an older version. Build a release with `akg index build`, then try again."
            )
        settings = {
            **{f"index.analysis.filter.{name}": body for name, body in filters.items()},
            "index.blocks.read_only_allow_delete": False,  # a clone has the block of a source on a full disk, too
            **(index_settings or {}),
        }
        timeout = {"request_timeout": TIMEOUT_SECONDS}
        try:
            self.client.indices.clone(index=source, target=index, body={"settings": settings}, params=timeout)
            self._wait_for_shards(index)
            self.client.indices.put_mapping(index=index, body={"_meta": {**meta, "index": source}})
        except BaseException as error:
            if isinstance(error, RequestError) and error.error == EXISTS:  # nothing of this command
                raise ReleaseError(f"Another program created {index}: try again.") from error
            self.discard(index)
            raise
        return index

    def _wait_for_shards(self, index: str) -> None:
        timeout = {"timeout": f"{TIMEOUT_SECONDS // 2}s", "request_timeout": TIMEOUT_SECONDS}
        health = self.client.cluster.health(index=index, params={"wait_for_status": "yellow", **timeout})
        if health["timed_out"] or health["status"] == "red":
            raise ReleaseError(f"The shards of {index} did not start. Check the cluster with `akg status`.")

    def discard(self, index: str) -> None:
        """Delete an index that this command created and that did not become a release.

        If the lease was lost, the next writer deletes what is left, and may have created an index of the same name.
        """
        try:
            self._delete([index])
        except AkgError as error:
            log.warning("%s", error)

    def discard_unless_live(self, index: str) -> None:
        """Delete an index whose publication failed; keep it if the alias points at it or may still come to do so."""
        if self.live_alias.is_certainly_elsewhere(index):
            self.discard(index)

    def stamp(self, index: str, meta: Mapping[str, Any], now: datetime) -> None:
        """Write-protect the index, then mark it complete: a release never changes."""
        stamp = {
            "released": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "index": index,
            "complete": True,
            "was_live": False,
            "format": self.format_version,
        }
        self.client.indices.put_settings(index=index, body={"index.blocks.write": True})
        self.client.indices.put_mapping(index=index, body={"_meta": {"data_index": index, **meta, **stamp}})

    def publish(self, index: str) -> None:
        """Wait for the replicas of this index, then point the alias only at it, in one atomic request."""
        timeout = {"timeout": f"{REPLICA_SECONDS}s", "ignore": REQUEST_TIMEOUT, "request_timeout": TIMEOUT_SECONDS}
        self.client.cluster.health(index=index, params={"wait_for_no_initializing_shards": "true", **timeout})
        before = self.live_indices()
        if self.planned_on not in {None, tuple(before)}:
            raise AliasMovedError(
                f"{', '.join(before)} went live while this command was working; nothing was published. Run it again."
            )
        for live in before:
            self._mark_as_live(live)  # the command that published it may have been killed before it did

        def move_alias() -> None:
            self.check_lease("nothing was published")
            self.live_alias.move_to(index, before)

        self._write_despite_full_disks([index, *before], move_alias)
        with published(index):
            self._mark_as_live(index)

    def _mark_as_live(self, index: str) -> None:
        with failing_with_warning(f"{index} is live, but could not be marked so."):
            meta = self.metadata(index)
            if not meta.get("was_live", True):
                body = {"_meta": {**meta, "was_live": True}}
                self._write_despite_full_disks([index], lambda: self.client.indices.put_mapping(index=index, body=body))

    def _write_despite_full_disks(self, indices: list[str], write: Callable[[], object]) -> None:
        """Change these indices; while disks are full, remove the block from these alone."""
        names = ",".join(indices)
        write_despite_full_disks(write, lambda: self.client.indices.put_settings(index=names, body=WITHOUT_BLOCK))

    def rollback(self, index: str | None = None) -> str:
        """Point the alias at this release, or at the one that was live before the live one; return its index."""
        releases = self.planning()
        if index is None:
            if (previous := previous_release(self.complete_releases())) is None:
                raise ReleaseError(no_earlier_release(self.other_formats()))
            index = previous.index
        self.require_complete(index)
        releases.publish(index)
        return index

    def prune(self, keep: int = KEEP, spared: Collection[str] = ()) -> list[str]:
        """Delete the oldest complete releases, except the live one and `keep` others; return what was deleted.

        `indexer.release.retention` says which count. Those that are `spared` are not deleted, and do not count.
        """
        surplus = [release.index for release in surplus_releases(self.complete_releases(), keep)]
        return self._delete([index for index in surplus if index not in spared])

    def prune_after_publication(self, replaced: Collection[str]) -> None:
        """Delete the oldest releases, but not the one that was just replaced, even if it equals the new one.

        An error is only a warning: the new release is live.
        """
        with failing_with_warning("The new release is live. Old ones were not deleted: run `akg index prune`."):
            self.prune(spared=replaced)

    def delete_all(self) -> list[str]:
        """Delete every release of this format and what killed commands left of it; return what was deleted."""
        existing = indices_by_format(self.client, self.alias).get(self.format_version, ())
        deleted = self._delete([*self._staging_indices(), *existing])
        for index in self.live_indices():
            self.check_lease(f"{index} was not deleted")
            self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})
            deleted.append(index)
        return deleted

    def delete_leftovers(self) -> list[str]:
        """Delete what killed commands left: staging indices of a restore, and indices without a stamp of their own."""
        wait_for_pending_changes(self.client)  # the clone of a killed command would appear after the deletion
        live = set(self.live_indices())
        incomplete = [
            index
            for index, meta in self.metadata_by_index().items()
            if index not in live and not is_complete(index, meta)
        ]
        return self._delete([*self._staging_indices(), *incomplete])

    def _staging_indices(self) -> list[str]:
        """Return the staging indices of this alias. A graph whose name begins like them may have its releases there."""
        prefix = staging_prefix(self.index_alias)
        existing = self.client.indices.get_alias(index=f"{prefix}*", params={"expand_wildcards": "all"})
        return sorted(
            index
            for index, body in existing.items()
            if TIME.fullmatch(index.removeprefix(prefix)) and not body["aliases"]
        )

    def _delete(self, indices: list[str]) -> list[str]:
        """Delete these indices, except what is live and what a snapshot copies now; return what was deleted."""
        deleted = []
        live = self.live_indices() if indices else []
        for index in indices:
            self.check_lease(f"{index} was not deleted")
            try:
                if index not in live:
                    self._delete_index(index, live)
                    deleted.append(index)
            except RequestError as error:
                if error.error != IN_SNAPSHOT:
                    raise
                log.warning("%s is not deleted, because a snapshot of it is being taken.", index)
        return deleted

    def _delete_index(self, index: str, live: list[str]) -> None:
        """Delete an index. One that may be a release is deleted only if the alias has not moved meanwhile."""
        if index.startswith(staging_prefix(self.index_alias)):
            self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})
            return
        self._write_despite_full_disks([index, *live], lambda: self.live_alias.delete_if_unmoved(index, live))


def _second_after(index: str) -> datetime | None:
    """Return the second after the time in the name of an index; None if its digits are not a time."""
    try:
        return datetime.strptime(index.rpartition("-")[2], TIME_FORMAT).replace(tzinfo=UTC) + timedelta(seconds=1)
    except (ValueError, OverflowError):
        return None
