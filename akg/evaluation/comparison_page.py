"""The HTML page of a comparison: scores, and the queries whose hits differ with both lists side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined

TEMPLATE = Path(__file__).with_name("comparison.html")


@dataclass(frozen=True, slots=True)
class HitLine:
    """A hit, with why it matches or how it is judged."""

    name: str
    note: str


@dataclass(frozen=True, slots=True)
class QuerySection:
    """A query with its hits under two labels. With a note instead, the lists do not differ."""

    title: str
    lists: Sequence[tuple[str, Sequence[HitLine]]] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """The texts of a page. `changes` are lists of rules by title; `drops` are scores beyond the tolerance."""

    title: str
    introduction: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    summary: str
    sections: Sequence[QuerySection]
    changes: Sequence[tuple[str, Sequence[str]]] = ()
    drops: Sequence[str] = ()


def as_html(page: ComparisonPage) -> str:
    """Return the page as HTML without external resources."""
    environment = Environment(autoescape=True, trim_blocks=True, undefined=StrictUndefined)
    return environment.from_string(TEMPLATE.read_text("utf-8")).render(page=page)
