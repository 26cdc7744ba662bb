"""Explanations of solutions and related conditions, coverage, and warnings."""

from dataclasses import replace

import pytest

from api import models
from api.graph.listings import ListOwner
from api.recommend.explanations import (
    BASES_BY_CERTAINTY,
    coverage,
    describe_solution,
    explain_related,
    explain_solution,
    recommendation_warnings,
    related_warnings,
)
from api.recommend.ranking import WEIGHTS, RankedSolution, SeedData, rank
from schema.entity_kinds import BASES
from schema.json_types import JsonObject
from tests.support.needs_documents import as_needs, solution_row
from tests.support.search_responses import TELEWORK, card

NAMES = ("Fatigue", "Low Vision", "Pain", "Memory Loss", "Stress")
NEEDS = {name: card("limitation", name) for name in NAMES}
KIND = ListOwner("limitation:total-blindness", "Total Blindness", "narrower")
COVERING = KIND._replace(relation="broader")
SIMILAR = KIND._replace(relation="similar")
STAMINA = {"ability:stamina": (1.0, "Stamina")}


def seed(  # noqa: PLR0913 - the fields of a row
    name: str = "MS",
    under: tuple[str, ...] = ("Fatigue",),
    *,
    field: str = "disability",
    usual: tuple[str, ...] = (),
    first: tuple[str, ...] = (),
    inherits: tuple[ListOwner, ...] = (),
    made_for: tuple[str, ...] = (),
    limits: JsonObject | None = None,
    named: JsonObject | None = None,
) -> SeedData:
    """Return a seed that lists telework under some needs, in descending order of weight."""
    ids = [NEEDS[need]["id"] for need in under]
    members = {
        "rarity": 0.5,
        "made_for": list(made_for),
        "basis": "derived" if usual == under else "source",
        "under": dict.fromkeys(ids, 1.0),
        "usual": [NEEDS[need]["id"] for need in usual],
        "first": {NEEDS[need]["id"]: 1.0 for need in first},
        "from": [parent.id for parent in inherits],
    }
    row = solution_row(**{"node": TELEWORK["id"], "name": "Telework", **members, **(named or {})})
    needs = [
        {"entity": NEEDS[need], "weight": 9.0 - index, "main": False, "limits": limits or {}}
        for index, need in enumerate(under)
    ]
    seed_card = card(field, name)
    document = as_needs({"card": seed_card, "needs": needs, "solutions": [row], "demands": {}})
    return SeedData(field, seed_card, document, inherits)


def job(**demands: float) -> SeedData:
    document = {"needs": [], "solutions": [], "demands": {f"ability:{key}": value for key, value in demands.items()}}
    return SeedData("occupation", card("occupation", "Driver"), as_needs(document))


def empty(name: str = "Odor") -> SeedData:
    needs = [{"entity": NEEDS["Pain"], "weight": 1.0, "main": False, "limits": {}}]
    return SeedData("limitation", card("limitation", name), as_needs({"needs": needs, "solutions": [], "demands": {}}))


def best(*seeds: SeedData) -> RankedSolution:
    return rank(seeds).solutions[0]


LOW_VISION = seed("Low Vision", ("Low Vision",), field="limitation")
LISTED_AND_USUAL = seed(under=("Fatigue", "Pain"), usual=("Pain",))
BLIND = seed("Blind", inherits=(KIND,))
KIND_OF_BLIND = seed("Blind", ("Low Vision",), inherits=(KIND,))
COVERED = seed("RRMS", inherits=(COVERING._replace(name="MS"),))
SIMILAR_TO_TWO = seed("Blur", inherits=(SIMILAR, SIMILAR._replace(id="x", name="Fatigue")))
COVERED_AND_SIMILAR = seed("Blur", inherits=(COVERING, SIMILAR._replace(id="x", name="Pain")))
FIRST_CHOICE = seed(first=("Fatigue",), named={"whole": 1.0})
NAMED_ITSELF = seed("Low Vision", ("Low Vision",), inherits=(KIND,), named={"named": True, "from": []})
NURSE = SeedData("occupation", {"id": "occupation:29-1141.00", "name": "Registered Nurses"}, job().needs)
MADE_FOR_BOTH = "listed for MS under Fatigue. It is made for Fatigue and this job."
WITH_JOB = [seed(limits=STAMINA), job(stamina=1.0)]


@pytest.mark.parametrize(
    ("seeds", "explanation"),
    [
        ([LOW_VISION], "listed for Low Vision."),
        ([seed()], "listed for MS under Fatigue."),
        ([seed(under=("Fatigue", "Low Vision"))], "listed for MS under Fatigue and Low Vision."),
        ([seed(under=NAMES)], "listed for MS under Fatigue, Low Vision, Pain and 2 more."),
        ([seed(), LOW_VISION], "listed for MS under Fatigue and listed for Low Vision."),
        ([seed(usual=("Fatigue",))], "usual for Fatigue, which MS can bring."),
        ([LISTED_AND_USUAL], "listed for MS under Fatigue and usual for Pain, which MS can bring."),
        ([KIND_OF_BLIND], "listed for Total Blindness, which is a kind of Blind, under Low Vision."),
        ([COVERED], "listed for MS, which covers RRMS, under Fatigue."),
        ([SIMILAR_TO_TWO], "listed for Total Blindness and Fatigue, which limit much the same abilities as Blur."),
        (
            [COVERED_AND_SIMILAR],
            (
                "listed for Total Blindness, which covers Blur, and for Pain, which limits much the same abilities as "
                "Blur, under Fatigue."
            ),
        ),
        (
            [seed("Blur", inherits=(SIMILAR, SIMILAR._replace(id="x")))],
            "listed for Total Blindness, which limits much the same abilities as Blur, under Fatigue.",
        ),
        ([seed(first=("Fatigue",))], "listed for MS under Fatigue. Our editors would try it early for Fatigue."),
        ([FIRST_CHOICE], "listed for MS under Fatigue. Our editors would try it early for MS and Fatigue."),
        ([seed(named={"named": True})], "named for MS at school under Fatigue."),
        ([seed(named={"named": True, "basis": "editorial"})], "named for MS at school by our editors under Fatigue."),
        ([seed(usual=("Fatigue",), named={"named": True})], "usual at school for Fatigue, which MS can bring."),
        ([NAMED_ITSELF], "named for Low Vision at school."),  # though it inherits its lists for work
        ([seed(made_for=("occupation:29",))], "listed for MS under Fatigue. It is made for particular jobs or bodies."),
        ([seed(made_for=("occupation:29",)), NURSE], "listed for MS under Fatigue. It is made for this job."),
        ([seed(made_for=("disability:ms",))], "listed for MS under Fatigue. It is made for MS."),
        ([seed(made_for=("occupation:29", "limitation:fatigue")), NURSE], MADE_FOR_BOTH),
        (WITH_JOB, "listed for MS under Fatigue. The job requires Stamina, which Fatigue can limit."),
    ],
)
def test_explains_where_a_solution_is_listed(seeds: list[SeedData], explanation: str) -> None:
    assert explain_solution(best(*seeds)) == f"Telework: {explanation}"


def test_does_not_say_that_a_solution_is_made_for_a_seed_that_it_does_not_serve() -> None:
    made_for_pain = seed(made_for=("limitation:pain",))
    ranked = rank([made_for_pain, empty()]).solutions[0]
    assert ranked.parts["fit"] == WEIGHTS["fit"]
    assert explain_solution(ranked) == "Telework: listed for MS under Fatigue."


def test_every_basis_has_a_place_by_certainty() -> None:
    assert sorted(BASES_BY_CERTAINTY) == sorted(BASES)


@pytest.mark.parametrize(
    ("seeds", "basis"),
    [
        ([seed()], "source"),
        ([seed(usual=("Fatigue",))], "derived"),
        ([BLIND], "inherited"),
        ([seed(), BLIND], "source"),
        ([seed("Blind", inherits=(KIND,), named={"from": [], "basis": "editorial"})], "editorial"),
    ],
)
def test_a_recommendation_has_its_most_certain_basis(seeds: list[SeedData], basis: str) -> None:
    solution = best(*seeds)
    line = describe_solution(3, solution)
    assert line["basis"] == basis
    assert (line["rank"], line["score"]) == (3, solution.score)
    assert [need["entity"] for need in line["answers"]] == [need.card for need, _ in solution.answers]
    assert line["basis_label"]
    models.Recommendation.model_validate({**TELEWORK, **line, "cautions": [], "products": []})


def test_coverage_counts_the_solutions_of_each_need() -> None:
    ranking = rank([seed(under=("Fatigue", "Pain"), limits=STAMINA), empty(), job(stamina=1.0)])
    lines = coverage(ranking, ranking.solutions)
    assert [(line["entity"]["name"], line["solutions"], line["seed"], line["job"]) for line in lines] == [
        ("Fatigue", 1, "disability", "Stamina"),
        ("Pain", 1, "disability", "Stamina"),
        ("Pain", 0, "limitation", None),
    ]
    assert sum(line["weight"] for line in lines[:2]) == pytest.approx(1.0)
    assert [line["places"] for line in lines] == [[1], [1], []]
    assert [(line["solutions"], line["places"]) for line in coverage(rank([empty()]), [])] == [(0, [])]
    for line in lines:
        models.NeedCoverage.model_validate(line)


TOGETHER = "No solution serves all of these together. The results are the best for each of them."
NO_EFFECT = "No ability that Driver requires is known to be limited here, so the job does not affect the ranking."
NO_LIST = "No source lists accommodations for Odor"
PILLS = seed("Pain", ("Pain",), field="limitation", named={"id": "solution:pills", "name": "Pills"})
PILLS_AND_TELEWORK = [*PILLS.needs["solutions"], *seed("Pain", ("Pain",)).needs["solutions"]]


@pytest.mark.parametrize(
    ("seeds", "setting", "parameter", "message"),
    [
        ([seed(), PILLS], None, "seeds", TOGETHER),
        ([empty(), job()], None, "seeds", f"{NO_LIST}, or for anything related."),
        ([empty()], "testing", "seeds", f"{NO_LIST} in the setting ‘testing’, or for anything related."),
        ([seed(), empty()], None, "seeds", f"{NO_LIST}, so it has no effect on the results."),
        ([seed(), job(stamina=1.0)], None, "occupation", NO_EFFECT),
    ],
)
def test_warns_about_an_empty_or_partial_result(
    seeds: list[SeedData], setting: str | None, parameter: str, message: str
) -> None:
    (warning,) = recommendation_warnings(seeds, rank(seeds), setting)
    assert warning == {"parameter": parameter, "message": message, "nearest": None}
    models.RequestWarning.model_validate(warning)


def test_a_complete_result_has_no_warnings() -> None:
    assert recommendation_warnings(WITH_JOB, rank(WITH_JOB)) == []
    joint = [seed(), replace(PILLS, needs={**PILLS.needs, "solutions": PILLS_AND_TELEWORK})]
    assert recommendation_warnings(joint, rank(joint)) == []


@pytest.mark.parametrize(
    ("relation", "statement"),
    [
        ({}, "Epilepsy and Migraine"),
        ({"relation": "narrower"}, "Migraine is a kind of Epilepsy; they"),
        ({"relation": "broader"}, "Migraine covers Epilepsy; they"),
    ],
)
def test_related_conditions_name_what_they_share(relation: dict[str, str], statement: str) -> None:
    related = {**card("disability", "Migraine"), "shared": [NEEDS["Low Vision"], NEEDS["Pain"]], **relation}
    explanation = explain_related(card("disability", "Epilepsy"), related)
    assert explanation == f"{statement} can both bring Low Vision and Pain."


OWN_KINDS = "MS has no limitations of its own. It covers RRMS and PPMS; request one of these instead."


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ([], "No other condition in the graph shares a limitation with MS."),
        (["RRMS", "PPMS"], OWN_KINDS),
    ],
)
def test_warns_about_a_condition_without_related_ones(kinds: list[str], message: str) -> None:
    warnings = related_warnings(card("disability", "MS"), kinds)
    assert warnings == [{"parameter": "id", "message": message, "nearest": None}]


WRIST, SUGAR = card("disability", "Carpal Tunnel Syndrome"), card("disability", "Diabetes")
PUBLICATION = {
    "title": "Both at once",
    "url": "https://pages.example.org/both",
    "as_of": "2018-07",
    "read": "2026-11-25",
}
SHARED = [card("limitation", name) for name in ("Reaching", "Fine Motor", "Motor", "Pain")]
OCCUR_TOGETHER = "Carpal Tunnel Syndrome and Diabetes often occur together, according to ‘Both at once’"
UNDER = "Carpal Tunnel Syndrome and Diabetes both come under Arm Conditions."


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({"relation": "co_occurring", "publication": PUBLICATION, "shared": []}, f"{OCCUR_TOGETHER} (2018)."),
        (
            {"relation": "co_occurring", "publication": {**PUBLICATION, "as_of": None}, "shared": SHARED[:2]},
            f"{OCCUR_TOGETHER}. They can both bring Reaching and Fine Motor.",
        ),
        ({"relation": "sibling", "shared": []}, UNDER),
        (
            {"relation": "sibling", "shared": SHARED},
            f"{UNDER} They can both bring Reaching, Fine Motor, Motor and 1 more.",
        ),
    ],
)
def test_says_that_two_conditions_occur_together_or_are_under_the_same_one(facts: JsonObject, sentence: str) -> None:
    assert explain_related(WRIST, {**SUGAR, **facts}, "Arm Conditions") == sentence


@pytest.mark.parametrize("publication", [PUBLICATION, {**PUBLICATION, "as_of": None, "read": None}, None])
def test_a_related_condition_has_its_relation_and_the_publication(publication: JsonObject | None) -> None:
    result = {**SUGAR, "score": 0.0, "shared": [], "shared_total": 0, "publication": publication, "why": OCCUR_TOGETHER}
    for relation in ("co_occurring", "sibling", "narrower", "broader", None):
        models.RelatedCondition.model_validate({**result, "relation": relation})


def test_warns_that_no_condition_shares_enough() -> None:
    (warning,) = related_warnings(SUGAR, [], is_any_similar=True)
    assert warning["message"] == "No other condition in the graph shares two limitations or a main need with Diabetes."
