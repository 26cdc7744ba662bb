"""The worked examples of docs/reference/search-ranking.md: `python -m tests.support.search_tables URL` rewrites them.

URL is that of a service with the shipped graph, such as http://localhost:8080.
"""

import re
import sys
from collections.abc import Mapping
from typing import Any

import httpx

from tests.support.project import DOCS

PAGE = DOCS / "reference/search-ranking.md"
EXAMPLE = re.compile(r"(### `([^`]+)`\n(?:(?!\|).*\n)*\| hit .*\n\|---.*\n)((?:\|.*\n)+)")


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
    with httpx.Client(base_url=sys.argv[1]) as service:
        PAGE.write_text(with_examples(PAGE.read_text("utf-8"), service), "utf-8")


if __name__ == "__main__":
    main()
