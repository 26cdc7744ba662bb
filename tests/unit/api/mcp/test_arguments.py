"""What MCP tools take: flat schemas, null and single types taken as meant, everything else refused helpfully."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

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

TYPES = "disability, limitation, workrelatedfunction, solution, product, vendor, occupation, ability"

REFUSED: list[tuple[type[Arguments], dict[str, Any], str]] = [
    (
        SearchArguments,
        {},
        "query is missing; valid arguments: query, scope, setting, limit, offset, synonyms, spelling",
    ),
    (
        SearchArguments,
        {"query": "  "},
        "query: should contain at least one character that is not a space; it is '  '",
    ),
    (SearchArguments, {"query": ""}, "query: should contain at least one character that is not a space; it is ''"),
    (SearchArguments, {"query": "a" * 501}, "query: at most 500 characters; it has 501"),
    (SearchArguments, {"query": "\ud800"}, "query: Input should be a valid string, unable to encode it as UTF-8"),
    (SearchArguments, {"query": ["a"]}, "query: Input should be a valid string; it is ['a']"),
    (SearchArguments, {"query": "a", "limit": 501}, "limit: Input should be less than or equal to 500; it is 501"),
    (SearchArguments, {"query": "a", "limit": "many"}, "limit: Input should be a valid integer"),
    (
        SearchArguments,
        {"query": "a", "limt": 5},
        "unknown argument 'limt' (did you mean 'limit'?); valid arguments: query",
    ),
    (
        SearchArguments,
        {"query": "a", "scope": ["Solutions"]},
        f"scope: 'Solutions' is not a valid value (did you mean 'solution'?); valid values: {TYPES}",
    ),
    (SearchArguments, {"query": "a", "synonyms": True}, "synonyms: True is not a valid value; valid values: on, off"),
    (ListArguments, {"type": "solution", "limit": 101}, "limit: Input should be less than or equal to 100"),
    (ListArguments, {"type": None}, "type is missing; valid arguments: type, setting, grouping, kind, limit, offset"),
    (EntityArguments, {"id": "x" * 201}, "id: at most 200 characters; it has 201"),
    (RecommendArguments, {"limit": 0}, "limit: Input should be greater than or equal to 1; it is 0"),
    (NoArguments, {"a": 1}, "unknown argument 'a'; valid arguments: no arguments"),
]


@pytest.mark.parametrize(("model", "values", "text"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_does_not_fit_is_named_with_what_would(model: type[Arguments], values: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidError) as refused:
        parse_arguments(model, values)
    assert refused.value.detail.startswith(text)


def test_every_mistake_is_reported_at_once() -> None:
    with pytest.raises(InvalidError) as refused:
        parse_arguments(SearchArguments, {"limit": 0, "of": 1})
    assert [problem["loc"] for problem in refused.value.problems] == [["query"], ["limit"], ["of"]]


@pytest.mark.parametrize(
    ("given", "scope", "limit"),
    [
        ({"query": "a"}, [], 20),
        ({"query": "a", "scope": None, "limit": None}, [], 20),
        ({"query": "a", "scope": "solution"}, ["solution"], 20),
        ({"query": "a", "scope": "solution, product", "limit": "5"}, ["solution", "product"], 5),
        ({"query": "a", "scope": ["vendor"], "limit": 5.0}, ["vendor"], 5),
    ],
)
def test_what_can_only_mean_one_thing_is_taken_as_meant(given: dict[str, Any], scope: list[str], limit: int) -> None:
    found = parse_arguments(SearchArguments, given)
    assert isinstance(found, SearchArguments)
    assert (found.scope, found.limit) == (scope, limit)


def test_a_wrong_edge_is_left_to_the_entity_that_knows_its_own() -> None:
    found = parse_arguments(RelatedArguments, {"id": "solution:telework", "edge": "recommend"})
    assert isinstance(found, RelatedArguments)
    assert found.edge == "recommend"


@pytest.mark.parametrize(
    ("takes", "given", "expected"),
    [
        (SearchArguments, {"query": "a b"}, [("query", "a b")]),
        (
            SearchArguments,
            {"query": "a", "scope": ["solution", "product"], "limit": 3, "offset": 6},
            [("query", "a"), ("scope", "solution"), ("scope", "product"), ("limit", "3")],
        ),
        (RelatedArguments, {"id": "a:b", "edge": "sells", "limit": 2}, [("edge", "sells"), ("limit", "2")]),
        (ListArguments, {"type": "ability"}, []),
    ],
)
def test_links_repeat_what_a_rest_caller_would_have_sent(
    takes: type[Arguments], given: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert query_parameters(parse_arguments(takes, given)) == expected


@pytest.mark.parametrize("name", TOOLS)
def test_published_schemas_are_flat_and_valid(name: str) -> None:
    published = flat_schema(TOOLS[name].arguments)
    Draft202012Validator.check_schema(published)
    assert published["additionalProperties"] is False
    for one in published["properties"].values():
        assert {"anyOf", "allOf", "$ref", "title"}.isdisjoint(one)
        assert one["description"].endswith(".")
        assert one["type"] in ("string", "integer", "array")


def test_types_and_edges_are_enumerated() -> None:
    published = flat_schema(RelatedArguments)["properties"]
    assert ", ".join(published["type"]["enum"]) == TYPES
    assert {"recommends", "sold_by", "related_occupation_of"} <= set(published["edge"]["enum"])
