"""Which solutions are wrong for whom, and which cautions concern them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from api.engine.release import Side
from api.graph.guidance import Guidance, Subject, caution, entity_ids, opposite_labels
from api.graph.listings import Solution
from tests.support.search_responses import card

SIDES = {
    "heat": Side("heat", "cold"),
    "cold": Side("cold", "cold"),
    "reading": Side("reading", "numbers"),
    "numbers": Side("numbers", "numbers"),
}
BURNING = card("disability", "Erythromelalgia")
STIFF = card("disability", "Raynaud's Disease")


def subject(
    *only: str, usual: Sequence[str] = (), named: str | None = None, of: Mapping[str, Any] = BURNING
) -> Subject:
    troubles = [{"side": side, "occurs": "one"} for side in only]
    troubles += [{"side": side, "occurs": "both"} for side in usual]
    document = {"troubles": troubles, "ancestors": ["disability:chronic-pain"]}
    return Subject.parse(of, document, ["limitation:pain"], named)


def solution(name: str = "Heater", **facts: Any) -> Solution:  # noqa: ANN401 - fields of a solution
    return Solution(card("solution", name), (), 0.5, 0.5, ("work",), (), False, **facts)  # noqa: FBT003


HEATER = solution(sides=("cold",), worsens=("heat",), opposed_sides=("heat",))
FAN = solution("Fan", sides=("heat",), opposed_sides=("cold",))
THERMOSTAT = solution("Thermostat", sides=("cold", "heat"))
CALCULATOR = solution("Calculator", sides=("numbers",), opposed_sides=("reading",))


def reason(found: Solution, *subjects: Subject, listed_for: Sequence[Subject] | None = None) -> str | None:
    return Guidance(subjects, SIDES).reason_against(found, subjects if listed_for is None else listed_for)


@pytest.mark.parametrize(
    ("found", "who", "why"),
    [
        (HEATER, subject("heat"), "Can make it worse: heat is the trouble with Erythromelalgia."),
        (HEATER, subject(named="heat"), "Can make it worse: you named heat."),
        (FAN, subject("cold"), "It is for heat, but cold is the trouble with Erythromelalgia."),
        (CALCULATOR, subject("reading"), "It is for numbers, but reading is the trouble with Erythromelalgia."),
        (FAN, subject("heat"), None),
        (THERMOSTAT, subject("heat"), None),
        (HEATER, subject(usual=["heat"]), None),
        (HEATER, subject("reading"), None),
        (FAN, subject("heat", "cold"), None),  # both occur
    ],
)
def test_a_solution_for_the_other_side_is_wrong(found: Solution, who: Subject, why: str | None) -> None:
    assert reason(found, who) == why


def test_what_makes_it_worse_for_one_subject_is_wrong_for_all() -> None:
    assert reason(HEATER, subject("heat"), subject("cold", of=STIFF), listed_for=[subject("cold", of=STIFF)])


def test_what_only_serves_another_side_is_wrong_unless_another_subject_needs_it() -> None:
    reader, other = subject("reading"), subject(of=STIFF)
    assert reason(CALCULATOR, reader, other, listed_for=[reader])
    assert reason(CALCULATOR, reader, other, listed_for=[reader, other]) is None


@pytest.mark.parametrize(
    ("concern", "job"), [("disability:chronic-pain", ""), ("occupation:53-3", "occupation:53-3032.00")]
)
def test_a_solution_may_be_excluded_for_a_broader_condition_or_a_job(concern: str, job: str) -> None:
    excluded = solution(not_for=[{"concerns": [concern], "reason": "Use something else."}])
    subjects = [subject(), *([Subject("Driver", frozenset([job]))] if job else [])]
    assert reason(excluded, *subjects) == "Use something else."
    assert reason(solution(not_for=[{"concerns": ["limitation:pain"], "reason": "No."}]), *subjects) is None


def test_what_is_only_useless_stays_if_another_subject_lists_it() -> None:
    burning, stiff = subject(), subject(of=STIFF)
    rows = [{"concerns": [who["id"]], "effect": "useless", "reason": who["name"]} for who in (BURNING, STIFF)]
    useless = solution(not_for=rows[:1])
    assert reason(useless, burning, stiff, listed_for=[burning, stiff]) is None
    assert reason(useless, burning, stiff, listed_for=[burning]) == BURNING["name"]
    assert reason(useless, stiff) is None
    assert reason(solution(not_for=rows), burning, stiff) == BURNING["name"]  # each is excluded by a row of its own


@pytest.mark.parametrize(
    "row",
    [
        {"concerns": [BURNING["id"]], "effect": "harmful"},
        {"concerns": [BURNING["id"]]},  # of a release without effects
        {"concerns": ["occupation:53-3"], "effect": "useless"},
    ],
)
def test_what_harms_or_makes_no_sense_in_the_job_is_wrong_for_all(row: dict[str, Any]) -> None:
    driver = Subject("Driver", frozenset(["occupation:53-3032.00"]))
    excluded = solution(not_for=[row | {"reason": "No."}])
    stiff = subject(of=STIFF)
    assert reason(excluded, subject(), stiff, driver, listed_for=[stiff]) == "No."


def test_the_less_usual_side_carries_a_caution_unless_it_was_named() -> None:
    usual = subject(usual=["heat"])
    text = "Erythromelalgia: heat is the more usual trouble, and this is for cold; ask which of them it is."
    assert Guidance([usual], SIDES).other_side(HEATER) == text
    only_worse = solution("Sauna", worsens=("heat",), opposed_sides=("heat",))
    worse = "Erythromelalgia: heat is the more usual trouble, and this can make it worse."
    assert Guidance([usual], SIDES).other_side(only_worse) == worse
    assert Guidance([usual], SIDES).other_side(FAN) is None
    assert Guidance([usual, subject(named="cold")], SIDES).other_side(HEATER) is None


def test_cautions_concern_subjects_their_needs_and_jobs() -> None:
    rows = [
        {"text": name, "concerns": [name]} for name in ("limitation:pain", "disability:chronic-pain", "occupation:53")
    ]
    guidance = Guidance([subject(), Subject("Driver", frozenset(["occupation:53-3032.00"]))], SIDES)
    found = solution(cautions=[*rows, {"text": "other", "concerns": ["limitation:blind"]}])
    assert guidance.cautions_of(found) == rows
    assert entity_ids(rows) == ["limitation:pain", "disability:chronic-pain"]


def test_a_subject_is_named_by_itself_or_what_is_broader_never_by_its_needs() -> None:
    guidance = Guidance(
        [Subject("Ms", frozenset(["disability:ms", "disability:nerves"]), frozenset(["limitation:pain"]))], SIDES
    )
    assert guidance.is_named(["disability:nerves"])
    assert not guidance.is_named(["limitation:pain"])


def test_a_caution_has_the_cards_of_what_it_concerns() -> None:
    source = {"title": "A page", "url": "https://a.example/", "as_of": None, "read": "2026-11-25"}
    row = {"text": "Ask first.", "severity": "must", "concerns": [BURNING["id"], "occupation:53"], "source": source}
    sent = caution(row, {BURNING["id"]: BURNING})
    assert sent == {"text": "Ask first.", "severity": "must", "about": [BURNING], "source": source}


@pytest.mark.parametrize(
    ("first", "second", "labels"),
    [
        (["heat"], ["cold"], ("heat", "cold")),
        (["heat"], ["heat"], None),
        (["heat"], ["heat", "cold"], None),
        (["heat"], ["numbers"], None),
        ([], ["cold"], None),
    ],
)
def test_two_conditions_may_have_opposite_troubles(
    first: list[str], second: list[str], labels: tuple[str, str] | None
) -> None:
    assert opposite_labels(first, second, SIDES) == labels
