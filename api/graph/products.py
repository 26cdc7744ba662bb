"""Selects the products that are shown with a solution, each with its vendor."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from api.graph.edges import edge_card
from schema.edge_documents import NestedEdge
from schema.json_types import JsonObject
from schema.market_rules import WITHDRAWN

MAX_PRODUCTS = 5  # of a solution; the neighbors route lists the others


class SourcedCard(NamedTuple):
    """The card of an entity and its sources."""

    card: JsonObject
    sources: Sequence[str]


class Products(NamedTuple):
    """The cards of products with their vendors, and the sources of both."""

    cards: Sequence[JsonObject]
    sources: Sequence[str]

    @classmethod
    def of(cls, edges: Iterable[NestedEdge], vendors: Mapping[str, SourcedCard]) -> "Products":
        """Return the products at these edges; a vendor that is not among `vendors` is null."""
        cards: list[JsonObject] = []
        sources: dict[str, None] = {}
        for edge in edges:
            vendor = vendors.get(edge.get("vendor", ""))
            cards.append(edge_card(edge) | {"vendor": vendor.card if vendor else None})
            sources |= dict.fromkeys((*edge["target_sources"], *(vendor.sources if vendor else ())))
        return cls(cards, list(sources))


def select_products(edges: Sequence[NestedEdge]) -> list[NestedEdge]:
    """Return the first products of a solution, from all of its edges `implemented_by`.

    Order: available before withdrawn, assistive before general, verified on the market before unverified, with a known
    vendor before without; among equals, each vendor's first product before any vendor's second.
    """
    ranked = sorted(edges, key=_rank)
    turns: Counter[str] = Counter()
    interleaved: list[tuple[tuple[bool, float, bool, bool], int, NestedEdge]] = []
    for edge in ranked:
        vendor = edge.get("vendor", "")
        interleaved.append((_rank(edge), turns[vendor], edge))
        turns[vendor] += 1
    interleaved.sort(key=lambda row: row[:2])
    return [edge for _, _, edge in interleaved[:MAX_PRODUCTS]]


def _rank(edge: NestedEdge) -> tuple[bool, float, bool, bool]:
    status = edge["target_market"]["status"]
    return status in WITHDRAWN, -edge["weight"], status != "verified", "vendor" not in edge
