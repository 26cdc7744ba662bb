"""Every example of README.md, docs/api.md and docs/mcp.md answers what the page shows, on the graph that is shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.project import ROOT
from tests.support.readme_examples import Example, differences, examples

if TYPE_CHECKING:
    import httpx

PAGES = ("README.md", "docs/api.md", "docs/mcp.md")
EXAMPLES = [
    pytest.param(example, id=f"{page}:{example.line} {example.target}")
    for page in PAGES
    for example in examples((ROOT / page).read_text("utf-8"))
]


@pytest.mark.parametrize("example", EXAMPLES)
async def test_an_example_shows_what_the_service_answers(real_service: httpx.AsyncClient, example: Example) -> None:
    answer = await real_service.request(
        example.method, example.target, headers=dict(example.headers), content=example.body
    )
    assert list(differences(example.shown, answer.json())) == []
