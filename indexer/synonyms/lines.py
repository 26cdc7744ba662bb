"""Reads the lines of a file that an operator edits."""

import re
from pathlib import Path

LINE_END = re.compile(r"\r\n?|\n")  # as editors count lines; str.splitlines also splits at form feeds


def read_lines(path: Path) -> tuple[list[str], list[str]]:
    """Return the lines of a file in UTF-8, and a `file:line: message` if it cannot be read."""
    try:
        return LINE_END.split(path.read_text("utf-8-sig")), []
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        return [], [f"{path.name}:{line}: not UTF-8; save the file as UTF-8"]
    except OSError as error:
        return [], [f"{path.name}:1: cannot be read: {error.strerror}"]
