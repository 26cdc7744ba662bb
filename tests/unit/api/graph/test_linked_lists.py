"""Entities that have edges to several others: how links are parsed, matched, counted and described."""

from collections.abc import Sequence

import pytest

from api.errors import InvalidError
from api.graph.linked_lists import Link, LinkedListRequest, ListPage, linked_list_body
from api.graph.resolve import EntityReference, ResolvedEntity
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary
from tests.support.listings import card
from tests.support.query_clauses import term

TELEWORK, FATIGUE = "solution:telework", "limitation:fatigue"


def named(field: str, value: str, name: str) -> JsonObject:
    return {"term": {field: {"value": value, "_name": name}}}


def link(vocabulary: Vocabulary, node: str, edges: Sequence[str], number: int = 0, **arrays: Sequence[str]) -> Link:
    """Return a link to an entity with these arrays."""
    entity = ResolvedEntity(node, card(node), "id", arrays, (), ())
    return Link(f"linked_to.{number}", entity, edges, vocabulary.inverses)


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([], ["", ""]),  # any edge
        (["recommends"], ["recommends", "recommends"]),
        (["recommends", "has_limitation"], ["recommends", "has_limitation"]),
    ],
)
def test_each_linked_entity_has_an_edge_name(edges: list[str], expected: list[str]) -> None:
    links = [(EntityReference.parse(text), edge) for text, edge in zip((TELEWORK, "fatigue"), expected, strict=True)]
    page = ListPage(inherited=True, limit=20, offset=40, filters={"kind": "main"}, params=[("kind", "main")])
    parsed = LinkedListRequest.parse("disability", [TELEWORK, "fatigue"], edges, page)
    assert parsed == LinkedListRequest("disability", links, page)


@pytest.mark.parametrize(("texts", "count"), [([TELEWORK], 1), ([TELEWORK, "a", "b"], 3)])
def test_another_number_of_edges_is_an_error(texts: list[str], count: int) -> None:
    page = ListPage(inherited=True, limit=20, offset=0, filters={}, params=())
    with pytest.raises(InvalidError) as caught:
        LinkedListRequest.parse("disability", texts, ["recommends", "affects"], page)
    assert caught.value.problems == [
        {
            "loc": ["query", "edge"],
            "msg": f"send 'edge' once, or once for each of the {count} values of 'linked_to', not 2 times",
            "type": "edge_count",
            "input": "recommends, affects",
            "ctx": {"expected": count},
        }
    ]


def test_members_are_matched_by_their_array(vocabulary: Vocabulary) -> None:
    found = link(vocabulary, "vendor:v", ["sold_by"]).clause("product", inherited=True)
    either = [named("sold_by", "vendor:v", "linked_to.0 sold_by")]
    assert found == {"bool": {"should": either, "minimum_should_match": 1}}


def test_the_array_of_a_linked_entity_with_few_edges_matches_hubs(vocabulary: Vocabulary) -> None:
    products = [f"product:{number}" for number in range(101)]
    few, many = (link(vocabulary, "vendor:v", ["sold_by"], sells=products[:size]) for size in (100, 101))
    either = [
        named("sold_by", "vendor:v", "linked_to.0 sold_by"),
        {"ids": {"values": products[:100], "_name": "linked_to.0 sold_by other end"}},
    ]
    assert few.clause("product", inherited=True)["bool"]["should"] == either
    assert many.clause("product", inherited=True)["bool"]["should"] == either[:1]


def test_conditions_that_inherit_a_solution_are_matched_by_their_parents(vocabulary: Vocabulary) -> None:
    parents = ["disability:a", "disability:b"]
    telework = link(vocabulary, TELEWORK, ["recommends"], recommended_for=parents)
    stated = [
        named("recommends", TELEWORK, "linked_to.0 recommends"),
        {"ids": {"values": parents, "_name": "linked_to.0 recommends other end"}},
    ]
    inherited = {"terms": {"inherits_from": parents, "_name": "linked_to.0 recommends inherited"}}
    assert telework.clause("disability", inherited=True) == {
        "bool": {"should": [*stated, inherited], "minimum_should_match": 1}
    }
    assert telework.clause("limitation", inherited=True)["bool"]["should"] == stated
    assert telework.clause("disability", inherited=False) == {
        "bool": {"should": stated, "minimum_should_match": 1, "must_not": {"term": {"inherited": TELEWORK}}}
    }


def test_any_of_several_edges_matches(vocabulary: Vocabulary) -> None:
    fatigue = link(vocabulary, FATIGUE, ["broader", "narrower"], number=1, broader=["limitation:energy"])
    assert fatigue.clause("limitation", inherited=True)["bool"]["should"] == [
        named("broader", FATIGUE, "linked_to.1 broader"),
        named("narrower", FATIGUE, "linked_to.1 narrower"),
        {"ids": {"values": ["limitation:energy"], "_name": "linked_to.1 narrower other end"}},
    ]


def test_nothing_matches_a_link_that_no_edge_can_make(vocabulary: Vocabulary) -> None:
    assert link(vocabulary, TELEWORK, []).clause("vendor", inherited=True) == {"match_none": {}}


@pytest.mark.parametrize(
    ("clauses", "edges"),
    [
        ([], []),
        (["linked_to.0 recommends"], [("recommends", False)]),
        (["linked_to.0 recommends", "linked_to.0 affects"], [("affects", False), ("recommends", False)]),
        (["linked_to.0 recommends", "linked_to.0 inherited"], [("recommends", True)]),  # listed as inherited
        (["linked_to.0 recommends inherited"], [("recommends", True)]),
        (["linked_to.0 recommends", "linked_to.0 recommends inherited"], [("recommends", False)]),
        (["linked_to.1 recommends"], []),  # of another link
    ],
)
def test_a_listed_entity_has_the_edges_that_matched(
    vocabulary: Vocabulary, clauses: list[str], edges: list[tuple[str, bool]]
) -> None:
    described = link(vocabulary, TELEWORK, ["affects", "recommends"]).describe(clauses)
    assert described == [{"linked_to": TELEWORK, "edge": edge, "inherited": inherited} for edge, inherited in edges]


def request(type_name: str, limit: int = 20, offset: int = 0, **filters: str) -> LinkedListRequest:
    page = ListPage(inherited=False, limit=limit, offset=offset, filters=filters, params=())
    return LinkedListRequest(type_name, (), page)


def test_a_list_has_the_entities_that_have_edges_to_all(vocabulary: Vocabulary) -> None:
    links = [link(vocabulary, TELEWORK, ["recommends"]), link(vocabulary, FATIGUE, ["has_limitation"], number=1)]
    assert linked_list_body(request("disability", 20, 40, groupings="autism"), links) == {
        "from": 40,
        "size": 20,
        "_source": False,
        "docvalue_fields": ["card", "sources"],
        "track_total_hits": True,
        "query": {
            "bool": {
                "filter": [
                    term("doc", "entity"),
                    term("type", "disability"),
                    term("groupings", "autism"),
                    *(one.clause("disability", inherited=False) for one in links),
                ],
                "should": [
                    named("inherited", TELEWORK, "linked_to.0 inherited"),
                    named("inherited", FATIGUE, "linked_to.1 inherited"),
                ],
            }
        },
        "sort": [{"position": "asc"}],
        "aggs": {"has_limitation": {"terms": {"field": "has_limitation", "size": 20, "include": "limitation:.*"}}},
    }


@pytest.mark.parametrize(
    ("type_name", "aggregation"),
    [
        ("solution", {"field": "recommended_for", "size": 20, "include": "(limitation|workrelatedfunction):.*"}),
        ("product", {"field": "sold_by", "size": 20, "include": "vendor:.*"}),
        ("vendor", None),
    ],
)
def test_a_list_counts_what_its_entities_share(type_name: str, aggregation: JsonObject | None) -> None:
    expected = {aggregation["field"]: {"terms": aggregation}} if aggregation else None
    assert linked_list_body(request(type_name), []).get("aggs") == expected


@pytest.mark.parametrize(("offset", "window"), [(99_980, (99_980, 20)), (99_990, (99_990, 10)), (10**9, (100_000, 0))])
def test_a_page_stays_inside_the_result_window(offset: int, window: tuple[int, int]) -> None:
    body = linked_list_body(request("vendor", offset=offset), [])
    assert (body["from"], body["size"]) == window
