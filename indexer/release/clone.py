"""Finds the release that an incremental build can clone, so that it sends only what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.release.encoding import BaseRelease, read_digests
from indexer.release.releases import is_complete
from schema.document_ids import DIGESTS

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

    from indexer.release.plan import ReleasePlan
    from indexer.release.releases import Releases


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
    digests = read_digests((hit["_id"], hit["_source"]) for hit in releases.stored_documents(live, DIGESTS))
    return BaseRelease(live, digests) if digests else None


def opensearch_version(client: OpenSearch) -> str:
    """Return the version of the cluster."""
    return str(client.info()["version"]["number"])
