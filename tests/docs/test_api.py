"""docs/reference/api.md has a section for every route, and every generated part of a page is that of the program."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_reference import operations, response_models
from tests.support.generated_docs import PART, pages, parts, render
from tests.support.markdown import sections
from tests.support.project import DOCS

PAGE = (DOCS / "reference/api.md").read_text("utf-8")
TITLES = [part.title for part in sections(PAGE)]
ROUTE = re.compile(r"`([A-Z]+) (/\S*)`")
UNLISTED = {"`GET /openapi.json`"}  # routes that the OpenAPI document omits


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_generated_parts_are_those_of_the_program(path: Path, document: dict[str, Any]) -> None:
    """If not: `make reference`."""
    page = path.read_text("utf-8")
    assert render(page, parts(document)) == page


def test_the_page_lists_exactly_the_routes(document: Mapping[str, Any]) -> None:
    routes = {title for title, _ in operations(document)}
    assert {title for title in TITLES if ROUTE.fullmatch(title)} == routes | UNLISTED


def test_the_page_lists_exactly_the_parameters_of_each_route(document: Mapping[str, Any]) -> None:
    generated = {f"`{found[2]}`" for found in PART.finditer(PAGE)}
    assert {title for title, _ in operations(document)} <= generated
    assert "`response models`" in generated


def test_every_field_of_a_response_is_described(document: Mapping[str, Any]) -> None:
    assert [line for line in response_models(document).splitlines() if line.endswith("|  |")] == []
