"""The examples of the pages match the responses of the service on the shipped graph.

An example is a call in a `sh` block and its shortened response in the `json` block after it, where `…` means:

* as a string, any value; inside a longer string, any text
* as an element of a list, any number of elements
* as a member of an object, any number of members
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import httpx
import pytest

from tests.support.markdown import blocks
from tests.support.project import DOCS, ROOT

MORE = "…"
ORIGIN = "http://localhost:8080"
API_GUIDES = ("search-and-walk-the-graph", "recommend-for-a-person", "handle-errors-and-limits", "download-the-data")


@dataclass(frozen=True, slots=True)
class Example:
    """A call and the response shown on the page. `target` is the path with the query string."""

    line: int
    method: str
    target: str
    shown: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None


def examples(page: str) -> list[Example]:
    """Return every `curl` call of the page; raise ValueError for one without a response after it."""
    found = blocks(page)
    examples = []
    for block, response in zip_longest(found, found[1:]):
        if block.language != "sh" or not block.text.startswith("curl"):
            continue
        if response is None or response.language != "json":
            raise ValueError(f"line {block.line}: no json block follows this call")
        words = shlex.split(block.text.replace("\\\n", " "))
        examples.append(_example(block.line, words, json.loads(response.text)))
    return examples


def _example(line: int, words: Sequence[str], shown: object) -> Example:
    method, target, body = "GET", "", None
    headers: dict[str, str] = {}
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(":")
            headers[name] = value.strip()
        elif word == "-d":
            method, body = "POST", next(rest)
        elif word.startswith(ORIGIN):
            target = word.removeprefix(ORIGIN)
        else:
            raise ValueError(f"line {line}: {word!r} is neither an option that examples use nor under {ORIGIN}")
    return Example(line, method, target, shown, headers, body)


def differences(shown: object, actual: object, path: str = "response") -> Iterator[str]:
    """Yield each difference between the shortened and the actual response."""
    if shown == MORE:
        return
    if isinstance(shown, dict) and isinstance(actual, dict):
        yield from _members(shown, actual, path)
    elif isinstance(shown, list) and isinstance(actual, list):
        yield from _elements(shown, actual, path)
    elif isinstance(shown, str) and isinstance(actual, str):
        if not re.fullmatch(".*".join(map(re.escape, shown.split(MORE))), actual, re.DOTALL):
            yield f"{path}: shown {shown!r}, actually {actual!r}"
    elif type(shown) is not type(actual) or shown != actual:
        yield f"{path}: shown {shown!r}, actually {actual!r}"


def _members(shown: Mapping[str, object], actual: Mapping[str, object], path: str) -> Iterator[str]:
    for name, value in shown.items():
        if name == MORE:
            continue
        if name in actual:
            yield from differences(value, actual[name], f"{path}.{name}")
        else:
            yield f"{path}.{name}: shown, but not in the response"
    if MORE not in shown:
        yield from (f"{path}.{name}: in the response, but not shown" for name in actual if name not in shown)


def _elements(shown: Sequence[object], actual: Sequence[object], path: str) -> Iterator[str]:
    """Count elements before `…` from the front, and those after it from the back."""
    cut = shown.index(MORE) if MORE in shown else len(shown)
    head, tail = shown[:cut], shown[cut + 1 :]
    known = len(head) + len(tail)
    if known > len(actual) or (known < len(actual) and MORE not in shown):
        yield f"{path}: {known} elements shown, actually {len(actual)}"
        return
    for number, element in (*enumerate(head), *enumerate(tail, len(actual) - len(tail))):
        yield from differences(element, actual[number], f"{path}[{number}]")


PAGES = (
    "README.md",
    "docs/reference/api.md",
    "docs/reference/mcp.md",
    "docs/tutorials/first-answers.md",
    *(f"docs/how-to/{name}.md" for name in API_GUIDES),
)
EXAMPLES = [
    pytest.param(example, id=f"{page}:{example.line} {example.target}")
    for page in PAGES
    for example in examples((ROOT / page).read_text("utf-8"))
]
SAMPLE = """
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

DIFFERENCES: list[tuple[object, object, list[str]]] = [
    ("…", {"any": "thing"}, []),
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1, "…": "…"}, {"a": 1, "b": 2}, []),
    ([1, "…"], [1, 2, 3], []),
    ([1, "…"], [1], []),
    (["…", 3], [1, 2, 3], []),
    ([1, "…", 3], [1, 2, 3], []),
    ("By the rule …", "By the rule ‘a’.", []),
    ("…pages", "many\npages", []),
    (None, None, []),
    ({"a": 1}, {"a": 2}, ["response.a: shown 1, actually 2"]),
    ({"a": 1}, {"a": 1, "b": 2}, ["response.b: in the response, but not shown"]),
    ({"a": 1, "…": "…"}, {"b": 2}, ["response.a: shown, but not in the response"]),
    ([1], [1, 2], ["response: 1 elements shown, actually 2"]),
    ([1, "…", 3], [1], ["response: 2 elements shown, actually 1"]),
    ([{"a": "x…"}, "…"], [{"a": "yx"}], ["response[0].a: shown 'x…', actually 'yx'"]),
    (1, True, ["response: shown 1, actually True"]),
    ("1", 1, ["response: shown '1', actually 1"]),
    ({}, [], ["response: shown {}, actually []"]),
]


def test_examples_are_read_from_a_page() -> None:
    search, recommend = examples(SAMPLE)
    assert search == Example(4, "GET", "/search?query=adhd", {"total": 3, "…": "…"})
    headers = {"Content-Type": "application/json"}
    assert recommend == Example(12, "POST", "/recommend", [], headers, '{"limit": 1}')


@pytest.mark.parametrize(
    "page", ["```sh\ncurl http://localhost:8080/graph\n```", "```sh\ncurl -k\n```\n```json\n1\n```"]
)
def test_an_example_that_cannot_be_run_is_an_error(page: str) -> None:
    with pytest.raises(ValueError, match=r"^line 1: "):
        examples(page)


@pytest.mark.parametrize(("shown", "actual", "expected"), DIFFERENCES)
def test_each_difference_from_a_shortened_response_names_its_path(
    shown: object, actual: object, expected: list[str]
) -> None:
    assert list(differences(shown, actual)) == expected


def test_the_readme_has_examples_of_recommend_and_mcp() -> None:
    targets = [example.target.partition("?")[0] for example in examples((ROOT / "README.md").read_text("utf-8"))]
    assert targets == ["/recommend", "/recommend", "/mcp"]


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) < 700


def test_every_route_has_an_example() -> None:
    page = (DOCS / "reference/api.md").read_text("utf-8")
    routes = [line for line in page.splitlines() if line.startswith(("### `GET", "### `POST"))]
    assert len(examples(page)) >= len(routes)


@pytest.mark.parametrize("example", EXAMPLES)
async def test_an_example_shows_the_response_of_the_service(real_service: httpx.AsyncClient, example: Example) -> None:
    headers = dict(example.headers)
    response = await real_service.request(example.method, example.target, headers=headers, content=example.body)
    assert list(differences(example.shown, response.json())) == []
