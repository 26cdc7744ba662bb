"""How a seed is searched, how its text is matched, and the errors for requests without seeds."""

from typing import Any

import orjson
import pytest

from api import models
from api.engine.release import Hit
from api.recommend.seeds import (
    SEED_FIELDS_READ,
    ResolvedSeed,
    no_seed_error,
    resolve_seed,
    seed_body,
    unknown_field_warnings,
)
from api.result import ambiguity_warnings
from api.search.features import Feature
from api.search.query import ParsedQuery
from tests.support.query_clauses import boosted, keys, term
from tests.support.search_responses import RELEASE, card, search_hit

CONDITION = card("disability", "Low Vision")
JOB = {**card("occupation", "Software Developers"), "id": "occupation:15-1252.00"}
LOW_VISION = ParsedQuery.parse("Low Vision")


def seed_hit(shown: dict[str, Any], feature: Feature = Feature.NAME, *aliases: str, **document: list[str]) -> Hit:
    """Return a hit of a lookup by name: the card, its aliases, and members of its document."""
    found = search_hit(shown, feature, aliases=aliases)
    return found._replace(fields={**found.fields, "card": [orjson.dumps(shown).decode()]}, document=document)


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
    hit = seed_hit(card, Feature.ID if matched_by in ("id", "slug") else Feature.NAME, text)
    seed = resolve_seed([hit], ParsedQuery.parse(text))
    assert seed == ResolvedSeed(matched_by, card, hit, [], given=text)
    assert (seed.parents, seed.list_owners) == ((), [card["id"]])


def test_a_seed_may_be_named_by_a_synonym_rule() -> None:
    seed = resolve_seed(
        [seed_hit(card("disability", "Telework"))], ParsedQuery.parse("WFH").with_rules(RELEASE.synonyms)
    )
    assert seed
    assert seed.matched_by == "synonym"
    member = {"field": "disability", "given": "WFH", "entity": seed.card, "matched_by": seed.matched_by}
    models.Seed.model_validate(member)


def test_a_seed_names_the_conditions_from_which_it_inherits() -> None:
    seed = resolve_seed([seed_hit(CONDITION, inherits_from=["disability:a", "disability:b"])], LOW_VISION)
    assert seed
    assert seed.parents == seed.list_owners == ["disability:a", "disability:b"]


NAMESAKE = {**card("disability", "Low Visions"), "id": "disability:sight-loss", "slug": "sight-loss"}
SIGHT = card("disability", "Poor Sight")
INHERITED = ["disability:a"]


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([], None),
        ([seed_hit(NAMESAKE)], ("name", NAMESAKE)),
        ([seed_hit(SIGHT, Feature.NAME, "Low Visions")], ("alias", SIGHT)),
        ([seed_hit(SIGHT)], ("alias", SIGHT)),  # a name that is never shown
        ([seed_hit(NAMESAKE), seed_hit(CONDITION)], ("name", CONDITION)),
        # a name ranks before an alias
        ([seed_hit(JOB, Feature.NAME, "Low Vision"), seed_hit(CONDITION)], ("name", CONDITION)),
        # among equals, a condition with lists of its own comes first
        (
            [
                seed_hit(NAMESAKE, Feature.NAME, "Low Vision", inherits_from=INHERITED),
                seed_hit(SIGHT, Feature.NAME, "Low Vision"),
            ],
            ("alias", SIGHT),
        ),
        (
            [
                seed_hit(NAMESAKE, Feature.NAME, "Low Vision", inherits_from=INHERITED),
                seed_hit(SIGHT, Feature.NAME, "Low Visions"),
            ],
            ("alias", NAMESAKE),
        ),
    ],
)
def test_the_most_exact_match_is_resolved(hits: list[Hit], expected: tuple[str, dict[str, str]] | None) -> None:
    seed = resolve_seed(hits, LOW_VISION)
    assert (seed and (seed.matched_by, seed.card)) == expected


@pytest.mark.parametrize("text", ["Low Vision", "partially sighted"])
def test_a_text_also_names_entities_with_that_name_or_alias(text: str) -> None:
    hits = [seed_hit(shown, Feature.NAME, text) for shown in (CONDITION, NAMESAKE)]
    less_exact = seed_hit(JOB, Feature.NAME, f"{text}s")
    seed = resolve_seed([less_exact, *hits], ParsedQuery.parse(text))
    assert seed
    assert (seed.card, seed.alternatives) == (CONDITION, [NAMESAKE])


def test_a_full_id_names_one_entity() -> None:
    hits = [seed_hit(NAMESAKE, Feature.NAME, CONDITION["id"]), seed_hit(CONDITION, Feature.ID)]
    seed = resolve_seed(hits, ParsedQuery.parse(CONDITION["id"]))
    assert seed
    assert (seed.card, seed.alternatives) == (CONDITION, [])


def test_a_warning_lists_the_equal_matches() -> None:
    cards = [{**JOB, "id": f"occupation:{number}"} for number in range(8)]
    less_exact = seed_hit(CONDITION, Feature.NAME, "Drivers")
    hits = [less_exact, *(seed_hit(card, Feature.NAME, "Driver") for card in cards)]
    seed = resolve_seed(hits, ParsedQuery.parse("Driver"))
    assert seed
    advice = ". Send an id to choose another."
    (warning,) = ambiguity_warnings("occupation", "Driver", seed.card, seed.alternatives, advice)
    others = "occupation:1, occupation:2, occupation:3, occupation:4, occupation:5 and more"
    message = f"'Driver' was interpreted as occupation:0; other matches: {others}{advice}"
    assert warning == {"parameter": "occupation", "message": message, "nearest": "occupation:1"}
    unique = resolve_seed([seed_hit(JOB, Feature.NAME, "Driver"), less_exact], ParsedQuery.parse("driver"))
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


def test_a_seed_is_found_by_id_key_slug_code_or_name_within_its_type() -> None:
    either = [
        boosted(float(Feature.ID), keys("id:wfh")),
        boosted(float(Feature.NAME), keys("name:wfh", "name:telework")),
        boosted(float(Feature.BODY_PART), keys("side:wfh")),
        boosted(2.0, keys("name:wfh")),  # as typed, not by a rule
    ]
    filters = [term("doc", "entity"), {"terms": {"type": ["limitation"]}}]
    assert seed_body("limitation", ParsedQuery.parse("WFH").with_rules(RELEASE.synonyms)) == {
        "size": 10,
        "_source": list(SEED_FIELDS_READ),
        "docvalue_fields": ["hit", "card", "sources"],
        "track_total_hits": False,
        "query": {"bool": {"filter": filters, "should": either, "minimum_should_match": 1}},
    }
