"""Snapshots of releases in a repository: take, list and delete them.

A snapshot has one release index, and with it documents, export files, rules and counts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from opensearchpy import OpenSearch, TransportError

from indexer.release.formats import wrong_format
from indexer.release.releases import Releases, without_lease
from indexer.release.retention import Release
from indexer.release.stored_releases import ReleaseError
from indexer.snapshots.repository import MISSING_FOLDER, TIMEOUT, register
from schema.release_names import FORMAT_VERSION, format_of_alias, index_alias

OnProgress = Callable[[int, int], None]


RELEASE_FIELDS = ("released", "data_version", "synonyms_version", "entities", "size_bytes")  # stored with a snapshot


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot of a release, named like the release's index. `state` is SUCCESS, IN_PROGRESS or FAILED.

    `alias` is the index alias of the release.
    """

    name: str
    state: str
    taken: str
    alias: str
    released: str
    data_version: str
    synonyms_version: str
    entities: int
    size_bytes: int
    shards: int

    @staticmethod
    def from_response(body: Mapping[str, Any]) -> "Snapshot":
        """Read one snapshot of a response."""
        release = {name: body["metadata"]["akg"][name] for name in ("alias", *RELEASE_FIELDS)}
        return Snapshot(
            name=body["snapshot"],
            state=body["state"],
            taken=body["start_time"],
            shards=body["shards"]["total"],
            **release,
        )


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The snapshots of the releases behind one alias, which is AKG_ALIAS.

    `repository` is its name in the cluster. `location` is a folder in `path.repo` of the nodes or `s3://bucket/path`;
    empty means what is registered under that name, else the default folder. `on_progress(done, total)` gets bytes, and
    sleeps before it returns. `check_lease` is as in `Releases`.
    """

    client: OpenSearch
    alias: str
    repository: str
    location: str = ""
    check_lease: Callable[[str], None] = without_lease

    def create(self, on_progress: OnProgress) -> Snapshot:
        """Take a snapshot of the live release, or return the existing one. Delete it if it is interrupted."""
        register(self.client, self.repository, self.location, writing=True)
        releases = Releases(self.client, self.alias)
        index = releases.require_complete(releases.live_index())
        live = next(release for release in releases.complete_releases() if release.index == index)
        existing = {snapshot.name: snapshot for snapshot in self._list()}.get(live.index)
        if existing is not None and existing.state not in {"SUCCESS", "IN_PROGRESS"}:
            self.client.snapshot.delete(repository=self.repository, snapshot=existing.name, params=TIMEOUT)
            existing = None
        try:
            if existing is None:
                self._start(live)
            return self._wait_for_snapshot(live.index, on_progress)
        except BaseException:  # an interrupt may come after OpenSearch began and before it responded
            self._delete_unfinished(live.index)
            raise

    def _start(self, live: Release) -> None:
        release = {name: getattr(live, name) for name in RELEASE_FIELDS}
        body = {
            "indices": live.index,
            "include_global_state": False,
            "partial": False,
            "metadata": {"akg": {"alias": index_alias(self.alias), **release}},
        }
        self.client.snapshot.create(repository=self.repository, snapshot=live.index, body=body, params=TIMEOUT)

    def _wait_for_snapshot(self, name: str, on_progress: OnProgress) -> Snapshot:
        while (snapshot := self._find(name)).state == "IN_PROGRESS":
            (status,) = self.client.snapshot.status(repository=self.repository, snapshot=name)["snapshots"]
            stats = status["stats"]
            done = stats["processed" if "processed" in stats else "incremental"]["size_in_bytes"]
            on_progress(done, snapshot.size_bytes)
        if snapshot.state != "SUCCESS":
            raise ReleaseError(f"The snapshot failed with state {snapshot.state}, and was deleted.")
        return snapshot

    def _delete_unfinished(self, name: str) -> None:
        if {snapshot.name: snapshot.state for snapshot in self._list()}.get(name, "SUCCESS") != "SUCCESS":
            self.client.snapshot.delete(repository=self.repository, snapshot=name, params=TIMEOUT)

    def list_snapshots(self) -> list[Snapshot]:
        """Return every snapshot of a release of this format, newest release first."""
        register(self.client, self.repository, self.location, writing=False)
        return self._list()

    def find(self, name: str) -> Snapshot:
        """Return the snapshot of this name. Raise ReleaseError with the nearest name if it is missing."""
        register(self.client, self.repository, self.location, writing=False)
        return self._find(name)

    def delete(self, name: str) -> None:
        """Delete a snapshot, also one that failed. Raise ReleaseError if there is none of this name.

        Writes to no index, so that it works while disks are full.
        """
        register(self.client, self.repository, self.location, writing=True)
        snapshot = self._find(name)
        self.check_lease(f"{name} was not deleted")
        self.client.snapshot.delete(repository=self.repository, snapshot=snapshot.name, params=TIMEOUT)

    def other_formats(self) -> dict[str, int]:
        """Return the formats of the snapshots of releases of other formats, by the name of the snapshot."""
        formats = {name: format_of_alias(self.alias, body["metadata"]["akg"]["alias"]) for name, body in self._bodies()}
        return {name: number for name, number in formats.items() if number is not None and number != FORMAT_VERSION}

    def _list(self) -> list[Snapshot]:
        alias = index_alias(self.alias)
        bodies = [body for _, body in self._bodies() if body["metadata"]["akg"]["alias"] == alias]
        return sorted(map(Snapshot.from_response, bodies), key=lambda snapshot: snapshot.name, reverse=True)

    def _bodies(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the name and the description of every snapshot of a release, of any alias and format."""
        try:
            response = self.client.snapshot.get(repository=self.repository, snapshot="_all", params=TIMEOUT)
        except TransportError as error:
            if MISSING_FOLDER in str(error.info):
                return []
            raise
        return [(body["snapshot"], body) for body in response["snapshots"] if "akg" in (body.get("metadata") or {})]

    def _find(self, name: str | None) -> Snapshot:
        """Return the snapshot of this name, or the newest. Raise ReleaseError that lists them if there is none."""
        snapshots = self._list()
        if name is None and snapshots:
            return snapshots[0]
        found = next((snapshot for snapshot in snapshots if snapshot.name == name), None)
        if found is None:
            if name is not None and (format_version := self.other_formats().get(name)) is not None:
                raise ReleaseError(wrong_format(f"The snapshot {name}", format_version))
            names = [snapshot.name for snapshot in snapshots]
            missing = f"There is no snapshot {name}" if name else "There is no snapshot"
            place = f"of {index_alias(self.alias)} in the repository {self.repository}"
            nearest = f" Nearest: {', '.join(get_close_matches(name, names, 1, 0))}." if name and names else ""
            raise ReleaseError(f"{missing} {place}. Snapshots: {', '.join(names) or 'none'}.{nearest}")
        return found

    def find_complete(self, name: str | None) -> Snapshot:
        """Return the snapshot of this name, or the newest. Raise ReleaseError if it is incomplete or missing."""
        snapshot = self._find(name)
        if snapshot.state != "SUCCESS":
            raise ReleaseError(
                f"The snapshot {snapshot.name} is incomplete ({snapshot.state}). Choose another: `akg snapshot list`."
            )
        return snapshot
