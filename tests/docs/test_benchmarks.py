"""docs/explanation/benchmarks.md is rendered from docs/explanation/benchmarks.json."""

import re

from bench.latency.page import PARTS, render
from bench.latency.report import read
from tests.support.project import DOCS, ROOT

TEMPLATE = (ROOT / "bench" / "latency" / "page.md").read_text("utf-8")


def test_the_page_is_rendered_from_the_report() -> None:
    assert (DOCS / "explanation/benchmarks.md").read_text("utf-8") == render(
        TEMPLATE, read(DOCS / "explanation/benchmarks.json")
    )


def test_the_template_includes_every_part() -> None:
    assert sorted(re.findall(r"\{\{(\w+)\}\}", TEMPLATE)) == sorted(PARTS)


def test_the_page_shows_every_plot() -> None:
    shown = re.findall(r"\((benchmarks-\w+\.svg)\)", (DOCS / "explanation/benchmarks.md").read_text("utf-8"))
    assert sorted(shown) == sorted(path.name for path in (DOCS / "explanation").glob("benchmarks-*.svg"))
