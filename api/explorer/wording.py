"""What the pages call things: types, bases, settings, ways of matching, in words that people use. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ONE = {
    "disability": "Condition",
    "limitation": "Limitation",
    "workrelatedfunction": "Work-related function",
    "solution": "Accommodation",
    "product": "Product",
    "vendor": "Vendor",
    "occupation": "Occupation",
    "ability": "Ability",
}
MANY = {
    "disability": "Conditions",
    "limitation": "Limitations",
    "workrelatedfunction": "Work-related functions",
    "solution": "Accommodations",
    "product": "Products",
    "vendor": "Vendors",
    "occupation": "Occupations",
    "ability": "Abilities",
}
SETTINGS = {"work": "Work", "school": "School", "testing": "Tests and exams"}
BASES = {
    "source": "a source says so",
    "derived": "worked out from sources",
    "inherited": "taken from a relative",
    "editorial": "our editors’ judgement",
}
MATCHES = {
    "id": "id",
    "name": "name",
    "alias": "other name",
    "synonym": "same meaning",
    "spelling": "spelling",
    "description": "mentions it",
    "prefix": "begins so",
}
STATUSES = {
    "verified": "Found on the market",
    "unverified": "Not checked yet",
    "unavailable": "Its page is gone",
    "discontinued": "No longer made",
}
DOORS = {"rest": "web", "mcp": "MCP"}
ANSWERED = {"2xx": "answered", "3xx": "moved or unchanged", "4xx": "refused", "5xx": "failed", "none": "caller left"}
CHANGES = {"added": "new", "changed": "changed", "removed": "gone"}
PARTS = {
    "coverage": ("Coverage", "how many of the needs it answers"),
    "evidence": ("Evidence", "how surely it is listed for them"),
    "specificity": ("Specific", "how particular it is to these needs"),
    "first_choice": ("First choice", "what our editors would try early"),
    "fit": ("Fit", "how well it goes with the job"),
}
SEEDS = {
    "disability": "Condition",
    "limitation": "Limitation",
    "work_function": "Work-related function",
    "occupation": "Occupation",
}


def page_of(url: str) -> str:
    """The page of an entity whose record has this path."""
    return f"/explore{url}"


def amount(count: float) -> str:
    """A number with commas."""
    return f"{count:,}"


def share(value: float) -> str:
    """A number as people read it: two places, no idle zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def shortened(text: str, most: int = 240) -> str:
    """The text up to its last whole word before the limit."""
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} …"


def sources_of(bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """All sources that these answers rest on, each once."""
    found = {one["id"]: one for body in bodies for one in body["provenance"]["sources"]}
    return list(found.values())
