"""Requests to other programs, and the words that fill a page in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.latency.paths import PAGE, Ask, full_pages, records, searches, tilde
from bench.latency.report import CACHED, SQL_ROUTE, STAC, TABLE_ROUTE, UNCACHED

if TYPE_CHECKING:
    from collections.abc import Sequence

ASK = Ask(["low vision"], [{"id": "occupation:11-1011.00", "item": "occupation_11-1011.00"}], items=7)


@pytest.mark.parametrize(
    ("who", "search", "record"),
    [
        (UNCACHED, "/search?query=low+vision&limit=20", "/occupation/11-1011.00"),
        (CACHED, "/search?query=low+vision&limit=20", "/occupation/11-1011.00"),
        (
            STAC,
            "/search?q=low+vision&collections=cards&limit=7",
            "/collections/records/items/occupation_11-1011.00",
        ),
        (
            TABLE_ROUTE,
            "/entities/entities.json?_search=low+vision&_size=20&_shape=objects&_col=id&_col=type&_col=name&_col=card",
            "/entities/records/occupation~3A11-1011~2E00.json?_shape=objects",
        ),
    ],
)
def test_each_program_has_its_request_format(who: str, search: str, record: str) -> None:
    assert (searches(ASK)[who], records(ASK)[who]) == ([search], [record])


def test_values_of_sql_are_bound() -> None:
    assert searches(ASK)[SQL_ROUTE][0].endswith("&q=low+vision&_shape=objects")
    assert records(ASK)[SQL_ROUTE][0].endswith("&id=occupation%3A11-1011.00&_shape=objects")


@pytest.mark.parametrize(("key", "written"), [("a-b_1", "a-b_1"), ("a:b.c d", "a~3Ab~2Ec~20d")])
def test_keys_are_written_as_datasette_does(key: str, written: str) -> None:
    assert tilde(key) == written


@pytest.mark.parametrize(
    ("typed", "most", "expected"),
    [
        (["Low  Vision!", "vision low", "hearing"], 2, ["low vision", "hearing"]),
        (["nothing"], 1, ["hearing"]),  # a word of the texts, where no typed one fills a page
        (["low vision"], 1, ["low vision"]),
    ],
)
def test_queries_fill_a_page(typed: Sequence[str], most: int, expected: list[str]) -> None:
    texts = ["Low vision. Hearing"] * PAGE + ["something else altogether"] * (PAGE * PAGE)
    assert full_pages(texts, typed, most) == expected
