"""Request → OpenSearch body where nothing is ranked: documents by what they are called. Pure."""

from __future__ import annotations

from typing import Any

Body = dict[str, Any]


def moved_body(*retired: str) -> Body:
    """Where retired ids went."""
    wanted = [{"term": {"doc": "moved"}}, {"ids": {"values": list(retired)}}]
    return {"size": len(retired), "query": {"bool": {"filter": wanted}}}
