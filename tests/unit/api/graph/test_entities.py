"""How an entity is looked up by any form of its id, and the errors for retired and unknown ids."""

import pytest

from api.engine.release import EngineResponse, Hit
from api.errors import MovedError, NotFoundError
from api.graph import query_bodies
from api.graph.entities import lookup_bodies, require_entity
from api.search.query import ParsedQuery
from tests.support.search_responses import RELEASE, TELEWORK, card, hit, response, search_hit

NONE = EngineResponse(RELEASE)
FOUND = EngineResponse(RELEASE, [Hit(document={"slug": "telework"})])
MOVED = EngineResponse(RELEASE, [Hit("solution:wfh", document={"doc": "moved", "moved_to": "solution:telework"})])
NEAR = response(hit(TELEWORK, sources=["atlas"]), hit(card("solution", "Telephone"), sources=["fair"]))


def test_an_id_is_looked_up_as_an_entity_as_a_retired_id_and_as_a_misspelled_name() -> None:
    assert lookup_bodies("solution", "solution:tele-work") == [
        query_bodies.entity_body("solution", "solution:tele-work"),
        query_bodies.moved_body("solution:tele-work"),
        query_bodies.nearest_body(ParsedQuery.parse("tele-work"), "solution"),
        query_bodies.readings_body(ParsedQuery.parse("tele-work"), "solution"),
    ]


def test_only_the_requested_fields_of_the_entity_are_read() -> None:
    entity, *others = lookup_bodies("solution", "tele-work")
    with_fields, *same = lookup_bodies("solution", "tele-work", ("card", "sources"))
    assert with_fields == {**entity, "_source": ["card", "sources"]}
    assert same == others


def test_the_document_of_the_entity_is_returned() -> None:
    assert require_entity("solution", "telework", [FOUND, NONE, NEAR, NONE]) == {"slug": "telework"}


@pytest.mark.parametrize("entity", [NONE, FOUND])  # a retired id is also a form of the id of its successor
@pytest.mark.parametrize(
    ("path", "location"),
    [("/{type}/{key}", "/solution/telework"), ("/{type}/{key}/neighbors", "/solution/telework/neighbors")],
)
def test_a_retired_id_has_moved(entity: EngineResponse, path: str, location: str) -> None:
    with pytest.raises(MovedError, match=r"^solution:wfh is now solution:telework\.$") as caught:
        require_entity("solution", "wfh", [entity, MOVED, NEAR, NONE], path)
    assert caught.value.extra == {"location": location, "moved_to": "solution:telework"}


@pytest.mark.parametrize(
    ("type_name", "nearest", "message"),
    [
        ("solution", NEAR, "There is no solution 'telewrok'. Nearest: solution:telework, solution:telephone."),
        (
            "workrelatedfunction",
            NONE,
            "There is no work-related function 'telewrok'. Nearest: none, try other words with GET /search.",
        ),
    ],
)
def test_an_unknown_id_is_not_found_with_the_nearest_names(
    type_name: str, nearest: EngineResponse, message: str
) -> None:
    with pytest.raises(NotFoundError) as caught:
        require_entity(type_name, "telewrok", [NONE, NONE, nearest, NONE])
    assert str(caught.value) == message
    assert caught.value.extra == {"suggestions": nearest.cards}
    assert list(caught.value.sources) == nearest.sources


def test_what_a_name_is_resolved_to_elsewhere_is_the_nearest() -> None:
    telephone = card("solution", "Telephone")
    found = search_hit(telephone, aliases=["phone"])
    named = EngineResponse(RELEASE, [found._replace(fields={**found.fields, **NEAR.hits[1].fields})])
    with pytest.raises(NotFoundError) as caught:
        require_entity("solution", "phone", [NONE, NONE, NEAR, named])
    assert [one["slug"] for one in caught.value.extra["suggestions"]] == ["telephone", "telework"]


def test_the_error_for_a_long_text_has_only_its_beginning() -> None:
    with pytest.raises(NotFoundError, match=r"^There is no solution '(?P<shown>x{200})'\. "):
        require_entity("solution", "x" * 300, [NONE, NONE, NONE, NONE])
