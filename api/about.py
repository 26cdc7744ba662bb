"""Name, version and notice of the service."""

from schema.json_types import JsonObject
from schema.notice import NOTICE

__all__ = ["NOTICE", "SCRAPING_POLICY", "SERVICE_NAME", "VERSION", "notice"]

SERVICE_NAME = "Accommodation Knowledge Graph"
VERSION = "0.1.0"
SCRAPING_POLICY = "Bulk scraping of the pages is discouraged; use the API and the exports."


def notice(url: str, contact_url: str = "") -> JsonObject:
    """Return what this information is not; `url` leads to advice, `contact_url` to where mistakes are reported."""
    return {"text": NOTICE, "kind": "informational", "url": url} | ({"contact_url": contact_url} if contact_url else {})
