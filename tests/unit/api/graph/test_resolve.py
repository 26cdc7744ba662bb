"""Ids and names of entities as requests write them, and the entity that they name."""

import pytest

from api.engine.release import EngineResponse
from api.errors import InvalidError, NotFoundError
from api.graph.query_bodies import full_id
from api.graph.resolve import EntityReference, ResolvedEntity, best_card, require_unique
from tests.support.listings import entity_hit
from tests.support.search_responses import RELEASE


def card(id_: str, slug: str, name: str) -> dict[str, str]:
    return {"id": id_, "type": id_.partition(":")[0], "slug": slug, "name": name}


CARD = card("disability:down-syndrome", "down-syndrome", "Down Syndrome")
JOB = card("occupation:15-1252.00", "software-developers", "Software Developers")


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("disability:down-syndrome", [CARD]),
        ("disability: Down-Syndrome ", [CARD]),
        ("disability:down syndrome", []),  # a name with a type
        ("down-syndrome", []),
        ("limitation:down-syndrome", []),
        ("occupation:15-1252.00", [JOB]),
        ("occupation:software-developers", [JOB]),
    ],
)
def test_recognizes_a_full_id(text: str, cards: list[dict[str, str]]) -> None:
    reference = EntityReference.parse(text)
    assert [card for card in (CARD, JOB) if reference.is_id_of(card)] == cards


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("low-vision", "disability:low-vision"),
        ("disability:low-vision", "disability:low-vision"),
        ("limitation:low-vision", "disability:limitation:low-vision"),  # an id of another type is a key here
    ],
)
def test_a_key_gets_the_prefix_of_its_type(text: str, id_: str) -> None:
    assert full_id("disability", text) == id_


def test_the_error_for_a_long_id_gives_only_its_length() -> None:
    with pytest.raises(NotFoundError, match=r"^There is no disability with an id of 5000 characters\.$"):
        full_id("disability", "x" * 5000)


DOWN, OTHER, ALIAS = "disability:down-syndrome", "disability:down-syndromes", "disability:trisomy-21"


def matched(*hits: tuple[str, str]) -> EngineResponse:
    """Return a response with these entities, each with the tier that matched."""
    found = [
        entity_hit(node, ["atlas"], has_limitation=[f"limitation:of-{node}"])._replace(clauses=[tier])
        for node, tier in hits
    ]
    return EngineResponse(RELEASE, found)


def unique(text: str, *hits: tuple[str, str]) -> ResolvedEntity:
    entity = require_unique(EntityReference.parse(text), matched(*hits))
    assert entity
    return entity


def test_a_resolved_entity_has_its_document_and_sources() -> None:
    entity = unique("Down Syndrome", (DOWN, "name"))
    assert (entity.text, entity.card["id"], entity.alternatives) == ("Down Syndrome", DOWN, [])
    assert entity.document == {"has_limitation": ["limitation:of-disability:down-syndrome"]}
    assert entity.sources == ["atlas"]


@pytest.mark.parametrize(
    ("text", "hits", "expected"),
    [
        ("Down Syndrome", [(DOWN, "name")], (DOWN, "name")),
        ("down-syndrome", [(DOWN, "id")], (DOWN, "slug")),
        (DOWN, [(DOWN, "id")], (DOWN, "id")),
        (DOWN, [(OTHER, "name"), (DOWN, "id")], (DOWN, "id")),  # a full id names one entity only
        ("trisomy", [(DOWN, "alias")], (DOWN, "alias")),
        ("Down Syndrome", [(DOWN, "alias")], (DOWN, "name")),  # names of narrower conditions are aliases in search
        ("Down Syndromes", [(DOWN, "nameform")], (DOWN, "name")),
        ("Down Syndrome", [(DOWN, "name"), (OTHER, "words")], (DOWN, "name")),
    ],
)
def test_the_best_match_of_a_text_is_resolved(
    text: str, hits: list[tuple[str, str]], expected: tuple[str, str]
) -> None:
    entity = unique(text, *hits)
    assert (entity.card["id"], entity.matched_by) == expected


@pytest.mark.parametrize("hits", [[], [(OTHER, "words")]])
def test_a_text_that_is_not_a_whole_name_names_nothing(hits: list[tuple[str, str]]) -> None:
    assert require_unique(EntityReference.parse("syndrome"), matched(*hits)) is None
    assert best_card(matched(*hits)) is None


def test_the_best_card_is_that_of_the_first_hit() -> None:
    card = best_card(matched((OTHER, "alias"), (DOWN, "name")))
    assert card
    assert card["id"] == OTHER


def test_an_entity_with_the_name_comes_before_one_with_the_alias() -> None:
    with pytest.raises(InvalidError, match=rf"nearest: {DOWN}, {ALIAS}$"):
        unique("down syndrome", (ALIAS, "alias"), (DOWN, "alias"))


def test_a_text_that_names_several_entities_is_an_error_with_all_of_them() -> None:
    reference = EntityReference.parse("driver", "occupation")
    jobs = ("occupation:bus-driver", "occupation:truck-driver")
    with pytest.raises(InvalidError) as caught:
        require_unique(reference, matched(*((job, "alias") for job in jobs), ("occupation:driver-aide", "words")))
    (problem,) = caught.value.problems
    assert problem["msg"] == "'driver' names several entities; nearest: occupation:bus-driver, occupation:truck-driver"
    assert (problem["loc"], problem["type"], problem["input"]) == (["path", "id"], "ambiguous_id", "driver")
    assert [card["id"] for card in problem["ctx"]["nearest"]] == list(jobs)
