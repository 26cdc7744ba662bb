"""URLs of lists that add or remove one filter or link."""

from api.explorer.list_address import LinkedEntity, ListAddress, link_facets
from api.parameters import MAX_LINKS

FILTERED = ListAddress("/explore/solution", (("setting", "work"), ("inherited", "false")), (("a", "x"), ("b b", "y")))


def test_an_address_sends_each_edge_or_the_one_that_all_links_share() -> None:
    url = "/explore/solution?setting=work&inherited=false&linked_to=a&linked_to=b+b"
    assert FILTERED.url == f"{url}&edge=x&edge=y"
    assert FILTERED.with_link("c", "z").url == f"{url}&linked_to=c&edge=x&edge=y&edge=z"
    assert ListAddress(FILTERED.path, FILTERED.filters, (("a", "x"), ("b b", "x"))).url == f"{url}&edge=x"
    any_edge = ListAddress(FILTERED.path, links=(("a", ""),))
    assert any_edge.with_link("b", "x").url == "/explore/solution?linked_to=a&linked_to=b"
    assert FILTERED.arguments == {
        "setting": "work",
        "inherited": False,
        "linked_to": ["a", "b b"],
        "edge": ["x", "y"],
    }


def test_an_address_removes_one_filter_or_link_and_keeps_the_others() -> None:
    assert FILTERED.without_link(0).url == "/explore/solution?setting=work&inherited=false&linked_to=b+b&edge=y"
    assert FILTERED.without_link(0).without_link(0).url == "/explore/solution?setting=work"
    assert FILTERED.without_filter("setting").without_links().url == "/explore/solution"


def test_link_facets_leave_out_the_linked_entities() -> None:
    fatigue, memory = {"id": "limitation:decreased-stamina-fatigue"}, {"id": "limitation:memory-loss"}
    facets = {"recommended_for": [{"entity": fatigue, "total": 4}, {"entity": memory, "total": 2}]}
    address = ListAddress("/explore/solution", (("setting", "work"),), (("fatigue", ""),))
    linked = [LinkedEntity(fatigue, "", "/explore/solution")]
    url = "/explore/solution?setting=work&linked_to=fatigue&linked_to=limitation%3Amemory-loss"
    assert link_facets(facets, linked, address) == [{**memory, "total": 2, "url": url}]
    assert link_facets(facets, linked * MAX_LINKS, address) == []
