"""The parts of the answers that need no engine: how a given form is understood, and how a wrong name is told."""

from __future__ import annotations

from typing import Any

import pytest

from api import models
from api.errors import NotFoundError
from api.naming import Understood, best_seed, ignored, no_seed, owner_of, seed_namesakes, unknown, unknown_fields
from indexer.deflated import deflated

CONDITION = {"id": "disability:low-vision", "type": "disability", "slug": "low-vision", "name": "Low Vision"}
JOB = {
    "id": "occupation:15-1252.00",
    "type": "occupation",
    "slug": "software-developers",
    "name": "Software Developers",
}


def seed_hit(card: dict[str, Any], *ways: str) -> dict[str, Any]:
    return {"fields": {"needs": [deflated({"card": card})]}, "matched_queries": [*ways]}


@pytest.mark.parametrize(
    ("card", "given", "matched"),
    [
        (CONDITION, "disability:low-vision", "id"),
        (CONDITION, "Disability:Low-Vision", "id"),
        (CONDITION, "low-vision", "slug"),
        (CONDITION, "LOW-VISION", "slug"),
        (CONDITION, "Low Vision", "name"),
        (CONDITION, "low vision!", "name"),
        (CONDITION, "partially sighted", "alias"),
        (JOB, "occupation:15-1252.00", "id"),
        (JOB, "15-1252.00", "id"),
        (JOB, "software-developers", "slug"),
        (JOB, "occupation:software-developers", "slug"),
        (JOB, "software developers", "name"),
        (JOB, "Software Engineer", "alias"),
    ],
)
def test_a_seed_says_how_it_was_understood(card: dict[str, Any], given: str, matched: str) -> None:
    hit = seed_hit(card, "seed")
    assert best_seed([hit], given) == Understood(matched, {"card": card}, hit, [])


def test_of_a_seed_with_a_kept_answer_that_is_read_first() -> None:
    hit = seed_hit(CONDITION, "seed")
    hit["fields"]["answer"] = [deflated({"card": CONDITION, "told": {"total": 1}})]
    found = best_seed([hit], "low-vision")
    assert found
    assert (found.card, found.kept, found.needs) == (CONDITION, {"total": 1}, {"card": CONDITION})


NAMESAKE = {"id": "disability:sight-loss", "type": "disability", "slug": "sight-loss", "name": "Low Visions"}


@pytest.mark.parametrize(
    ("hits", "found"),
    [
        ([], None),
        ([seed_hit(CONDITION, "heir")], None),  # it only speaks for another that is not there
        ([seed_hit(CONDITION, "nameform")], ("name", CONDITION)),
        ([seed_hit(CONDITION, "aliasform", "heir")], ("alias", CONDITION)),
        ([seed_hit(NAMESAKE, "nameform"), seed_hit(CONDITION, "seed", "nameform")], ("name", CONDITION)),
        ([seed_hit(JOB, "seed"), seed_hit(CONDITION, "seed")], ("name", CONDITION)),  # a name before another name
        ([seed_hit(NAMESAKE, "heir"), seed_hit(CONDITION, "aliasform")], ("alias", CONDITION)),
    ],
)
def test_of_several_that_may_be_meant_the_one_that_was_named_most_exactly_is(
    hits: list[dict[str, Any]], found: tuple[str, dict[str, str]] | None
) -> None:
    best = best_seed(hits, "Low Vision")
    assert (best and (best.matched_by, best.needs["card"])) == found


def test_others_that_are_called_so_as_exactly_are_named() -> None:
    cards = [{**JOB, "id": f"occupation:{number}"} for number in range(8)]
    found = best_seed([*(seed_hit(card, "seed") for card in cards), seed_hit(CONDITION, "nameform")], "Driver")
    assert found
    (warning,) = seed_namesakes("occupation", "Driver", found)
    assert warning == {
        "parameter": "occupation",
        "message": "'Driver' was taken for occupation:0; also called so: occupation:1, occupation:2, occupation:3, "
        "occupation:4, occupation:5 and more. Give an id to choose.",
        "nearest": "occupation:1",
    }
    alone = best_seed([seed_hit(JOB, "seed"), seed_hit(CONDITION, "nameform")], "Software Engineer")
    assert alone
    assert seed_namesakes("occupation", "Software Engineer", alone) == []


@pytest.mark.parametrize(
    ("given", "owner"),
    [
        ("low-vision", "disability:low-vision"),
        ("disability:low-vision", "disability:low-vision"),
        ("limitation:low-vision", "disability:limitation:low-vision"),  # another type's id is no id here
    ],
)
def test_a_form_stands_for_a_full_id(given: str, owner: str) -> None:
    assert owner_of("disability", given) == owner


def test_an_endless_id_is_told_by_its_length_alone() -> None:
    with pytest.raises(NotFoundError, match=r"^There is no disability with an id of 5000 characters\.$"):
        owner_of("disability", "x" * 5000)


def problem(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever `unknown` takes
    body = unknown(*arguments).body()
    (one,) = body["detail"]
    models.InvalidLine.model_validate(one)
    return dict(one)


def test_an_unknown_name_is_told_with_the_valid_ones_and_the_nearest() -> None:
    assert problem("type", ("path", "type"), "disabilities", ["disability", "vendor"]) == {
        "loc": ["path", "type"],
        "msg": "unknown type 'disabilities'; valid: disability, vendor",
        "type": "unknown_type",
        "input": "disabilities",
        "ctx": {"valid": ["disability", "vendor"], "nearest": "disability"},
    }


def test_an_unknown_edge_is_told_with_what_the_entity_has() -> None:
    have = {"recommends": 1214, "has_limitation": 9}
    assert problem("edge", ("query", "edge"), "recommend", have, have) == {
        "loc": ["query", "edge"],
        "msg": "unknown edge 'recommend'; this entity has: recommends (1,214), has_limitation (9)",
        "type": "unknown_edge",
        "input": "recommend",
        "ctx": {"valid": ["recommends", "has_limitation"], "nearest": "recommends", "counts": have},
    }


def test_an_entity_without_edges_is_told_what_its_type_may_have() -> None:
    told = problem("edge", ("query", "edge"), "buys", ["sells"], {})
    assert told["msg"] == "unknown edge 'buys'; valid: sells"


def test_nothing_near_is_said_to_be_near() -> None:
    assert problem("type", ("path", "type"), "zzz", ["disability"])["ctx"]["nearest"] is None


def test_a_long_wrong_name_is_cut_in_the_sentence() -> None:
    told = problem("type", ("path", "type"), "x" * 5000, ["disability"])
    assert told["msg"] == f"unknown type '{'x' * 200}'; valid: disability"


def test_a_request_that_names_nothing_is_told_the_fields() -> None:
    assert no_seed(models.RecommendRequest()).problems == [
        {
            "loc": ["body"],
            "msg": "give at least one of disability, limitation, work_function, occupation",
            "type": "no_seed",
            "input": None,
            "ctx": {"fields": ["disability", "limitation", "work_function", "occupation"], "nearest": []},
        }
    ]


def test_a_request_that_misspells_its_only_field_is_told_the_right_one() -> None:
    (told,) = no_seed(models.RecommendRequest.model_validate({"disabilty": "ms"})).problems
    assert told["msg"].endswith("occupation; did you mean disability?")
    assert told["ctx"]["nearest"] == ["disability"]


def test_fields_without_effect_are_named_with_the_nearest_that_has_one() -> None:
    ask = models.RecommendRequest.model_validate({"disability": "ms", "limits": 5, "zzz": None})
    limits, zzz = unknown_fields(ask)
    assert limits == {
        "parameter": "limits",
        "message": "unknown field 'limits' was ignored; did you mean 'limit'?",
        "nearest": "limit",
    }
    assert zzz == {
        "parameter": "zzz",
        "message": "unknown field 'zzz' was ignored; "
        "this call knows: disability, limitation, work_function, occupation, setting, limit",
        "nearest": None,
    }
    models.Warned.model_validate(limits)


def test_a_parameter_of_a_call_that_has_none_is_told_so() -> None:
    assert (
        ignored("parameter", "limit", ())["message"] == "unknown parameter 'limit' was ignored; this call knows: none"
    )


def test_a_long_wrong_parameter_is_cut() -> None:
    assert ignored("parameter", "x" * 5000, ())["parameter"] == "x" * 200
