"""Snapshots of the live release in a repository of the engine, and the way back; nothing half-restored is ever live.

A snapshot holds one release index, and with it everything that a release is: documents, export, rules, counts. It is
fetched under a name aside, verified there, cloned to its own name without the stamp, and stamped and published last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from opensearchpy import NotFoundError, TransportError

from indexer.bulk import ENGINE_SECONDS
from indexer.release import STAMP_FORMAT, ReleaseError, Releases, aside_prefix, insist
from indexer.verify import expected_of, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from opensearchpy import OpenSearch

    Watch = Callable[[int, int], None]

DEFAULT_FOLDER = "akg"  # in the first `path.repo` of the nodes
SEEMS_STUCK = 120  # looks at shards that neither come nor start, one every half second
PATIENCE = {"request_timeout": ENGINE_SECONDS}
NO_PLACE_YET = "no_such_file_exception"  # the engine makes the folder of a repository at its first snapshot
NO_FOLDER = (
    "The engine has no place for snapshots on its disks: set `path.repo` in opensearch.yml of every node to a folder "
    "that all of them share, and restart them; or name a bucket, AKG_SNAPSHOT_LOCATION=s3://bucket/path."
)
NO_S3 = (
    "The engine cannot reach S3: its plugin is missing. Run `bin/opensearch-plugin install repository-s3` on every "
    "node, put the keys into their keystores, and restart them."
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot of a release, named as the release's index. `state` is SUCCESS, IN_PROGRESS or FAILED."""

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


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The snapshots of the releases behind one alias.

    `repository` is the engine's name for where they are. `location` is a folder in `path.repo` of the nodes or
    `s3://bucket/path`; empty means whatever is registered under that name, else a folder of its own. Progress is told
    to `watch(done, total)` in bytes, which also waits a moment before it returns.
    """

    client: OpenSearch
    alias: str
    repository: str
    location: str = ""

    def create(self, watch: Watch) -> Snapshot:
        """Take a snapshot of the live release, or find the one that was taken. An interrupted one is deleted."""
        self._register(writing=True)
        live = next((one for one in Releases(self.client, self.alias).complete() if one.live), None)
        if live is None:
            raise ReleaseError("There is no live release. Build one with `akg index build`.")
        known = {one.name: one for one in self._taken()}.get(live.index)
        if known is not None and known.state not in {"SUCCESS", "IN_PROGRESS"}:
            self.client.snapshot.delete(repository=self.repository, snapshot=known.name, params=PATIENCE)
            known = None
        if known is None:
            about = {
                "alias": self.alias,
                "released": live.released,
                "data_version": live.data_version,
                "synonyms_version": live.synonyms_version,
                "entities": live.entities,
                "size_bytes": live.size_bytes,
            }
            body = {"indices": live.index, "include_global_state": False, "partial": False, "metadata": {"akg": about}}
            self.client.snapshot.create(repository=self.repository, snapshot=live.index, body=body, params=PATIENCE)
        try:
            return self._finished(live.index, watch)
        except BaseException:
            self._drop_unfinished(live.index)
            raise

    def _finished(self, name: str, watch: Watch) -> Snapshot:
        """Wait for the end of a snapshot, which the engine takes by itself."""
        while (found := self._named(name)).state == "IN_PROGRESS":
            (status,) = self.client.snapshot.status(repository=self.repository, snapshot=name)["snapshots"]
            stats = status["stats"]
            watch(stats["processed" if "processed" in stats else "incremental"]["size_in_bytes"], found.size_bytes)
        if found.state != "SUCCESS":
            raise ReleaseError(
                f"The engine could not write the snapshot whole ({found.state}). Nothing of it was kept."
            )
        return found

    def _drop_unfinished(self, name: str) -> None:
        if {one.name: one.state for one in self._taken()}.get(name, "SUCCESS") != "SUCCESS":
            self.client.snapshot.delete(repository=self.repository, snapshot=name, params=PATIENCE)

    def taken(self) -> list[Snapshot]:
        """Every snapshot of this alias, newest release first."""
        self._register(writing=False)
        return self._taken()

    def _taken(self) -> list[Snapshot]:
        try:
            found = self.client.snapshot.get(repository=self.repository, snapshot="_all", params=PATIENCE)["snapshots"]
        except TransportError as error:
            if NO_PLACE_YET in str(error.info):
                return []
            raise
        ours = [_snapshot(one) for one in found if "akg" in (one.get("metadata") or {})]
        return sorted((one for one in ours if one.alias == self.alias), key=lambda one: one.name, reverse=True)

    def _named(self, name: str | None) -> Snapshot:
        known = self._taken()
        if name is None and known:
            return known[0]
        found = next((one for one in known if one.name == name), None)
        if found is None:
            names = ", ".join(one.name for one in known) or "none"
            asked = f"There is no snapshot {name}" if name else "There is no snapshot"
            raise ReleaseError(f"{asked} of {self.alias} in the repository {self.repository}. Snapshots: {names}.")
        return found

    def restore(
        self,
        name: str | None,
        inverses: Mapping[str, str],
        index_settings: Mapping[str, Any],
        now: datetime,
        watch: Watch,
    ) -> str:
        """Publish the release of a snapshot, the newest one if none is named; return its index.

        A release that still stands whole under its name is published as it is. `inverses` are the names of edges seen
        from their other ends, `index_settings` what may differ from cluster to cluster.
        """
        self._register(writing=False)
        found = self._named(name)
        if found.state != "SUCCESS":
            raise ReleaseError(f"{found.name} is not whole ({found.state}). Choose another: `akg snapshot list`.")
        desk = Releases(self.client, self.alias)
        desk.clear_remains()
        if not self._stands(desk, found.name, inverses):
            aside = f"{aside_prefix(self.alias)}{now.strftime(STAMP_FORMAT)}"
            try:
                self._fetch(found, aside, index_settings, watch)
                insist(verify(self.client, aside, expected_of(self.client, aside, inverses)))
                self._settle(aside, found, index_settings, watch)
            finally:
                self.client.indices.delete(index=aside, params={"ignore_unavailable": "true"})
        desk.publish(found.name)
        return found.name

    def _stands(self, desk: Releases, index: str, inverses: Mapping[str, str]) -> bool:
        """Whether the release is still there, and right. One that cannot even be asked is not."""
        if index not in {one.index for one in desk.complete()}:
            return False
        try:
            return not verify(self.client, index, expected_of(self.client, index, inverses))
        except TransportError:
            return False

    def _fetch(self, found: Snapshot, aside: str, index_settings: Mapping[str, Any], watch: Watch) -> None:
        body = {
            "indices": found.name,
            "include_global_state": False,
            "include_aliases": False,  # the alias is ours to move, at the end
            "rename_pattern": ".+",
            "rename_replacement": aside,
            "index_settings": dict(index_settings),
        }
        self.client.snapshot.restore(repository=self.repository, snapshot=found.name, body=body, params=PATIENCE)
        self._await(aside, found, watch)

    def _await(self, index: str, found: Snapshot, watch: Watch) -> None:
        """Wait until every primary shard of an index is there. Its colour does not tell while it is being made."""
        still = 0
        while (health := self.client.cluster.health(index=index))["active_primary_shards"] < found.shards:
            still = 0 if health["initializing_shards"] else still + 1
            if still > SEEMS_STUCK:
                raise ReleaseError(f"The engine does not bring {found.name} back; its log says why.")
            watch(self._come(index), found.size_bytes)

    def _come(self, aside: str) -> int:
        shards = self.client.indices.recovery(index=aside).get(aside, {}).get("shards", [])
        return sum(shard["index"]["size"]["recovered_in_bytes"] for shard in shards if shard["primary"])

    def _settle(self, aside: str, found: Snapshot, index_settings: Mapping[str, Any], watch: Watch) -> None:
        """Give a verified release its own name; it is complete only when its stamp is written, last of all."""
        index = found.name
        meta = self.client.indices.get_mapping(index=aside)[aside]["mappings"]["_meta"]
        self.client.indices.put_mapping(index=aside, body={"_meta": {**meta, "complete": False}})
        self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})  # what is left of it is broken
        try:
            settings = {"settings": {"index": dict(index_settings)}}
            self.client.indices.clone(index=aside, target=index, body=settings, params=PATIENCE)
            self._await(index, found, watch)
            self.client.indices.put_mapping(index=index, body={"_meta": meta})
        except BaseException:
            self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})
            raise

    def _register(self, *, writing: bool) -> None:
        """Make the repository known to the engine as the settings say; whoever only reads claims no right to write."""
        try:
            known = self.client.snapshot.get_repository(repository=self.repository)[self.repository]
        except NotFoundError:
            known = None
        wanted = repository_of(self.location)
        if known is not None and (not self.location or _same(known, wanted)):
            if not writing or str(known["settings"].get("readonly", "false")) != "true":
                return
            wanted = {"type": known["type"], "settings": {**known["settings"], "readonly": "false"}}
        elif not writing:
            wanted["settings"]["readonly"] = "true"
        try:
            self.client.snapshot.create_repository(repository=self.repository, body=wanted, params=PATIENCE)
        except TransportError as error:
            if not writing and NO_PLACE_YET in str(error.info):
                return
            raise ReleaseError(_why_not(str(error.info), self.repository)) from None


def repository_of(location: str) -> dict[str, Any]:
    """The engine's description of a repository at this place."""
    if location.startswith("s3://"):
        parts = urlsplit(location)
        path = {"base_path": parts.path.strip("/")} if parts.path.strip("/") else {}
        return {"type": "s3", "settings": {"bucket": parts.netloc, **path}}
    return {"type": "fs", "settings": {"location": location or DEFAULT_FOLDER}}


def _same(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return bool(known["type"] == wanted["type"] and wanted["settings"].items() <= known["settings"].items())


def _why_not(said: str, repository: str) -> str:
    if "repository type [s3] does not exist" in said:
        return NO_S3
    if "path.repo" in said:
        return NO_FOLDER
    return f"The engine cannot use the repository {repository}: {said}"


def _snapshot(found: Mapping[str, Any]) -> Snapshot:
    about = found["metadata"]["akg"]
    return Snapshot(
        name=found["snapshot"],
        state=found["state"],
        taken=found["start_time"],
        alias=about["alias"],
        released=about["released"],
        data_version=about["data_version"],
        synonyms_version=about["synonyms_version"],
        entities=about["entities"],
        size_bytes=about["size_bytes"],
        shards=found["shards"]["total"],
    )
