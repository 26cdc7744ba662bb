"""Parses the request headers `Accept`, `Accept-Encoding` and `Range` (RFC 9110, sections 12 and 14)."""

import re
from collections.abc import Sequence

from api.errors import RangeError

HTML, JSON = "text/html", "application/json"
QUALITY_ZERO = re.compile(r"(?:^|;)\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)")
SINGLE_RANGE = re.compile(r"\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*", re.IGNORECASE | re.ASCII)
MAX_DIGITS = 18  # no file is larger


def accepts(header: str, values: Sequence[str]) -> bool:
    """Return whether the header lists one of these values, in lower case, with a quality above zero.

    A wildcard does not include what the header refuses by name: `gzip;q=0, *` does not accept gzip, the first value.
    """
    parts = [part.partition(";") for part in header.lower().split(",")]
    listed = {value.strip() for value, _, _ in parts}
    accepted = {value.strip() for value, _, parameters in parts if not QUALITY_ZERO.search(parameters)}
    is_refused = values[0] in listed - accepted
    return any(value in accepted for value in values if not (is_refused and "*" in value))


def prefers_html(accept: str) -> bool:
    """Return whether the header names HTML and prefers it to JSON; at equal quality, JSON wins.

    Browsers name HTML and accept anything else as well. Programs that accept anything (`*/*`) get JSON.
    """
    if HTML not in accept.lower():
        return False
    qualities = dict(_parse(part) for part in accept.lower().split(","))
    return qualities.get(HTML, 0.0) > qualities.get(JSON, 0.0)


def _parse(part: str) -> tuple[str, float]:
    media_type, *parameters = (item.strip() for item in part.split(";"))
    quality = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
    try:
        return media_type, float(quality)
    except ValueError:
        return media_type, 0.0


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
