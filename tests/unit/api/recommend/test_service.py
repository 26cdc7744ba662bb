"""The products of several solutions alternate."""

from typing import Any

from api.recommend.service import top_products
from tests.support.search_responses import card


def test_top_products_alternate_between_solutions_without_duplicates() -> None:
    a, b, c, d = (card("product", name) for name in "abcd")
    found: list[dict[str, Any]] = [
        {"products": [a, b]},
        {"products": []},
        {"products": [c, d]},
        {"products": [a, d, b]},
    ]
    assert top_products(found) == [a, c, b, d]
    assert top_products([]) == []


def test_top_products_are_at_most_twenty() -> None:
    many = [card("product", str(number)) for number in range(30)]
    assert top_products([{"products": many[:15]}, {"products": many[15:]}]) == [
        many[place // 2 + 15 * (place % 2)] for place in range(20)
    ]
