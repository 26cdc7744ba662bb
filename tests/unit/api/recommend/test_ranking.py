"""Which solutions come first, and that the parts explain the score."""

from dataclasses import replace
from math import sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.graph.listings import ListOwner
from api.recommend.inherited_lists import merge_needs
from api.recommend.ranking import (
    FIRST_PLACES,
    JOB_CHOICE,
    MEAN_SHARE,
    OTHER_SIDE_CHOSEN_FACTOR,
    OTHER_SIDE_FACTOR,
    WEIGHTS,
    RankedSolution,
    Ranking,
    SeedData,
    fit,
    rank,
)
from api.recommend.seed_needs import SeedNeeds, SolutionRow
from tests.support.needs_documents import as_needs, solution_row


def card(kind: str, key: str) -> dict[str, Any]:
    return {"id": f"{kind}:{key}", "name": key.title()}


LIMITS = {
    "sight": {"ability:near": (0.5, "Near Vision")},
    "lifting": {"ability:strength": (1.0, "Static Strength")},
}


def document(needs: dict[str, float], solutions: dict[str, tuple[float, dict[str, float]]]) -> SeedNeeds:
    """Return seed data; `needs` maps limitations to weights, `solutions` maps solutions to rarity and rate by need."""
    rows = [
        {"entity": card("limitation", key), "weight": weight, "main": False, "limits": LIMITS.get(key, {})}
        for key, weight in needs.items()
    ]
    listed = []
    for key, (rarity, rates) in solutions.items():
        under = {f"limitation:{need}": rate for need, rate in rates.items()}
        listed.append(solution_row(f"solution:{key}", key.title(), rarity=rarity, under=under))
    return as_needs({"needs": rows, "demands": {}, "solutions": listed, "sources": []})


def seed(field: str, needs: dict[str, float], solutions: dict[str, tuple[float, dict[str, float]]]) -> SeedData:
    return SeedData(field, card(field, "seed"), document(needs, solutions))


def inheriting(*parent_needs: SeedNeeds) -> SeedData:
    """Return a condition that inherits from several parents."""
    documents: list[SeedNeeds] = [
        {**needs, "card": card("disability", str(index))} for index, needs in enumerate(parent_needs)
    ]
    inherits = [ListOwner(needs["card"]["id"], needs["card"]["name"], "broader") for needs in documents]
    return SeedData("disability", card("disability", "narrow"), merge_needs(documents), inherits, documents)


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
EMPTY = seed("disability", {"stamina": 2.0}, {})


def shares(solution: RankedSolution) -> dict[str, Any]:
    """Return the parts as shares of their weights, between 0 and 1."""
    return {name: pytest.approx(part / WEIGHTS[name], abs=1e-5) for name, part in solution.parts.items()}


def parts(
    coverage: float, evidence: float, specificity: float, first: float = 0.0, fits: float = 0.5
) -> dict[str, float]:
    return dict(zip(WEIGHTS, (coverage, evidence, specificity, first, fits), strict=True))


def all_shares(ranking: Ranking) -> dict[str, Any]:
    return {solution.id.removeprefix("solution:"): shares(solution) for solution in ranking.solutions}


def test_the_weights_of_the_parts_add_up_to_one() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


def test_ranks_the_solutions_of_one_seed() -> None:
    ranking = rank([CONDITION])
    assert ranking.joint == len(ranking.solutions)
    assert list(all_shares(ranking)) == ["readers", "breaks", "lamps"]
    assert all_shares(ranking) == {
        # (1 × 0.5 + 3 × 1) of 4 points of need; sure under one; half of the maximum rarity, 1.5 of 2 needs
        "readers": parts(3.5 / 4, 1.0, sqrt(0.75 * 0.5)),
        # 1 of 4 points of need; sure; every condition lists it
        "breaks": parts(1 / 4, 1.0, 0.0),
        # a fifth of 3 of 4 points; seldom listed; no other condition lists it
        "lamps": parts(0.6 / 4, 0.2, sqrt(0.1)),
    }


def test_two_weak_signs_are_better_evidence_than_one() -> None:
    both = seed("disability", NEEDS, {"lamps": (0.0, {"fatigue": 0.5, "sight": 0.5}), "rest": (0.0, {"sight": 0.5})})
    assert {key: parts["evidence"] for key, parts in all_shares(rank([both])).items()} == {"lamps": 0.75, "rest": 0.5}


def ids(ranking: Ranking) -> list[str]:
    return [solution.id for solution in ranking.solutions]


def with_row(data: SeedData, key: str, **change: object) -> SeedData:
    rows = [row | change if row["id"] == f"solution:{key}" else row for row in data.needs["solutions"]]
    return SeedData(data.field, data.card, as_needs({**data.needs, "solutions": rows}))


@pytest.mark.parametrize(
    ("key", "change", "expected"),
    [
        ("breaks", {"first": {"limitation:fatigue": 1.0}}, parts(1 / 4, 1.0, 0.0, sqrt(1 / 4))),
        ("breaks", {"first": {"limitation:fatigue": 0.5}}, parts(1 / 4, 1.0, 0.0, sqrt(0.5 / 4))),
        ("lamps", {"whole": 0.5}, parts(0.15, 0.6, sqrt(0.1), sqrt(0.5))),  # for the condition: evidence too
        ("breaks", {"whole": 0.1, "first": {"limitation:fatigue": 1.0}}, parts(1 / 4, 1.0, 0.0, sqrt(1 / 4))),
        ("lamps", {"made_for": ["occupation:29"]}, parts(0.15, 0.2, sqrt(0.1), fits=0.0)),
    ],
)
def test_first_choices_and_groups_change_the_score(
    key: str, change: dict[str, Any], expected: dict[str, float]
) -> None:
    assert all_shares(rank([with_row(CONDITION, key, **change)]))[key] == expected


@pytest.mark.parametrize(("chosen", "factor"), [(0.0, OTHER_SIDE_FACTOR), (0.5, OTHER_SIDE_CHOSEN_FACTOR)])
def test_what_serves_the_less_usual_side_of_a_need_is_demoted(chosen: float, factor: float) -> None:
    data = [with_row(CONDITION, "readers", whole=chosen)]
    usual, demoted = rank(data), rank(data, {"solution:readers"})
    scores = [{one.id: one.score for one in ranking.solutions} for ranking in (usual, demoted)]
    assert scores[1] == {**scores[0], "solution:readers": round(scores[0]["solution:readers"] * factor, 6)}
    assert [one.score for one in demoted.solutions] == sorted(scores[1].values(), reverse=True)
    assert all(sum(one.parts.values()) == pytest.approx(one.score) for one in demoted.solutions)


@pytest.mark.parametrize(
    ("made_for", "requested", "share"),
    [
        ([], {"disability:ms"}, 0.5),
        (["occupation:29"], {"disability:ms"}, 0.0),
        (["occupation:29"], {"disability:ms", "occupation:29-1141.00"}, 1.0),
        (["occupation:29-2"], {"disability:ms", "occupation:29-1141.00"}, 0.0),
        (["occupation:29", "limitation:body-size"], {"limitation:body-size"}, 1.0),
        (["limitation:body"], {"limitation:body-size"}, 0.0),
    ],
)
def test_a_solution_for_a_group_fits_its_members_only(made_for: list[str], requested: set[str], share: float) -> None:
    assert fit(made_for, requested) == share


def test_a_solution_that_is_made_for_the_job_fits_and_counts_as_chosen() -> None:
    scissors = with_row(CONDITION, "lamps", made_for=["occupation:29"])
    lamps = all_shares(rank([scissors, JOB]))["lamps"]
    assert (lamps["fit"], lamps["first_choice"]) == (1.0, pytest.approx(sqrt(JOB_CHOICE), abs=1e-4))


def test_the_needs_of_a_solution_are_ordered_by_weight() -> None:
    readers, _, lamps = rank([CONDITION]).solutions
    assert [(need.card["id"], need.share, seed.field) for need, seed in readers.answers] == [
        ("limitation:sight", 0.75, "disability"),
        ("limitation:fatigue", 0.25, "disability"),
    ]
    assert [need.card["id"] for need, _ in lamps.answers] == ["limitation:sight"]


def test_solutions_that_serve_two_seeds_come_before_those_that_serve_one() -> None:
    ranking = rank([CONDITION, SIGHT])
    assert ranking.joint == 2
    readers, *_, lamps = ranking.solutions
    assert (readers.id, lamps.id) == ("solution:readers", "solution:lamps")
    assert readers.score == max(rank([one]).solutions[0].score for one in (CONDITION, SIGHT))  # the best of both
    assert [(need.card["id"], need.share, seed.field) for need, seed in lamps.answers] == [
        ("limitation:sight", 0.75, "disability"),
        ("limitation:sight", 1.0, "limitation"),
    ]


def test_a_solution_for_another_setting_does_not_serve_two_seeds() -> None:
    aside = with_row(CONDITION, "readers", aside=True)
    assert ids(rank([aside])) == ids(rank([CONDITION]))
    assert rank([aside, SIGHT]).joint == 1
    none_regular = with_row(aside, "lamps", aside=True)
    assert not rank([none_regular, SIGHT]).joint


def test_a_seed_without_solutions_is_ignored() -> None:
    assert all_shares(rank([CONDITION, EMPTY])) == all_shares(rank([CONDITION]))


@pytest.mark.parametrize("seeds", [[], [EMPTY], [EMPTY, EMPTY], [JOB]])
def test_seeds_without_solutions_have_an_empty_ranking(seeds: list[SeedData]) -> None:
    ranking = rank(seeds)
    assert (ranking.solutions, ranking.joint) == ([], 0)


BREAKS = seed("work_function", {"fatigue": 1.0}, {"breaks": (0.0, {"fatigue": 1.0}), "mats": (0.0, {"fatigue": 0.5})})


def test_the_best_of_each_seed_score_equally() -> None:
    ranking = rank([SIGHT, BREAKS])
    assert not ranking.joint
    best = rank([SIGHT]).solutions[0].score
    assert [solution.name for solution in ranking.solutions] == ["Breaks", "Readers", "Mats", "Lamps"]
    share = 1 - MEAN_SHARE / 2  # half of the mean is of the other seed, which it does not serve
    assert [solution.score for solution in ranking.solutions[:2]] == pytest.approx([best * share] * 2, abs=1e-6)


def test_the_best_of_each_seed_stands_among_the_first() -> None:
    usual = {f"{number}": (0.5, {"sight": 0.9}) for number in range(FIRST_PLACES + 5)}
    both = [seed(field, {"sight": 1.0}, usual) for field in ("a", "b")]
    alone = seed("c", {"hearing": 1.0}, {"captions": (0.1, {"hearing": 0.2})})
    ranking = rank([*both, alone])
    assert "solution:captions" in ids(ranking)[:FIRST_PLACES]
    assert [one.score for one in ranking.solutions] == sorted((one.score for one in ranking.solutions), reverse=True)
    assert all(sum(one.parts.values()) == pytest.approx(one.score, abs=1e-6) for one in ranking.solutions)


def test_no_best_of_a_seed_takes_the_place_of_that_of_another() -> None:
    common = {f"common-{number}": (0.01, {"sight": 0.9}) for number in range(FIRST_PLACES - 1)}
    own = [{f"own-{number}": (0.01, {"sight": 0.02})} for number in range(5)]
    own[1] |= own[0]  # serves two, so that it is the last of the first ten
    rows = [with_card(seed("limitation", {"sight": 1.0}, common | solutions), n) for n, solutions in enumerate(own)]
    ranking = rank([with_row(data, f"own-{number}", whole=1.0) for number, data in enumerate(rows)])
    assert {f"solution:own-{number}" for number in range(5)} <= set(ids(ranking)[:FIRST_PLACES])
    scores = [solution.score for solution in ranking.solutions]
    assert scores == sorted(scores, reverse=True)


def with_card(data: SeedData, number: int) -> SeedData:
    return replace(data, card=card("limitation", f"need-{number}"))


def test_a_job_increases_the_weight_of_needs_that_limit_its_abilities() -> None:
    # seeing counts 3 × (1 + 2 × 0.5 × 0.5) = 4.5 of 5.5 points of need
    ranking = rank([CONDITION, JOB])
    assert {key: parts["coverage"] for key, parts in all_shares(ranking).items()} == {
        "readers": pytest.approx((0.5 + 4.5) / 5.5, abs=1e-5),
        "breaks": pytest.approx(1 / 5.5, abs=1e-5),
        "lamps": pytest.approx(0.9 / 5.5, abs=1e-5),
    }
    readers = ranking.solutions[0]
    assert [(need.card["id"], need.share, need.job) for need, _ in readers.answers] == [
        ("limitation:sight", 0.8182, "Near Vision"),
        ("limitation:fatigue", 0.1818, ""),
    ]


def test_a_job_halves_the_rates_under_needs_that_limit_none_of_its_abilities() -> None:
    rows = {key: (0.0, {need: 0.8}) for key, need in (("cart", "lifting"), ("lamp", "sight"), ("rest", "fatigue"))}
    condition = seed("disability", dict.fromkeys(("fatigue", "sight", "lifting"), 1.0), rows)
    before, after = all_shares(rank([condition])), all_shares(rank([condition, job(near=1.0)]))
    assert {key: parts["evidence"] for key, parts in before.items()} == {"cart": 0.8, "lamp": 0.8, "rest": 0.8}
    # a need that limits no ability is independent of jobs
    assert {key: parts["evidence"] for key, parts in after.items()} == {"cart": 0.4, "lamp": 0.8, "rest": 0.8}
    assert all_shares(rank([condition, job(hearing=1.0)])) == before  # none of its abilities is limited


def test_a_job_whose_abilities_are_not_limited_changes_nothing() -> None:
    ranking = rank([CONDITION, job(stamina=1.0)])
    assert all_shares(ranking) == all_shares(rank([CONDITION]))
    assert {need.job for seed in ranking.seeds for need in seed.needs.values()} == {""}


def test_the_most_affected_ability_of_a_need_counts() -> None:
    limits = {"ability:near": (1.0, "Near Vision"), "ability:far": (0.5, "Far Vision")}
    need = {"entity": card("limitation", "sight"), "weight": 1.0, "main": False, "limits": limits}
    sight = SeedData("limitation", SIGHT.card, as_needs({**SIGHT.needs, "needs": [need]}))
    names = [rank([sight, job(near=near, far=0.8)]).seeds[0].needs["limitation:sight"].job for near in (0.3, 0.5)]
    assert names == ["Far Vision", "Near Vision"]  # 0.3 or 0.5 against 0.4


def test_equal_scores_are_ordered_by_case_insensitive_name_then_by_id() -> None:
    names = {"a": "ZOOM", "b": "zoom", "c": "Audio", "d": "braille"}
    tied = seed("limitation", {"sight": 1.0}, dict.fromkeys(names, (0.5, {"sight": 0.5})))
    rows: list[SolutionRow] = [{**row, "name": names[row["id"][-1]]} for row in tied.needs["solutions"]]
    ranked = rank([SeedData("limitation", tied.card, {**tied.needs, "solutions": rows[::-1]})])
    assert [solution.name for solution in ranked.solutions] == ["Audio", "braille", "ZOOM", "zoom"]


def generated_seed(weights: list[int], rows: list[tuple[int, int, int]], kind: int) -> SeedData:
    """Return a seed from weights, and for each solution its rarity, the bits of its needs, and its rate."""
    under = [[key for bit, key in enumerate("abcd") if bits >> bit & 1] for _, bits, _ in rows]
    solutions = {
        f"{index}": (rarity / 100, dict.fromkeys(needs, rate / 100))
        for index, ((rarity, _, rate), needs) in enumerate(zip(rows, under, strict=True))
    }
    data = seed("disability", {key: weight / 100 for key, weight in zip("abcd", weights, strict=True)}, solutions)
    made_for: list[str] = [[], ["occupation:29"], ["disability:seed"]][kind]
    first = dict.fromkeys(data.needs["solutions"][0]["under"], 1.0)
    return with_row(data, "0", made_for=made_for, first=first)


numbers = st.tuples(st.integers(0, 100), st.integers(1, 15), st.integers(1, 100))
seeds = st.builds(
    generated_seed,
    st.lists(st.integers(69, 700), min_size=4, max_size=4),
    st.lists(numbers, min_size=1, max_size=5),
    st.integers(0, 2),
)


@settings(deadline=None, max_examples=30)
@given(given_seeds=st.lists(seeds, min_size=1, max_size=3))
def test_parts_add_up_to_a_score_between_0_and_1_in_descending_order(given_seeds: list[SeedData]) -> None:
    ranking = rank(given_seeds)
    assert ranking.joint == sum(len(solution.serves) == len(given_seeds) for solution in ranking.solutions)
    for solution in ranking.solutions:
        assert solution.score == pytest.approx(sum(solution.parts.values()), abs=1e-6)
        assert all(part >= 0 for part in solution.parts.values())
        assert 0 < solution.score <= 1
    scores = [solution.score for solution in ranking.solutions]
    assert scores == sorted(scores, reverse=True)


@settings(deadline=None, max_examples=30)
@given(data=seeds)
def test_the_order_does_not_depend_on_the_order_of_the_rows(data: SeedData) -> None:
    reverse = SeedData(data.field, data.card, {**data.needs, "solutions": data.needs["solutions"][::-1]})
    first, second = ([(each.id, each.parts) for each in rank([seed]).solutions] for seed in (reverse, data))
    assert first == second


def test_the_best_solutions_of_all_parents_score_equally() -> None:
    ears = document({"hearing": 2.0}, {"captions": (1.0, {"hearing": 1.0}), "loops": (0.9, {"hearing": 1.0})})
    balance = document({"falls": 1.0, "fatigue": 1.0}, {"rails": (0.5, {"falls": 0.7}), "mats": (0.1, {"falls": 0.2})})
    alone = rank([SeedData("disability", card("disability", "ears"), ears)]).solutions[0].score
    solutions = rank([inheriting(ears, balance)]).solutions
    assert [solution.name for solution in solutions] == ["Captions", "Rails", "Loops", "Mats"]
    assert [solution.score for solution in solutions[:2]] == pytest.approx([alone, alone], abs=1e-5)
    for solution in solutions:
        assert sum(solution.parts.values()) == pytest.approx(solution.score, abs=1e-6)


def test_a_parent_with_none_of_the_main_needs_counts_half() -> None:
    knee = document({"walking": 2.0}, {"stools": (0.5, {"walking": 1.0})})
    hands = document({"grasping": 2.0}, {"keyboards": (0.5, {"grasping": 1.0})})
    hands["misses_main_needs"] = True
    first, second = rank([inheriting(knee, hands)]).solutions
    assert (first.name, second.name) == ("Stools", "Keyboards")
    assert second.score == pytest.approx(first.score / 2, abs=1e-5)
