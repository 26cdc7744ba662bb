"""The releases of one format behind one alias: list, clone, stamp, publish, roll back and delete them.

A release is one index. It is complete when it has a stamp, which is written last: `_meta.complete` and the name of the
index in `_meta.index`. A clone starts with the stamp of its source, and that names another index. An index that a
killed command left has no stamp of its own: no command publishes it, rolls back to it or keeps it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from opensearchpy import NotFoundError, OpenSearch
from opensearchpy.helpers import scan

from indexer.release.bulk import TIMEOUT_SECONDS
from indexer.release.changes import Fingerprints, read_fingerprints
from indexer.release.formats import indices_by_format, no_earlier_release, no_live_release, wrong_format
from schema.document_ids import FINGERPRINTS
from schema.errors import AkgError
from schema.json_types import JsonObject
from schema.release_names import FORMAT_VERSION, TIME_FORMAT, format_of_index, index_alias

KEEP = 2  # releases beside the live one, for rollback
REPLICA_SECONDS = 30  # to wait for the replicas of a new release before it is published
REQUEST_TIMEOUT = 408  # the status of a response to a wait that took too long


class ReleaseError(AkgError):
    """A release could not be built or found; the alias did not change."""


@dataclass(frozen=True, slots=True)
class Release:
    """One complete index: sortable UTC name, versions, and whether the alias points at it.

    `data_index` is the index that was built from the tables: the same one, or for a clone its source.
    """

    index: str
    data_index: str
    live: bool
    released: str
    data_version: str
    synonyms_version: str
    entities: int
    edges: int
    size_bytes: int


def is_complete(index: str, meta: Mapping[str, Any]) -> bool:
    """Return whether an index has a stamp of its own."""
    return bool(meta.get("complete")) and meta.get("index", index) == index


def raise_if_problems(problems: list[str]) -> None:
    """Raise ReleaseError with the problems of an index, if there are any."""
    if problems:
        raise ReleaseError("The new index failed verification:\n" + "\n".join(problems))


def staging_prefix(alias: str) -> str:
    """Return the prefix of the indices that a restore creates; they are not releases."""
    return f"{alias}-aside-"


@dataclass(frozen=True, slots=True)
class Releases:
    """All releases of one format. `alias` is AKG_ALIAS. Releases of other formats are counted, and never changed."""

    client: OpenSearch
    alias: str
    format_version: int = FORMAT_VERSION

    @property
    def index_alias(self) -> str:
        """The index alias of the live release."""
        return index_alias(self.alias, self.format_version)

    def new_name(self, now: datetime) -> str:
        """Return the name of a new index: this second, or after the newest if the clock is slow: names tell order."""
        existing = indices_by_format(self.client, self.alias).get(self.format_version, ())
        if newest := max((index.rpartition("-")[2] for index in existing), default=None):
            now = max(now, datetime.strptime(newest, TIME_FORMAT).replace(tzinfo=UTC) + timedelta(seconds=1))
        return f"{self.index_alias}-{now.strftime(TIME_FORMAT)}"

    def other_formats(self) -> dict[int, list[str]]:
        """Return the indices of releases of other formats, by format."""
        by_format = indices_by_format(self.client, self.alias)
        return {number: indices for number, indices in by_format.items() if number != self.format_version}

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
        settings = {f"index.analysis.filter.{name}": body for name, body in filters.items()} | dict(
            index_settings or {}
        )
        timeout = {"request_timeout": TIMEOUT_SECONDS}
        try:
            self.client.indices.clone(index=source, target=index, body={"settings": settings}, params=timeout)
            self._wait_for_shards(index)
            self.client.indices.put_mapping(index=index, body={"_meta": {**meta, "index": source}})
        except BaseException:
            self.discard(index)
            raise
        return index

    def _wait_for_shards(self, index: str) -> None:
        timeout = {"timeout": f"{TIMEOUT_SECONDS // 2}s", "request_timeout": TIMEOUT_SECONDS}
        health = self.client.cluster.health(index=index, params={"wait_for_status": "yellow", **timeout})
        if health["timed_out"] or health["status"] == "red":
            raise ReleaseError(f"The shards of {index} did not start. Check the cluster with `akg status`.")

    def discard(self, index: str) -> None:
        """Delete an index that did not become a release."""
        self._delete([index])

    def stamp(self, index: str, meta: Mapping[str, Any], now: datetime) -> None:
        """Write-protect the index, then mark it complete: a release never changes."""
        stamp = {
            "released": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "index": index,
            "complete": True,
            "format": self.format_version,
        }
        self.client.indices.put_settings(index=index, body={"index.blocks.write": True})
        self.client.indices.put_mapping(index=index, body={"_meta": {"data_index": index, **meta, **stamp}})

    def publish(self, index: str) -> None:
        """Wait for the replicas of this index, then point the alias only at it, in one atomic request."""
        timeout = {"timeout": f"{REPLICA_SECONDS}s", "ignore": REQUEST_TIMEOUT, "request_timeout": TIMEOUT_SECONDS}
        self.client.cluster.health(index=index, params={"wait_for_no_initializing_shards": "true", **timeout})
        actions: list[JsonObject] = [
            {"remove": {"index": live, "alias": self.index_alias}} for live in self.live_indices() if live != index
        ]
        add = {"add": {"index": index, "alias": self.index_alias}}
        self.client.indices.update_aliases(body={"actions": [*actions, add]})

    def live_indices(self) -> list[str]:
        """Return the indices behind the alias: none before the first release, else one."""
        try:
            return sorted(self.client.indices.get_alias(index=f"{self.index_alias}-*", name=self.index_alias))
        except NotFoundError:
            return []

    def live_metadata(self) -> Mapping[str, Any] | None:
        """Return the live release's `_meta`, or None before the first release."""
        live = self.live_indices()
        if not live:
            return None
        if len(live) > 1:
            raise ReleaseError(
                f"{self.index_alias} points at several indices: {', '.join(live)}. Roll back to one of them."
            )
        return self.metadata(live[0])

    def live_index(self) -> str:
        """Return the live release. Raise ReleaseError if there is none."""
        if self.live_metadata() is None:
            raise ReleaseError(no_live_release(self.other_formats()))
        return self.live_indices()[0]

    def metadata(self, index: str) -> Mapping[str, Any]:
        """Return the `_meta` of an index."""
        meta: Mapping[str, Any] = self.client.indices.get_mapping(index=index)[index]["mappings"].get("_meta", {})
        return meta

    def metadata_by_index(self) -> dict[str, Mapping[str, Any]]:
        """Return the `_meta` of every index that is named like a release of this format, closed ones included."""
        mappings = self.client.indices.get_mapping(index=f"{self.index_alias}-*", params={"expand_wildcards": "all"})
        return {
            index: body["mappings"].get("_meta", {})
            for index, body in mappings.items()
            if format_of_index(self.alias, index) == self.format_version
        }

    def complete_releases(self) -> list[Release]:
        """Return every complete release, newest first."""
        live = set(self.live_indices())
        complete = [
            (index, meta)
            for index, meta in self.metadata_by_index().items()
            if is_complete(index, meta) and meta.get("format", 0) == self.format_version
        ]
        if not complete:
            return []
        stats = self.client.indices.stats(index=f"{self.index_alias}-*", metric="store")["indices"]
        return [
            Release(
                index=index,
                data_index=meta.get("data_index", index),
                live=index in live,
                released=meta["released"],
                data_version=meta["data_version"],
                synonyms_version=meta["synonyms_version"],
                entities=sum(meta["counts"]["types"].values()),
                edges=sum(meta["counts"]["edges"].values()) // 2,
                size_bytes=stats.get(index, {}).get("primaries", {}).get("store", {}).get("size_in_bytes", 0),
            )
            for index, meta in sorted(complete, reverse=True)
        ]

    def fingerprints(self, index: str) -> Fingerprints:
        """Return the fingerprints of a release; empty if an early version built it without any."""
        return read_fingerprints(body for _, body in self.stored_documents(index, FINGERPRINTS))

    def stored_documents(self, index: str, kind: str) -> Iterator[tuple[str, JsonObject]]:
        """Yield `_id` and body of the few large documents of a kind that a release stores about itself."""
        body = {"query": {"term": {"doc": kind}}}
        for hit in scan(self.client, index=index, query=body, size=1, request_timeout=TIMEOUT_SECONDS):
            yield hit["_id"], hit["_source"]

    def rollback(self, index: str | None = None) -> str:
        """Point the alias at this release, or at the one before the live one; return its index."""
        if index is None:
            releases = self.complete_releases()
            live = next((number for number, release in enumerate(releases) if release.live), -1)
            if live + 1 >= len(releases):
                raise ReleaseError(no_earlier_release(self.other_formats()))
            index = releases[live + 1].index
        self.require_complete(index)
        self.publish(index)
        return index

    def require_complete(self, index: str) -> str:
        """Return the name of a complete release. Raise ReleaseError that lists them if it is not one."""
        format_version = format_of_index(self.alias, index)
        if format_version not in {None, self.format_version}:
            raise ReleaseError(wrong_format(index, format_version))
        names = [release.index for release in self.complete_releases()]
        if index not in names:
            raise ReleaseError(f"{index} is not a complete release. Complete releases: {', '.join(names) or 'none'}.")
        return index

    def prune(self, keep: int = KEEP) -> list[str]:
        """Delete the oldest complete releases, except the live one and `keep` others; return what was deleted.

        Of releases with the same tables, which differ only by their rules, it keeps one beside the live one.
        """
        kept_data: set[str] = set()
        surplus = []
        for release in self.complete_releases():
            if release.live:
                continue
            if release.data_index in kept_data or len(kept_data) >= keep:
                surplus.append(release.index)
            else:
                kept_data.add(release.data_index)
        return self._delete(surplus)

    def delete_all(self) -> list[str]:
        """Delete every release of this format and what killed commands left of it; return what was deleted."""
        staging = sorted(self.client.indices.get_mapping(index=f"{staging_prefix(self.index_alias)}*"))
        return self._delete([*staging, *indices_by_format(self.client, self.alias).get(self.format_version, ())])

    def delete_leftovers(self) -> list[str]:
        """Delete what killed commands left: staging indices of a restore, and indices without a stamp of their own."""
        # The last request of a killed command may still run: its clone would appear after the deletion.
        timeout = {"timeout": f"{TIMEOUT_SECONDS // 2}s", "ignore": REQUEST_TIMEOUT, "request_timeout": TIMEOUT_SECONDS}
        self.client.cluster.health(params={"wait_for_events": "languid", **timeout})
        live = set(self.live_indices())
        staging = sorted(self.client.indices.get_mapping(index=f"{staging_prefix(self.index_alias)}*"))
        incomplete = [
            index
            for index, meta in self.metadata_by_index().items()
            if index not in live and not is_complete(index, meta)
        ]
        return self._delete([*staging, *incomplete])

    def _delete(self, indices: list[str]) -> list[str]:
        for index in indices:
            self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})
        return indices
