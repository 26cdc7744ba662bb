"""Create or clone → fill → verify → stamp → swap → prune: the only file that writes entity indices.

A release is one index. Until its stamp is written, last of all, nothing publishes it, rolls back to it or keeps it: a
build that is killed at any moment leaves the alias as it was, and the next one clears up. The stamp is `_meta.complete`
together with the index's own name: a clone is born with the stamp of its source, and that one names another index.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from opensearchpy import ConnectionError, NotFoundError, TransportError  # noqa: A004 - that of the engine
from opensearchpy.helpers import scan

from indexer.bulk import ENGINE_SECONDS, RefusedError
from indexer.encoding import Filling, encoded
from indexer.filling import fill, merge
from indexer.ledger import LEDGER, kept_ledger
from indexer.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from opensearchpy import OpenSearch

    from indexer.encoding import Base
    from indexer.ledger import Ledger
    from indexer.verify import Expected

STAMP_FORMAT = "%Y%m%dt%H%M%Sz"  # sorts by time; OpenSearch wants lower case
STAMPED = re.compile(r"\d{8}t\d{6}z")
KEEP = 2  # releases kept beside the live one, for rollback
BEAT_SECONDS = 5  # between two words to who waits for a merge
COPY_SECONDS = 30  # for the copies of a new release to be there before it is published
TIMED_OUT = 408  # the status of an answer about a wait that was too short


class ReleaseError(Exception):
    """A release could not be built or found; the alias is as it was."""


class NotCopiedError(ReleaseError):
    """The engine does not copy the release from which a build takes over; one from scratch needs no copy."""


@dataclass(frozen=True, slots=True)
class Release:
    """One complete index: sortable UTC name, versions, and whether the alias points at it.

    `data_index` is the index that was built from the tables: itself, or for a clone the one it comes from.
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


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build needs to know: the index body, the documents, what must be true of them, and the `_meta`."""

    body: Mapping[str, Any]
    documents: Iterable[tuple[str, dict[str, Any]]]
    expected: Expected
    meta: Mapping[str, Any]

    @property
    def shards(self) -> int:
        """Of the index."""
        return int(self.body["settings"]["index"]["number_of_shards"])


def _places(plan: Plan) -> dict[str, Any]:
    """How many copies there should be."""
    index = plan.body["settings"]["index"]
    return {f"index.{name}": index[name] for name in ("number_of_replicas", "auto_expand_replicas")}


def stamped(index: str, meta: Mapping[str, Any]) -> bool:
    """Whether an index is complete: it carries a stamp, and that is its own."""
    return bool(meta.get("complete")) and meta.get("index", index) == index


def insist(problems: list[str]) -> None:
    """Raise ReleaseError with what is wrong with an index, if anything is."""
    if problems:
        raise ReleaseError("The new index is not right:\n" + "\n".join(problems))


def aside_prefix(alias: str) -> str:
    """How the names of indices begin that a restore fetches; they are no releases."""
    return f"{alias}-aside-"


@dataclass(frozen=True, slots=True)
class Releases:
    """All releases behind one alias of one engine."""

    client: OpenSearch
    alias: str

    def build(self, plan: Plan, now: datetime, on_sent: Callable[[int], None], filling: Filling | None = None) -> str:
        """Build, verify and publish one release; return its index name. `on_sent` hears how many documents went.

        `filling` is what the documents of the plan were made into; without it they are all made and sent here.
        NotCopiedError where it has a base that the engine does not copy. Beside long waits `on_sent` hears of 0.
        """
        self.clear_remains()
        filling = filling or Filling(encoded(plan.documents))
        index = self._begun(plan, filling.base, now)
        try:
            self._fill(index, filling, plan.expected, on_sent)
            if filling.base:  # copies are made of what is merged, else they would be merged each in its own way
                self.client.indices.put_settings(index=index, body=_places(plan))
            self.stamp(index, plan.meta, now)
        except BaseException:
            self.discard(index)
            raise
        self.publish(index)
        self.prune()
        return index

    def _fill(self, index: str, filling: Filling, expected: Expected, on_sent: Callable[[int], None]) -> None:
        """Fill the index and bring it into its last form; ReleaseError where it is not what was meant."""
        try:
            filled = fill(self.client, index, filling, on_sent)
        except RefusedError as error:
            raise ReleaseError(str(error)) from error
        insist(filled.problems)
        with ThreadPoolExecutor(2) as pool:  # merging changes nothing of what is looked at
            under_way = [pool.submit(verify, self.client, index, expected)]
            # What a release says of itself alone is not searched: no answer depends on where it lies.
            if filled.differs:
                under_way.append(pool.submit(merge, self.client, index))
            while wait(under_way, BEAT_SECONDS).not_done:
                on_sent(0)
            insist([problem for one in under_way for problem in one.result()])
        self.client.indices.flush(index=index)  # the translog is not synced at each bulk, so all is synced here
        # Copies are made of the last commit that was synced when it was made: that is this one, not the one before.
        self.client.indices.flush(index=index, params={"force": "true", "wait_if_ongoing": "true"})

    def _begun(self, plan: Plan, base: Base | None, now: datetime) -> str:
        """A new index without a stamp: empty, or with all documents of the base."""
        if base is None:
            index = self._free_name(now)
            self.client.indices.create(index=index, body=dict(plan.body))
            return index
        rules = plan.body["settings"]["analysis"]["filter"]["rules"]
        alone = {"index.number_of_replicas": 0, "index.auto_expand_replicas": "false", "index.blocks.write": False}
        try:
            index = self.clone(base.index, {}, {"rules": rules}, now, alone)
        except ConnectionError:
            raise
        except (ReleaseError, TransportError) as error:
            raise NotCopiedError(f"The engine does not copy {base.index}: {error}") from error
        return index

    def _free_name(self, now: datetime) -> str:
        """The name of a new index: this second, or the one after the newest where a clock is slow: names tell order."""
        known = self.client.indices.get_alias(index=f"{self.alias}-*", params={"expand_wildcards": "all"})
        stamps = [name[len(self.alias) + 1 :] for name in known]
        if newest := max(filter(STAMPED.fullmatch, stamps), default=None):
            now = max(now, datetime.strptime(newest, STAMP_FORMAT).replace(tzinfo=UTC) + timedelta(seconds=1))
        return f"{self.alias}-{now.strftime(STAMP_FORMAT)}"

    def clone(
        self,
        source: str,
        meta: Mapping[str, Any],
        filters: Mapping[str, Any],
        now: datetime,
        others: Mapping[str, Any] | None = None,
    ) -> str:
        """Copy a release under a new name, with other token filters and settings and another `_meta`; return the name.

        The files are shared where the disk can do that, so the size of the index hardly matters. The copy carries no
        stamp of its own: `discard` it, or `stamp` it when it is verified.
        """
        index = self._free_name(now)
        if self.meta_of(source).get("index") != source:
            raise ReleaseError(
                f"{source} was built by an older version. Build once with `akg index build`, then try again."
            )
        try:
            patience = {"request_timeout": ENGINE_SECONDS}
            settings = {f"index.analysis.filter.{name}": body for name, body in filters.items()} | dict(others or {})
            self.client.indices.clone(index=source, target=index, body={"settings": settings}, params=patience)
            self._wait_for_shards(index)
            self.client.indices.put_mapping(index=index, body={"_meta": {**meta, "index": source}})
        except BaseException:
            self.discard(index)
            raise
        return index

    def _wait_for_shards(self, index: str) -> None:
        params = {"wait_for_status": "yellow", "timeout": f"{ENGINE_SECONDS // 2}s", "request_timeout": ENGINE_SECONDS}
        health = self.client.cluster.health(index=index, params=params)
        if health["timed_out"] or health["status"] == "red":
            raise ReleaseError(f"The shards of {index} do not start; `akg status` tells how the engine is.")

    def discard(self, index: str) -> None:
        """Delete an index that did not become a release."""
        self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})

    def stamp(self, index: str, meta: Mapping[str, Any], now: datetime) -> None:
        """Write-protect the index, then mark it complete: a release never changes."""
        own = {"released": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "index": index, "complete": True}
        self.client.indices.put_settings(index=index, body={"index.blocks.write": True})
        self.client.indices.put_mapping(index=index, body={"_meta": {"data_index": index, **meta, **own}})

    def publish(self, index: str) -> None:
        """Point the alias at this index and at nothing else, in one atomic call, when its copies are there."""
        patience = {"wait_for_no_initializing_shards": "true", "timeout": f"{COPY_SECONDS}s", "ignore": TIMED_OUT}
        self.client.cluster.health(index=index, params={**patience, "request_timeout": ENGINE_SECONDS})
        actions: list[dict[str, Any]] = [
            {"remove": {"index": old, "alias": self.alias}} for old in self.live_indices() if old != index
        ]
        add = {"add": {"index": index, "alias": self.alias}}
        self.client.indices.update_aliases(body={"actions": [*actions, add]})

    def live_indices(self) -> list[str]:
        """The indices behind the alias: none before the first release, else one."""
        try:
            return sorted(self.client.indices.get_alias(index=f"{self.alias}-*", name=self.alias))
        except NotFoundError:
            return []

    def live_meta(self) -> Mapping[str, Any] | None:
        """The live release's `_meta`, or None before the first release."""
        live = self.live_indices()
        if not live:
            return None
        if len(live) > 1:
            raise ReleaseError(f"{self.alias} points at several indices: {', '.join(live)}. Roll back to one of them.")
        return self.meta_of(live[0])

    def live_index(self) -> str:
        """The live release; ReleaseError where there is none."""
        if self.live_meta() is None:
            raise ReleaseError("No release is live yet. Build one with `akg index build`.")
        return self.live_indices()[0]

    def meta_of(self, index: str) -> Mapping[str, Any]:
        """What an index says of itself."""
        meta: Mapping[str, Any] = self.client.indices.get_mapping(index=index)[index]["mappings"].get("_meta", {})
        return meta

    def complete(self) -> list[Release]:
        """Every complete release, newest first."""
        live = set(self.live_indices())
        found = [(index, meta) for index, meta in self.metas().items() if stamped(index, meta)]
        if not found:
            return []
        stats = self.client.indices.stats(index=f"{self.alias}-*", metric="store")["indices"]
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
            for index, meta in sorted(found, reverse=True)
        ]

    def ledger(self, index: str) -> Ledger:
        """What a release keeps of itself to be compared by; empty where it was built before releases kept that."""
        return kept_ledger(hit["_source"] for hit in self.kept(index, LEDGER))

    def kept(self, index: str, doc: str) -> Iterator[dict[str, Any]]:
        """The few large documents of a kind that a release keeps about itself."""
        body = {"query": {"term": {"doc": doc}}}
        found: Iterator[dict[str, Any]] = scan(
            self.client, index=index, query=body, size=1, request_timeout=ENGINE_SECONDS
        )
        return found

    def metas(self) -> dict[str, Mapping[str, Any]]:
        """`_meta` of every index that is named like a release of this alias, closed ones included."""
        found = self.client.indices.get_mapping(index=f"{self.alias}-*", params={"expand_wildcards": "all"})
        named = {index: body for index, body in found.items() if STAMPED.fullmatch(index[len(self.alias) + 1 :])}
        return {index: body["mappings"].get("_meta", {}) for index, body in named.items()}

    def rollback(self, to: str | None = None) -> str:
        """Point the alias at the release before the live one, or at the one named; return its index."""
        known = self.complete()
        if to is None:
            live = next((place for place, release in enumerate(known) if release.live), -1)
            if live + 1 >= len(known):
                raise ReleaseError("There is no earlier complete release to go back to.")
            to = known[live + 1].index
        to = self.named(to)
        self.publish(to)
        return to

    def named(self, index: str) -> str:
        """The name of a complete release; ReleaseError lists them where it is none."""
        known = [release.index for release in self.complete()]
        if index not in known:
            raise ReleaseError(f"{index} is not a complete release. Complete releases: {', '.join(known) or 'none'}.")
        return index

    def prune(self, keep: int = KEEP) -> list[str]:
        """Delete the oldest complete releases beyond the live one and `keep` others; return what went.

        Of the releases with the same tables, which differ by their rules only, one is kept beside the live one.
        """
        kept: set[str] = set()
        gone = []
        for release in self.complete():
            if release.live:
                continue
            if release.data_index in kept or len(kept) >= keep:
                gone.append(release.index)
            else:
                kept.add(release.data_index)
        return self._delete(gone)

    def clear_remains(self) -> list[str]:
        """Delete what killed commands left: what a restore fetched, and indices without a stamp of their own."""
        # What a killed command asked for last may still be under way: a clone would appear after all was cleared.
        patience = {"wait_for_events": "languid", "timeout": f"{ENGINE_SECONDS // 2}s", "ignore": TIMED_OUT}
        self.client.cluster.health(params={**patience, "request_timeout": ENGINE_SECONDS})
        live = set(self.live_indices())
        metas = self.metas().items()
        aside = sorted(self.client.indices.get_mapping(index=f"{aside_prefix(self.alias)}*"))
        for index in aside:
            self.client.indices.delete(index=index)
        return [*aside, *self._delete([one for one, meta in metas if one not in live and not stamped(one, meta)])]

    def _delete(self, indices: list[str]) -> list[str]:
        for index in indices:
            self.client.indices.delete(index=index, params={"ignore_unavailable": "true"})
        return indices
