"""Edges as an index stores them: nested objects on pages of at most EDGE_PAGE_SIZE edges of one name.

A page belongs to one entity. Its `_id` is known, so that a list of any length is read without a search. The document of
the entity has the targets of each edge name as a keyword array, which membership, facets and dashboards read.
"""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

EDGE_PAGE_SIZE = 100  # edges; a hub of 25,000 edges has 250 pages
MAX_ARRAY_LENGTH = 10_000  # targets; a longer array is not written
# The facts of an edge that responses show. `sources`, `basis` and `weight` are those of every edge.
EDGE_FACTS = (
    *("via", "editorial_via", "pages", "importance", "level", "tier", "rank", "reason", "main"),
    *("school_basis", "school_sources", "read_at", "first_choice"),
)


class MarketStatus(TypedDict):
    """The market verification of a product or vendor."""

    status: str
    checked: str | None
    method: str | None
    evidence: str | None
    note: str | None


class NestedEdge(TypedDict):
    """One edge: the card of its target, its weight, basis and sources, and the facts that only its kind has.

    `order` is its place in the whole list from 0. `target_total` counts the edges of the inverse name at the target.
    `vendor` is the first vendor of a product. `school_weight` is the weight of what is named for school.
    """

    target: str
    target_type: str
    target_name: str
    target_slug: str
    target_summary: str
    target_settings: NotRequired[Sequence[str]]
    target_market: NotRequired[MarketStatus]
    target_sources: Sequence[str]
    target_total: int
    order: int
    weight: float
    basis: str
    sources: Sequence[str]
    via: NotRequired[Sequence[str]]
    editorial_via: NotRequired[Sequence[str]]
    importance: NotRequired[float]
    level: NotRequired[float]
    pages: NotRequired[int]
    tier: NotRequired[str]
    rank: NotRequired[int]
    first_choice: NotRequired[float]
    main: NotRequired[bool]
    reason: NotRequired[str]
    school_weight: NotRequired[float]
    school_basis: NotRequired[str]
    school_sources: NotRequired[Sequence[str]]
    read_at: NotRequired[Sequence[str]]
    vendor: NotRequired[str]


def edge_page_id(entity_id: str, edge: str, page: int) -> str:
    """Return the `_id` of a page of edges."""
    return f"{entity_id}/{edge}/{page}"


def count_edge_pages(edges: int) -> int:
    """Return how many pages hold so many edges."""
    return -(-edges // EDGE_PAGE_SIZE)


def sort_name(name: str, entity: str, *, is_narrower: bool = False) -> str:
    """Return a text that sorts an entity by name, narrower conditions last, then by id.

    Its place among all would change with every entity that is added, and with it each page.
    """
    return f"{int(is_narrower)}{name.casefold()}\t{entity}"
