"""Name, version and notice of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schema.json_types import JsonObject

SERVICE_NAME = "Accommodation Knowledge Graph"
VERSION = "0.1.0"
NOTICE = (
    "For information only. This is not legal, medical or HR advice. Each person and each job is different: "
    "talk with the person, and with someone qualified, before you decide."
)
SCRAPING_POLICY = "Bulk scraping of the pages is discouraged; use the API and the exports."


def notice(url: str) -> JsonObject:
    """Return what this information is not; `url` leads to the full text."""
    return {"text": NOTICE, "kind": "informational", "url": url}
