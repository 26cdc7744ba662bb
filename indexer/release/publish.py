"""Builds and publishes a release: create or clone, fill, verify, stamp, swap the alias, prune.

A build that is killed at any moment leaves the alias as it was; the next one deletes what it left.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from opensearchpy import ConnectionError, OpenSearch, TransportError  # noqa: A004 - that of the client

from indexer.release.bulk import (
    BaseRelease,
    IndexInput,
    RejectedDocumentError,
    encode_documents,
    fill,
    merge,
    read_digests,
)
from indexer.release.live_alias import published
from indexer.release.parallel import run_in_daemon_thread
from indexer.release.plan import ReleasePlan
from indexer.release.releases import Releases
from indexer.release.retention import is_complete
from indexer.release.stored_releases import ReleaseError, raise_if_problems
from indexer.release.verify import Expected, verify
from schema.document_ids import DIGESTS

PROGRESS_SECONDS = 5  # between two calls of `on_progress` during a merge


class CloneError(ReleaseError):
    """OpenSearch cannot clone the base of an incremental build; a build from scratch needs no base."""


def publish_release(
    releases: Releases,
    plan: ReleasePlan,
    now: datetime,
    on_progress: Callable[[int], None],
    index_input: IndexInput | None = None,
) -> str:
    """Build, verify and publish one release; return its index. Raise CloneError if its base cannot be cloned.

    `index_input` has the encoded documents of the plan; by default they are built here. `on_progress` gets the number
    of documents that are done, and 0 during long waits.
    """
    releases.delete_leftovers()
    index_input = index_input or IndexInput(encode_documents(plan.documents))
    index = _create_index(releases, plan, index_input.base, now)
    try:
        _fill_and_verify(releases.client, index, index_input, plan.expected, on_progress)
        if index_input.base:  # replicas copy merged segments; earlier copies would each be merged differently
            settings = plan.body["settings"]["index"]
            replicas = {f"index.{name}": settings[name] for name in ("number_of_replicas", "auto_expand_replicas")}
            releases.client.indices.put_settings(index=index, body=replicas)
        releases.stamp(index, plan.meta, now)
        releases.check_lease("nothing was published")
    except BaseException:
        releases.discard(index)
        raise
    replaced = releases.live_indices()
    try:
        releases.publish(index)
    except BaseException:
        releases.discard_unless_live(index)
        raise
    with published(index):
        releases.prune_after_publication(replaced)
    return index


@contextmanager
def trial_release(
    releases: Releases, plan: ReleasePlan, now: datetime, on_progress: Callable[[int], None], index_input: IndexInput
) -> Iterator[str]:
    """Build and verify a release that is not published; yield its index, and delete it at the end.

    Its stamp names no index, so that the next command deletes what a killed one leaves. Raise CloneError as
    `publish_release` does.
    """
    index = _create_index(releases, plan, index_input.base, now)
    try:
        _fill_and_verify(releases.client, index, index_input, plan.expected, on_progress)
        stamp = {"released": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "complete": True, "index": ""}
        meta = {**plan.meta, **stamp}
        releases.client.indices.put_mapping(index=index, body={"_meta": meta})
        yield index
    finally:
        releases.discard(index)


def _create_index(releases: Releases, plan: ReleasePlan, base: BaseRelease | None, now: datetime) -> str:
    """Create an index without a stamp: empty, or a clone of the base."""
    if base is None:
        index = releases.new_name(now)
        releases.client.indices.create(index=index, body=dict(plan.body))
        return index
    rules = plan.body["settings"]["analysis"]["filter"]["rules"]
    writable = {"index.number_of_replicas": 0, "index.auto_expand_replicas": "false", "index.blocks.write": False}
    try:
        return releases.clone(base.index, {}, {"rules": rules}, now, writable)
    except ConnectionError:
        raise
    except (ReleaseError, TransportError) as error:
        raise CloneError(f"OpenSearch could not clone {base.index}: {error}") from error


def _fill_and_verify(
    client: OpenSearch,
    index: str,
    index_input: IndexInput,
    expected: Expected,
    on_progress: Callable[[int], None],
) -> None:
    """Fill the index, verify and merge it. Raise ReleaseError if it is not as expected."""
    try:
        result = fill(client, index, index_input, on_progress)
    except RejectedDocumentError as error:
        raise ReleaseError(str(error)) from error
    raise_if_problems(result.problems)
    # A merge changes nothing that the verification reads. It may take an hour: after Ctrl-C nothing waits for it, and
    # the deletion of the index stops it.
    tasks = [run_in_daemon_thread(partial(verify, client, index, expected))]
    # Searches never return metadata documents: it does not matter in which segment they are.
    if result.has_changes:
        tasks.append(run_in_daemon_thread(partial(merge, client, index)))
    while wait(tasks, PROGRESS_SECONDS).not_done:
        on_progress(0)
    raise_if_problems([problem for task in tasks for problem in task.result()])
    client.indices.flush(index=index)  # a bulk request does not sync the translog
    # Clones and replicas copy the last synced commit: the second flush makes sure that it is this one.
    client.indices.flush(index=index, params={"force": "true", "wait_if_ongoing": "true"})


def find_base_release(releases: Releases, plan: ReleasePlan) -> BaseRelease | None:
    """Return the live release if a build of this plan can clone it.

    It must have been built with the same version of OpenSearch, mapping, settings and number of shards, by a program
    that builds the same documents.
    """
    meta = releases.live_metadata()
    if meta is None or not all(meta.get(name) and meta[name] == plan.meta.get(name) for name in ("shape", "engine")):
        return None
    (live,) = releases.live_indices()
    settings = releases.client.indices.get_settings(index=live, name="index.number_of_shards")
    same_shards = settings[live]["settings"]["index"]["number_of_shards"] == str(plan.shards)
    if not same_shards or not is_complete(live, meta):
        return None
    digests = read_digests(releases.stored_documents(live, DIGESTS))
    return BaseRelease(live, digests) if digests else None


def opensearch_version(client: OpenSearch) -> str:
    """Return the version of the cluster."""
    return str(client.info()["version"]["number"])
