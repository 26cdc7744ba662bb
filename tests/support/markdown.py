"""Headings, tables and code blocks of a Markdown page, as far as this project's pages use them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

HEADING = re.compile(r"(#+) +(.*)")
FENCE = re.compile(r"```(\w*)")
RULE = re.compile(r"[|:\- ]+")
CELL = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading without its `#`, and the text down to the next heading of any level."""

    level: int
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block and the line of the page on which it opens."""

    language: str
    text: str
    line: int


def sections(page: str) -> list[Section]:
    found: list[tuple[int, str, list[str]]] = []
    for line, inside in _fenced(page.splitlines()):
        heading = None if inside else HEADING.fullmatch(line)
        if heading:
            found.append((len(heading[1]), heading[2], []))
        elif found:
            found[-1][2].append(line)
    return [Section(level, title, "\n".join(lines)) for level, title, lines in found]


def _fenced(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it belongs to a code block."""
    inside = False
    for line in lines:
        fence = line.startswith("```")
        yield line, inside or fence
        inside = inside != fence


def section(page: str, title: str) -> str:
    """Return the text under one heading; fail with the list of headings if it is missing."""
    found = {section.title: section.text for section in sections(page)}
    assert title in found, f"no heading {title!r} among {list(found)}"
    return found[title]


def rows(text: str) -> list[dict[str, str]]:
    """Return the rows of every table in the text, each as heading → cell. A backslash escapes a bar inside a cell."""
    found: list[dict[str, str]] = []
    header: list[str] = []
    for line, inside in _fenced(text.splitlines()):
        if inside or not line.startswith("|"):
            header = []
        elif not header:
            header = _cells(line)
        elif not RULE.fullmatch(line):
            found.append(dict(zip(header, _cells(line), strict=True)))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(line.strip())[1:-1]]


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    cells = [tuple(cell.replace("|", "\\|").replace("\n", " ") for cell in row) for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, ("---",) * len(columns), *cells))


def code(cell: str) -> str:
    """Return the first `code` of a cell, or the cell itself."""
    found = re.search(r"`([^`]+)`", cell)
    return found[1] if found else cell


def blocks(page: str) -> list[Block]:
    found: list[Block] = []
    opened: tuple[str, int] | None = None
    lines: list[str] = []
    for number, line in enumerate(page.splitlines(), start=1):
        fence = FENCE.match(line)
        if opened is None and fence:
            opened, lines = (fence[1], number), []
        elif opened is not None and line.startswith("```"):
            found.append(Block(opened[0], "\n".join(lines), opened[1]))
            opened = None
        else:
            lines.append(line)
    return found
