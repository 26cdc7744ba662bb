"""Answers as documents with an address to cite, for the tools `search` and `fetch` of research connectors. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from api import tool_text

if TYPE_CHECKING:
    from collections.abc import Mapping

Body = dict[str, Any]
TEXT = 5_000  # characters of a document, so that its JSON stays as short as the texts of other tools
ENTITY = "akg://entity"


def address(card: Mapping[str, Any], base: str) -> str:
    """Where an entity can be read: under `base`, or as a resource where the service has no address (stdio)."""
    return f"{base}{card['url']}" if base else f"{ENTITY}{card['url']}"


def found(body: Mapping[str, Any], base: str) -> Body:
    """A SearchPage as `search` gives it."""
    cited = [{"id": one["id"], "title": one["name"], "url": address(one, base)} for one in body["results"]]
    return {"results": cited}


def document(body: Mapping[str, Any], base: str) -> Body:
    """A Record as `fetch` gives it."""
    metadata = {
        "type": body["type"],
        "data_version": str(body["provenance"]["data_version"]),
        "licences": "; ".join(f"{one['title']}: {one['licence']}" for one in body["sources"]),
        "notice": body["notice"]["text"],
        **body["external_ids"],
    }
    text = tool_text.entity_text(body, TEXT)
    return {
        "id": body["id"],
        "title": body["name"],
        "text": text,
        "url": address(body, base),
        "metadata": metadata,
    }


def as_json(body: Mapping[str, Any]) -> str:
    """The text half of these tools: the same as JSON."""
    return orjson.dumps(body).decode()
