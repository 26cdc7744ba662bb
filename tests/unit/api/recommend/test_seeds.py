"""How a seed is searched, how its text is matched, and the errors for requests without seeds."""

from itertools import permutations
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from api import models
from api.engine.release import Hit
from api.recommend.seeds import (
    SEED_FIELDS_READ,
    RecommendQuery,
    ResolvedSeed,
    in_order,
    resolve_seed,
    seed_body,
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
    seed = resolve_seed("disability", [hit], ParsedQuery.parse(text))
    assert seed == ResolvedSeed("disability", matched_by, card, hit, [], given=text)
    assert (seed.parents, seed.list_owners) == ((), [card["id"]])


def test_a_seed_may_be_named_by_a_synonym_rule() -> None:
    seed = resolve_seed(
        "disability", [seed_hit(card("disability", "Telework"))], ParsedQuery.parse("WFH").with_rules(RELEASE.synonyms)
    )
    assert seed
    assert seed.matched_by == "synonym"
    member = {"field": "disability", "given": "WFH", "entity": seed.card, "matched_by": seed.matched_by}
    models.Seed.model_validate(member)


def test_a_seed_names_the_conditions_from_which_it_inherits() -> None:
    seed = resolve_seed("disability", [seed_hit(CONDITION, inherits_from=["disability:a", "disability:b"])], LOW_VISION)
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
    seed = resolve_seed("disability", hits, LOW_VISION)
    assert (seed and (seed.matched_by, seed.card)) == expected


@pytest.mark.parametrize(("text", "others"), [("Low Vision", []), ("partially sighted", [NAMESAKE])])
def test_an_alias_also_names_others_with_it_and_a_name_only_its_entity(text: str, others: list[dict[str, str]]) -> None:
    hits = [seed_hit(shown, Feature.NAME, text) for shown in (CONDITION, NAMESAKE)]
    less_exact = seed_hit(JOB, Feature.NAME, f"{text}s")
    seed = resolve_seed("disability", [less_exact, *hits], ParsedQuery.parse(text))
    assert seed
    assert (seed.card, seed.alternatives) == (CONDITION, others)


def test_a_full_id_names_one_entity() -> None:
    hits = [seed_hit(NAMESAKE, Feature.NAME, CONDITION["id"]), seed_hit(CONDITION, Feature.ID)]
    seed = resolve_seed("disability", hits, ParsedQuery.parse(CONDITION["id"]))
    assert seed
    assert (seed.card, seed.alternatives) == (CONDITION, [])


def test_a_warning_lists_the_equal_matches() -> None:
    cards = [{**JOB, "id": f"occupation:{number}"} for number in range(8)]
    less_exact = seed_hit(CONDITION, Feature.NAME, "Drivers")
    hits = [less_exact, *(seed_hit(card, Feature.NAME, "Driver") for card in cards)]
    seed = resolve_seed("disability", hits, ParsedQuery.parse("Driver"))
    assert seed
    advice = ". Send an id to choose another."
    (warning,) = ambiguity_warnings("occupation", "Driver", seed.card, seed.alternatives, advice)
    others = "occupation:1, occupation:2, occupation:3, occupation:4, occupation:5 and more"
    message = f"'Driver' was interpreted as occupation:0; other matches: {others}{advice}"
    assert warning == {"parameter": "occupation", "message": message, "nearest": "occupation:1"}
    unique = resolve_seed(
        "disability", [seed_hit(JOB, Feature.NAME, "Driver"), less_exact], ParsedQuery.parse("driver")
    )
    assert unique
    assert unique.alternatives == []


def test_seeds_have_an_order_that_does_not_depend_on_the_request() -> None:
    shown = [JOB, CONDITION, NAMESAKE, CONDITION]
    fields = ["occupation", "disability", "disability", "disability"]
    seeds = [ResolvedSeed(field, "id", one, seed_hit(one)) for field, one in zip(fields, shown, strict=True)]
    expected = [CONDITION["id"], NAMESAKE["id"], JOB["id"]]
    for given in permutations(seeds):
        assert [seed.card["id"] for seed in in_order(given)] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"disability": "ms"}, [("disability", "ms")]),
        (
            {"disability": ["ms", " gout ", ""], "limitation": "pain"},
            [("disability", "ms"), ("disability", "gout"), ("limitation", "pain")],
        ),
        ({"occupation": None, "question": " too hot "}, []),
    ],
)
def test_a_field_takes_a_text_or_a_list(body: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    query = RecommendQuery.parse(models.RecommendRequest.model_validate(body))
    assert [(text.field, text.query.raw) for text in query.seeds] == expected
    assert (query.question.raw if query.question else None) == ("too hot" if "question" in body else None)


@pytest.mark.parametrize(
    ("body", "location", "kind"),
    [
        ({"disability": []}, ("disability",), "empty_list"),
        ({"disability": ["ms", None]}, ("disability", 1), "string_type"),
        ({"disability": 5}, ("disability",), "string_type"),
        ({"limitation": {"a": 1}}, ("limitation",), "string_type"),
        ({"disability": ["ms"] * 6, "limitation": ["pain"] * 5}, (), "too_many_seeds"),
        ({"disability": "ms", "exclude": ["x"] * 51}, ("exclude",), "too_long"),
        ({"question": "x" * 5001}, ("question",), "string_too_long"),
    ],
)
def test_wrong_lists_are_errors(body: dict[str, Any], location: tuple[object, ...], kind: str) -> None:
    with pytest.raises(ValidationError) as caught:
        models.RecommendRequest.model_validate(body)
    assert (location, kind) in [(error["loc"], error["type"]) for error in caught.value.errors()]


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
