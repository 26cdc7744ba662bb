"""Types of the `needs` documents: what recommend reads of a condition, limitation, function or occupation.

`indexer/documents/seeds.py` computes them. Rates, rarities, strengths and demands are numbers from 0 to 1.
"""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict, final

from schema.json_types import JsonObject


class ListOwner(TypedDict):
    """An entity whose lists another one uses: `relation` is narrower, broader or similar."""

    id: str
    name: str
    relation: str


class AbilityLimit(TypedDict):
    """How strongly a need limits an ability, and the name of the ability."""

    strength: float
    name: str


class NeedRow(TypedDict):
    """A need of a seed with its card; `limits` are by ability, and `school` needs come from lists for school only."""

    entity: JsonObject
    weight: float
    main: bool
    limits: Mapping[str, AbilityLimit]
    school: NotRequired[bool]


# A solution as it is listed in one setting. `under` has its rate under each need, `usual` the needs for which no source
# lists it for this seed though it is usual elsewhere, `from` the related entities that list it.
_Listing = TypedDict(
    "_Listing",
    {"under": Mapping[str, float], "rarity": float, "basis": str, "usual": Sequence[str], "from": Sequence[str]},
)


class SchoolListing(_Listing):
    """A solution as it is listed for school and testing."""

    sources: Sequence[str]


class SolutionRow(_Listing):
    """A solution as it is listed for work; `school` is its listing for school, if there is any.

    `first` has the strength of an editorial first choice by need, `whole` that for the seed itself; `made_for` are the
    entities for which it is intended. The filter by setting adds the rest: `named` for school, or for another setting
    only (`aside`).
    """

    id: str
    name: str
    settings: Sequence[str]
    first: Mapping[str, float]
    whole: float
    made_for: Sequence[str]
    school: NotRequired[SchoolListing]
    sources: NotRequired[Sequence[str]]
    named: NotRequired[bool]
    aside: NotRequired[bool]


@final
class NeedsDocument(TypedDict):
    """A seed with its needs and solutions; an occupation has `demands` by ability instead.

    A condition with `inheritance_sources` has no lists, and in `whole` its own first choices by solution. The service
    adds to a copy of its parent's document that these are `chosen_for` it.
    """

    card: JsonObject
    inherits: Sequence[ListOwner]
    needs: Sequence[NeedRow]
    solutions: Sequence[SolutionRow]
    demands: Mapping[str, float]
    inheritance_sources: NotRequired[Sequence[str]]
    whole: NotRequired[Mapping[str, float]]
    chosen_for: NotRequired[str]
    sources: NotRequired[Sequence[str]]  # of the seed and of its needs; documents of version 0.1.0 lack them


@final
class PrecomputedDocument(TypedDict):
    """A seed with its `precomputed` recommendations: the result of `rank_and_explain` for this seed alone."""

    card: JsonObject
    precomputed: JsonObject
