"""Which bytes of a file a `Range` header asks for (RFC 9110, section 14). Pure."""

from __future__ import annotations

import re

from api.errors import RangeError

ONE = re.compile(r"\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*", re.IGNORECASE | re.ASCII)
LONGEST = 18  # digits; no file is larger


def wanted(header: str | None, size: int) -> tuple[int, int] | None:
    """First byte and the one after the last, or None where the whole file is to be sent.

    What is malformed, in another unit or several ranges at once is ignored, as the standard allows. Raises RangeError
    for a range that begins after the end.
    """
    found = ONE.fullmatch(header or "")
    if found is None or not any(found.groups()) or max(map(len, found.groups())) > LONGEST:
        return None
    first, last = found.groups()
    if not first:
        start, stop = max(0, size - int(last)), size
    else:
        start, stop = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            return None
    if start >= stop:
        raise RangeError(f"The file has {size:,} bytes; the range begins after its end.", size=size)
    return start, stop
