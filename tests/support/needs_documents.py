"""`needs` documents with only the members that a test reads, and their rows."""

from collections.abc import Mapping
from typing import cast

from schema.json_types import JsonObject
from schema.needs_document import NeedsDocument


def as_needs(document: Mapping[str, object]) -> NeedsDocument:
    return cast("NeedsDocument", document)


def solution_row(node: str, name: str, **members: object) -> JsonObject:
    """Return the row of a solution with these members; all others say that nothing lists it."""
    empty = {"basis": "source", "rarity": 0.0, "under": {}, "first": {}, "whole": 0.0}
    return {"id": node, "name": name, **empty, "made_for": [], "usual": [], "from": [], **members}
