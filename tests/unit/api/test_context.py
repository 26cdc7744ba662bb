"""Query parameters that a route does not have, and those of links to other pages."""

from starlette.requests import Request

from api.context import link_parameters, unknown_parameters

QUERY = b"query=a&scope=solution&scope=product&limits=5&limits=6&offset=20"
REQUEST = Request({"type": "http", "query_string": QUERY, "headers": []})
PARAMETERS = ("query", "scope", "limit", "offset")


def test_each_unknown_parameter_is_reported_once_with_the_nearest() -> None:
    (warning,) = unknown_parameters(REQUEST, PARAMETERS)
    assert (warning["parameter"], warning["nearest"]) == ("limits", "limit")


def test_links_repeat_the_known_parameters_except_the_offset() -> None:
    links = link_parameters(REQUEST, PARAMETERS, {"scope": ["solution", "product"], "linked_to": ["adhd"]})
    assert links == (("query", "a"), ("scope", "solution"), ("scope", "product"))


def test_of_a_repeated_parameter_links_have_the_last_value() -> None:
    assert link_parameters(REQUEST, ("limits",)) == (("limits", "6"),)
    assert link_parameters(REQUEST, ("scope",), {"scope": None}) == ()
