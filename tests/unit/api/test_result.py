"""Parts of results: page links, the error for an unknown value, and warnings."""

from urllib.parse import parse_qsl, urlsplit

import orjson
import pytest

from api import models
from api.request_text import shorten
from api.result import ambiguity_warnings, page_links, unknown_name_warnings, unknown_value_error


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


EDGES = {"recommends": 1214, "has_limitation": 9}


@pytest.mark.parametrize(
    ("what", "value", "valid", "counts", "listed", "nearest"),
    [
        ("type", "disabilities", ["disability", "vendor"], None, "valid: disability, vendor", "disability"),
        ("type", "zzz", ["disability"], None, "valid: disability", None),
        ("type", "x" * 5000, ["disability"], None, "valid: disability", None),  # the message has only the beginning
        ("edge", "recommend", [*EDGES], EDGES, "this entity has: recommends (1,214), has_limitation (9)", "recommends"),
        ("edge", "buys", ["sells"], {}, "valid: sells", None),  # an entity without edges: those of its type
    ],
)
def test_the_error_for_an_unknown_value_lists_the_valid_ones_and_the_nearest(
    what: str, value: str, valid: list[str], counts: dict[str, int] | None, listed: str, nearest: str | None
) -> None:
    location = ("path" if what == "type" else "query", what)
    (detail,) = unknown_value_error(what, location, value, valid, counts).body()["detail"]
    models.ValidationDetail.model_validate(detail)
    message = f"unknown {what} '{value[:200]}'; {listed}"
    assert (detail["loc"], detail["msg"], detail["type"]) == ([*location], message, f"unknown_{what}")
    context = {"valid": valid, "nearest": nearest} | ({} if counts is None else {"counts": counts})
    assert (detail["input"], detail["ctx"], len(detail)) == (shorten(value), context, 5)


def test_the_warning_says_that_a_request_has_no_parameters() -> None:
    (warning,) = unknown_name_warnings("parameter", ["limit"], ())
    assert warning["message"] == "unknown parameter 'limit' was ignored; valid: none"


def test_unknown_names_are_shortened_and_counted() -> None:
    names = ["limits", "x" * 5000, *(f"{number}\x00" for number in range(2000))]
    warnings = unknown_name_warnings("parameter", names, ("limit", "offset"))
    assert len(orjson.dumps(warnings)) < 1_000
    assert [tuple(warning.values()) for warning in (warnings[0], warnings[-1])] == [
        ("limits", "unknown parameter 'limits' was ignored; did you mean 'limit'?", "limit"),
        ("…", "and 1,997 more unknown parameters were ignored", None),
    ]
    shown = [warning["parameter"] for warning in warnings]
    assert shown == ["limits", "x" * 37 + "…", "0\ufffd", "1\ufffd", "2\ufffd", "…"]


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
