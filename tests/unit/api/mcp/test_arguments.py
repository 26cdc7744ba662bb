"""Arguments of MCP tools: flat schemas; null and a single type are accepted, all else is rejected with a hint."""

from typing import Any

import pytest
from jsonschema_rs import meta

from api.errors import InvalidError
from api.mcp.arguments import (
    Arguments,
    EntityArguments,
    ListArguments,
    NoArguments,
    RecommendArguments,
    RelatedArguments,
    SearchArguments,
    flat_schema,
    parse_arguments,
    query_parameters,
)
from api.mcp.tools import TOOLS
from api.models import JSON_INTEGER

INTEGERS = [
    (tool.name, name)
    for tool in TOOLS.values()
    for name, field in flat_schema(tool.arguments)["properties"].items()
    if field["type"] == "integer"
]
TYPES = "disability, limitation, workrelatedfunction, solution, product, vendor, occupation, ability"

INVALID_SEARCHES: list[tuple[dict[str, Any], str]] = [
    (
        {},
        "query is missing; valid arguments: query, scope, setting, limit, offset, synonyms, spelling, matching, detail",
    ),
    ({"query": "  "}, "query: should contain at least one character that is not a space; it is '  '"),
    ({"query": ""}, "query: should contain at least one character that is not a space; it is ''"),
    ({"query": "a" * 501}, "query: at most 500 characters; it has 501"),
    ({"query": "\ud800"}, "query: Input should be a valid string, unable to encode it as UTF-8"),
    ({"query": ["a"]}, "query: Input should be a valid string; it is ['a']"),
    ({"query": "a", "limit": 501}, "limit: Input should be less than or equal to 500; it is 501"),
    ({"query": "a", "limit": "many"}, "limit: Input should be an integer: a number without a decimal point"),
    ({"query": "a", "limt": 5}, "unknown argument 'limt' (did you mean 'limit'?); valid arguments: query"),
    (
        {"query": "a", "scope": ["Solutions"]},
        f"scope: 'Solutions' is not a valid value (did you mean 'solution'?); valid values: {TYPES}",
    ),
    ({"query": "a", "synonyms": True}, "synonyms: True is not a valid value; valid values: on, off"),
]
INVALID: list[tuple[type[Arguments], dict[str, Any], str]] = [
    *((SearchArguments, values, message) for values, message in INVALID_SEARCHES),
    (ListArguments, {"type": "solution", "limit": 101}, "limit: Input should be less than or equal to 100"),
    (
        ListArguments,
        {"type": None},
        "type is missing; valid arguments: type, setting, grouping, kind, linked_to, edge, inherited, limit, offset",
    ),
    (ListArguments, {"type": "solution", "inherited": "maybe"}, "inherited: Input should be a valid boolean"),
    (EntityArguments, {"id": "x" * 201}, "id: at most 200 characters; it has 201"),
    (RecommendArguments, {"limit": 0}, "limit: Input should be greater than or equal to 1; it is 0"),
    (NoArguments, {"a": 1}, "unknown argument 'a'; valid arguments: no arguments"),
]


@pytest.mark.parametrize(("model", "values", "message"), INVALID, ids=lambda value: str(value)[:40])
def test_an_invalid_argument_is_named_with_its_valid_values(
    model: type[Arguments], values: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidError) as error:
        parse_arguments(model, values)
    assert error.value.detail.startswith(message)


def test_all_invalid_arguments_are_reported_at_once() -> None:
    with pytest.raises(InvalidError) as error:
        parse_arguments(SearchArguments, {"limit": 0, "of": 1})
    assert [problem["loc"] for problem in error.value.problems] == [["query"], ["limit"], ["of"]]


@pytest.mark.parametrize(
    ("values", "scope", "limit"),
    [
        ({"query": "a"}, [], 20),
        ({"query": "a", "scope": None, "limit": None}, [], 20),
        ({"query": "a", "scope": "solution"}, ["solution"], 20),
        ({"query": "a", "scope": "solution, product", "limit": 5}, ["solution", "product"], 5),
        ({"query": "a", "scope": ["vendor"], "limit": 5}, ["vendor"], 5),
    ],
)
def test_unambiguous_values_are_accepted(values: dict[str, Any], scope: list[str], limit: int) -> None:
    arguments = parse_arguments(SearchArguments, values)
    assert isinstance(arguments, SearchArguments)
    assert (arguments.scope, arguments.limit) == (scope, limit)


@pytest.mark.parametrize("value", [True, False, "5", " 5", "1_0", 1.0, 5.5, [5], {"a": 5}], ids=repr)
@pytest.mark.parametrize(("tool", "name"), INTEGERS)
def test_only_an_integer_is_an_integer(tool: str, name: str, value: object) -> None:
    with pytest.raises(InvalidError) as error:
        parse_arguments(TOOLS[tool].arguments, {name: value})
    messages = [problem["msg"] for problem in error.value.problems if problem["loc"] == [name]]
    assert messages == [f"{name}: {JSON_INTEGER}; it is {value!r}"]


@pytest.mark.parametrize(("tool", "name"), INTEGERS)
def test_a_negative_integer_is_below_the_bound(tool: str, name: str) -> None:
    with pytest.raises(InvalidError) as error:
        parse_arguments(TOOLS[tool].arguments, {name: -5})
    kinds = [problem["type"] for problem in error.value.problems if problem["loc"] == [name]]
    assert kinds == ["greater_than_equal"]


def test_an_unknown_edge_is_accepted_because_the_edges_depend_on_the_entity() -> None:
    arguments = parse_arguments(RelatedArguments, {"id": "solution:telework", "edge": "recommend"})
    assert isinstance(arguments, RelatedArguments)
    assert arguments.edge == "recommend"


@pytest.mark.parametrize(
    ("model", "values", "expected"),
    [
        (SearchArguments, {"query": "a b"}, [("query", "a b")]),
        (
            SearchArguments,
            {"query": "a", "scope": ["solution", "product"], "limit": 3, "offset": 6},
            [("query", "a"), ("scope", "solution"), ("scope", "product"), ("limit", "3")],
        ),
        (RelatedArguments, {"id": "a:b", "edge": "sells", "limit": 2}, [("edge", "sells"), ("limit", "2")]),
        (ListArguments, {"type": "ability"}, []),
        (
            ListArguments,
            {"type": "solution", "linked_to": "a:b, a:c", "inherited": False},
            [("linked_to", "a:b"), ("linked_to", "a:c"), ("inherited", "false")],
        ),
        (ListArguments, {"type": "solution", "linked_to": [], "edge": [], "inherited": None}, []),
    ],
)
def test_links_have_the_parameters_of_the_equivalent_rest_request(
    model: type[Arguments], values: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert query_parameters(parse_arguments(model, values)) == expected


@pytest.mark.parametrize("name", TOOLS)
def test_published_schemas_are_flat_and_valid(name: str) -> None:
    published = flat_schema(TOOLS[name].arguments)
    meta.validate(published)
    assert published["additionalProperties"] is False
    for field in published["properties"].values():
        assert {"anyOf", "allOf", "$ref", "title"}.isdisjoint(field)
        assert field["description"].endswith(".")
        assert field["type"] in ("string", "integer", "number", "boolean", "array")


def test_types_and_edges_are_enumerated() -> None:
    published = flat_schema(RelatedArguments)["properties"]
    assert ", ".join(published["type"]["enum"]) == TYPES
    assert {"recommends", "sold_by", "related_occupation_of"} <= set(published["edge"]["enum"])
