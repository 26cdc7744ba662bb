"""How a seed is searched, how its text is matched, and the errors for requests without seeds."""

from typing import Any

import pytest

from api import models
from api.engine.release import Hit
from api.graph.query_bodies import POPULARITY
from api.recommend.seeds import ResolvedSeed, no_seed_error, resolve_seed, seed_body, unknown_field_warnings
from api.result import ambiguity_warnings
from api.search.query import ParsedQuery
from schema.codec import pack
from tests.support.needs_documents import as_needs
from tests.support.query_clauses import SHOWN, boosted, phrase, term
from tests.support.search_responses import card

CONDITION = card("disability", "Low Vision")
JOB = {**card("occupation", "Software Developers"), "id": "occupation:15-1252.00"}


def seed_hit(card: dict[str, Any], *clauses: str, **fields: list[str]) -> Hit:
    return Hit(clauses=clauses, fields={"needs": [pack({"card": card})], **fields})


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
    expected = ResolvedSeed(matched_by, as_needs({"card": card}), hit, [], [hit])
    assert resolve_seed([hit], ParsedQuery.parse(text)) == expected


def test_a_precomputed_result_is_read_before_the_needs() -> None:
    hit = seed_hit(CONDITION, "seed", answer=[pack({"card": CONDITION, "precomputed": {"total": 1}})])
    seed = resolve_seed([hit], ParsedQuery.parse("low-vision"))
    assert seed
    assert (seed.card, seed.precomputed, seed.needs) == (CONDITION, {"total": 1}, as_needs({"card": CONDITION}))


NAMESAKE = {**card("disability", "Low Visions"), "id": "disability:sight-loss", "slug": "sight-loss"}


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([], None),
        ([seed_hit(CONDITION, "inheritor")], None),  # it only matches a condition that inherits from it
        ([seed_hit(CONDITION, "nameform")], ("name", CONDITION)),
        ([seed_hit(CONDITION, "aliasform", "inheritor")], ("alias", CONDITION)),
        ([seed_hit(NAMESAKE, "nameform"), seed_hit(CONDITION, "seed", "nameform")], ("name", CONDITION)),
        ([seed_hit(JOB, "seed"), seed_hit(CONDITION, "seed")], ("name", CONDITION)),  # a name ranks before an alias
        ([seed_hit(NAMESAKE, "inheritor"), seed_hit(CONDITION, "aliasform")], ("alias", CONDITION)),
    ],
)
def test_the_most_exact_match_is_resolved(hits: list[Hit], expected: tuple[str, dict[str, str]] | None) -> None:
    seed = resolve_seed(hits, ParsedQuery.parse("Low Vision"))
    assert (seed and (seed.matched_by, seed.needs["card"])) == expected


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
        "seed": [term("seed_keys", text)],
        "nameform": [phrase("seed_name", text), phrase("seed_name", whole)],
        "aliasform": [phrase("seed_aliases", text), phrase("seed_aliases", whole)],
        "inheritor": [
            *(term("inheritor_keys", full), term("inheritor_keys", text)),
            *(phrase("inheritor_names", text), phrase("inheritor_names", whole)),
        ],
    }
    either = [{"bool": {"should": should, "_name": name}} for name, should in clauses.items()]
    assert seed_body("limitation", ParsedQuery.parse(text)) == {
        "size": 10,
        **SHOWN,
        "docvalue_fields": ["needs", "answer"],
        "query": {
            "bool": {
                "filter": [term("seed_type", "limitation"), {"bool": {"should": either, "minimum_should_match": 1}}],
                "should": [
                    {"rank_feature": POPULARITY},
                    boosted(2.0, term("seed_keys", full)),
                    boosted(1.0, term("seed_keys", text)),
                ],
            }
        },
    }
