"""Reads and checks `mappings/pins.tsv`, the operator's pins: errors stop a build, warnings are for the operator."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

from indexer.content.problems import NearestMatch, Problem, quote
from indexer.synonyms.lines import read_lines
from schema.pins import Pin
from schema.text import tokens

PINS_FILE = "pins.tsv"
COLUMNS = ("query", "first", "leave_out", "reason", "until")
HEADER = f"the first line that is not a comment must have the columns {', '.join(COLUMNS)}, separated by tabs"


def pins_and_problems(folder: Path) -> tuple[tuple[Pin, ...], list[str]]:
    """Return the valid pins of the folder, and a `file:line: message` for each invalid row; no file has no pins."""
    path = folder / PINS_FILE
    if not path.exists():
        return (), []
    lines, unreadable = read_lines(path)
    if unreadable:
        return (), unreadable
    pins, problems = parse(path.name, lines)
    return tuple(pins), list(map(str, problems))


def parse(file: str, lines: Iterable[str]) -> tuple[list[Pin], list[Problem]]:
    """Return pins and problems of a file. Skip blank lines and comments, which start with `#`."""
    rows = [
        (number, [cell.strip() for cell in line.split("\t")])
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.startswith("#")
    ]
    if not rows or tuple(rows[0][1]) != COLUMNS:
        return [], [Problem(file, rows[0][0] if rows else 1, HEADER)]
    pins: list[Pin] = []
    problems: list[Problem] = []
    for number, cells in rows[1:]:
        pin = _pin(file, number, cells)
        if isinstance(pin, Pin):
            pins.append(pin)
        else:
            problems.append(Problem(file, number, pin))
    return pins, sorted([*problems, *_repeated_queries(pins)])


def _pin(file: str, line: int, cells: Sequence[str]) -> Pin | str:
    """Return the pin of a row, or what is wrong with the row."""
    if not len(COLUMNS) - 1 <= len(cells) <= len(COLUMNS):
        return f"{len(cells)} cells; a row has {', '.join(COLUMNS)}, separated by tabs"
    query, first, leave_out, reason, until = [*cells, ""][: len(COLUMNS)]
    left_out = tuple(leave_out.split())
    try:
        day = date.fromisoformat(until) if until else None
    except ValueError:
        return f"{quote(until)} is not a date; write it as 2027-03-31, or leave it empty"
    pin = Pin(file, line, query, first, left_out, reason, day)
    return _problem(pin) or pin


def _problem(pin: Pin) -> str:
    """Return what is wrong with a pin by itself, or an empty string."""
    problems = {
        "the query has neither letters nor digits; write the words that people search for": not tokens(pin.query),
        "the pin has no effect; name an id to show first, or ids to leave out": not (pin.first or pin.left_out),
        f"{quote(pin.first)} is more than one id; only one can be first": len(pin.first.split()) > 1,
        "the reason is empty; say why the pin is needed": not pin.reason,
        "an id is left out twice; remove one": len(set(pin.left_out)) < len(pin.left_out),
        f"{quote(pin.first)} is first and left out; remove it from one column": pin.first in pin.left_out,
    }
    return next((message for message, applies in problems.items() if applies), "")


def _repeated_queries(pins: Iterable[Pin]) -> Iterator[Problem]:
    seen: dict[str, Pin] = {}
    for pin in pins:
        earlier = seen.setdefault(pin.form, pin)
        if earlier is not pin:
            message = f"{quote(pin.query)} is the same query as {quote(earlier.query)} in line {earlier.line}; "
            yield Problem(pin.file, pin.line, f"{message}keep one row")


def unknown_ids(pins: Iterable[Pin], ids: Collection[str]) -> list[Problem]:
    """Return the ids of pins that no entity has, with the nearest one."""
    nearest = NearestMatch(ids)
    return [
        Problem(pin.file, pin.line, f"there is no entity {quote(id_)}{nearest.hint(id_)}")
        for pin in pins
        for id_ in (pin.first, *pin.left_out)
        if id_ and id_ not in ids
    ]


def expired_pins(pins: Iterable[Pin], today: date) -> list[Problem]:
    """Return the pins that no longer apply."""
    return [
        Problem(pin.file, pin.line, f"the pin ended on {pin.until}; remove the row or set a later day")
        for pin in pins
        if pin.until and pin.is_expired(today)
    ]
