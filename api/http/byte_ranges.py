"""Parses the `Range` header (RFC 9110, section 14). Pure."""

from __future__ import annotations

import re

from api.errors import RangeError

SINGLE_RANGE = re.compile(r"\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*", re.IGNORECASE | re.ASCII)
MAX_DIGITS = 18  # no file is larger


def parse_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Return the first byte and the byte after the last, or None if the whole file is to be sent.

    Malformed ranges, other units and several ranges at once are ignored, as the standard allows. Raise RangeError if
    the range starts after the end of the file.
    """
    match = SINGLE_RANGE.fullmatch(header or "")
    if match is None or not any(match.groups()) or max(map(len, match.groups())) > MAX_DIGITS:
        return None
    first, last = match.groups()
    if not first:
        start, stop = max(0, size - int(last)), size
    else:
        start, stop = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            return None
    if start >= stop:
        raise RangeError(f"The file has {size:,} bytes; the range starts after its end.", size=size)
    return start, stop
