"""Which solutions come first, and that the parts explain the score."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.inheriting import joined
from api.ranking import ENOUGH, WEIGHTS, Ranked, Ranking, SeedData, fit, rank


def card(kind: str, key: str) -> dict[str, Any]:
    return {"id": f"{kind}:{key}", "name": key.title()}


def as_limits(limits: dict[str, tuple[float, str]]) -> dict[str, dict[str, Any]]:
    return {ability: {"strength": strength, "name": name} for ability, (strength, name) in limits.items()}


LIMITS = {
    "sight": as_limits({"ability:near": (0.5, "Near Vision")}),
    "lifting": as_limits({"ability:strength": (1.0, "Static Strength")}),
}


def document(needs: dict[str, float], solutions: dict[str, tuple[float, dict[str, float]]]) -> dict[str, Any]:
    """`needs` maps a limitation to its weight, `solutions` a solution to its rarity and how usual it is per need."""
    return {
        "needs": [
            {"entity": card("limitation", key), "weight": weight, "main": False, "limits": LIMITS.get(key, {})}
            for key, weight in needs.items()
        ],
        "demands": {},
        "solutions": [
            {
                "id": f"solution:{key}",
                "name": key.title(),
                "basis": "source",
                "rarity": rarity,
                "under": {f"limitation:{need}": rate for need, rate in under.items()},
                "first": {},
                "whole": 0.0,
                "made_for": [],
                "usual": [],
                "from": [],
            }
            for key, (rarity, under) in solutions.items()
        ],
    }


def seed(field: str, needs: dict[str, float], solutions: dict[str, tuple[float, dict[str, float]]]) -> SeedData:
    return SeedData(field, card(field, "seed"), document(needs, solutions))


def spoken(*voices: dict[str, Any]) -> SeedData:
    """A narrow condition for which several speak."""
    documents = [{**one, "card": card("disability", str(place))} for place, one in enumerate(voices)]
    inherits = [{"id": one["card"]["id"], "name": one["card"]["name"], "relation": "broader"} for one in documents]
    return SeedData("disability", card("disability", "heir"), joined(documents), inherits, documents)


def job(**demands: float) -> SeedData:
    needs = {f"ability:{key}": demand for key, demand in demands.items()}
    return SeedData("occupation", card("occupation", "29-1141.00"), document({}, {}) | {"demands": needs})


NEEDS = {"fatigue": 1.0, "sight": 3.0}
SOLUTIONS = {
    "breaks": (0.0, {"fatigue": 1.0}),
    "lamps": (1.0, {"sight": 0.2}),
    "readers": (0.5, {"fatigue": 0.5, "sight": 1.0}),
}
CONDITION = seed("disability", NEEDS, SOLUTIONS)
SIGHT = seed("limitation", {"sight": 3.0}, {"lamps": (1.0, {"sight": 0.2}), "readers": (0.5, {"sight": 1.0})})
JOB = job(near=0.5, hearing=1.0)
NOTHING = seed("disability", {"stamina": 2.0}, {})


def shares(one: Ranked) -> dict[str, Any]:
    """The parts as shares of their weights, as the module describes them."""
    return {name: pytest.approx(part / WEIGHTS[name], abs=1e-5) for name, part in one.parts.items()}


def parts(
    coverage: float, evidence: float, specificity: float, first: float = 0.0, fits: float = 0.5
) -> dict[str, float]:
    return dict(zip(WEIGHTS, (coverage, evidence, specificity, first, fits), strict=True))


def found(ranking: Ranking) -> dict[str, Any]:
    return {one.id.removeprefix("solution:"): shares(one) for one in ranking.found}


def test_the_weights_of_the_parts_add_up_to_one() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


def test_one_seed_is_ranked_by_what_is_listed_under_its_needs() -> None:
    ranking = rank([CONDITION])
    assert ranking.together == len(ranking.found)
    assert list(found(ranking)) == ["readers", "breaks", "lamps"]
    assert found(ranking) == {
        # (1 × 0.5 + 3 × 1) of 4 points of need; sure under one; half as rare as can be, 1.5 of 2 needs
        "readers": parts(3.5 / 4, 1.0, sqrt(0.75 * 0.5)),
        # 1 of 4 points of need; sure; every condition lists it
        "breaks": parts(1 / 4, 1.0, 0.0),
        # a fifth of 3 of 4 points; seldom listed; no other condition lists it
        "lamps": parts(0.6 / 4, 0.2, sqrt(0.1)),
    }
    assert [one.score for one in ranking.found] == [pytest.approx(sum(one.parts.values())) for one in ranking.found]


def test_two_weak_signs_are_better_evidence_than_one() -> None:
    both = seed("disability", NEEDS, {"lamps": (0.0, {"fatigue": 0.5, "sight": 0.5}), "rest": (0.0, {"sight": 0.5})})
    assert {key: one["evidence"] for key, one in found(rank([both])).items()} == {"lamps": 0.75, "rest": 0.5}


def changed(one: SeedData, key: str, **change: object) -> SeedData:
    """The seed with one solution's row changed."""
    rows = [row | change if row["id"] == f"solution:{key}" else row for row in one.needs["solutions"]]
    return SeedData(one.field, one.card, {**one.needs, "solutions": rows})


def test_what_the_editors_would_try_first_comes_first() -> None:
    chosen = changed(CONDITION, "breaks", first={"limitation:fatigue": 1.0})
    assert found(rank([chosen]))["breaks"] == parts(1 / 4, 1.0, 0.0, sqrt(1 / 4))
    next_ = changed(CONDITION, "breaks", first={"limitation:fatigue": 0.5})
    assert found(rank([next_]))["breaks"] == parts(1 / 4, 1.0, 0.0, sqrt(0.5 / 4))


def test_what_they_would_try_first_for_a_condition_as_a_whole_is_evidence_too() -> None:
    chosen = changed(CONDITION, "lamps", whole=0.5)
    assert found(rank([chosen]))["lamps"] == parts(0.15, 0.6, sqrt(0.1), sqrt(0.5))
    both = changed(CONDITION, "breaks", whole=0.1, first={"limitation:fatigue": 1.0})
    assert found(rank([both]))["breaks"]["first_choice"] == pytest.approx(sqrt(1 / 4))


@pytest.mark.parametrize(
    ("made_for", "asked", "share"),
    [
        ([], {"disability:ms"}, 0.5),
        (["occupation:29"], {"disability:ms"}, 0.0),
        (["occupation:29"], {"disability:ms", "occupation:29-1141.00"}, 1.0),
        (["occupation:29-2"], {"disability:ms", "occupation:29-1141.00"}, 0.0),
        (["occupation:29", "limitation:body-size"], {"limitation:body-size"}, 1.0),
        (["limitation:body"], {"limitation:body-size"}, 0.0),
    ],
)
def test_what_is_made_for_few_fits_them_best_and_others_least(
    made_for: list[str], asked: set[str], share: float
) -> None:
    assert fit(made_for, asked) == share


def test_a_job_brings_up_what_is_made_for_it() -> None:
    scissors = changed(CONDITION, "lamps", made_for=["occupation:29"])
    assert found(rank([scissors]))["lamps"]["fit"] == 0.0
    assert found(rank([scissors, JOB]))["lamps"]["fit"] == 1.0


def test_the_needs_a_solution_answers_stand_weightiest_first() -> None:
    readers, _, lamps = rank([CONDITION]).found
    assert [(need.card["id"], need.share, field) for need, field in readers.answers] == [
        ("limitation:sight", 0.75, "disability"),
        ("limitation:fatigue", 0.25, "disability"),
    ]
    assert [need.card["id"] for need, _ in lamps.answers] == ["limitation:sight"]


def test_a_second_seed_narrows_and_the_parts_are_the_mean() -> None:
    ranking = rank([CONDITION, SIGHT])
    readers, lamps = ranking.found[: ranking.together]
    assert (readers.id, lamps.id) == ("solution:readers", "solution:lamps")
    assert shares(readers) == parts((3.5 / 4 + 1) / 2, 1.0, (sqrt(0.375) + sqrt(0.5)) / 2)
    assert shares(lamps) == parts((0.15 + 0.2) / 2, 0.2, (sqrt(0.1) + sqrt(0.2)) / 2)
    assert [(need.card["id"], need.share, field) for need, field in lamps.answers] == [
        ("limitation:sight", 0.75, "disability"),
        ("limitation:sight", 1.0, "limitation"),
    ]


def test_what_is_named_for_another_setting_serves_no_two_seeds_together() -> None:
    aside = changed(CONDITION, "readers", aside=True)
    assert [one.id for one in rank([aside]).found] == [one.id for one in rank([CONDITION]).found]
    assert [one.id for one in rank([aside, SIGHT]).found[:1]] == ["solution:lamps"]
    assert rank([aside, SIGHT]).together == 1
    nowhere = changed(aside, "lamps", aside=True)
    assert not rank([nowhere, SIGHT]).together


def test_a_seed_that_lists_nothing_narrows_nothing() -> None:
    assert found(rank([CONDITION, NOTHING])) == found(rank([CONDITION]))


@pytest.mark.parametrize("seeds", [[], [NOTHING], [NOTHING, NOTHING], [JOB]])
def test_without_any_listing_there_is_nothing_to_rank(seeds: list[SeedData]) -> None:
    ranking = rank(seeds)
    assert (ranking.found, ranking.together) == ([], 0)


BREAKS = seed("work_function", {"fatigue": 1.0}, {"breaks": (0.0, {"fatigue": 1.0}), "mats": (0.0, {"fatigue": 0.5})})


def test_where_no_solution_serves_all_seeds_those_come_that_serve_any_the_best_of_each_alike() -> None:
    ranking = rank([SIGHT, BREAKS])
    assert not ranking.together
    (readers,), (breaks,) = rank([SIGHT]).found[:1], rank([BREAKS]).found[:1]
    # each serves one of two seeds, so its parts are halved
    assert found(ranking)["readers"] == parts(0.5, 0.5, sqrt(0.5) / 2, fits=0.25)
    assert [one.name for one in ranking.found] == ["Breaks", "Readers", "Mats", "Lamps"]
    assert [one.score for one in ranking.found[:2]] == pytest.approx([readers.score / 2] * 2, abs=1e-6)
    as_much = readers.score / breaks.score / 2
    assert found(ranking)["breaks"] == parts(as_much, as_much, 0.0, fits=as_much / 2)


def test_what_serves_fewer_seeds_follows_the_few_that_serve_all() -> None:
    ranking = rank([CONDITION, SIGHT, BREAKS])
    # readers and lamps serve the condition and the limitation, breaks the condition and the function
    assert ranking.together == 0
    assert [(one.name, len(one.serves)) for one in ranking.found] == [
        ("Readers", 2),
        ("Breaks", 2),
        ("Mats", 1),  # nearly as good for who tires as anything is, and lamps are poor for both
        ("Lamps", 2),
    ]
    pair = rank([CONDITION, BREAKS])
    assert [one.name for one in pair.found[: pair.together]] == ["Breaks"]
    assert {one.name for one in pair.found[pair.together :]} == {"Readers", "Lamps", "Mats"}
    # nobody who reads the scores alone takes what follows for better
    assert pair.found[0].score >= pair.found[1].score


def test_where_enough_serve_all_seeds_they_come_alone() -> None:
    many = {f"{place}": (0.5, {"sight": place / 10}) for place in range(1, ENOUGH + 1)}
    one, other = (seed(field, {"sight": 1.0}, {**many, field: (1.0, {"sight": 1.0})}) for field in ("a", "b"))
    ranking = rank([one, other])
    assert [found.name for found in ranking.found] == ["5", "4", "3", "2", "1"]
    assert ranking.together == ENOUGH


def test_a_job_makes_the_needs_count_more_that_limit_what_it_leans_on() -> None:
    # seeing counts 3 × (1 + 2 × 0.5 × 0.5) = 4.5 of 5.5 points of need
    ranking = rank([CONDITION, JOB])
    assert {key: one["coverage"] for key, one in found(ranking).items()} == {
        "readers": pytest.approx((0.5 + 4.5) / 5.5, abs=1e-5),
        "breaks": pytest.approx(1 / 5.5, abs=1e-5),
        "lamps": pytest.approx(0.9 / 5.5, abs=1e-5),
    }
    readers = ranking.found[0]
    assert [(need.card["id"], need.share, need.job) for need, _ in readers.answers] == [
        ("limitation:sight", 0.8182, "Near Vision"),
        ("limitation:fatigue", 0.1818, ""),
    ]


def test_what_is_listed_under_needs_that_the_job_never_meets_counts_half() -> None:
    rows = {key: (0.0, {need: 0.8}) for key, need in (("cart", "lifting"), ("lamp", "sight"), ("rest", "fatigue"))}
    one = seed("disability", dict.fromkeys(("fatigue", "sight", "lifting"), 1.0), rows)
    before, after = found(rank([one])), found(rank([one, job(near=1.0)]))
    assert {key: parts["evidence"] for key, parts in before.items()} == {"cart": 0.8, "lamp": 0.8, "rest": 0.8}
    # a need that limits no ability says nothing of jobs
    assert {key: parts["evidence"] for key, parts in after.items()} == {"cart": 0.4, "lamp": 0.8, "rest": 0.8}
    assert found(rank([one, job(hearing=1.0)])) == before  # it leans on nothing of all this


def test_a_job_that_leans_on_nothing_that_is_limited_changes_nothing() -> None:
    ranking = rank([CONDITION, job(stamina=1.0)])
    assert found(ranking) == found(rank([CONDITION]))
    assert {need.job for one in ranking.seeds for need in one.needs.values()} == {""}


def test_of_several_abilities_the_one_that_the_job_misses_most_counts() -> None:
    limits = as_limits({"ability:near": (1.0, "Near Vision"), "ability:far": (0.5, "Far Vision")})
    need = {"entity": card("limitation", "sight"), "weight": 1.0, "main": False, "limits": limits}
    sight = SeedData("limitation", SIGHT.card, {**SIGHT.needs, "needs": [need]})
    told = [rank([sight, job(near=near, far=0.8)]).seeds[0].needs["limitation:sight"].job for near in (0.3, 0.5)]
    assert told == ["Far Vision", "Near Vision"]  # 0.3 or 0.5 against 0.4


def test_equal_scores_are_ordered_by_name_whatever_its_case_then_by_id() -> None:
    names = {"a": "ZOOM", "b": "zoom", "c": "Audio", "d": "braille"}
    tied = seed("limitation", {"sight": 1.0}, dict.fromkeys(names, (0.5, {"sight": 0.5})))
    rows = [{**row, "name": names[row["id"][-1]]} for row in tied.needs["solutions"]]
    ranked = rank([SeedData("limitation", tied.card, {**tied.needs, "solutions": rows[::-1]})])
    assert [one.name for one in ranked.found] == ["Audio", "braille", "ZOOM", "zoom"]


def drawn(weights: list[int], rows: list[tuple[int, int, int]], kind: int) -> SeedData:
    """A seed from small numbers: weights, and per solution rarity, bits of the needs it stands under, and rate."""
    under = [[key for bit, key in enumerate("abcd") if bits >> bit & 1] for _, bits, _ in rows]
    solutions = {
        f"{place}": (rarity / 100, dict.fromkeys(needs, rate / 100))
        for place, ((rarity, _, rate), needs) in enumerate(zip(rows, under, strict=True))
    }
    one = seed("disability", {key: weight / 100 for key, weight in zip("abcd", weights, strict=True)}, solutions)
    made_for: list[str] = [[], ["occupation:29"], ["disability:seed"]][kind]
    first = dict.fromkeys(one.needs["solutions"][0]["under"], 1.0)
    return changed(one, "0", made_for=made_for, first=first)


numbers = st.tuples(st.integers(0, 100), st.integers(1, 15), st.integers(1, 100))
seeds = st.builds(
    drawn,
    st.lists(st.integers(69, 700), min_size=4, max_size=4),
    st.lists(numbers, min_size=1, max_size=5),
    st.integers(0, 2),
)


@settings(deadline=None, max_examples=30)
@given(given_seeds=st.lists(seeds, min_size=1, max_size=3))
def test_the_parts_add_up_to_a_score_between_0_and_1_and_the_best_comes_first(given_seeds: list[SeedData]) -> None:
    ranking = rank(given_seeds)
    ranked = ranking.found
    assert [len(one.serves) == len(given_seeds) for one in ranked] == [
        place < ranking.together for place in range(len(ranked))
    ]
    for one in ranked:
        assert one.score == pytest.approx(sum(one.parts.values()), abs=1e-6)
        assert all(part >= 0 for part in one.parts.values())
        assert 0 < one.score <= 1
    scores = [one.score for one in ranked]
    assert scores == sorted(scores, reverse=True)


@settings(deadline=None, max_examples=30)
@given(one=seeds)
def test_the_order_is_the_same_however_the_rows_are_stored(one: SeedData) -> None:
    again = SeedData(one.field, one.card, {**one.needs, "solutions": one.needs["solutions"][::-1]})
    first, second = rank([again]).found, rank([one]).found
    assert [(it.id, it.parts) for it in first] == [(it.id, it.parts) for it in second]
    # so `limit` n always gives the first n of a longer answer


def test_the_best_of_each_that_speaks_for_a_narrow_condition_counts_alike() -> None:
    ears = document({"hearing": 2.0}, {"captions": (1.0, {"hearing": 1.0}), "loops": (0.9, {"hearing": 1.0})})
    balance = document({"falls": 1.0, "fatigue": 1.0}, {"rails": (0.5, {"falls": 0.7}), "mats": (0.1, {"falls": 0.2})})
    alone = rank([SeedData("disability", card("disability", "ears"), ears)]).found[0].score
    found = rank([spoken(ears, balance)]).found
    assert [one.name for one in found] == ["Captions", "Rails", "Loops", "Mats"]
    assert [one.score for one in found[:2]] == pytest.approx([alone, alone], abs=1e-5)
    for one in found:
        assert sum(one.parts.values()) == pytest.approx(one.score, abs=1e-6)
