"""Complete releases: which one a rollback takes, and which ones pruning deletes.

A build of unchanged tables and rules is not an earlier state to return to, nor is a release that never was live.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Release:
    """One complete index: sortable UTC name, versions, and whether the alias points at it, or ever did.

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
    was_live: bool = True

    @staticmethod
    def from_meta(index: str, meta: Mapping[str, Any], size_bytes: int, *, live: bool) -> "Release":
        """Return the release that the `_meta` of an index describes."""
        return Release(
            index=index,
            data_index=meta.get("data_index", index),
            live=live,
            released=meta["released"],
            data_version=meta["data_version"],
            synonyms_version=meta["synonyms_version"],
            entities=sum(meta["counts"]["types"].values()),
            edges=sum(meta["counts"]["edges"].values()) // 2,
            size_bytes=size_bytes,
            was_live=live or meta.get("was_live", True),
        )

    @property
    def versions(self) -> tuple[str, str]:
        """The versions of tables and rules."""
        return self.data_version, self.synonyms_version


def is_complete(index: str, meta: Mapping[str, Any]) -> bool:
    """Return whether an index has a stamp of its own."""
    return bool(meta.get("complete")) and meta.get("index", index) == index


def previous_release(releases: Sequence[Release]) -> Release | None:
    """Return the newest release before the live one that has other tables or rules.

    Releases come newest first. If none is live, all count as earlier.
    """
    live = next((number for number, release in enumerate(releases) if release.live), -1)
    earlier = (release for release in releases[live + 1 :] if release.was_live)
    return next((release for release in earlier if live < 0 or release.versions != releases[live].versions), None)


def surplus_releases(releases: Sequence[Release], keep: int) -> list[Release]:
    """Return the releases beyond the live one and `keep` others; releases come newest first.

    Of releases with the same tables and rules, one counts, and none that equals the live one. Of those that are clones
    of one index and differ only by their rules, one is kept beside the live one. The newest release with other tables
    than those of the live one is always kept.
    """
    live = next((release for release in releases if release.live), None)
    by_versions: dict[tuple[str, str], Release] = {}
    for release in releases:
        if release.was_live and not release.live and (live is None or release.versions != live.versions):
            by_versions.setdefault(release.versions, release)
    candidates: dict[str, Release] = {}
    for release in by_versions.values():
        candidates.setdefault(release.data_index, release)
    kept = list(candidates.values())[:keep]
    changed = [release for release in candidates.values() if live is None or release.data_version != live.data_version]
    if changed and changed[0] not in kept:
        kept[max(keep, 1) - 1 :] = [changed[0]]
    return [release for release in releases if not release.live and release not in kept]
