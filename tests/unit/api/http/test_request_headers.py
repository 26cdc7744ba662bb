"""Which clients get HTML, and which bytes of a file of 100 bytes."""

import pytest

from api.errors import RangeError
from api.http.request_headers import parse_range, prefers_html

CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "is_html"),
    [
        (CHROMIUM, True),
        ("text/html", True),
        ("TEXT/HTML; charset=utf-8", True),
        ("text/html;q=0.9, application/json;q=0.8", True),
        ("text/html, application/json", False),  # JSON wins a tie
        ("application/json, text/html;q=0.9", False),
        *[(accept, False) for accept in ("application/json", "*/*", "", "text/html;q=0", "text/html;q=much", "text/*")],
    ],
)
def test_html_is_for_clients_that_prefer_it(accept: str, is_html: bool) -> None:  # noqa: FBT001 - a column of the table
    assert prefers_html(accept) is is_html


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=0-99", (0, 100)),
        ("bytes=10-19", (10, 20)),
        ("bytes=90-", (90, 100)),
        ("bytes=90-500", (90, 100)),
        ("bytes=-10", (90, 100)),
        ("bytes=-500", (0, 100)),
        ("Bytes = 5 - 6", (5, 7)),
        *[(header, None) for header in (None, "", "lines=1-2", "bytes=1-2,5-6", "bytes=1-2-3")],
        *[(f"bytes={value}", None) for value in ("", "-", "9-3", "a-b", f"0-{'9' * 5000}", "²-³")],
    ],
)
def test_parses_one_range_and_ignores_anything_else(header: str | None, expected: tuple[int, int] | None) -> None:
    assert parse_range(header, 100) == expected


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=100-200", "bytes=-0"])
def test_a_range_after_the_end_is_an_error_with_the_size(header: str) -> None:
    with pytest.raises(RangeError) as raised:
        parse_range(header, 100)
    assert raised.value.headers == {"Content-Range": "bytes */100"}
