"""Preview reports: JSON, and HTML without external resources."""

from __future__ import annotations

import re

import orjson

from akg.commands.synonyms_preview import as_html, as_json
from akg.evaluation.candidate import Preview
from akg.evaluation.comparison import compare
from akg.evaluation.metrics import Judgment

HIT = {"id": "a", "name": "<b>A</b>", "match": {"why": "It is a & b."}}
OTHER = {"id": "b", "name": "B", "match": {"why": "It is b."}}
PREVIEW = Preview(
    data_version="1+abc",
    before="aaaaaaaaaaaa",
    after="bbbbbbbbbbbb",
    added=["a.txt:1  <script> => x"],
    removed=[],
    comparison=compare([Judgment("q & a", "lay", {"a": 3})], [], [[HIT]], [[OTHER, HIT]], 0.01),
)


def test_the_page_loads_nothing_and_escapes_text() -> None:
    page = as_html(PREVIEW)
    assert re.findall(r"(?:src|href|url)\s*[=(]|<script|<b>A", page) == []
    assert "&lt;script&gt; =&gt; x" in page
    assert "‘q &amp; a’ (lay, nDCG -0.3691)" in page
    assert '<html lang="en">' in page
    assert page.index("<h1>") < page.index("<h2>") < page.index("<h3>")
    assert "1.0000 → 0.6309" in page


def test_the_json_report_has_rules_and_comparison() -> None:
    report = orjson.loads(as_json(PREVIEW))
    assert report["added"] == PREVIEW.added
    assert report["comparison"]["changed"][0]["after"][0] == {"id": "b", "name": "B", "why": "It is b."}
    assert report["comparison"]["regressions"][0].startswith("lay: ndcg drops by 0.3691")
