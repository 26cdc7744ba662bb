"""Which products are shown with a solution, in which order, and with which vendors and sources."""

from collections.abc import Sequence
from typing import Any

import pytest

from api.graph.products import Products, SourcedCard, select_products
from schema.edge_documents import NestedEdge
from tests.support.listings import card, edge_to

FAMILY_WEIGHTS = {"assistive": 1.0, "mainstream": 0.5}


def product(
    key: str, vendor: str = "", status: str = "unverified", family: str = "assistive", sources: Sequence[str] = ()
) -> NestedEdge:
    """Return the edge from a solution to a product."""
    market = {"status": status, "checked": None, "method": None, "evidence": None, "note": None}
    sold: dict[str, Any] = {"vendor": f"vendor:{vendor}"} if vendor else {}
    return edge_to(f"product:{key}", FAMILY_WEIGHTS[family], target_market=market, target_sources=sources, **sold)


def keys(edges: list[NestedEdge]) -> str:
    return "".join(edge["target_slug"] for edge in edges)


def test_shows_assistive_products_of_several_known_vendors_first() -> None:
    edges = [
        *(product("a", "one"), product("b", "one"), product("c", "two"), product("d")),  # d has no known vendor
        *(product("e", "three", family="mainstream"), product("f", "three", family="mainstream")),
    ]
    assert keys(select_products(edges)) == "acbde"


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([product("a", status="discontinued"), product("b")], "ba"),  # available before withdrawn
        ([product("a", status="unavailable"), product("b", family="mainstream")], "ba"),  # even if it is general
        ([product("a", "x", "verified", "mainstream"), product("b")], "ba"),  # assistive before general
        ([product("a", "x"), product("b", "", "verified")], "ba"),  # verified before unverified
        ([product("a"), product("b", "x")], "ba"),  # with a known vendor before without
        ([product("a"), product("b")], "ab"),  # equals keep their order
        ([product("a", "x"), product("b", "x"), product("c", "y"), product("d", "x"), product("e", "y")], "acbed"),
    ],
)
def test_the_order_of_products(edges: list[NestedEdge], expected: str) -> None:
    assert keys(select_products(edges)) == expected


def test_at_most_five_products_are_shown() -> None:
    assert keys(select_products([product(key, key) for key in "abcdefg"])) == "abcde"
    assert select_products([]) == []


def test_products_have_their_vendors_and_the_sources_of_both() -> None:
    edges = [
        product("a", "one", sources=["atlas"]),
        product("b", sources=["fair", "atlas"]),
        product("c", "unknown", sources=["book"]),
    ]
    shown = Products.of(edges, {"vendor:one": SourcedCard(card("vendor:one"), ["fair", "editors"])})
    assert [(item["id"], item["vendor"]) for item in shown.cards] == [
        ("product:a", card("vendor:one")),
        ("product:b", None),
        ("product:c", None),
    ]
    assert shown.cards[0]["market_verification"]["status"] == "unverified"
    assert shown.sources == ["atlas", "fair", "editors", "book"]
    assert Products.of((), {}) == ([], [])
