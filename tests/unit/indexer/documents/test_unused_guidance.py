"""Rows of guidance that change no answer."""

import pytest

from indexer.content.guidance_rows import Caution, ConditionSide, Exclusion, Guidance, NeedSide, SolutionSide
from indexer.content.rows import Link, Recommendation
from indexer.documents.unused_guidance import UnusedRow, describe, unused_rows
from schema.vocabulary import Vocabulary
from tests.support.small_graphs import built, entity

MS, EYES, FLU, HEAT = "disability:ms", "disability:eyes", "disability:flu", "limitation:temperature"
HEATER, FAN, LAMP = "solution:heater", "solution:fan", "solution:lamp"
ROW = ("editorial", ("editors",))
PAGE = ("must", "Ask first.", "A page", "https://a.example/", "unknown", "unknown")
ENTITIES = (
    *(entity(MS, kind="main"), entity(FLU, kind="main"), entity(EYES, kind="narrower")),
    *(entity(node, settings="work") for node in (HEATER, FAN, LAMP)),
    *(entity(HEAT), entity("occupation:53-3032.00")),
)
LINKS = (Link("broader", EYES, MS, "source", ()), Link("has_limitation", MS, HEAT, "source", ("atlas",)))
LISTED = tuple(Recommendation(MS, HEAT, solution, "", ("atlas",)) for solution in (HEATER, FAN))
SIDES = {
    "need_sides": (
        NeedSide(HEAT, "heat", ("cold",), "heat", (), *ROW),
        NeedSide(HEAT, "cold", ("heat",), "cold", (), *ROW),
        NeedSide(HEAT, "dry", (), "dry air", (), *ROW),
    ),
    "solution_sides": (SolutionSide(HEATER, HEAT, ("cold",), ("heat",), *ROW),),
}


def side(condition: str, name: str, occurs: str = "one") -> ConditionSide:
    return ConditionSide(condition, HEAT, name, occurs, "editorial", "", ("editors",))


def unused(vocabulary: Vocabulary, **rows: tuple[ConditionSide | Exclusion | Caution, ...]) -> list[UnusedRow]:
    guidance = Guidance(**{**SIDES, **rows})  # type: ignore[arg-type]  # tables of several rows
    graph = built(vocabulary, ENTITIES, links=LINKS, recommendations=LISTED, guidance=guidance)
    return list(unused_rows(graph))


@pytest.mark.parametrize(
    ("sides", "reasons"),
    [
        ([side(MS, "heat")], []),
        ([side(MS, "cold")], ["nothing that is suggested is wrong for 'cold'"]),
        ([side(MS, "dry")], ["nothing that is suggested is wrong for 'dry'"]),
        ([side(FLU, "heat")], ["nothing that is suggested is wrong for 'heat'"]),
        ([side(EYES, "heat")], []),
        ([side(MS, "heat"), side(EYES, "heat")], ["it repeats what the condition inherits"]),
        ([side(MS, "heat"), side(EYES, "heat", "both")], []),
        ([side(MS, "heat"), side(EYES, "cold")], []),
    ],
)
def test_a_side_counts_if_something_suggested_is_wrong_for_it_or_it_replaces_another(
    vocabulary: Vocabulary, sides: list[ConditionSide], reasons: list[str]
) -> None:
    assert [row.reason for row in unused(vocabulary, condition_sides=tuple(sides))] == reasons


@pytest.mark.parametrize(
    ("solution", "concern", "unused_places"),
    [(FAN, MS, []), (FAN, EYES, []), (FAN, HEAT, []), (FAN, FLU, [0]), (LAMP, "occupation:53", [])],
)
def test_exclusions_and_cautions_count_if_their_solution_is_suggested(
    vocabulary: Vocabulary, solution: str, concern: str, unused_places: list[int]
) -> None:
    found = unused(
        vocabulary,
        exclusions=(Exclusion(solution, (concern,), "useless", "No use.", "editorial", "", ("editors",)),),
        cautions=(Caution(solution, (concern,), *PAGE), Caution("", (concern,), *PAGE)),
    )
    reason = f"{solution!r} is not suggested for any of what it concerns"
    tables = ("not_for.csv", "cautions.csv")
    assert found == [UnusedRow(table, place, reason) for table in tables for place in unused_places]


def test_a_problem_names_file_and_line() -> None:
    rows = [UnusedRow("cautions.csv", 1, "it changes nothing")]
    assert describe(rows, {"cautions.csv": [2, 5]}) == ["cautions.csv:5: it changes nothing; delete the row"]
