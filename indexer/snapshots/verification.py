"""Verifies a snapshot: restores it beside the live release, checks it as a build checks a new one, and deletes it."""

from dataclasses import dataclass, replace
from datetime import datetime

from opensearchpy import TransportError

from indexer.release.releases import Releases, staging_prefix
from indexer.release.retention import is_complete
from indexer.release.stored_releases import ReleaseError
from indexer.snapshots.repository import register
from indexer.snapshots.restore import Restore
from indexer.snapshots.snapshots import Snapshot
from schema.release_names import TIME_FORMAT

# A copy that lives for seconds needs no replicas.
WITHOUT_REPLICAS = {"number_of_replicas": 0, "auto_expand_replicas": "false"}
UNRESTORABLE = ("snapshot_restore_exception", "snapshot_exception", "repository_exception", "no_such_file_exception")


@dataclass(frozen=True, slots=True)
class Verification:
    """A snapshot, and what is wrong with its release."""

    snapshot: Snapshot
    problems: tuple[str, ...]


def verify_snapshot(restore: Restore, name: str | None, now: datetime) -> Verification:
    """Verify this snapshot, by default the newest. The live release and the alias do not change.

    Raise ReleaseError if there is no complete snapshot of this name.
    """
    snapshots = restore.snapshots
    register(snapshots.client, snapshots.repository, snapshots.location, writing=False)
    snapshot = snapshots.find_complete(name)
    releases = Releases(snapshots.client, snapshots.alias, check_lease=snapshots.check_lease)
    releases.delete_leftovers()
    staging = f"{staging_prefix(releases.index_alias)}{now.strftime(TIME_FORMAT)}"
    try:
        problems = _problems(replace(restore, index_settings=WITHOUT_REPLICAS), releases, snapshot, staging)
    finally:
        releases.discard(staging)
    return Verification(snapshot, tuple(problems))


def _problems(restore: Restore, releases: Releases, snapshot: Snapshot, staging: str) -> list[str]:
    try:
        restore.restore_to(staging, snapshot)
    except ReleaseError as error:
        return [str(error)]
    except TransportError as error:
        if error.error not in UNRESTORABLE:
            raise
        return [f"OpenSearch does not restore {snapshot.name}: {error.error}."]
    meta = releases.metadata(staging)
    if not is_complete(snapshot.name, meta):
        return [f"It has no complete release {snapshot.name}."]
    if meta["data_version"] != snapshot.data_version:
        return [f"It has the tables {meta['data_version']}, not {snapshot.data_version}."]
    return restore.problems(staging)
