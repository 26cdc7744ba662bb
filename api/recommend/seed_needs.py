"""Types of what recommend ranks: the needs of a seed, and the solutions that are listed for it, per need and setting.

Rates, rarities, strengths and demands are numbers from 0 to 1.
"""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict, final

from api.graph.listings import ListOwner
from schema.json_types import JsonObject


class NeedRow(TypedDict):
    """A need of a seed with its card; `school` needs come from lists for school only.

    `limits` has the strength with which the need limits an ability, and the name of the ability, by its id.
    """

    entity: JsonObject
    weight: float
    main: bool
    limits: Mapping[str, tuple[float, str]]
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
    only (`aside`). `chosen` is what editors chose for a condition though none of its parents lists it.
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
    chosen: NotRequired[bool]


@final
class SeedNeeds(TypedDict):
    """A seed with its needs and solutions; an occupation has `demands` by ability instead.

    `inherits` are the entities whose lists these are, if the seed has none. For a condition that inherits, first
    choices are `chosen_for` it where editors named any for itself, and a parent with none of its main needs is marked
    with `misses_main_needs`. `choices_by_setting` are first choices that take the
    place of the others in one setting.
    """

    card: JsonObject
    inherits: Sequence[ListOwner]
    needs: Sequence[NeedRow]
    solutions: Sequence[SolutionRow]
    demands: Mapping[str, float]
    sources: Sequence[str]
    chosen_for: NotRequired[str]
    misses_main_needs: NotRequired[bool]
    choices_by_setting: NotRequired[Mapping[str, Mapping[str, float]]]
