"""Counts and examples of the differences, and the file of all differences."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import IO, Any

from rich.table import Table
from rich.text import Text

from bench.answers.comparison import Difference, same

EXAMPLES = 3
MAX_VALUE_LENGTH = 48


@dataclass
class Count:
    """The differences of one class: how many responses and items they concern, and the first ones."""

    responses: int = 0
    items: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class Summary:
    """The compared responses and the counts by class; every difference goes to the file, none stays in memory."""

    file: IO[str] | None = None
    compared: int = 0
    differing: int = 0
    counts: dict[str, Count] = field(default_factory=dict)

    def add(self, source: str, differences: Iterable[Difference]) -> None:
        """Count the differences of one response; `source` is the id of its entity, and the edge of neighbors."""
        self.compared += 1
        kinds = set()
        for difference in differences:
            kinds.add(difference.kind)
            count = self.counts.setdefault(difference.kind, Count())
            count.items += 1
            if len(count.examples) < EXAMPLES:
                count.examples.append(example(source, difference))
            if self.file:
                line = {"class": difference.kind, "source": source, **difference._asdict()}
                del line["kind"]
                self.file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self.differing += bool(kinds)
        for kind in kinds:
            self.counts[kind].responses += 1

    def table(self) -> Table:
        """Return a table of the classes, in alphabetical order."""
        table = Table("class", show_lines=True)
        table.add_column("answers", justify="right")
        table.add_column("items", justify="right")
        table.add_column("examples: id, before → after", overflow="fold")
        for kind, count in sorted(self.counts.items()):
            examples = Text("\n".join(count.examples))
            table.add_row(Text(kind), f"{count.responses:,}", f"{count.items:,}", examples)
        return table


def example(source: str, difference: Difference) -> str:
    """Return a line with the first values that differ, each shortened."""
    path, before, after = narrow(difference.before, difference.after)
    names = " ".join(name for name in (source, difference.item, path) if name)
    return f"{names}: {_short(before)} → {_short(after)}"


def narrow(before: Any, after: Any) -> tuple[str, Any, Any]:  # noqa: ANN401 - any JSON value
    """Return the path of the first values that differ inside two values, and these values."""
    pairs: dict[str, tuple[Any, Any]] = {}
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        pairs = {name: (before[name], after[name]) for name in before}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = {str(place): pair for place, pair in enumerate(zip(before, after, strict=True))}
    for name, pair in pairs.items():
        if not same(*pair):
            path, *values = narrow(*pair)
            return f"{name}.{path}".rstrip("."), values[0], values[1]
    if isinstance(before, str) and isinstance(after, str) and max(len(before), len(after)) > MAX_VALUE_LENGTH:
        places = (place for place, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1])
        shared = next(places, min(len(before), len(after)))
        start = max(shared - MAX_VALUE_LENGTH // 3, 0)
        return "", "…" * (start > 0) + before[start:], "…" * (start > 0) + after[start:]
    return "", before, after


def _short(value: Any) -> str:  # noqa: ANN401 - any JSON value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[: MAX_VALUE_LENGTH - 1]}…"
