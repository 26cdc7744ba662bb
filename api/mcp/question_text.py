"""Text of what a question was read as, and of the guides that it names; guides as documents of `search` and `fetch`."""

from collections.abc import Mapping
from typing import Any

from schema.json_types import JsonObject

MAX_SHOWN = 5
GUIDE_ID, GUIDES = "guide:", "akg://guides/"  # guides are no entities; `search` and `fetch` name them like one


def guide_lines(body: Mapping[str, Any]) -> list[str]:
    """Return the guides that a query names, each with its first sentence; one for a crisis comes first, in full."""
    return [f"Guide: {guide['title']} [akg://guides/{guide['id']}]: {guide['summary']}" for guide in body["guides"]]


def understood_lines(reading: Mapping[str, Any] | None) -> list[str]:
    """Return what a question was read as, what was dropped, and what was not understood."""
    if reading is None:
        return []
    read = [f"‘{part['text']}’ as {part['role']}" + _read_entity(part) for part in reading["parts"]]
    dropped = [f"‘{part['text']}’: {part['reason']}" for part in reading["dropped"]]
    unused = [f"‘{word}’" for word in reading["unused"]]
    return [
        *([f"Understood: {'; '.join(read)}."] if read else []),
        *([f"Dropped: {' '.join(dropped)}"] if dropped else []),
        *([f"Not understood: {', '.join(unused[: 2 * MAX_SHOWN])}."] if unused else []),
    ]


def _read_entity(part: Mapping[str, Any]) -> str:
    others = [card["name"] for card in part["alternatives"][:MAX_SHOWN]]
    entity = part["entity"]
    name = f" {entity['name']} [{entity['id']}]" if entity else ""
    return name + (f" (or {', '.join(others)})" if others else "")


def guide_address(guide: Mapping[str, Any], base: str) -> str:
    """Return the address of a guide, as that of an entity."""
    return f"{base}{guide['url']}" if base else f"{GUIDES}{guide['id']}"


def guide_document(body: Mapping[str, Any], base: str) -> JsonObject:
    """Return the result of `fetch` for a Guide."""
    links = "\n".join(f"{link['title']} ({link['publisher']}): {link['url']}" for link in body["links"])
    return {
        "id": f"{GUIDE_ID}{body['id']}",
        "title": body["title"],
        "text": f"{body['text']}\n{body['about']}\n{links}",
        "url": guide_address(body, base),
        "metadata": {
            "type": "guide",
            "data_version": str(body["provenance"]["data_version"]),
            "checked": body["checked"],
            "notice": body["notice"]["text"],
        },
        "provenance": body["provenance"],
        "notice": body["notice"],
    }
