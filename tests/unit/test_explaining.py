"""Why a solution or a condition is in an answer, and what a caller is told of the whole."""

from __future__ import annotations

from typing import Any

import pytest

from api import models
from api.explaining import coverage, recommendation, related_warnings, related_why, seed_warnings, why
from api.ranking import Ranked, SeedData, rank

Body = dict[str, Any]


def card(type_name: str, name: str) -> Body:
    slug = name.lower().replace(" ", "-")
    about = {"id": f"{type_name}:{slug}", "type": type_name, "slug": slug, "name": name}
    return {**about, "summary": "A sentence.", "url": f"/{type_name}/{slug}"}


TELEWORK = card("solution", "Telework")
NAMES = ("Fatigue", "Low Vision", "Pain", "Memory Loss", "Stress")
NEEDS = {name: card("limitation", name) for name in NAMES}
KIND = {"id": "limitation:total-blindness", "name": "Total Blindness", "relation": "narrower"}


def seed(  # noqa: PLR0913 - what a row can say
    name: str = "MS",
    under: tuple[str, ...] = ("Fatigue",),
    *,
    field: str = "disability",
    usual: tuple[str, ...] = (),
    first: tuple[str, ...] = (),
    inherits: tuple[Body, ...] = (),
    made_for: tuple[str, ...] = (),
    limits: Body | None = None,
    named: Body | None = None,
) -> SeedData:
    """A seed that lists telework under some needs, each weightier than the next."""
    ids = [NEEDS[need]["id"] for need in under]
    row = {
        "id": TELEWORK["id"],
        "name": "Telework",
        "rarity": 0.5,
        "made_for": list(made_for),
        "basis": "derived" if usual == under else "source",
        "under": dict.fromkeys(ids, 1.0),
        "usual": [NEEDS[need]["id"] for need in usual],
        "first": {NEEDS[need]["id"]: 1.0 for need in first},
        "whole": 0.0,
        "from": [one["id"] for one in inherits],
        **(named or {}),
    }
    needs = [
        {"entity": NEEDS[need], "weight": 9.0 - place, "main": False, "limits": limits or {}}
        for place, need in enumerate(under)
    ]
    own = card(field, name)
    return SeedData(field, own, {"card": own, "needs": needs, "solutions": [row], "demands": {}}, inherits)


def job(**demands: float) -> SeedData:
    document = {"needs": [], "solutions": [], "demands": {f"ability:{key}": value for key, value in demands.items()}}
    return SeedData("occupation", card("occupation", "Driver"), document)


def nothing(name: str = "Odor") -> SeedData:
    needs = [{"entity": NEEDS["Pain"], "weight": 1.0, "main": False, "limits": {}}]
    return SeedData("limitation", card("limitation", name), {"needs": needs, "solutions": [], "demands": {}})


def first(*seeds: SeedData) -> Ranked:
    return rank(seeds).found[0]


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        ([seed("Low Vision", ("Low Vision",), field="limitation")], "listed for Low Vision."),
        ([seed()], "listed for MS under Fatigue."),
        ([seed(under=("Fatigue", "Low Vision"))], "listed for MS under Fatigue and Low Vision."),
        ([seed(under=NAMES)], "listed for MS under Fatigue, Low Vision, Pain and 2 more."),
        (
            [seed(), seed("Low Vision", ("Low Vision",), field="limitation")],
            "listed for MS under Fatigue and listed for Low Vision.",
        ),
        ([seed(usual=("Fatigue",))], "usual for Fatigue, which MS can bring."),
        (
            [seed(under=("Fatigue", "Pain"), usual=("Pain",))],
            "listed for MS under Fatigue and usual for Pain, which MS can bring.",
        ),
        (
            [seed("Blind", ("Low Vision",), inherits=(KIND,))],
            "listed for Total Blindness, which is a kind of Blind, under Low Vision.",
        ),
        (
            [seed("RRMS", inherits=({**KIND, "name": "MS", "relation": "broader"},))],
            "listed for MS, which covers RRMS, under Fatigue.",
        ),
        (
            [seed("Blur", inherits=({**KIND, "relation": "akin"}, {"id": "x", "name": "Fatigue", "relation": "akin"}))],
            "listed for Total Blindness and Fatigue, which limit much the same abilities as Blur.",
        ),
        (
            [seed("Blur", inherits=({**KIND, "relation": "broader"}, {"id": "x", "name": "Pain", "relation": "akin"}))],
            (
                "listed for Total Blindness, which covers Blur, and for Pain, which limits much the same abilities as "
                "Blur, under Fatigue."
            ),
        ),
        (
            [seed("Blur", inherits=({**KIND, "relation": "akin"}, {**KIND, "id": "x", "relation": "akin"}))],
            "listed for Total Blindness, which limits much the same abilities as Blur, under Fatigue.",
        ),
        ([seed(first=("Fatigue",))], "listed for MS under Fatigue. Our editors would try it early for Fatigue."),
        (
            [seed(first=("Fatigue",), named={"whole": 1.0})],
            "listed for MS under Fatigue. Our editors would try it early for MS and Fatigue.",
        ),
        ([seed(named={"named": True})], "named for MS at school under Fatigue."),
        ([seed(named={"named": True, "basis": "editorial"})], "named for MS at school by our editors under Fatigue."),
        ([seed(usual=("Fatigue",), named={"named": True})], "usual at school for Fatigue, which MS can bring."),
        (
            [seed("Low Vision", ("Low Vision",), inherits=(KIND,), named={"named": True, "from": []})],
            "named for Low Vision at school.",  # itself, though its lists for work are its kinds'
        ),
        ([seed(made_for=("occupation:29",))], "listed for MS under Fatigue. It is made for one kind of work or body."),
        (
            [seed(limits={"ability:stamina": {"strength": 1.0, "name": "Stamina"}}), job(stamina=1.0)],
            "listed for MS under Fatigue. The job leans on Stamina, which Fatigue can limit.",
        ),
    ],
)
def test_a_recommendation_tells_the_chain_that_leads_to_it(seeds: list[SeedData], told: str) -> None:
    assert why(first(*seeds)) == f"Telework: {told}"


@pytest.mark.parametrize(
    ("seeds", "basis"),
    [
        ([seed()], "source"),
        ([seed(usual=("Fatigue",))], "derived"),
        ([seed("Blind", inherits=(KIND,))], "inherited"),
        ([seed(), seed("Blind", inherits=(KIND,))], "source"),
        ([seed("Blind", inherits=(KIND,), named={"from": [], "basis": "editorial"})], "editorial"),
    ],
)
def test_a_recommendation_says_on_what_ground_it_stands(seeds: list[SeedData], basis: str) -> None:
    ranked = first(*seeds)
    found = recommendation(3, ranked)
    assert found["basis"] == basis
    assert (found["rank"], found["score"]) == (3, ranked.score)
    assert [answer["entity"] for answer in found["answers"]] == [need.card for need, _ in ranked.answers]
    models.Recommendation.model_validate({**TELEWORK, **found, "products": []})


def test_the_whole_says_how_each_need_is_covered_and_what_nothing_answers() -> None:
    limits = {"ability:stamina": {"strength": 1.0, "name": "Stamina"}}
    lines = coverage(rank([seed(under=("Fatigue", "Pain"), limits=limits), nothing(), job(stamina=1.0)]))
    assert [(line["entity"]["name"], line["solutions"], line["seed"], line["job"]) for line in lines] == [
        ("Fatigue", 1, "disability", "Stamina"),
        ("Pain", 1, "disability", "Stamina"),
    ]
    assert sum(line["weight"] for line in lines) == pytest.approx(1.0)
    assert [line["solutions"] for line in coverage(rank([nothing()]))] == [0]
    for line in lines:
        models.Covered.model_validate(line)


TOGETHER = "No solution serves all of these together; these serve one or more of them, the best for each alike."
FEW = "Telework alone serves all of these together; what follows serves one or more of them, the best for each alike."
ALONE = "A job alone names no need. Give a condition, limitation or function with it."


def other() -> SeedData:
    """A seed that lists something else."""
    one = seed("Pain", ("Pain",), field="limitation")
    rows = [row | {"id": "solution:pills", "name": "Pills"} for row in one.needs["solutions"]]
    return SeedData(one.field, one.card, {**one.needs, "solutions": rows})


def both() -> SeedData:
    """A seed that lists telework too, and something else."""
    rows = [*other().needs["solutions"], *seed("Pain", ("Pain",)).needs["solutions"]]
    return SeedData("limitation", other().card, {**other().needs, "solutions": rows})


@pytest.mark.parametrize(
    ("seeds", "about", "message"),
    [
        ([seed(), other()], "seeds", TOGETHER),
        ([seed(), both()], "seeds", FEW),
        ([job(stamina=1.0)], "occupation", ALONE),
        (
            [nothing(), job()],
            "seeds",
            "No source that we hold lists accommodations for Odor, nor for anything near it.",
        ),
        (
            [seed(), nothing()],
            "seeds",
            "No source that we hold lists accommodations for Odor, so it narrows nothing.",
        ),
        (
            [seed(), job(stamina=1.0)],
            "occupation",
            "Nothing that Driver leans on is known to be limited here, so the job makes no need count more.",
        ),
    ],
)
def test_an_answer_that_is_empty_or_other_than_asked_says_so(seeds: list[SeedData], about: str, message: str) -> None:
    (warning,) = seed_warnings(seeds, rank(seeds))
    assert warning == {"parameter": about, "message": message, "nearest": None}
    models.Warned.model_validate(warning)


def test_an_answer_to_what_was_asked_needs_no_warning() -> None:
    limits = {"ability:stamina": {"strength": 1.0, "name": "Stamina"}}
    seeds = [seed(limits=limits), job(stamina=1.0)]
    assert seed_warnings(seeds, rank(seeds)) == []


def test_related_conditions_name_what_they_share() -> None:
    shared = {**card("disability", "Migraine"), "shared": [NEEDS["Low Vision"], NEEDS["Pain"]]}
    epilepsy = card("disability", "Epilepsy")
    assert related_why(epilepsy, shared) == "Epilepsy and Migraine can both bring Low Vision and Pain."
    for relation, told in (("narrower", "Migraine is a kind of Epilepsy"), ("broader", "Migraine covers Epilepsy")):
        found = related_why(epilepsy, {**shared, "relation": relation})
        assert found == f"{told}; they can both bring Low Vision and Pain."


@pytest.mark.parametrize(
    ("items", "kinds", "messages"),
    [
        ([{}], [], []),
        ([], [], ["No other condition that we hold shares a limitation with MS."]),
        ([], ["RRMS", "PPMS"], ["MS has no limitations of its own. It covers RRMS and PPMS; ask for one of them."]),
    ],
)
def test_a_condition_without_related_ones_says_why(items: list[Body], kinds: list[str], messages: list[str]) -> None:
    found = related_warnings({"entity": card("disability", "MS"), "items": items, "kinds": kinds})
    assert [one["message"] for one in found] == messages


def test_an_empty_answer_names_the_setting_that_was_asked_for() -> None:
    (warning,) = seed_warnings([nothing()], rank([nothing()]), "testing")
    assert warning["message"].startswith(
        "No source that we hold lists accommodations for Odor in the setting ‘testing’"
    )
