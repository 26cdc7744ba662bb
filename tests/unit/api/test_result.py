"""Parts of results: page links, the error for an unknown value, and warnings."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from api import models
from api.result import ambiguity_warnings, page_links, unknown_parameter_warning, unknown_value_error


@pytest.mark.parametrize(
    ("total", "limit", "offset", "after", "before"),
    [
        (45, 20, 0, 20, None),  # first
        (45, 20, 20, 40, 0),  # middle
        (45, 20, 40, None, 20),  # last
        (40, 20, 20, None, 0),  # last and full
        (20, 20, 0, None, None),  # only and full
        (45, 20, 5, 25, 0),  # starts inside the first page: the previous page starts at 0
        (45, 20, 44, None, 24),
        (45, 20, 45, None, 25),  # past the end: the previous page has the last twenty
        (45, 20, 1000, None, 25),
        (3, 20, 1000, None, 0),
        (0, 20, 0, None, None),
        (0, 20, 20, None, 0),
    ],
)
def test_a_page_links_to_the_next_and_previous_pages(
    total: int, limit: int, offset: int, after: int | None, before: int | None
) -> None:
    page = page_links("/ability", [("limit", str(limit))], total, limit, offset)
    assert page == {
        "total": total,
        "limit": limit,
        "offset": offset,
        "next": None if after is None else f"/ability?limit={limit}&offset={after}",
        "prev": None if before is None else f"/ability?limit={limit}&offset={before}",
    }


def test_following_the_next_links_lists_every_result_once() -> None:
    seen: list[int] = []
    offset = 0
    while True:
        seen += range(45)[offset : offset + 20]
        link = page_links("/ability", [], 45, 20, offset)["next"]
        if link is None:
            break
        offset = int(dict(parse_qsl(urlsplit(link).query))["offset"])
    assert seen == list(range(45))


def test_page_links_repeat_the_request_parameters_url_encoded() -> None:
    params = [("query", "R&D, café"), ("scope", "solution"), ("scope", "product")]
    link = page_links("/search", params, 50, 20, 0)["next"]
    assert link == "/search?query=R%26D%2C+caf%C3%A9&scope=solution&scope=product&offset=20"


def problem(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - the arguments of `unknown_value_error`
    (detail,) = unknown_value_error(*arguments).body()["detail"]
    models.ValidationDetail.model_validate(detail)
    return dict(detail)


def test_the_error_for_an_unknown_value_lists_the_valid_ones_and_the_nearest() -> None:
    assert problem("type", ("path", "type"), "disabilities", ["disability", "vendor"]) == {
        "loc": ["path", "type"],
        "msg": "unknown type 'disabilities'; valid: disability, vendor",
        "type": "unknown_type",
        "input": "disabilities",
        "ctx": {"valid": ["disability", "vendor"], "nearest": "disability"},
    }


def test_the_error_for_an_unknown_edge_lists_the_edges_of_the_entity() -> None:
    counts = {"recommends": 1214, "has_limitation": 9}
    assert problem("edge", ("query", "edge"), "recommend", counts, counts) == {
        "loc": ["query", "edge"],
        "msg": "unknown edge 'recommend'; this entity has: recommends (1,214), has_limitation (9)",
        "type": "unknown_edge",
        "input": "recommend",
        "ctx": {"valid": ["recommends", "has_limitation"], "nearest": "recommends", "counts": counts},
    }


def test_the_error_for_an_entity_without_edges_lists_those_of_its_type() -> None:
    assert problem("edge", ("query", "edge"), "buys", ["sells"], {})["msg"] == "unknown edge 'buys'; valid: sells"


def test_the_error_for_an_unknown_value_may_have_no_nearest_value() -> None:
    assert problem("type", ("path", "type"), "zzz", ["disability"])["ctx"]["nearest"] is None


def test_the_message_truncates_a_long_value() -> None:
    message = problem("type", ("path", "type"), "x" * 5000, ["disability"])["msg"]
    assert message == f"unknown type '{'x' * 200}'; valid: disability"


def test_the_warning_says_that_a_request_has_no_parameters() -> None:
    warning = unknown_parameter_warning("parameter", "limit", ())
    assert warning["message"] == "unknown parameter 'limit' was ignored; valid: none"


def test_the_warning_truncates_a_long_parameter() -> None:
    assert unknown_parameter_warning("parameter", "x" * 5000, ())["parameter"] == "x" * 200


def test_warns_about_a_name_of_several_entities() -> None:
    cards = [{"id": f"{kind}:low-vision"} for kind in ("limitation", "disability", "product")]
    assert ambiguity_warnings("from", "low-vision", cards[0], []) == []
    assert ambiguity_warnings("from", "low-vision", cards[0], cards[1:]) == [
        {
            "parameter": "from",
            "message": "'low-vision' was interpreted as limitation:low-vision; "
            "other matches: disability:low-vision, product:low-vision",
            "nearest": "disability:low-vision",
        }
    ]
