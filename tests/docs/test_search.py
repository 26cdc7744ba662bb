"""docs/reference/search-ranking.md has the loose features of the code; its examples are those of the service."""

import re
from typing import get_args

import httpx
import pytest

from api.search.features import GOOD, Feature
from api.search.ranking_table import ADDED, MATCHES, Weight
from schema.entity_kinds import Matching
from tests.support.markdown import code, rows, section, sections
from tests.support.search_tables import PAGE

TEXT = PAGE.read_text("utf-8")
PREDICTED = TEXT.partition("## Predict an order")[2].partition("## Completion")[0]
EXAMPLES = {code(part.title): rows(part.text) for part in sections(PREDICTED)}
TERM = re.compile(r"([a-z_]+) (-?[\d,]+)")
MAX_CHANGE = 10  # points by which other edges or names in the graph may change a part


def number(text: str) -> int:
    return int(text.replace(",", ""))


def parts(row: dict[str, str]) -> dict[str, int]:
    return {name: number(points) for name, points in TERM.findall(row["sum"])}


def test_the_page_names_the_features_of_loose_hits() -> None:
    named = re.findall(r"`([A-Z_]+)`", section(TEXT, "Good and loose hits"))
    assert named == [feature.name for feature in Feature if feature < GOOD]


# No query of the shipped release is pinned; tests/engine/akg/test_pins.py shows this row.
SHOWN = [weight for weight in (*MATCHES, *ADDED) if weight.name != "pinned"]


@pytest.mark.parametrize("weight", SHOWN, ids=lambda weight: weight.name)
async def test_an_example_of_the_tables_shows_its_row(real_service: httpx.AsyncClient, weight: Weight) -> None:
    query, limit = weight.example.partition(":")[0], 40
    pages = [
        await real_service.get("/search", params={"query": query, "limit": limit, "matching": matching})
        for matching in get_args(Matching)
    ]
    assert any(hit["score_parts"].get(weight.name) for page in pages for hit in page.json()["results"])


def test_there_are_three_worked_examples() -> None:
    assert len(EXAMPLES) == 3
    assert all(EXAMPLES.values())


@pytest.mark.parametrize("query", EXAMPLES)
def test_the_parts_of_an_example_add_up(query: str) -> None:
    for row in EXAMPLES[query]:
        assert abs(sum(parts(row).values()) - number(row["score"])) <= 2, row  # each is rounded


@pytest.mark.parametrize("query", EXAMPLES)
async def test_the_service_ranks_as_an_example_says(real_service: httpx.AsyncClient, query: str) -> None:
    """If not: `python -m tests.support.search_tables http://localhost:8080`."""
    response = await real_service.get("/search", params={"query": query})
    hits = response.json()["results"][: len(EXAMPLES[query])]
    assert [hit["name"] for hit in hits] == [row["hit"] for row in EXAMPLES[query]]
    for hit, row in zip(hits, EXAMPLES[query], strict=True):
        shown, actual = parts(row), {name: points for name, points in hit["score_parts"].items() if round(points)}
        assert list(actual) == list(shown)
        assert {name: points for name, points in actual.items() if abs(points - shown[name]) > MAX_CHANGE} == {}
