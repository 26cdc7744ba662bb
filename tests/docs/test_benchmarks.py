"""docs/benchmarks.md is what is drawn from docs/benchmarks.json: no figure of it is typed in."""

from __future__ import annotations

import re

from bench.latency.page import PARTS, render
from bench.latency.report import read
from tests.support.project import DOCS, ROOT

TEMPLATE = (ROOT / "bench" / "latency" / "page.md").read_text("utf-8")


def test_the_page_is_drawn_from_the_report_beside_it() -> None:
    assert (DOCS / "benchmarks.md").read_text("utf-8") == render(TEMPLATE, read(DOCS / "benchmarks.json"))


def test_every_part_has_its_place() -> None:
    assert sorted(re.findall(r"\{\{(\w+)\}\}", TEMPLATE)) == sorted(PARTS)


def test_every_plot_is_shown() -> None:
    shown = re.findall(r"\((benchmarks-\w+\.svg)\)", (DOCS / "benchmarks.md").read_text("utf-8"))
    assert sorted(shown) == sorted(path.name for path in DOCS.glob("benchmarks-*.svg"))
