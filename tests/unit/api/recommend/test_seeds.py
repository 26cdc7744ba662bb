"""How a seed is searched, how its text is matched, and the errors for requests without seeds."""

from typing import Any

import orjson
import pytest

from api import models
from api.engine.release import Hit
from api.graph.query_bodies import POPULARITY
from api.recommend.seeds import ResolvedSeed, no_seed_error, resolve_seed, seed_body, unknown_field_warnings
from api.result import ambiguity_warnings
from api.search.query import ParsedQuery
from tests.support.query_clauses import boosted, phrase, term
from tests.support.search_responses import card

CONDITION = card("disability", "Low Vision")
JOB = {**card("occupation", "Software Developers"), "id": "occupation:15-1252.00"}
LOW_VISION = ParsedQuery.parse("Low Vision")


def seed_hit(card: dict[str, Any], *clauses: str, **document: list[str]) -> Hit:
    return Hit(clauses=clauses, fields={"card": [orjson.dumps(card).decode()]}, document=document)


@pytest.mark.parametrize(
    ("card", "text", "matched_by"),
    [
        (CONDITION, "disability:low-vision", "id"),
        (CONDITION, "Disability:Low-Vision", "id"),
        (CONDITION, "low-vision", "slug"),
        (CONDITION, "LOW-VISION", "slug"),
        (CONDITION, '"low-vision"', "slug"),
        (CONDITION, "Low Vision", "name"),
        (CONDITION, "low vision!", "name"),
        (CONDITION, "partially sighted", "alias"),
        (JOB, "occupation:15-1252.00", "id"),
        (JOB, "15-1252.00", "id"),
        (JOB, "“15-1252.00”.", "id"),
        (JOB, "15-1252", "id"),
        (JOB, "software-developers", "slug"),
        (JOB, "occupation:software-developers", "slug"),
        (JOB, "software developers", "name"),
        (JOB, "Software Engineer", "alias"),
    ],
)
def test_a_seed_has_the_way_it_matched(card: dict[str, Any], text: str, matched_by: str) -> None:
    hit = seed_hit(card, "id" if matched_by in ("id", "slug") else "seed")
    seed = resolve_seed([hit], ParsedQuery.parse(text))
    assert seed == ResolvedSeed(matched_by, card, hit, [])
    assert (seed.parents, seed.list_owners) == ((), [card["id"]])


def test_a_seed_names_the_conditions_from_which_it_inherits() -> None:
    seed = resolve_seed([seed_hit(CONDITION, "id", inherits_from=["disability:a", "disability:b"])], LOW_VISION)
    assert seed
    assert seed.parents == seed.list_owners == ["disability:a", "disability:b"]


NAMESAKE = {**card("disability", "Low Visions"), "id": "disability:sight-loss", "slug": "sight-loss"}
SIGHT = card("disability", "Poor Sight")


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([], None),
        ([seed_hit(CONDITION, "nameform")], ("name", CONDITION)),
        ([seed_hit(CONDITION, "aliasform")], ("alias", CONDITION)),
        ([seed_hit(NAMESAKE, "nameform"), seed_hit(CONDITION, "seed", "nameform")], ("name", CONDITION)),
        ([seed_hit(JOB, "seed"), seed_hit(CONDITION, "seed")], ("name", CONDITION)),  # a name ranks before an alias
        # among equals, a condition with lists of its own comes first
        ([seed_hit(NAMESAKE, "seed", inherits_from=["disability:a"]), seed_hit(SIGHT, "seed")], ("alias", SIGHT)),
        (
            [seed_hit(NAMESAKE, "seed", inherits_from=["disability:a"]), seed_hit(SIGHT, "aliasform")],
            ("alias", NAMESAKE),
        ),
    ],
)
def test_the_most_exact_match_is_resolved(hits: list[Hit], expected: tuple[str, dict[str, str]] | None) -> None:
    seed = resolve_seed(hits, LOW_VISION)
    assert (seed and (seed.matched_by, seed.card)) == expected


@pytest.mark.parametrize("text", ["low-vision", "Low Vision", "partially sighted"])
def test_a_text_also_names_entities_with_that_name_or_alias(text: str) -> None:
    hits = [seed_hit(CONDITION, "id" if text == "low-vision" else "seed"), seed_hit(NAMESAKE, "seed")]
    seed = resolve_seed([*hits, seed_hit(JOB, "nameform")], ParsedQuery.parse(text))
    assert seed
    assert (seed.card, seed.alternatives) == (CONDITION, [NAMESAKE])


def test_a_full_id_names_one_entity() -> None:
    seed = resolve_seed([seed_hit(CONDITION, "id"), seed_hit(NAMESAKE, "seed")], ParsedQuery.parse(CONDITION["id"]))
    assert seed
    assert (seed.card, seed.alternatives) == (CONDITION, [])


def test_a_warning_lists_the_equal_matches() -> None:
    cards = [{**JOB, "id": f"occupation:{number}"} for number in range(8)]
    less_exact = seed_hit(CONDITION, "nameform")
    seed = resolve_seed([*(seed_hit(card, "seed") for card in cards), less_exact], ParsedQuery.parse("Driver"))
    assert seed
    advice = ". Send an id to choose another."
    (warning,) = ambiguity_warnings("occupation", "Driver", seed.card, seed.alternatives, advice)
    others = "occupation:1, occupation:2, occupation:3, occupation:4, occupation:5 and more"
    message = f"'Driver' was interpreted as occupation:0; other matches: {others}{advice}"
    assert warning == {"parameter": "occupation", "message": message, "nearest": "occupation:1"}
    unique = resolve_seed([seed_hit(JOB, "seed"), less_exact], ParsedQuery.parse("Software Engineer"))
    assert unique
    assert unique.alternatives == []


@pytest.mark.parametrize(
    ("fields", "hint", "nearest"),
    [({}, "", []), ({"disabilty": "ms"}, "; did you mean disability?", ["disability"])],
)
def test_a_request_without_seeds_is_an_error_that_lists_the_fields(
    fields: dict[str, str], hint: str, nearest: list[str]
) -> None:
    assert no_seed_error(models.RecommendRequest.model_validate(fields)).problems == [
        {
            "loc": ["body"],
            "msg": f"give at least one of disability, limitation, work_function, occupation{hint}",
            "type": "no_seed",
            "input": fields,
            "ctx": {"fields": ["disability", "limitation", "work_function", "occupation"], "nearest": nearest},
        }
    ]


def test_unknown_fields_are_warnings_with_the_nearest_field() -> None:
    request = models.RecommendRequest.model_validate({"disability": "ms", "limits": 5, "zzz": None})
    warnings = unknown_field_warnings(request)
    valid = "disability, limitation, work_function, occupation, setting, limit"
    assert [tuple(warning.values()) for warning in warnings] == [
        ("limits", "unknown field 'limits' was ignored; did you mean 'limit'?", "limit"),
        ("zzz", f"unknown field 'zzz' was ignored; valid: {valid}", None),
    ]
    models.RequestWarning.model_validate(warnings[0])


def test_a_seed_is_found_by_id_key_slug_name_alias_or_name_form_within_its_type() -> None:
    text, full = "tires easily", "limitation:tires easily"
    whole = {"query": "qqbegin tires easily qqend", "analyzer": "whole_with_rules"}
    clauses = {
        "id": [term("owner", full), term("owner", text)],
        "seed": [term("lookup_keys", text)],
        "nameform": [phrase("name.whole", text), phrase("name.whole", whole)],
        "aliasform": [
            *(phrase("aliases.whole", text), phrase("aliases.whole", whole)),
            *(phrase("hidden.whole", text), phrase("hidden.whole", whole)),
        ],
    }
    either = [{"bool": {"should": should, "_name": name}} for name, should in clauses.items()]
    assert seed_body("limitation", ParsedQuery.parse(text)) == {
        "size": 10,
        "_source": ["inherits_from", "first_choices"],
        "docvalue_fields": ["card", "sources"],
        "query": {
            "bool": {
                "filter": [
                    *(term("doc", "entity"), term("type", "limitation")),
                    {"bool": {"should": either, "minimum_should_match": 1}},
                ],
                "should": [
                    {"rank_feature": POPULARITY},
                    boosted(2.0, term("lookup_keys", full)),
                    boosted(1.0, term("lookup_keys", text)),
                ],
            }
        },
    }
