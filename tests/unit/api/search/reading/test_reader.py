"""A question is read as its parts: which words name what, what was dropped, and which words were not used."""

from typing import Any

import pytest

from api.engine.release import Hit
from api.search.features import Feature
from api.search.hit_order import rank_hits
from api.search.ranking import RankedHit
from api.search.reading.model import Reading
from api.search.reading.reader import read
from api.search.reading.typed_words import with_typed_words
from tests.support.search_matches import parse
from tests.support.search_responses import card, search_hit


def named(type_name: str, name: str, *aliases: str, **payload: Any) -> Hit:  # noqa: ANN401 - JSON
    return search_hit(card(type_name, name), Feature.MENTION, aliases=list(aliases), **payload)


HEAT = {"heat": "heat"}
LEFT = {"left": "a left hand out of use"}
WORLD = (
    named("disability", "Dyslexia"),
    named("disability", "Asthma"),
    named("disability", "Deafness", "deaf"),
    named("disability", "Multiple Sclerosis", "MS", prior=96.0),
    named("disability", "Mitral Stenosis", "MS", broader=["Heart Condition"]),
    named("limitation", "Sitting", "can't sit long"),
    named("limitation", "Standing"),
    named("limitation", "Pushing and Pulling"),
    named("limitation", "Grasping"),
    named("limitation", "Fine Motor"),
    named("limitation", "Use of One Hand", sides=LEFT),
    named("limitation", "Fatigue"),
    named("limitation", "Walking"),
    named("limitation", "Hearing Loss"),
    named("limitation", "Irregular Attendance", "missing school"),
    named("disability", "Long COVID", "long covid fatigue", "recovered from covid"),
    named("disability", "COVID-19", "covid"),
    named("disability", "Orthostatic Tachycardia", "POTS"),
    named("disability", "Seasonal Depression", "SAD"),
    named("solution", "Wheelchairs", "wheelchair"),
    named("solution", "Exam Chairs"),
    named("workrelatedfunction", "Temperature", "hot office", sides=HEAT),
    named("occupation", "Cashiers", titles=["Cashier"]),
    named("solution", "Standing Desks"),
    named("vendor", "Hearing Shop", "dyslexia"),
)


def reading(text: str, *rules: str) -> Reading:
    query = parse(text, *rules)
    return read(query, hits(text, *rules))


def hits(text: str, *rules: str) -> list[RankedHit]:
    return rank_hits(parse(text, *rules), WORLD)


def roles(found: Reading) -> list[tuple[str, str, str | None]]:
    return [(part.text, part.role, part.entity["name"] if part.entity else None) for part in found.parts]


def test_a_question_has_its_parts_in_order() -> None:
    found = reading("Dyslexia and can't sit long, cashier at school, quickly")
    assert roles(found) == [
        ("Dyslexia", "condition", "Dyslexia"),
        ("can't sit long", "limitation", "Sitting"),
        ("cashier", "occupation", "Cashiers"),
        ("at school", "setting", None),
    ]
    assert [part.matched_by for part in found.parts] == ["name", "other name", "name", "name"]
    assert found.unused == ["quickly"]
    assert [found.parts[1].start, found.parts[1].end] == [13, 27]
    assert found.recommend_body() == {
        "disability": "disability:dyslexia",
        "limitation": "limitation:sitting",
        "occupation": "occupation:cashiers",
        "setting": "school",
    }


def test_words_with_several_meanings_name_the_others() -> None:
    (part,) = reading("MS").parts
    assert part.entity is not None
    assert (part.entity["name"], [one["name"] for one in part.alternatives]) == (
        "Multiple Sclerosis",
        ["Mitral Stenosis"],
    )


def test_a_side_of_a_need_is_read_with_its_words() -> None:
    found = reading("too hot in here")
    (part,) = found.parts
    assert (part.role, part.side, part.text) == ("side", "heat", "too hot")
    assert found.recommend_body() == {"work_function": "too hot"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cannot stand", [("stand", "limitation", "Standing")]),
        ("trouble pulling", [("pulling", "limitation", "Pushing and Pulling")]),
        ("standing desk", [("standing desk", "solution", "Standing Desks")]),
        ("hurt hand", [("hand", "limitation", "Grasping")]),
        ("dyslexia, hand", [("dyslexia", "condition", "Dyslexia")]),  # a body part says little beside a condition
        ("wfh with asthma", [("asthma", "condition", "Asthma")]),
        ("nothing here", []),
        # the wording of a negation, and whose hand it is, do not matter
        ("she can not use her left hand", [("can not use her left hand", "side", "Use of One Hand")]),
        ("too hot office", [("too hot", "side", "Temperature")]),  # the side says more than the need
        ("long covid fatigue", [("long covid", "condition", "Long COVID"), ("fatigue", "limitation", "Fatigue")]),
        ("recovered from covid", []),  # what is past
        # a word that is a verb in sentences, alone between commas or in capitals
        ("pots, hand", [("pots", "condition", "Orthostatic Tachycardia")]),
        ("my POTS at home", [("POTS", "condition", "Orthostatic Tachycardia")]),
        ("pots and pans", []),
        ("sad, tired", []),
        ("missing school", [("missing school", "limitation", "Irregular Attendance")]),
        (
            "often missing school, asthma",
            [
                ("missing school", "limitation", "Irregular Attendance"),
                ("missing school", "setting", None),
                ("asthma", "condition", "Asthma"),
            ],
        ),
        # the last word is a job if those before it name a need
        ("dyslexia cashier", [("dyslexia", "condition", "Dyslexia"), ("cashier", "occupation", "Cashiers")]),
        (
            "can't sit long cashier",
            [("can't sit long", "limitation", "Sitting"), ("cashier", "occupation", "Cashiers")],
        ),
        ("screen cashier", []),
        ("dyslexia, my cashier's note", [("dyslexia", "condition", "Dyslexia")]),  # another's note
        (
            "cashier can't sit long",
            [("cashier", "occupation", "Cashiers"), ("can't sit long", "limitation", "Sitting")],
        ),
        ("my office is really hot", [("office is really hot", "work_function", "Temperature")]),  # a hot office
        ("office is here", []),
        ("an exam chair", [("exam chair", "solution", "Exam Chairs")]),  # no exam
        (
            "asthma at work and in class",
            [("asthma", "condition", "Asthma"), ("at work", "setting", None), ("in class", "setting", None)],
        ),
    ],
)
def test_words_are_read_as_what_they_name(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert roles(reading(text)) == expected


def test_a_synonym_rule_names_a_part() -> None:
    (part,) = reading("breathless", "breathless => asthma").parts
    assert (part.matched_by, part.text) == ("synonym rule", "breathless")


def test_conditions_that_do_not_apply_are_dropped_with_the_reason() -> None:
    found = reading("not deaf or asthma but dyslexia")
    assert roles(found) == [("dyslexia", "condition", "Dyslexia")]
    assert [(part.text, reason) for part, reason in found.dropped] == [
        ("deaf", "The question says that this does not apply."),
        ("asthma", "The question says that this does not apply."),
    ]
    assert found.as_json()["dropped"][0]["reason"] == "The question says that this does not apply."


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("can walk fine, can't stand", "walk"),
        ("hearing is fine, asthma", "hearing"),
        ("asthma, not in my hands", "hands"),
        ("no wheelchair, uses a standing desk", "wheelchair"),
        ("recovered from covid", "covid"),
    ],
)
def test_abilities_body_parts_and_things_that_do_not_apply_are_dropped(text: str, dropped: str) -> None:
    found = reading(text)
    assert [part.text for part, _ in found.dropped] == [dropped]
    assert dropped not in [part.text for part in found.parts]


def test_a_body_part_names_what_else_it_can_bring() -> None:
    (part,) = reading("sore hand").parts
    assert [one["name"] for one in part.alternatives] == ["Fine Motor"]


def test_the_same_entity_is_one_part() -> None:
    assert roles(reading("standing and can't stand")) == [("standing", "limitation", "Standing")]


def test_two_seeds_of_a_field_are_a_list() -> None:
    assert reading("asthma and dyslexia").recommend_body() == {
        "disability": ["disability:asthma", "disability:dyslexia"]
    }


@pytest.mark.parametrize("text", ["", "standing desk", "not deaf"])
def test_without_a_seed_there_is_no_request(text: str) -> None:
    assert reading(text).recommend_body() is None


def test_a_corrected_query_is_shown_as_it_was_typed() -> None:
    typed, corrected = parse("bad dislexia at school"), parse("bad dyslexia at school")
    found = with_typed_words(read(corrected, hits(corrected.text)), typed, corrected)
    assert [(part.text, part.matched_by, part.start) for part in found.parts] == [
        ("dislexia", "spelling", 4),
        ("at school", "name", 13),
    ]


def test_two_corrected_words_beside_each_other_keep_their_places() -> None:
    corrected = reading("dyslexia cashier xyz")
    shown = with_typed_words(corrected, parse("dislexia casheer xyy"), parse("dyslexia cashier xyz"))
    assert [(part.text, part.start, part.end) for part in shown.parts] == [("dislexia", 0, 8), ("casheer", 9, 16)]
    assert (corrected.unused, shown.unused) == (["xyz"], ["xyy"])


def test_a_request_for_recommendations_has_at_most_ten_seeds() -> None:
    letters = "bcdfghjklmnp"
    names = [f"Trouble {letter * 2}" for letter in letters]
    hits = rank_hits(parse(", ".join(names)), [named("limitation", name) for name in names])
    body = read(parse(", ".join(names)), hits).recommend_body()
    assert body is not None
    assert body["limitation"] == [f"limitation:trouble-{letter * 2}" for letter in letters[:10]]
