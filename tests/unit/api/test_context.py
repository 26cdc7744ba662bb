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
    assert link_parameters(REQUEST, PARAMETERS) == (("query", "a"), ("scope", "solution"), ("scope", "product"))
