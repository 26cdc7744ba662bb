"""Which release a build can copy, so that it has to send only what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.encoding import DIGESTS, Base, kept_digests
from indexer.release import stamped

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

    from indexer.release import Plan, Releases


def base_of(desk: Releases, plan: Plan) -> Base | None:
    """The live release, where a build of this plan can take documents over from it.

    It must have been built by this version of the engine, into the same fields, settings and number of shards, by a
    program that writes the same documents.
    """
    meta = desk.live_meta()
    if meta is None or not all(meta.get(name) and meta[name] == plan.meta.get(name) for name in ("shape", "engine")):
        return None
    (live,) = desk.live_indices()
    settings = desk.client.indices.get_settings(index=live, name="index.number_of_shards")
    same = settings[live]["settings"]["index"]["number_of_shards"] == str(plan.shards)
    if not same or not stamped(live, meta):
        return None
    digests = kept_digests((hit["_id"], hit["_source"]) for hit in desk.kept(live, DIGESTS))
    return Base(live, digests) if digests else None


def version_of(client: OpenSearch) -> str:
    """The version of the engine."""
    return str(client.info()["version"]["number"])
