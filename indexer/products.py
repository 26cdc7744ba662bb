"""Which products to show with a recommended solution. Pure.

Best first: what can still be had, then what was made for disabled people, then what was found on the market, then what
a known vendor sells; among equals, each vendor's first before anyone's second.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.graph import Graph

Document = dict[str, Any]
SHOWN = 5  # the rest is one neighbors call away
GONE = ("unavailable", "discontinued")
Rank = tuple[bool, float, bool, bool]


def recommended_products(graph: Graph, solution: str, cards: Mapping[str, Document]) -> Document:
    """The solution's card, its first products, each with who sells it, and the sources of all of these."""
    found: list[tuple[Rank, str, str | None]] = []
    for edge in graph.of(solution, "implemented_by"):
        sellers = graph.of(edge.target, "sold_by")
        vendor = sellers[0].target if sellers else None
        status = cards[edge.target]["market_verification"]["status"]
        rank = (status in GONE, -edge.weight, status != "verified", vendor is None)
        found.append((rank, edge.target, vendor))
    found.sort(key=lambda one: one[0])
    seen: Counter[str | None] = Counter()
    turns = []
    for rank, product, vendor in found:
        turns.append((rank, seen[vendor], product, vendor))
        seen[vendor] += 1
    turns.sort(key=lambda one: one[:2])
    shown = [(product, vendor) for _, _, product, vendor in turns[:SHOWN]]
    nodes = [node for pair in shown for node in pair if node]
    sources = dict.fromkeys(source for node in nodes for source in graph.nodes[node].sources)
    return {
        "card": cards[solution],
        "items": [cards[product] | {"vendor": cards[vendor] if vendor else None} for product, vendor in shown],
        "sources": list(sources),
    }
