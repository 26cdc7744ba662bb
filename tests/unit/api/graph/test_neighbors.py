"""Which entity and which pages of edges a request for neighbors reads."""

import pytest

from api.errors import NotFoundError
from api.graph.neighbors import NeighborsRequest


@pytest.mark.parametrize(
    ("limit", "offset", "pages"),
    [
        (20, 0, (0, 0)),
        (100, 0, (0, 0)),
        (20, 80, (0, 0)),
        (20, 81, (0, 1)),
        (100, 50, (0, 1)),
        (100, 99, (0, 1)),
        (100, 100, (1, 1)),
        (1, 24_999, (249, 249)),
        (100, 10**15, (2**31 - 1, 2**31 - 1)),  # page numbers are 32-bit integers
    ],
)
def test_edges_are_read_from_the_pages_that_hold_them(limit: int, offset: int, pages: tuple[int, int]) -> None:
    assert NeighborsRequest("vendor", "hub", "sells", limit, offset).page_range == pages


@pytest.mark.parametrize(
    ("text", "owner"), [("hub", "vendor:hub"), ("vendor:hub", "vendor:hub"), ("Vendor:hub", "vendor:hub")]
)
def test_the_owner_of_the_edges_is_a_key_or_id_of_the_type(text: str, owner: str) -> None:
    assert NeighborsRequest("vendor", text, "sells").owner == owner


def test_a_long_id_is_not_found() -> None:
    with pytest.raises(NotFoundError, match=r"^There is no vendor with an id of 300 characters\.$"):
        _ = NeighborsRequest("vendor", "x" * 300, "sells").owner
