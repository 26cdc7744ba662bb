"""Bounds on what responses repeat of requests, control characters, and the depth of JSON."""

from typing import Any

import orjson
import pytest

from api.request_text import (
    MAX_JSON_DEPTH,
    MAX_PROBLEMS,
    control_character,
    is_too_deep,
    shorten,
    shorten_name,
    shorten_problems,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("x" * 120, "x" * 120),
        ("x" * 121, "x" * 117 + "…"),
        ("é" * 60, "é" * 60),
        ("é" * 61, "é" * 58 + "…"),  # no half of a character
        ("\U0001f600" * 31, "\U0001f600" * 29 + "…"),
        ("\ud800" * 200, "?" * 117 + "…"),
    ],
)
def test_a_text_is_shortened_by_its_bytes(text: str, shown: str) -> None:
    assert shorten(text) == shown


def test_a_name_has_no_control_characters() -> None:
    assert shorten_name("a\x00b\x9f") == "a\ufffdb\ufffd"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((chr(number), f"U+{number:04X}") for number in (*range(32), *range(127, 160))),
        *((text, None) for text in ("", "a b", "\xa0", "\u200d", "\u2028", "Crohn’s")),
    ],
)
def test_control_characters_are_named(text: str, code: str | None) -> None:
    assert control_character(f"a{text}b") == code
    assert control_character(f"a\t\r\n{text}b", is_pasted=True) == (None if text in {"\t", "\n", "\r"} else code)


DEEP = MAX_JSON_DEPTH + 1


@pytest.mark.parametrize(
    ("body", "too_deep"),
    [
        (b"", False),
        (b"[" * MAX_JSON_DEPTH + b"]" * MAX_JSON_DEPTH, False),
        (b"[" * DEEP + b"]" * DEEP, True),
        (b"[" * 10_000, True),
        (b'{"a":' * 10_000, True),
        (b"[" + b"[]," * 1_000 + b"[]]", False),  # many, but not nested
        (b'{"a": "' + b"[" * 1_000 + b'"}', False),  # inside a text
        (b'{"a": "\\"' + b"[" * 1_000 + b'"}', False),
        (b'{"a": "\\\\", "b": ' + b"[" * DEEP + b"]" * DEEP + b"}", True),
        (b'"' + b"\\" * 60_000 + b"[" * DEEP, False),  # no end of the text
        (b'"' + b"\\" * 60_001 + b"[" * DEEP, False),
        (b'"' + b'\\"' * 130_000 + b"[" * DEEP, False),
    ],
)
def test_json_nested_too_deep_is_found_without_parsing(body: bytes, too_deep: bool) -> None:  # noqa: FBT001 - a table
    assert is_too_deep(body) == too_deep


def problem(value: object = "x", *location: str | int) -> dict[str, Any]:
    return {"loc": location or ("body", "limit"), "msg": "wrong", "type": "int_type", "input": value}


@pytest.mark.parametrize("value", ["x", 5, None, [], {"a": 1}, [True, 1.5]])
def test_a_short_input_is_repeated(value: object) -> None:
    assert shorten_problems([problem(value)]) == [{**problem(value), "loc": ["body", "limit"]}]


def test_a_long_input_is_shortened_or_left_out() -> None:
    (text, *others) = shorten_problems([problem("x" * 60_000), problem(["x"] * 1_000), problem(10**1_000)])
    assert text["input"] == "x" * 117 + "…"
    assert ["input" in other for other in others] == [False, False]
    (shown,) = shorten_problems([problem(1, "body", "y" * 60_000, 7)])
    assert shown["loc"] == ["body", "y" * 37 + "…", 7]


def test_problems_beyond_the_first_are_counted() -> None:
    shown = shorten_problems([problem("x" * 60_000, "body", number) for number in range(1_010)])
    assert [one["loc"][-1] for one in shown[:-1]] == [*range(MAX_PROBLEMS)]
    assert shown[-1] == {"loc": ["body"], "msg": "and 1,000 more problems", "type": "more_problems"}
    assert len(orjson.dumps(shown)) < 4_000
