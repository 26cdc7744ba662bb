"""The examples of README.md and docs/api.md can be run, and comparing them finds every difference."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.project import DOCS, ROOT
from tests.support.readme_examples import Example, differences, examples

PAGE = """
Some words.

```sh
curl 'http://localhost:8080/search?query=adhd'
```

```json
{"total": 3, "…": "…"}
```

```sh
curl http://localhost:8080/recommend \\
  -H 'Content-Type: application/json' -d '{"limit": 1}'
```

```json
[]
```
"""

SAME = [
    ("…", {"any": "thing"}),
    ({"a": 1}, {"a": 1}),
    ({"a": 1, "…": "…"}, {"a": 1, "b": 2}),
    ([1, "…"], [1, 2, 3]),
    ([1, "…"], [1]),
    (["…", 3], [1, 2, 3]),
    ([1, "…", 3], [1, 2, 3]),
    ("By the rule …", "By the rule ‘a’."),
    ("…pages", "many\npages"),
    (None, None),
]
DIFFERENT = [
    ({"a": 1}, {"a": 2}, ["answer.a: shown 1, really 2"]),
    ({"a": 1}, {"a": 1, "b": 2}, ["answer.b: really there, but not shown"]),
    ({"a": 1, "…": "…"}, {"b": 2}, ["answer.a: shown, but the answer has no such member"]),
    ([1], [1, 2], ["answer: 1 elements shown, really 2"]),
    ([1, "…", 3], [1], ["answer: 2 elements shown, really 1"]),
    ([{"a": "x…"}, "…"], [{"a": "yx"}], ["answer[0].a: shown 'x…', really 'yx'"]),
    (1, True, ["answer: shown 1, really True"]),
    ("1", 1, ["answer: shown '1', really 1"]),
    ({}, [], ["answer: shown {}, really []"]),
]


def test_examples_are_read_from_a_page() -> None:
    search, recommend = examples(PAGE)
    assert search == Example(4, "GET", "/search?query=adhd", {"total": 3, "…": "…"})
    headers = {"Content-Type": "application/json"}
    assert recommend == Example(12, "POST", "/recommend", [], headers, '{"limit": 1}')


@pytest.mark.parametrize(
    "page", ["```sh\ncurl http://localhost:8080/graph\n```", "```sh\ncurl -k\n```\n```json\n1\n```"]
)
def test_an_example_that_cannot_be_run_is_an_error(page: str) -> None:
    with pytest.raises(ValueError, match=r"^line 1: "):
        examples(page)


@pytest.mark.parametrize(("shown", "real"), SAME)
def test_a_shortened_answer_agrees(shown: Any, real: Any) -> None:  # noqa: ANN401 - any JSON
    assert list(differences(shown, real)) == []


@pytest.mark.parametrize(("shown", "real", "expected"), DIFFERENT)
def test_a_difference_names_its_path(shown: Any, real: Any, expected: list[str]) -> None:  # noqa: ANN401 - any JSON
    assert list(differences(shown, real)) == expected


def test_the_readme_has_an_example_of_search_recommend_and_mcp() -> None:
    targets = [example.target.partition("?")[0] for example in examples((ROOT / "README.md").read_text("utf-8"))]
    assert targets == ["/search", "/recommend", "/mcp"]


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) < 700


def test_every_route_has_an_example() -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    routes = [line for line in page.splitlines() if line.startswith(("### `GET", "### `POST"))]
    assert len(examples(page)) >= len(routes)
