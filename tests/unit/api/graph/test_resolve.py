"""Ids and names of entities as requests write them, and the entity that they name."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
import pytest

from api.engine.release import EngineResponse, Hit
from api.errors import InvalidError, NotFoundError
from api.graph.query_bodies import full_id
from api.graph.resolve import EntityReference, ResolvedEntity, best_card, require_unique
from api.search.features import Feature
from tests.support.listings import entity_hit
from tests.support.search_responses import RELEASE, search_hit


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


class Named(NamedTuple):
    """A hit of a lookup by name: the entity, the feature that matched, and members of its payload."""

    node: str
    feature: Feature = Feature.NAME
    payload: Mapping[str, Any] = {}

    @property
    def hit(self) -> Hit:
        """The hit with its card, its document and its sources."""
        found = entity_hit(self.node, ["atlas"], has_limitation=[f"limitation:of-{self.node}"])
        searched = search_hit(found.card, self.feature, **self.payload)
        return found._replace(score=searched.score, fields={**found.fields, **searched.fields})


def matched(*hits: Named) -> EngineResponse:
    return EngineResponse(RELEASE, [named.hit for named in hits])


def unique(text: str, *hits: Named) -> ResolvedEntity:
    reference = EntityReference.parse(text).with_release(RELEASE)
    entity = require_unique(reference, matched(*hits))
    assert entity
    return entity


def also_called(*aliases: str, **payload: object) -> dict[str, object]:
    return {"aliases": aliases, **payload}


def test_a_resolved_entity_has_its_document_and_sources() -> None:
    entity = unique("Down Syndrome", Named(DOWN))
    assert (entity.text, entity.card["id"], entity.alternatives) == ("Down Syndrome", DOWN, [])
    assert entity.document == {"has_limitation": ["limitation:of-disability:down-syndrome"]}
    assert entity.sources == ["atlas"]


TRISOMY = also_called("Trisomy")


@pytest.mark.parametrize(
    ("text", "hits", "expected"),
    [
        ("Down Syndrome", [Named(DOWN)], (DOWN, "name")),
        ("down-syndrome", [Named(DOWN, Feature.ID)], (DOWN, "slug")),
        ("trisomy-down", [Named(DOWN, Feature.ID)], (DOWN, "id")),  # a key, or a retired id
        (DOWN, [Named(DOWN, Feature.ID)], (DOWN, "id")),
        (DOWN, [Named(OTHER), Named(DOWN, Feature.ID)], (DOWN, "id")),  # a full id names one entity only
        ("trisomy", [Named(DOWN, Feature.NAME, TRISOMY)], (DOWN, "alias")),
        ("tri-somy", [Named(DOWN, Feature.NAME, TRISOMY)], (DOWN, "alias")),
        ("trisomies", [Named(DOWN, Feature.NAME, TRISOMY)], (DOWN, "alias")),
        ("trisomy", [Named(DOWN, Feature.NAME, {"titles": ["Trisomy"]})], (DOWN, "alias")),
        ("trisomy", [Named(DOWN)], (DOWN, "alias")),  # a name that is never shown
        ("Down Syndromes", [Named(DOWN)], (DOWN, "name")),
        ("Down Syndrome", [Named(DOWN, Feature.NAME, {"mainstream": True})], (DOWN, "name")),
        ("wfh", [Named("solution:telework")], ("solution:telework", "synonym")),
        # an exact name before an alias, and this before a name with another ending
        ("Down Syndrome", [Named(ALIAS, Feature.NAME, also_called("Down Syndrome")), Named(DOWN)], (DOWN, "name")),
        ("Down Syndrome", [Named(OTHER), Named(DOWN)], (DOWN, "name")),
        ("trisomy", [Named(OTHER, Feature.NAME, also_called("trisomies")), Named(DOWN, Feature.NAME, TRISOMY)],
         (DOWN, "alias")),
    ],
)  # fmt: skip
def test_the_best_match_of_a_text_is_resolved(text: str, hits: list[Named], expected: tuple[str, str]) -> None:
    entity = unique(text, *hits)
    assert (entity.card["id"], entity.matched_by) == expected
    assert entity.alternatives == []


@pytest.mark.parametrize(
    ("text", "type_", "expected"),
    [
        ("software-developers", "", "slug"),
        ("occupation:software-developers", "", "slug"),
        ("occupation:15-1252.00", "", "id"),
        ("15-1252.00", "occupation", "id"),
    ],
)
def test_a_text_may_be_a_slug_or_an_id(text: str, type_: str, expected: str) -> None:
    hit = search_hit(JOB, Feature.ID)
    fields = {**hit.fields, "card": [orjson.dumps(JOB).decode()]}
    entity = require_unique(EntityReference.parse(text, type_), EngineResponse(RELEASE, [hit._replace(fields=fields)]))
    assert entity
    assert entity.matched_by == expected


def test_without_hits_a_text_names_nothing() -> None:
    assert require_unique(EntityReference.parse("syndrome"), matched()) is None
    assert best_card(EntityReference.parse("syndrome").query, matched()) is None


def test_the_best_card_is_that_of_the_best_match() -> None:
    query = EntityReference.parse("down syndrome").query
    card = best_card(query, matched(Named(ALIAS, Feature.NAME, also_called("Down Syndrome")), Named(DOWN)))
    assert card
    assert card["id"] == DOWN


def test_the_name_of_a_narrower_condition_is_as_good_as_that_of_a_main_one() -> None:
    narrower = Named("disability:down-syndromes-2", Feature.NAME, {"broader": ["Down Syndrome"]})
    assert unique("down syndrome", narrower, Named(DOWN)).card["id"] == DOWN  # another name


def test_of_a_condition_and_a_limitation_with_one_name_the_condition_is_first() -> None:
    limitation = Named("limitation:down-syndrome", Feature.NAME, {"prior": 99.0})
    query = EntityReference.parse("Down Syndrome").query
    card = best_card(query, matched(limitation, Named(DOWN)))
    assert card
    assert card["id"] == DOWN


def test_a_text_that_names_several_entities_is_an_error_with_all_of_them() -> None:
    reference = EntityReference.parse("driver", "occupation")
    jobs = ("occupation:bus-driver", "occupation:truck-driver")
    titled = [Named(job, Feature.NAME, {"titles": ["Driver"]}) for job in jobs]
    less_exact = Named("occupation:driver-aide", Feature.NAME, also_called("Drivers"))
    with pytest.raises(InvalidError) as caught:
        require_unique(reference, matched(less_exact, *titled))
    (problem,) = caught.value.problems
    assert problem["msg"] == "'driver' names several entities; nearest: occupation:bus-driver, occupation:truck-driver"
    assert (problem["loc"], problem["type"], problem["input"]) == (["path", "id"], "ambiguous_id", "driver")
    assert [card["id"] for card in problem["ctx"]["nearest"]] == list(jobs)
