"""The needs of a seed in a setting."""

from typing import Any

import pytest

from api.graph.listings import Listings, ListOwner
from api.recommend.inherited_lists import CHOSEN_RATE, UNCHOSEN_RATE
from api.recommend.ranking import SeedData
from api.recommend.seed_data import seed_data
from api.recommend.seed_lists import needs_of_seed
from api.recommend.seeds import ResolvedSeed
from api.recommend.setting_filter import filter_by_setting
from schema.json_types import JsonObject
from tests.support.listings import card, condition, edge_to, entity_hit, listings, need, solution

MS, ALS, RRMS, BOTH = "disability:ms", "disability:als", "disability:rrms", "disability:both"
FATIGUE, SIGHT = "limitation:fatigue", "limitation:sight"
BREAKS, NAPS, SEAT = "solution:breaks", "solution:naps", "solution:seat"
FANS, TESTS = "solution:fans", "solution:tests"


def listed(*solutions: str) -> dict[str, list[Any]]:
    """Return the edges of a condition whose sources list these solutions under fatigue."""
    recommended = [edge_to(node, via=[FATIGUE]) for node in solutions]
    return {"has_limitation": [edge_to(FATIGUE)], "recommends": recommended}


SCHOOL: dict[str, Any] = {"school_weight": 0.5, "school_basis": "editorial", "school_sources": ["editors"]}
NAMED = edge_to(SEAT, basis="editorial", **SCHOOL)
RATED = [edge_to(BREAKS, pages=2), edge_to(NAPS, pages=1)]
LISTINGS = listings(
    condition(MS, ["atlas"], {**listed(BREAKS, NAPS), "recommends": [*listed(BREAKS, NAPS)["recommends"], NAMED]}),
    condition(ALS, ["fair"], listed(BREAKS)),
    need(FATIGUE, ["book"], {"recommends": RATED}, listing_conditions=2),
    solution(BREAKS),
    solution(NAPS),
    solution(SEAT, settings=["school"]),
    solution(FANS),
    solution(TESTS, settings=["work", "school"]),
)


def resolved(node: str, **document: object) -> ResolvedSeed:
    return ResolvedSeed("seed", "id", card(node), entity_hit(node, ["own"], **document))


def read(seed: ResolvedSeed, setting: str | None = None, found: Listings = LISTINGS) -> SeedData:
    needs = {owner: needs_of_seed(owner, found) for owner in seed.list_owners}
    return seed_data(seed, needs, found.solutions, setting)


def under(data: SeedData) -> dict[str, Any]:
    return {row["id"]: row["under"] for row in data.needs["solutions"]}


@pytest.mark.parametrize("setting", [None, "work", "school"])
@pytest.mark.parametrize("node", [MS, FATIGUE])
def test_a_seed_has_its_needs_in_the_setting(node: str, setting: str | None) -> None:
    needs = needs_of_seed(node, LISTINGS)
    expected = SeedData("seed", card(node), filter_by_setting(needs, setting), needs["inherits"])
    assert read(resolved(node), setting) == expected


def test_a_seed_without_lists_names_those_whose_lists_it_uses() -> None:
    owner = {"id": MS, "name": "Ms", "relation": "narrower"}
    nerves = condition("disability:nerves", inherits=[owner])
    found = Listings({**LISTINGS.conditions, "disability:nerves": nerves}, LISTINGS.needs, LISTINGS.solutions)
    data = read(resolved("disability:nerves"), "work", found)
    assert data.inherits == (ListOwner(MS, "Ms", "narrower"),)
    assert under(data) == under(read(resolved(MS), "work"))


def test_a_condition_that_inherits_has_the_needs_of_its_parent_in_the_setting() -> None:
    data = read(resolved(RRMS, inherits_from=[MS]), "school")
    parent = read(resolved(MS), "school")
    assert data.card == card(RRMS)
    assert data.inherits == [ListOwner(MS, "Ms", "broader")]
    assert data.parent_needs == [parent.needs]
    assert (data.needs["card"], under(data)) == (card(MS), under(parent)) == (card(MS), {SEAT: {MS: 0.5}})
    assert [row["from"] for row in data.needs["solutions"]] == [[MS]]
    assert data.needs["sources"] == ["own", "atlas", "book"]


def test_a_condition_that_inherits_from_several_has_the_needs_of_all() -> None:
    data = read(resolved(BOTH, inherits_from=[ALS, MS]), "work")
    assert [(owner.id, owner.relation) for owner in data.inherits] == [(ALS, "broader"), (MS, "broader")]
    assert [needs["card"]["id"] for needs in data.parent_needs] == [ALS, MS]
    assert {row["id"]: row["from"] for row in data.needs["solutions"]} == {BREAKS: [ALS, MS], NAPS: [MS]}
    assert data.needs["sources"] == ["own", "fair", "book", "atlas", "book"]


def test_first_choices_for_a_condition_replace_those_of_its_parents() -> None:
    chosen = condition(MS, ["atlas"], listed(BREAKS, NAPS), first_choices=[{"solution": NAPS, "strength": 1.0}])
    found = Listings({**LISTINGS.conditions, MS: chosen}, LISTINGS.needs, LISTINGS.solutions)

    def whole(hit: ResolvedSeed) -> dict[str, float]:
        needs = read(hit, None, found).needs
        return {row["id"]: row["whole"] for row in needs["solutions"]}

    own = resolved(RRMS, inherits_from=[MS], first_choices=[{"solution": BREAKS, "strength": 0.5}])
    assert whole(own) == {BREAKS: 0.5, NAPS: 0.0}
    data = read(own, None, found)
    assert [needs.get("chosen_for") for needs in (data.needs, *data.parent_needs)] == ["Rrms", "Rrms"]
    without = resolved(RRMS, inherits_from=[MS])
    assert whole(without) == {BREAKS: 0.0, NAPS: 1.0}
    assert "chosen_for" not in read(without, None, found).needs


def inherited_with(choices: list[JsonObject], setting: str | None = None, **document: object) -> dict[str, Any]:
    data = read(resolved(RRMS, inherits_from=[MS], first_choices=choices, **document), setting)
    return {row["id"]: row for row in data.needs["solutions"]}


def test_what_parents_list_counts_less_beside_first_choices_for_the_condition_itself() -> None:
    plain, rows = inherited_with([]), inherited_with([{"solution": BREAKS, "strength": 0.5}])
    assert rows[BREAKS]["under"] == plain[BREAKS]["under"]
    assert rows[NAPS]["under"][FATIGUE] == pytest.approx(plain[NAPS]["under"][FATIGUE] * UNCHOSEN_RATE)


def test_first_choices_for_another_setting_leave_the_lists_as_they_are() -> None:
    choices = [{"solution": BREAKS, "strength": 0.5, "settings": ["work"]}]
    assert inherited_with(choices, "school")[SEAT]["under"] == inherited_with([], "school")[SEAT]["under"]


def test_a_first_choice_that_no_parent_lists_is_added_under_the_main_needs() -> None:
    own = [{"solution": FANS, "strength": 1.0}]
    rows = inherited_with(own, main_needs=[FATIGUE])
    assert rows[FANS]["under"] == {FATIGUE: CHOSEN_RATE}
    assert (rows[FANS]["basis"], rows[FANS]["from"], rows[FANS]["whole"]) == ("editorial", [], 1.0)
    assert FANS in inherited_with(own)  # without main needs, under the heaviest


@pytest.mark.parametrize(("settings", "share"), [(["work"], 0.5), (["school"], 1.0)])
def test_an_added_first_choice_counts_half_in_another_setting(settings: list[str], share: float) -> None:
    row = inherited_with([{"solution": TESTS, "strength": 1.0, "settings": settings}], "school")[TESTS]
    assert row["under"] == {FATIGUE: share * CHOSEN_RATE}


def test_a_first_choice_is_not_halved_for_other_needs_than_the_main_ones() -> None:
    rows = inherited_with([{"solution": BREAKS, "strength": 0.5}], main_needs=[SIGHT])
    assert rows[BREAKS]["under"] == inherited_with([])[BREAKS]["under"]


def test_other_needs_than_the_main_ones_of_an_inheriting_condition_count_half() -> None:
    listing = condition(
        MS,
        ["atlas"],
        {
            "has_limitation": [edge_to(FATIGUE), edge_to(SIGHT)],
            "recommends": [edge_to(BREAKS, via=[FATIGUE]), edge_to(NAPS, via=[SIGHT])],
        },
    )
    found = Listings(
        {**LISTINGS.conditions, MS: listing},
        {**LISTINGS.needs, SIGHT: need(SIGHT, ["book"], {"recommends": RATED}, listing_conditions=2)},
        LISTINGS.solutions,
    )
    parent = under(read(resolved(MS), None, found))
    data = under(read(resolved(RRMS, inherits_from=[MS], main_needs=[FATIGUE]), None, found))
    assert data[BREAKS][FATIGUE] == parent[BREAKS][FATIGUE]
    assert data[NAPS][SIGHT] == parent[NAPS][SIGHT] / 2
