"""What a binary field keeps becomes a value again. Pure."""

from __future__ import annotations

import zlib
from base64 import b64decode
from typing import Any

import orjson


def inflated(text: str) -> Any:  # noqa: ANN401 - whatever the indexer packed
    """Read what `indexer.deflated` wrote, with or without the padding, which the engine leaves out."""
    return orjson.loads(zlib.decompress(b64decode(f"{text}==")))
