"""Types of decoded JSON."""

from typing import Any

JsonObject = dict[str, Any]
