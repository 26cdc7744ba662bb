"""Results of the tools `search` and `fetch`: documents with an address to cite, for research connectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from api.mcp import text as tool_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schema.json_types import JsonObject

MAX_TEXT = 5_000  # characters of a document, so that its JSON is as short as the texts of other tools
ENTITY = "akg://entity"


def address(card: Mapping[str, Any], base: str) -> str:
    """Return the address of an entity: under `base`, or as a resource if the service has no address (stdio)."""
    return f"{base}{card['url']}" if base else f"{ENTITY}{card['url']}"


def document_hits(body: Mapping[str, Any], base: str) -> JsonObject:
    """Return the result of `search` for a SearchPage."""
    hits = [{"id": card["id"], "title": card["name"], "url": address(card, base)} for card in body["results"]]
    return {"results": hits}


def document(body: Mapping[str, Any], base: str) -> JsonObject:
    """Return the result of `fetch` for a Record."""
    metadata = {
        "type": body["type"],
        "data_version": str(body["provenance"]["data_version"]),
        "licences": "; ".join(f"{source['title']}: {source['licence']}" for source in body["sources"]),
        "notice": body["notice"]["text"],
        **body["external_ids"],
    }
    text = tool_text.entity_text(body, MAX_TEXT)
    return {
        "id": body["id"],
        "title": body["name"],
        "text": text,
        "url": address(body, base),
        "metadata": metadata,
    }


def as_json(body: Mapping[str, Any]) -> str:
    """Return the text content of these tools: the same as JSON."""
    return orjson.dumps(body).decode()
