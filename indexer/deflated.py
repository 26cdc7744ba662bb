"""A value becomes text that a binary field keeps: base64 of deflated JSON. Pure.

What is read whole and never searched is kept so. The engine neither parses it nor keeps it a second time, and hands it
out without reading the document's source.
"""

from __future__ import annotations

from base64 import b64encode

import orjson
from isal import isal_zlib

QUICK = 1  # as small as zlib makes it, in half of its time
WINDOW = 12  # as a power of two; most of what is packed is smaller


def deflated(value: object) -> str:
    """The value as a binary field takes it; `api.inflated` reads it."""
    return b64encode(isal_zlib.compress(orjson.dumps(value), QUICK, WINDOW)).decode()
