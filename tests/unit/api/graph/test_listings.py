"""What sources list, as it is read from documents and edges, and what is named at school for an entity."""

from typing import Any

import pytest

from api.graph.listings import ListOwner, SchoolStatement, SimilarLimitation
from schema.edge_documents import NestedEdge
from tests.support.listings import card, condition, edge_to, listings, need, solution

ADHD, POTS, ATTENTION, FATIGUE = "disability:adhd", "disability:pots", "limitation:attention", "limitation:fatigue"
SEAT, TIME, EASIER = "solution:seat", "solution:time", "solution:easier-texts"


def school(node: str, weight: float, **members: Any) -> NestedEdge:  # noqa: ANN401 - any member of an edge
    """Return an edge to a solution that is named for school."""
    return edge_to(node, school_weight=weight, school_basis="source", school_sources=["pages"], **members)


def test_an_owner_is_parsed_with_its_similarity() -> None:
    broader = {"id": "limitation:a", "name": "A", "relation": "broader"}
    similar = {"id": "limitation:b", "name": "B", "relation": "similar", "similarity": 0.8}
    assert ListOwner.parse({"inherits": [broader, similar]}) == (
        ListOwner("limitation:a", "A", "broader", 1.0),
        ListOwner("limitation:b", "B", "similar", 0.8),
    )
    assert ListOwner.parse({}) == ()


def test_a_need_has_the_rates_of_what_is_listed_under_it() -> None:
    edges = {
        "recommends": [
            edge_to(TIME, 1.0, pages=4, first_choice=0.5),
            edge_to(SEAT, 0.25, pages=1),
            school(EASIER, 0.6, basis="source"),  # named for school only
        ],
        "limits": [edge_to("ability:stamina", 0.5)],
    }
    found = need(FATIGUE, ["atlas"], edges, specificity=1.5, listing_conditions=4, rarity=0.7)
    assert (found.card, found.sources) == (card(FATIGUE), ["atlas"])
    assert (found.specificity, found.conditions, found.rarity) == (1.5, 4, 0.7)
    assert found.rates == {TIME: 1.0, SEAT: 0.25}
    assert found.first_choices == {TIME: 0.5}
    assert found.school == {EASIER: SchoolStatement(0.6, "source", ["pages"])}
    assert found.limits == {"ability:stamina": (0.5, "Stamina")}
    assert (found.similar, found.inherits, found.own_choices) == ([], (), {})


def test_a_need_without_lists_has_those_whose_lists_it_uses_and_first_choices_of_its_own() -> None:
    similar = {"id": ATTENTION, "similarity": 0.8, "common_ancestor": "limitation:mind"}
    owner = {"id": ATTENTION, "name": "Attention", "relation": "broader"}
    inherited = edge_to(TIME, 0.5, basis="inherited", via=[ATTENTION], first_choice=1.0)
    found = need(
        FATIGUE,
        edges={"recommends": [inherited]},
        similar_limitations=[similar],
        inherits=[owner],
        first_choices=[{"solution": TIME, "strength": 1.0}],
    )
    assert (found.rates, found.first_choices, found.own_choices) == ({}, {}, {TIME: 1.0})
    assert found.similar == [SimilarLimitation(ATTENTION, 0.8, "limitation:mind")]
    assert found.inherits == (ListOwner(ATTENTION, "Attention", "broader"),)
    assert (found.rarity, found.conditions) == (0.0, 0)


def test_a_solution_has_the_facts_of_its_document() -> None:
    facts = {"rarity": 0.3, "school_rarity": 0.8, "settings": ["school"], "made_for": ["occupation:29"]}
    found = solution(EASIER, ["atlas"], **facts, is_modification=True)
    assert (found.card, found.sources) == (card(EASIER), ["atlas"])
    assert {name: getattr(found, name) for name in facts} == facts
    assert found.is_modification


def test_a_condition_has_what_sources_list_for_it_and_what_is_named_at_school() -> None:
    edges = {
        "affects": [edge_to("workrelatedfunction:stress")],
        "has_limitation": [edge_to(FATIGUE, 0.9), edge_to(ATTENTION, 0.4)],
        "recommends": [
            school(TIME, 0.7, via=[ATTENTION, FATIGUE]),
            edge_to("solution:inherited", via=["disability:narrow"], basis="inherited"),
            school(SEAT, 0.5, basis="editorial"),
        ],
    }
    document = {"ancestors": ["disability:brain"], "main_needs": [FATIGUE]}
    found = condition(ADHD, ["atlas"], edges, **document, first_choices=[{"solution": SEAT, "strength": 0.5}])
    assert found.listed == {TIME: [ATTENTION, FATIGUE]}
    weights = {TIME: 0.7, SEAT: 0.5}
    assert found.school == {node: SchoolStatement(weight, "source", ["pages"]) for node, weight in weights.items()}
    assert (found.ancestors, found.main_needs) == (["disability:brain"], frozenset({FATIGUE}))
    assert found.own_choices == {SEAT: 0.5}
    assert found.stated_needs == [FATIGUE, ATTENTION, "workrelatedfunction:stress"]
    assert found.limitations == [ATTENTION, FATIGUE]
    assert found.edges == edges


def test_a_condition_without_facts_has_none() -> None:
    found = condition(ADHD)
    assert (found.inherits, found.ancestors, found.main_needs, found.own_choices) == ((), (), frozenset(), {})
    assert (found.listed, found.school, found.stated_needs, found.limitations) == ({}, {}, [], [])


ADHD_EDGES = {
    "has_limitation": [edge_to(FATIGUE), edge_to(ATTENTION)],
    "affects": [edge_to("workrelatedfunction:stress")],
    "recommends": [school(SEAT, 0.9), school(TIME, 0.7)],
}
POTS_EDGES = {"has_limitation": [edge_to(FATIGUE)], "recommends": [school(TIME, 0.5)]}
WORK: dict[str, Any] = {"listing_conditions": 1, "edges": {"recommends": [edge_to(TIME, pages=1)]}}
ATTENTION_NEED = need(ATTENTION, edges={"recommends": [school(TIME, 0.8), school(EASIER, 0.6)]})
SCHOOL = listings(
    *(condition(ADHD, edges=ADHD_EDGES), condition(POTS, edges=POTS_EDGES), condition("disability:aging")),
    *(ATTENTION_NEED, need(FATIGUE), need("workrelatedfunction:stress", edges={"recommends": [school(SEAT, 0.6)]})),
    *(solution(SEAT), solution(TIME), solution(EASIER, is_modification=True)),
)
SCHOOL_AND_WORK = listings(
    *SCHOOL.conditions.values(), ATTENTION_NEED, need(FATIGUE, **WORK), *SCHOOL.solutions.values()
)
FOR_LIMITATION = listings(
    condition(ADHD, edges={"has_limitation": [edge_to(ATTENTION)]}), ATTENTION_NEED, *SCHOOL.solutions.values()
)


@pytest.mark.parametrize(
    ("entity", "solutions"),
    [
        (ADHD, [SEAT, TIME]),  # a modification applies only to the limitation for which it is named
        (POTS, [TIME]),
        (ATTENTION, [EASIER, TIME]),
        (FATIGUE, []),
        ("disability:aging", []),
    ],
)
def test_a_condition_has_solutions_of_its_limitations_except_modifications(entity: str, solutions: list[str]) -> None:
    assert SCHOOL.school_solutions(entity) == solutions


def test_a_condition_without_statements_has_solutions_of_its_limitations() -> None:
    assert FOR_LIMITATION.school_solutions(ADHD) == [TIME]


def test_a_solution_named_for_a_condition_counts_for_it_and_for_its_limitations() -> None:
    assert SCHOOL.school_weights(ADHD, SEAT) == {ADHD: 0.9}
    assert SCHOOL.school_weights(ADHD, TIME) == {ADHD: 0.7, ATTENTION: 0.8}
    assert SCHOOL.school_weights(POTS, TIME) == {POTS: 0.5}
    assert SCHOOL_AND_WORK.school_weights(ADHD, TIME) == {ADHD: 0.7, FATIGUE: 0.7, ATTENTION: 0.8}
    assert SCHOOL.school_weights(ATTENTION, TIME) == {ATTENTION: 0.8}


def test_a_solution_named_only_for_limitations_counts_half() -> None:
    assert FOR_LIMITATION.school_weights(ADHD, TIME) == {ATTENTION: 0.4}
    assert FOR_LIMITATION.school_weights(ADHD, SEAT) == {}
    assert SCHOOL.school_weights(FATIGUE, TIME) == {}
