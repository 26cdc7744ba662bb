"""A value becomes text that a binary field keeps: base64 of deflated JSON. Pure.

What is read whole and never searched is kept so. The engine neither parses it nor keeps it a second time, and hands it
out without reading the document's source.
"""

from __future__ import annotations

import zlib
from base64 import b64encode

import orjson

QUICK = 1  # a tenth larger than the best level, in a third of its time
WINDOW, MEMORY = 12, 5  # with the usual ones, making room takes five times as long as packing most of what is packed


def deflated(value: object) -> str:
    """The value as a binary field takes it; `api.inflated` reads it."""
    packer = zlib.compressobj(QUICK, zlib.DEFLATED, WINDOW, MEMORY)
    return b64encode(packer.compress(orjson.dumps(value)) + packer.flush()).decode()
