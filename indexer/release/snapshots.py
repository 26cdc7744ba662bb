"""Snapshots of the live release in a repository, and their restore; a partly restored release is never live.

A snapshot has one release index, and with it documents, export files, rules and counts. A restore creates a staging
index, verifies it, clones it under the name of the release without a stamp, and stamps and publishes it last.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from opensearchpy import NotFoundError, OpenSearch, TransportError

from indexer.release.bulk import TIMEOUT_SECONDS
from indexer.release.formats import wrong_format
from indexer.release.live_alias import REQUEST_TIMEOUT, failing_with_warning
from indexer.release.losses import require_no_loss
from indexer.release.releases import ReleaseError, Releases, raise_if_problems, staging_prefix, without_lease
from indexer.release.verify import Expected, verify
from schema.json_types import JsonObject
from schema.release_names import FORMAT_VERSION, TIME_FORMAT, format_of_alias, index_alias

OnProgress = Callable[[int, int], None]


RELEASE_FIELDS = ("released", "data_version", "synonyms_version", "entities", "size_bytes")  # stored with a snapshot
DEFAULT_FOLDER = "akg"  # in the first `path.repo` of the nodes
SHARD_SECONDS = 30  # for the shards of a node that has just started
CLOSED = "index.verified_before_close"  # a setting that only closed indices have
MAX_IDLE_POLLS = 120  # while no shard is starting; there are two a second
TIMEOUT = {"request_timeout": TIMEOUT_SECONDS}
MISSING_FOLDER = "no_such_file_exception"  # OpenSearch creates the folder of a repository at its first snapshot
NO_FOLDER = (
    "The cluster has no folder for snapshots. Set `path.repo` in opensearch.yml of every node to a folder that all of "
    "them share, and restart them; or use a bucket: AKG_SNAPSHOT_LOCATION=s3://bucket/path."
)
NO_S3 = (
    "The cluster cannot use S3: the plugin is missing. Run `bin/opensearch-plugin install repository-s3` on every "
    "node, put the keys into their keystores, and restart them."
)


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
        self._register(writing=True)
        releases = Releases(self.client, self.alias)
        index = releases.require_complete(releases.live_index())
        live = next(release for release in releases.complete_releases() if release.index == index)
        existing = {snapshot.name: snapshot for snapshot in self._list()}.get(live.index)
        if existing is not None and existing.state not in {"SUCCESS", "IN_PROGRESS"}:
            self.client.snapshot.delete(repository=self.repository, snapshot=existing.name, params=TIMEOUT)
            existing = None
        if existing is None:
            release = {name: getattr(live, name) for name in RELEASE_FIELDS}
            body = {
                "indices": live.index,
                "include_global_state": False,
                "partial": False,
                "metadata": {"akg": {"alias": index_alias(self.alias), **release}},
            }
            self.client.snapshot.create(repository=self.repository, snapshot=live.index, body=body, params=TIMEOUT)
        try:
            return self._wait_for_snapshot(live.index, on_progress)
        except BaseException:
            self._delete_unfinished(live.index)
            raise

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
        self._register(writing=False)
        return self._list()

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
            names = ", ".join(snapshot.name for snapshot in snapshots) or "none"
            missing = f"There is no snapshot {name}" if name else "There is no snapshot"
            raise ReleaseError(
                f"{missing} of {index_alias(self.alias)} in the repository {self.repository}. Snapshots: {names}."
            )
        return found

    def _find_complete(self, name: str | None) -> Snapshot:
        snapshot = self._find(name)
        if snapshot.state != "SUCCESS":
            raise ReleaseError(
                f"The snapshot {snapshot.name} is incomplete ({snapshot.state}). Choose another: `akg snapshot list`."
            )
        return snapshot

    def restore(
        self,
        name: str | None,
        inverses: Mapping[str, str],
        index_settings: Mapping[str, Any],
        now: datetime,
        on_progress: OnProgress,
        max_loss: float | None = None,
    ) -> str:
        """Publish the release of a snapshot, by default the newest; return its index.

        A release that still exists and is intact is published as it is. What is live stays live until the restored
        release is verified, even if it is broken. `inverses` has the inverse names of edges, `index_settings` what may
        differ between clusters. Raise ReleaseError if more than `max_loss` of a type or edge name would be lost.
        """
        self._register(writing=False)
        snapshot = self._find_complete(name)
        releases = Releases(self.client, self.alias, check_lease=self.check_lease)
        releases.delete_leftovers()
        if self._is_intact(releases, snapshot.name, inverses):
            _check_loss(releases, snapshot.name, inverses, max_loss)
            releases.publish(snapshot.name)
            return snapshot.name
        staging = f"{staging_prefix(releases.index_alias)}{now.strftime(TIME_FORMAT)}"
        # What is live is never deleted, even if it is broken: the release then gets another name.
        index = releases.new_name(now) if snapshot.name in releases.live_indices() else snapshot.name
        try:
            self._restore_to(staging, snapshot, index_settings, on_progress)
            raise_if_problems(verify(self.client, staging, Expected.from_index(self.client, staging, inverses)))
            _check_loss(releases, staging, inverses, max_loss)
            self._clone_to_release(staging, index, snapshot, index_settings, on_progress)
        finally:
            releases.discard(staging)
        _publish_copy(releases, index, snapshot.name)
        return index

    def _is_intact(self, releases: Releases, index: str, inverses: Mapping[str, str]) -> bool:
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
            return not verify(self.client, index, Expected.from_index(self.client, index, inverses))
        except NotFoundError:
            return False

    def _restore_to(
        self, staging: str, snapshot: Snapshot, index_settings: Mapping[str, Any], on_progress: OnProgress
    ) -> None:
        body = {
            "indices": snapshot.name,
            "include_global_state": False,
            "include_aliases": False,  # the alias moves last
            "rename_pattern": ".+",
            "rename_replacement": staging,
            "index_settings": dict(index_settings),
        }
        self.client.snapshot.restore(repository=self.repository, snapshot=snapshot.name, body=body, params=TIMEOUT)
        self._wait_for_shards(staging, snapshot, on_progress)

    def _wait_for_shards(self, index: str, snapshot: Snapshot, on_progress: OnProgress) -> None:
        """Wait until every primary shard of an index is active. The health color is not reliable during a restore."""
        idle_polls = 0
        while (health := self.client.cluster.health(index=index))["active_primary_shards"] < snapshot.shards:
            idle_polls = 0 if health["initializing_shards"] else idle_polls + 1
            if idle_polls > MAX_IDLE_POLLS:
                raise ReleaseError(f"OpenSearch does not restore {snapshot.name}. See the log of the cluster.")
            on_progress(self._recovered_bytes(index), snapshot.size_bytes)

    def _recovered_bytes(self, index: str) -> int:
        shards = self.client.indices.recovery(index=index).get(index, {}).get("shards", [])
        return sum(shard["index"]["size"]["recovered_in_bytes"] for shard in shards if shard["primary"])

    def _clone_to_release(
        self,
        staging: str,
        index: str,
        snapshot: Snapshot,
        index_settings: Mapping[str, Any],
        on_progress: OnProgress,
    ) -> None:
        """Clone a verified staging index under the name of a release, and write the stamp last."""
        meta = Releases(self.client, self.alias).metadata(staging)
        self.client.indices.put_mapping(index=staging, body={"_meta": {**meta, "complete": False}})
        # A broken release that is not live.
        self.check_lease(f"{index} was not deleted")
        self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})
        try:
            settings = {"settings": {"index": dict(index_settings)}}
            self.client.indices.clone(index=staging, target=index, body=settings, params=TIMEOUT)
            self._wait_for_shards(index, snapshot, on_progress)
            self.client.indices.put_mapping(index=index, body={"_meta": {**meta, "index": index, "was_live": False}})
        except BaseException:
            self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})
            raise

    def _register(self, *, writing: bool) -> None:
        """Register the repository as the settings say, read-only unless `writing`."""
        try:
            known = self.client.snapshot.get_repository(repository=self.repository)[self.repository]
        except NotFoundError:
            known = None
        body = repository_body(self.location)
        if known is not None and (not self.location or _is_same(known, body)):
            if not writing or str(known["settings"].get("readonly", "false")) != "true":
                return
            body = {"type": known["type"], "settings": {**known["settings"], "readonly": "false"}}
        elif not writing:
            body["settings"]["readonly"] = "true"
        try:
            self.client.snapshot.create_repository(repository=self.repository, body=body, params=TIMEOUT)
        except TransportError as error:
            if not writing and MISSING_FOLDER in str(error.info):
                return
            raise ReleaseError(_registration_error(str(error.info), self.repository)) from None


def _check_loss(releases: Releases, index: str, inverses: Mapping[str, str], max_loss: float | None) -> None:
    """Raise ReleaseError if the live release has much that this index lacks. None as the share skips the check."""
    live = releases.live_indices()
    if max_loss is not None and len(live) == 1:
        require_no_loss(releases.metadata(live[0]), releases.metadata(index)["counts"], inverses, max_loss)


def _publish_copy(releases: Releases, index: str, original: str) -> None:
    """Publish a restored release. If it has another name because its broken original was live, delete that."""
    try:
        releases.publish(index)
    except BaseException:
        releases.discard_unless_live(index)
        raise
    if index != original:
        with failing_with_warning(f"{index} is live. The broken {original} was not deleted."):
            releases.discard(original)


def repository_body(location: str) -> JsonObject:
    """Return the request body that registers a repository at this location."""
    if location.startswith("s3://"):
        parts = urlsplit(location)
        path = {"base_path": parts.path.strip("/")} if parts.path.strip("/") else {}
        return {"type": "s3", "settings": {"bucket": parts.netloc, **path}}
    return {"type": "fs", "settings": {"location": location or DEFAULT_FOLDER}}


def _is_same(known: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    return bool(known["type"] == body["type"] and body["settings"].items() <= known["settings"].items())


def _registration_error(reason: str, repository: str) -> str:
    if "repository type [s3] does not exist" in reason:
        return NO_S3
    if "path.repo" in reason:
        return NO_FOLDER
    return f"OpenSearch cannot use the repository {repository}: {reason}"
