"""Content negotiation: which clients get HTML."""

from __future__ import annotations

import pytest

from api.http.accept import prefers_html

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
        ("application/json", False),
        ("*/*", False),
        ("", False),
        ("text/html;q=0", False),
        ("text/html;q=much", False),
        ("text/*", False),
    ],
)
def test_html_is_for_clients_that_prefer_it(accept: str, is_html: bool) -> None:  # noqa: FBT001 - a column of the table
    assert prefers_html(accept) is is_html
