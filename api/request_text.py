"""Text of requests: which characters and JSON are valid, and how much of a text a response repeats.

A response is never much longer because the request is: without these bounds, 59 kB of unknown fields got 846 kB back.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

MAX_UNKNOWN = 5  # unknown names that a response lists; the rest is counted
MAX_NAME_BYTES = 40  # the longest valid name has 13
MAX_VALUE_BYTES = 120  # the longest name of an entity has 131 characters, its slug 95
MAX_PROBLEMS = 10  # a valid request has up to ten seeds, each of which may be unknown
MAX_JSON_DEPTH = 32  # a request for recommendations has 2, one of MCP about 5
CONTROL_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f]")  # all of Unicode's category Cc
LINE_BREAKS = dict.fromkeys(map(ord, "\t\n\r"))
CONTROL_CHARACTER = "control_character"  # type of a problem
# Also one without an end: tried anew from each of its quotation marks, 64 kB of `\"` took 22 seconds.
JSON_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
OPENING, BRACKETS = b"[{", b"[]{}"
NOT_BRACKETS = bytes(number for number in range(256) if number not in BRACKETS)


def shorten(text: str, max_bytes: int = MAX_VALUE_BYTES) -> str:
    """Return the beginning of a text that has more than `max_bytes` bytes in UTF-8, with an ellipsis."""
    if len(text) * 4 <= max_bytes or len(encoded := text.encode("utf-8", "replace")) <= max_bytes:
        return text
    return f"{encoded[: max_bytes - 3].decode('utf-8', 'ignore')}…"


def shorten_name(name: str) -> str:
    """Return the beginning of a name that the request made up, without control characters."""
    return CONTROL_CHARACTERS.sub("\ufffd", shorten(name, MAX_NAME_BYTES))


def control_character(text: str, *, is_pasted: bool = False) -> str | None:
    """Return the code point of the first control character of a text, such as `U+0000`, or None.

    Tab, line feed and carriage return are valid in a text that people paste into JSON, such as a long question.
    """
    match = CONTROL_CHARACTERS.search(text.translate(LINE_BREAKS) if is_pasted else text)
    return f"U+{ord(match[0]):04X}" if match else None


def is_too_deep(body: bytes) -> bool:
    """Return whether JSON is nested deeper than MAX_JSON_DEPTH, without parsing it: a parser would need the stack."""
    if sum(body.count(sign) for sign in (b"[", b"{")) <= MAX_JSON_DEPTH:
        return False
    depth = 0
    for sign in JSON_STRING.sub(b"", body).translate(None, NOT_BRACKETS):
        depth += 1 if sign in OPENING else -1
        if depth > MAX_JSON_DEPTH:
            return True
    return False


def shorten_problems(problems: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the first problems with shortened inputs, then one that counts the rest."""
    shown = [_shorten_problem(problem) for problem in problems[:MAX_PROBLEMS]]
    if rest := problems[MAX_PROBLEMS:]:
        message = f"and {len(rest):,} more problems"
        shown.append({"loc": list(rest[0]["loc"][:1]), "msg": message, "type": "more_problems"})
    return shown


def _shorten_problem(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return a problem whose `input` has at most MAX_VALUE_BYTES: the beginning of a text, nothing of other values."""
    location = [shorten_name(part) if isinstance(part, str) else part for part in problem["loc"]]
    shown = {**problem, "loc": location}
    value = problem.get("input")
    if isinstance(value, str):
        shown["input"] = shorten(value)
    elif len(repr(value)) > MAX_VALUE_BYTES:
        del shown["input"]
    return shown
