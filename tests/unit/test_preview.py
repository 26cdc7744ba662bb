"""A preview as JSON and as a page that stands alone."""

from __future__ import annotations

import re

import orjson

from akg.preview import Preview, as_html, as_json
from api.comparison import compare
from api.quality import Judgment

HIT = {"id": "a", "name": "<b>A</b>", "match": {"why": "It is a & b."}}
OTHER = {"id": "b", "name": "B", "match": {"why": "It is b."}}
FOUND = Preview(
    data_version="1+abc",
    before="aaaaaaaaaaaa",
    after="bbbbbbbbbbbb",
    added=["a.txt:1  <script> => x"],
    removed=[],
    comparison=compare([Judgment("q & a", "lay", {"a": 3})], [], [[HIT]], [[OTHER, HIT]], 0.01),
)


def test_the_page_loads_nothing_and_shows_text_as_text() -> None:
    page = as_html(FOUND)
    assert re.findall(r"(?:src|href|url)\s*[=(]|<script|<b>A", page) == []
    assert "&lt;script&gt; =&gt; x" in page
    assert "‘q &amp; a’ (lay, nDCG -0.3691)" in page
    assert '<html lang="en">' in page
    assert page.index("<h1>") < page.index("<h2>") < page.index("<h3>")
    assert "1.0000 → 0.6309" in page


def test_the_json_holds_everything() -> None:
    found = orjson.loads(as_json(FOUND))
    assert found["added"] == FOUND.added
    assert found["comparison"]["moved"][0]["after"][0] == {"id": "b", "name": "B", "why": "It is b."}
    assert found["comparison"]["falls"][0].startswith("lay: ndcg falls by 0.3691")
