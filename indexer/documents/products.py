"""The products that are shown with a recommended solution.

Order: available before withdrawn, assistive before general, verified on the market before unverified, with a known
vendor before without; among equals, each vendor's first product before any vendor's second.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from schema.market_rules import WITHDRAWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.graph.model import Graph
    from schema.json_types import JsonObject

MAX_PRODUCTS = 5  # the neighbors route lists the others


def recommended_products(graph: Graph, solution: str, cards: Mapping[str, JsonObject]) -> JsonObject:
    """Return the card of a solution, its first products with their vendors, and the sources of all of these."""
    ranked: list[tuple[tuple[bool, float, bool, bool], str, str | None]] = []
    for edge in graph.edges_named(solution, "implemented_by"):
        sellers = graph.edges_named(edge.target, "sold_by")
        vendor = sellers[0].target if sellers else None
        status = cards[edge.target]["market_verification"]["status"]
        ranked.append(((status in WITHDRAWN, -edge.weight, status != "verified", vendor is None), edge.target, vendor))
    ranked.sort(key=lambda row: row[0])
    by_vendor: Counter[str | None] = Counter()
    interleaved = []
    for rank, product, vendor in ranked:
        interleaved.append((rank, by_vendor[vendor], product, vendor))
        by_vendor[vendor] += 1
    interleaved.sort(key=lambda row: row[:2])
    shown = [(product, vendor) for _, _, product, vendor in interleaved[:MAX_PRODUCTS]]
    nodes = [node for pair in shown for node in pair if node]
    sources = dict.fromkeys(source for node in nodes for source in graph.nodes[node].sources)
    return {
        "card": cards[solution],
        "items": [cards[product] | {"vendor": cards[vendor] if vendor else None} for product, vendor in shown],
        "sources": list(sources),
    }
