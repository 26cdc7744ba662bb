"""The stored releases of one format behind one alias: which there are, which is live, and what each says about itself.

A release is one index. It is complete when it has a stamp, which is written last: `_meta.complete` and the name of the
index in `_meta.index`. A clone starts with the stamp of its source, and that names another index. An index that a
killed command left has no stamp of its own: no command publishes it, rolls back to it or keeps it. `_meta.was_live` is
written when the alias points at the release: one that never went live is no earlier release. Releases of older versions
of the program lack the field, and count as having been live.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.helpers import scan

from indexer.release.bulk import TIMEOUT_SECONDS
from indexer.release.changes import Fingerprints, read_fingerprints
from indexer.release.formats import indices_by_format, no_live_release, wrong_format
from indexer.release.live_alias import LiveAlias
from indexer.release.retention import Release, is_complete
from schema.document_ids import FINGERPRINTS
from schema.errors import AkgError
from schema.json_types import JsonObject
from schema.release_names import FORMAT_VERSION, format_of_index, index_alias
from schema.text import join_names, nearest

MAX_LISTED = 5  # releases in a message


class ReleaseError(AkgError):
    """A release could not be built or found; the alias did not change."""


def raise_if_problems(problems: list[str]) -> None:
    """Raise ReleaseError with the problems of an index, if there are any."""
    if problems:
        raise ReleaseError("The new index failed verification:\n" + "\n".join(problems))


@dataclass(frozen=True, slots=True)
class StoredReleases:
    """All releases of one format. `alias` is AKG_ALIAS. Releases of other formats are counted, and never changed."""

    client: OpenSearch
    alias: str
    format_version: int = FORMAT_VERSION

    @property
    def index_alias(self) -> str:
        """The index alias of the live release."""
        return index_alias(self.alias, self.format_version)

    @property
    def live_alias(self) -> LiveAlias:
        """The index alias, to read and move it."""
        return LiveAlias(self.client, self.index_alias)

    def other_formats(self) -> dict[int, list[str]]:
        """Return the indices of releases of other formats, by format."""
        by_format = indices_by_format(self.client, self.alias)
        return {number: indices for number, indices in by_format.items() if number != self.format_version}

    def live_indices(self) -> list[str]:
        """Return the indices behind the alias: none before the first release, else one."""
        return self.live_alias.indices()

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
            Release.from_meta(index, meta, _store_bytes(stats, index), live=index in live)
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

    def require_complete(self, index: str) -> str:
        """Return the name of a complete release. Raise ReleaseError that lists them if it is not one."""
        format_version = format_of_index(self.alias, index)
        if format_version not in {None, self.format_version}:
            raise ReleaseError(wrong_format(index, format_version))
        names = [release.index for release in self.complete_releases()]
        if index not in names:
            similar = f" Nearest: {nearest(index, names, 0)}." if names else ""
            listed = join_names(names, MAX_LISTED) if names else "none"
            raise ReleaseError(f"{index} is not a complete release.{similar} Complete releases: {listed}.")
        return index


def _store_bytes(stats: Mapping[str, Any], index: str) -> int:
    return int(stats.get(index, {}).get("primaries", {}).get("store", {}).get("size_in_bytes", 0))
