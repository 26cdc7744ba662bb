"""The needs of a seed with only the members that a test reads, and their rows."""

from collections.abc import Mapping
from typing import cast

from api.recommend.seed_needs import SeedNeeds
from schema.json_types import JsonObject


def as_needs(document: Mapping[str, object]) -> SeedNeeds:
    return cast("SeedNeeds", document)


def solution_row(node: str, name: str, **members: object) -> JsonObject:
    """Return the row of a solution with these members; all others say that nothing lists it."""
    empty = {"basis": "source", "rarity": 0.0, "under": {}, "first": {}, "whole": 0.0}
    return {"id": node, "name": name, **empty, "made_for": [], "usual": [], "from": [], **members}
