"""The examples of the reader's pages: a call in a `sh` block, its shortened answer in the `json` block after it. Pure.

In a shortened answer `…` stands for whatever the real one has there:

* a string `"…"` is any value; inside a longer string it is any text
* an element `"…"` of a list is any number of elements
* a member `"…"` of an object is any number of members

Everything else must stand at the same place in the real answer.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.markdown import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MORE = "…"
ORIGIN = "http://localhost:8080"


@dataclass(frozen=True, slots=True)
class Example:
    """A call and what the page shows of its answer. `target` is the path with its query."""

    line: int
    method: str
    target: str
    shown: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None


def examples(page: str) -> list[Example]:
    """Every `curl` call of the page; one without an answer after it is an error of the page."""
    found = blocks(page)
    examples = []
    for place, block in enumerate(found):
        if block.language != "sh" or not block.text.startswith("curl"):
            continue
        answer = found[place + 1] if place + 1 < len(found) else None
        if answer is None or answer.language != "json":
            raise ValueError(f"line {block.line}: no json block follows this call")
        words = shlex.split(block.text.replace("\\\n", " "))
        examples.append(_example(block.line, words, json.loads(answer.text)))
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


def differences(shown: object, real: object, place: str = "answer") -> Iterator[str]:
    """Every place where the shortened answer says something else than the real one."""
    if shown == MORE:
        return
    if isinstance(shown, dict) and isinstance(real, dict):
        yield from _members(shown, real, place)
    elif isinstance(shown, list) and isinstance(real, list):
        yield from _elements(shown, real, place)
    elif isinstance(shown, str) and isinstance(real, str):
        if not re.fullmatch(".*".join(map(re.escape, shown.split(MORE))), real, re.DOTALL):
            yield f"{place}: shown {shown!r}, really {real!r}"
    elif type(shown) is not type(real) or shown != real:
        yield f"{place}: shown {shown!r}, really {real!r}"


def _members(shown: Mapping[str, object], real: Mapping[str, object], place: str) -> Iterator[str]:
    for name, value in shown.items():
        if name == MORE:
            continue
        if name in real:
            yield from differences(value, real[name], f"{place}.{name}")
        else:
            yield f"{place}.{name}: shown, but the answer has no such member"
    if MORE not in shown:
        yield from (f"{place}.{name}: really there, but not shown" for name in real if name not in shown)


def _elements(shown: Sequence[object], real: Sequence[object], place: str) -> Iterator[str]:
    """What stands before `…` is counted from the front, what stands after it from the back."""
    if MORE not in shown:
        if len(shown) != len(real):
            yield f"{place}: {len(shown)} elements shown, really {len(real)}"
        pairs = list(zip(range(len(real)), shown, real, strict=False))
    else:
        cut = shown.index(MORE)
        tail = len(shown) - cut - 1
        if cut + tail > len(real):
            yield f"{place}: {cut + tail} elements shown, really {len(real)}"
            return
        head = list(zip(range(cut), shown[:cut], real[:cut], strict=True))
        start = len(real) - tail
        pairs = [*head, *zip(range(start, len(real)), shown[cut + 1 :], real[start:], strict=True)]
    for number, one, other in pairs:
        yield from differences(one, other, f"{place}[{number}]")
