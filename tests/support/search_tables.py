"""The tables of docs/explanation/how-search-ranks.md: `python -m tests.support.search_tables` rewrites those of the ranking.

With the URL of a service, such as http://localhost:8080, it rewrites the worked examples, too.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from api.search.ranking import ADDED, MATCHES, Weight
from tests.support.project import DOCS

PAGE = DOCS / "explanation/how-search-ranks.md"
HEAD = ("| name | points | what it means | example |", "|---|---|---|---|")
TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
EXAMPLE = re.compile(r"(### `([^`]+)`\n(?:(?!\|).*\n)*\| hit .*\n\|---.*\n)((?:\|.*\n)+)")


def tables() -> dict[str, str]:
    """Return the tables by the name in their marker; the matches stand in the order of their points, the best first."""
    return {"matches": _table(sorted(MATCHES, key=lambda weight: -weight.points)), "added": _table(ADDED)}


def _table(weights: Iterable[Weight]) -> str:
    rows = [f"| `{name}` | {points:,} | {meaning} | {example} |" for name, points, meaning, example in weights]
    return "\n".join(["", *HEAD, *rows, "", ""])


def with_tables(page: str) -> str:
    """Return the page with the tables of the code."""
    rendered = tables()
    return TABLE.sub(lambda marked: f"{marked[1]}{rendered[marked[2]]}{marked[3]}", page)


def with_examples(page: str, service: httpx.Client) -> str:
    """Return the page with the hits of a service in its worked examples, as many as there were."""

    def example(match: re.Match[str]) -> str:
        hits = service.get("/search", params={"query": match[2]}).json()["results"]
        return match[1] + "".join(map(_hit_row, hits[: match[3].count("\n")]))

    return EXAMPLE.sub(example, page)


def _hit_row(hit: Mapping[str, Any]) -> str:
    terms = [f"{name} {points:,.0f}" for name, points in hit["score_parts"].items() if round(points)]
    return f"| {hit['name']} | {' + '.join(terms)} | {hit['score']:,.0f} |\n"


def main() -> None:
    page = with_tables(PAGE.read_text("utf-8"))
    for url in sys.argv[1:2]:
        with httpx.Client(base_url=url) as service:
            page = with_examples(page, service)
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
