"""Ids and number of the pages of edges."""

import pytest

from schema.edge_documents import EDGE_PAGE_SIZE, count_edge_pages, edge_page_id


@pytest.mark.parametrize(
    ("edges", "pages"), [(0, 0), (1, 1), (EDGE_PAGE_SIZE, 1), (EDGE_PAGE_SIZE + 1, 2), (25_000, 250)]
)
def test_a_list_has_as_many_pages_as_it_needs(edges: int, pages: int) -> None:
    assert count_edge_pages(edges) == pages


def test_the_id_of_a_page_is_known() -> None:
    assert edge_page_id("disability:low-vision", "recommends", 2) == "disability:low-vision/recommends/2"
