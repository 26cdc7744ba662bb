"""Bodies of JSON responses and documents."""

from collections.abc import Iterator
from typing import Any


def objects(node: object) -> Iterator[dict[str, Any]]:
    """Yield every object of a body, the outer ones first."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects(child)
