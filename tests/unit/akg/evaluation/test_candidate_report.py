"""What a preview of rules reports, as JSON and as a page."""

import re

from akg.evaluation.candidate import Preview, compare
from akg.evaluation.candidate_report import comparison_report, preview_page
from akg.evaluation.comparison_page import as_html
from akg.evaluation.metrics import Judgment
from akg.reports.evaluation import HitRow

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
    page = as_html(preview_page(PREVIEW))
    assert re.findall(r"(?:src|href|url)\s*[=(]|<script|<b>A", page) == []
    assert "&lt;script&gt; =&gt; x" in page
    assert "‘q &amp; a’ (lay, nDCG -0.3691)" in page
    assert '<html lang="en">' in page
    assert page.index("<h1>") < page.index("<h2>") < page.index("<h3>")
    assert "1.0000 → 0.6309" in page


def test_the_report_has_the_whole_comparison() -> None:
    report = comparison_report(PREVIEW.comparison)
    assert report.changed[0].after[0] == HitRow(id="b", name="B", why="It is b.")
    assert report.regressions[0].startswith("lay: ndcg drops by 0.3691")
