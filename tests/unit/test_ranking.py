"""Which solutions come first, and that the parts explain the score."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.ranking import Ranking, SeedData, rank


def card(kind: str, key: str) -> dict[str, Any]:
    return {"id": f"{kind}:{key}", "name": key.title()}


def as_limits(limits: dict[str, tuple[float, str]]) -> dict[str, dict[str, Any]]:
    return {ability: {"strength": strength, "name": name} for ability, (strength, name) in limits.items()}


LIMITS = {"sight": as_limits({"ability:near": (0.5, "Near Vision")})}


def seed(field: str, needs: dict[str, float], solutions: dict[str, tuple[float, dict[str, float]]]) -> SeedData:
    """`needs` maps a limitation to how telling it is, `solutions` a solution to its rarity and its rate per need."""
    return SeedData(
        field,
        {
            "needs": [
                {"entity": card("limitation", key), "telling": telling, "limits": LIMITS.get(key, {})}
                for key, telling in needs.items()
            ],
            "demands": {},
            "solutions": [
                {
                    "card": card("solution", key),
                    "rarity": rarity,
                    "under": {f"limitation:{need}": rate for need, rate in under.items()},
                }
                for key, (rarity, under) in solutions.items()
            ],
        },
    )


NEEDS = {"fatigue": 1.0, "sight": 3.0}
SOLUTIONS = {
    "breaks": (0.0, {"fatigue": 1.0}),
    "lamps": (1.0, {"sight": 0.2}),
    "readers": (0.5, {"fatigue": 0.5, "sight": 1.0}),
}
CONDITION = seed("disability", NEEDS, SOLUTIONS)
SIGHT = seed("limitation", {"sight": 3.0}, {"lamps": (1.0, {"sight": 0.2}), "readers": (0.5, {"sight": 1.0})})
JOB = SeedData("occupation", {"needs": [], "solutions": [], "demands": {"ability:near": 0.5, "ability:hearing": 1.0}})
NOTHING = seed("disability", {"stamina": 2.0}, {})


def test_one_seed_is_ranked_by_coverage_evidence_and_specificity() -> None:
    ranking = rank([CONDITION])
    assert ranking.together
    assert [(one.card["id"], one.parts, one.score) for one in ranking.found] == [
        # both needs; 0.3 × (1 × 0.5 + 3 × 1) / 4; half as rare as can be
        ("solution:readers", {"coverage": 0.5, "evidence": 0.2625, "specificity": 0.1}, 0.8625),
        # 3 of 4 points of need; seldom listed; no other condition lists it
        ("solution:lamps", {"coverage": 0.375, "evidence": 0.06, "specificity": 0.2}, 0.635),
        # 1 of 4 points of need; always listed; every condition lists it
        ("solution:breaks", {"coverage": 0.125, "evidence": 0.3, "specificity": 0.0}, 0.425),
    ]


def test_the_needs_a_solution_answers_stand_weightiest_first() -> None:
    readers, lamps, _ = rank([CONDITION]).found
    assert [(need["id"], weight, field) for need, weight, field in readers.answers] == [
        ("limitation:sight", 0.75, "disability"),
        ("limitation:fatigue", 0.25, "disability"),
    ]
    assert [need["id"] for need, _, _ in lamps.answers] == ["limitation:sight"]


def test_a_second_seed_narrows_and_the_parts_are_the_mean() -> None:
    ranking = rank([CONDITION, SIGHT])
    assert ranking.together
    readers, lamps = ranking.found
    assert (readers.card["id"], lamps.card["id"]) == ("solution:readers", "solution:lamps")
    assert readers.parts == {"coverage": 0.5, "evidence": 0.28125, "specificity": 0.1}
    assert lamps.parts == {"coverage": 0.4375, "evidence": 0.06, "specificity": 0.2}
    assert [(need["id"], weight, field) for need, weight, field in lamps.answers] == [
        ("limitation:sight", 0.75, "disability"),
        ("limitation:sight", 1.0, "limitation"),
    ]


def test_a_seed_that_lists_nothing_narrows_nothing() -> None:
    assert rank([CONDITION, NOTHING]) == rank([CONDITION])


@pytest.mark.parametrize("seeds", [[], [NOTHING], [NOTHING, NOTHING], [JOB]])
def test_without_any_listing_there_is_nothing_to_rank(seeds: list[SeedData]) -> None:
    assert rank(seeds) == Ranking((), together=True)


def test_where_no_solution_serves_all_seeds_those_come_that_serve_any() -> None:
    breaks = seed("limitation", {"fatigue": 1.0}, {"breaks": (0.0, {"fatigue": 1.0})})
    ranking = rank([SIGHT, breaks])
    assert not ranking.together
    # each serves one of two seeds, so its parts are halved
    assert [(one.card["id"], one.parts) for one in ranking.found] == [
        ("solution:readers", {"coverage": 0.25, "evidence": 0.15, "specificity": 0.05}),
        ("solution:breaks", {"coverage": 0.25, "evidence": 0.15, "specificity": 0.0}),
        ("solution:lamps", {"coverage": 0.25, "evidence": 0.03, "specificity": 0.1}),
    ]


def test_a_job_makes_the_needs_count_more_that_limit_what_it_leans_on() -> None:
    # seeing counts 3 × (1 + 2 × 0.5 × 0.5) = 4.5 of 5.5 points of need
    readers, lamps, breaks = rank([CONDITION, JOB]).found
    assert readers.parts == {"coverage": 0.5, "evidence": 0.272727, "specificity": 0.1}
    assert lamps.parts == {"coverage": 0.409091, "evidence": 0.06, "specificity": 0.2}
    assert breaks.parts == {"coverage": 0.090909, "evidence": 0.3, "specificity": 0.0}
    assert [(need["id"], weight, field) for need, weight, field in readers.answers] == [
        ("limitation:sight", 0.8182, "disability"),
        ("limitation:fatigue", 0.1818, "disability"),
    ]
    assert [one.job for one in (readers, lamps, breaks)] == ["Near Vision", "Near Vision", ""]


def test_a_job_that_leans_on_nothing_that_is_limited_changes_nothing() -> None:
    driver = SeedData("occupation", {"needs": [], "solutions": [], "demands": {"ability:stamina": 1.0}})
    assert rank([CONDITION, driver]) == rank([CONDITION])
    assert [one.job for one in rank([CONDITION]).found] == ["", "", ""]


def test_of_several_abilities_the_one_that_the_job_misses_most_counts() -> None:
    limits = {"ability:near": (1.0, "Near Vision"), "ability:far": (0.5, "Far Vision")}
    need = {"entity": card("limitation", "sight"), "telling": 1.0, "limits": as_limits(limits)}
    sight = SeedData("limitation", {**SIGHT.needs, "needs": [need]})
    jobs = [
        SeedData("occupation", {"needs": [], "solutions": [], "demands": {"ability:near": near, "ability:far": 0.8}})
        for near in (0.3, 0.5)
    ]
    assert [rank([sight, job]).found[0].job for job in jobs] == ["Far Vision", "Near Vision"]  # 0.3 or 0.5 against 0.4


def test_equal_scores_are_ordered_by_name_whatever_its_case_then_by_id() -> None:
    names = {"a": "ZOOM", "b": "zoom", "c": "Audio", "d": "braille"}
    tied = seed("limitation", {"sight": 1.0}, dict.fromkeys(names, (0.5, {"sight": 0.5})))
    rows = [{**row, "card": {**row["card"], "name": names[row["card"]["id"][-1]]}} for row in tied.needs["solutions"]]
    ranked = rank([SeedData("limitation", {**tied.needs, "solutions": rows[::-1]})])
    assert [one.card["name"] for one in ranked.found] == ["Audio", "braille", "ZOOM", "zoom"]


def drawn(tellings: list[int], rows: list[tuple[int, int, int]]) -> SeedData:
    """A seed from small numbers: telling, and per solution rarity, bits of the needs it stands under, and rate."""
    under = [[key for bit, key in enumerate("abcd") if bits >> bit & 1] for _, bits, _ in rows]
    solutions = {
        f"{place}": (rarity / 100, dict.fromkeys(needs, rate / 100))
        for place, ((rarity, _, rate), needs) in enumerate(zip(rows, under, strict=True))
    }
    return seed("disability", {key: telling / 100 for key, telling in zip("abcd", tellings, strict=True)}, solutions)


numbers = st.tuples(st.integers(0, 100), st.integers(1, 15), st.integers(1, 100))
seeds = st.builds(
    drawn, st.lists(st.integers(69, 700), min_size=4, max_size=4), st.lists(numbers, min_size=1, max_size=5)
)


@settings(deadline=None, max_examples=30)
@given(given_seeds=st.lists(seeds, min_size=1, max_size=2))
def test_the_parts_add_up_to_a_score_between_0_and_1_and_the_best_comes_first(given_seeds: list[SeedData]) -> None:
    found = rank(given_seeds).found
    for one in found:
        assert one.score == pytest.approx(sum(one.parts.values()), abs=1e-6)
        assert all(part >= 0 for part in one.parts.values())
        assert 0 < one.score <= 1
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)


@settings(deadline=None, max_examples=30)
@given(one=seeds)
def test_the_order_is_the_same_however_the_rows_are_stored(one: SeedData) -> None:
    again = SeedData(one.field, {**one.needs, "solutions": one.needs["solutions"][::-1]})
    assert rank([again]) == rank([one])  # so `limit` n always gives the first n of a longer answer
