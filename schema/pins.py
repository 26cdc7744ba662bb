"""Pins as a release stores them: for one query, the entity to show first and entities to leave out, until a day."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from schema.exact_keys import name_form
from schema.text import tokens


@dataclass(frozen=True, slots=True)
class Pin:
    """One row of the pins file. `first` is an id or empty, `until` the last day on which the pin applies."""

    file: str
    line: int
    query: str
    first: str
    left_out: tuple[str, ...]
    reason: str
    until: date | None = None

    @property
    def form(self) -> str:
        """The form of the query; queries with the same form as this one get the pin, as names are compared."""
        return name_form(tokens(self.query))

    @property
    def text(self) -> str:
        """What the pin does, in one line."""
        effects = [f"first {self.first}"] if self.first else []
        effects += [f"without {' '.join(self.left_out)}"] if self.left_out else []
        effects += [f"until {self.until.isoformat()}"] if self.until else []
        return f"pin ‘{self.query}’: {', '.join(effects)}"

    def is_expired(self, today: date) -> bool:
        """Return whether the last day is past."""
        return self.until is not None and self.until < today


def pin_lines(pins: Iterable[Pin]) -> list[dict[str, Any]]:
    """Return the pins as a release stores them in its `_meta`."""
    return [
        {
            "query": pin.query,
            "first": pin.first,
            "left_out": list(pin.left_out),
            "reason": pin.reason,
            "until": pin.until.isoformat() if pin.until else None,
            "file": pin.file,
            "line": pin.line,
        }
        for pin in pins
    ]


def pins_from(lines: Iterable[Mapping[str, Any]]) -> tuple[Pin, ...]:
    """Return the pins that a release stores."""
    return tuple(
        Pin(
            line["file"],
            line["line"],
            line["query"],
            line["first"],
            tuple(line["left_out"]),
            line["reason"],
            date.fromisoformat(line["until"]) if line["until"] else None,
        )
        for line in lines
    )
