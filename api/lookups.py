"""Request → OpenSearch body where nothing is ranked: documents by what they are called. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.queries import CARD

if TYPE_CHECKING:
    from collections.abc import Sequence

Body = dict[str, Any]


def moved_body(*retired: str) -> Body:
    """Where retired ids went."""
    wanted = [{"term": {"doc": "moved"}}, {"ids": {"values": list(retired)}}]
    return {"size": len(retired), "query": {"bool": {"filter": wanted}}}


def batch_body(type_name: str, given: Sequence[str]) -> Body:
    """The cards of all entities of a type that are called so by id, key or slug."""
    wanted = [{"term": {"doc": "entity"}}, {"term": {"type": type_name}}, {"terms": {"ids": list(given)}}]
    return {"size": len(given), "_source": False, "docvalue_fields": CARD, "query": {"bool": {"filter": wanted}}}


def cards_body(*ids: str) -> Body:
    """The cards of entities by their full ids."""
    wanted = [{"term": {"doc": "entity"}}, {"ids": {"values": list(ids)}}]
    return {"size": len(ids), "_source": False, "docvalue_fields": CARD, "query": {"bool": {"filter": wanted}}}
