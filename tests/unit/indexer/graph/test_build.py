"""Rows become weighted, merged and sorted edges with inverses."""

from collections import Counter

import pytest

from indexer.content.rows import Alias, Link, Rating, Recommendation, RelatedOccupation
from indexer.graph.model import Edge, Graph
from schema.vocabulary import Vocabulary
from tests.support.small_graphs import built, entity


def sold(product: str, vendor: str, *sources: str, weight: float | None = None, reason: str = "") -> Link:
    return Link("sold_by", f"product:{product}", f"vendor:{vendor}", "source", sources, weight, reason)


ADHD, ATTENTION = "disability:attention-deficit-hyperactivity-disorder", "limitation:attentiveness-concentration"
SCHOOL = "https://school.example.org"
AT_SCHOOL = {"school_basis": "source", "school_sources": ("pages",)}
BY_EDITORS = {"school_basis": "editorial", "school_sources": ("editors",)}
# edge, from, to → weight and the facts of its kind; computed by hand from the tables of the world
WEIGHTS = {
    # 3 of ADHD's 4 solutions are listed under attention, 2 under memory, 1 under communicating
    ("has_limitation", ADHD, ATTENTION): (0.75, {}),
    ("has_limitation", ADHD, "limitation:memory-loss"): (0.5, {}),
    ("affects", ADHD, "workrelatedfunction:communicate"): (0.25, {}),
    # nothing is listed under it, but it is stated: a minimal weight
    ("has_limitation", "disability:low-vision", "limitation:blind"): (0.01, {}),
    # 2 of the 3 conditions with fatigue list it
    ("recommends", "limitation:decreased-stamina-fatigue", "solution:flexible-schedule"): (0.6667, {"pages": 2}),
    ("recommends", "workrelatedfunction:commute", "solution:telework"): (1.0, {"pages": 2}),
    # ADHD's best: ln(1 + 5/2) + ln(1 + 5/1) = 3.0445
    ("recommends", ADHD, "solution:written-instructions"):
        (1.0, {"via": ("limitation:memory-loss", "workrelatedfunction:communicate")}),
    # (ln 6 × 1 + ln 3.5 × 0.75) / 3.0445
    ("recommends", ADHD, "solution:checklists"):
        (0.8971, {"via": (ATTENTION, "limitation:memory-loss"), **AT_SCHOOL, "read_at": (f"{SCHOOL}/adhd",)}),
    # for school only: both pages on ADHD name it
    ("recommends", ADHD, "solution:preferential-seating"):
        (1.0, {**AT_SCHOOL, "read_at": (f"{SCHOOL}/adhd", f"{SCHOOL}/seats")}),
    ("recommends", "disability:crohns-disease", "solution:preferential-seating"): (0.5, BY_EDITORS),
    ("recommends", "limitation:low-vision", "solution:preferential-seating"): (0.5, BY_EDITORS),
    # ln 6 / 3.0445
    ("recommends", ADHD, "solution:telework"): (0.5885, {"via": (ATTENTION,)}),
    ("implemented_by", "solution:screen-magnification-software", "product:largeview-magnifier"): (1.0, {}),
    ("implemented_by", "solution:noise-canceling-headsets", "product:hushband-headset"): (0.8, {}),
    ("implemented_by", "solution:checklists", "product:dayplan-checklist-app"):
        (0.5, {"reason": "It shows a checklist one step at a time."}),
    ("sold_by", "product:hushband-headset", "vendor:quiet-works"): (1.0, {}),
    ("requires", "occupation:15-1252.00", "ability:1.A.4.a.1"): (0.776, {"importance": 3.88, "level": 4.0}),
    ("related_occupation", "occupation:15-1252.00", "occupation:43-4051.00"):
        (1.0, {"tier": "primary-short", "rank": 1}),
    ("related_occupation", "occupation:43-4051.00", "occupation:53-3032.00"):
        (0.5, {"tier": "supplemental", "rank": 11}),
    ("limits", "limitation:memory-loss", "ability:1.A.1.d.1"): (0.8, {"reason": "New things are hard to keep."}),
    ("broader", "limitation:blind", "limitation:vision-impairment"): (1.0, {}),
}  # fmt: skip


@pytest.mark.parametrize(("edge", "expected"), WEIGHTS.items(), ids=[" ".join(edge) for edge in WEIGHTS])
def test_an_edge_has_the_weight_of_its_kind(
    graph: Graph, edge: tuple[str, str, str], expected: tuple[float, dict[str, object]]
) -> None:
    name, source, target = edge
    (found,) = (item for item in graph.edges_named(source, name) if item.target == target)
    assert (found.weight, found.facts) == expected


def test_every_weight_is_above_0_and_at_most_1(graph: Graph) -> None:
    weights = [edge.weight for by_name in graph.edges.values() for edges in by_name.values() for edge in edges]
    assert 0 < min(weights) <= max(weights) <= 1


def test_every_edge_has_its_inverse_with_the_same_facts(graph: Graph, vocabulary: Vocabulary) -> None:
    edges = [edge for by_name in graph.edges.values() for found in by_name.values() for edge in found]
    for edge in edges:
        name = vocabulary.edges[edge.name].inverse
        inverse = edge._replace(name=name, source=edge.target, target=edge.source)
        assert inverse in graph.edges_named(edge.target, name)
    assert len({(edge.name, edge.source, edge.target) for edge in edges}) == len(edges)
    assert len(edges) == 140  # 70 relations in both directions


def test_every_edge_joins_types_that_the_vocabulary_allows(graph: Graph, vocabulary: Vocabulary) -> None:
    for node, by_name in graph.edges.items():
        for name, edges in by_name.items():
            joined = {(graph.nodes[node].type, graph.nodes[edge.target].type) for edge in edges}
            assert joined <= set(vocabulary.edges[name].pairs)


def test_an_occupation_requires_only_important_abilities(graph: Graph) -> None:
    required = {(node, edge.target) for node in graph.nodes for edge in graph.edges_named(node, "requires")}
    assert required == {
        ("occupation:15-1252.00", "ability:1.A.1.d.1"),  # 3.12
        ("occupation:15-1252.00", "ability:1.A.4.a.1"),
        ("occupation:43-4051.00", "ability:1.A.1.d.1"),  # 3.0 is enough
        ("occupation:43-4051.00", "ability:1.A.4.a.1"),
        ("occupation:53-3032.00", "ability:1.A.3.b.1"),
        ("occupation:53-3032.00", "ability:1.A.4.a.1"),
    }


def test_importance_just_below_three_is_not_required(vocabulary: Vocabulary) -> None:
    ratings = tuple(Rating("occupation:1", f"ability:{key}", value, 4.0, ()) for key, value in (("a", 2.99), ("b", 3)))
    graph = built(vocabulary, ("occupation:1", "ability:a", "ability:b"), ratings=ratings)
    (edge,) = graph.edges_named("occupation:1", "requires")
    assert (edge.target, edge.weight) == ("ability:b", 0.6)


def test_related_occupations_weigh_from_1_down_to_a_twentieth(vocabulary: Vocabulary) -> None:
    rows = tuple(
        RelatedOccupation("occupation:a", f"occupation:{key}", "supplemental", rank, ())
        for key, rank in (("b", 1), ("c", 20), ("d", 40))
    )
    graph = built(vocabulary, (f"occupation:{key}" for key in "abcd"), related_occupations=rows)
    weights = {edge.target: edge.weight for edge in graph.edges_named("occupation:a", "related_occupation")}
    assert weights == {"occupation:b": 1.0, "occupation:c": 0.05, "occupation:d": 0.01}


def test_an_occupation_with_a_detailed_code_is_narrower(vocabulary: Vocabulary) -> None:
    codes = ("15-1299.00", "15-1299.08", "15-1299.01", "11-1011.03")
    graph = built(vocabulary, (f"occupation:{code}" for code in codes))
    (edge,) = graph.edges_named("occupation:15-1299.08", "broader")
    assert (edge.target, edge.weight, edge.basis, edge.sources) == ("occupation:15-1299.00", 1.0, "derived", ("atlas",))
    details = [item.target for item in graph.edges_named("occupation:15-1299.00", "narrower")]
    assert details == ["occupation:15-1299.01", "occupation:15-1299.08"]
    assert graph.degree("occupation:11-1011.03") == 0


def test_statements_of_one_relation_become_the_strongest_with_all_sources(vocabulary: Vocabulary) -> None:
    links = (
        sold("lens", "shop", "atlas", "fair", weight=0.4, reason="weak"),
        sold("lens", "shop", "fair", "editors", weight=0.9, reason="strong"),
        sold("lens", "shop", "more", weight=0.9, reason="late"),
    )
    graph = built(vocabulary, ("product:lens", "vendor:shop"), links=links)
    sources = ("atlas", "fair", "editors", "more")
    merged = Edge("sold_by", "product:lens", "vendor:shop", 0.9, "source", sources, {"reason": "strong"})
    assert graph.edges_named("product:lens", "sold_by") == (merged,)
    assert [edge.target for edge in graph.edges_named("vendor:shop", "sells")] == ["product:lens"]


def test_edges_are_sorted_by_weight_then_by_name_without_case_then_by_id(vocabulary: Vocabulary) -> None:
    names = {"d": "alpha", "c": "Beta", "b": "beta", "a": "gamma", "e": "zeta"}
    nodes = (entity("vendor:v"), *(entity(f"product:{key}", name) for key, name in names.items()))
    weights = {"e": 0.9, "a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5}
    links = tuple(sold(key, "v", weight=weight) for key, weight in weights.items())
    graph = built(vocabulary, nodes, links=links)
    assert [edge.target[-1] for edge in graph.edges_named("vendor:v", "sells")] == ["e", "d", "b", "c", "a"]


def test_edge_names_of_a_node_have_the_order_of_the_vocabulary(graph: Graph, vocabulary: Vocabulary) -> None:
    order = list(vocabulary.edges)
    for by_name in graph.edges.values():
        assert list(by_name) == sorted(by_name, key=order.index)


def test_a_condition_without_lists_has_its_limitations_at_full_weight(vocabulary: Vocabulary) -> None:
    link = Link("has_limitation", "disability:d", "limitation:l", "inherited", ("editors",))
    graph = built(vocabulary, ("disability:d", "limitation:l"), links=(link,))
    (edge,) = graph.edges_named("disability:d", "has_limitation")
    assert (edge.weight, edge.basis, edge.sources) == (1.0, "inherited", ("editors",))


def test_a_solution_listed_under_several_headings_is_one_edge(vocabulary: Vocabulary) -> None:
    nodes = ("disability:d", "limitation:l", "workrelatedfunction:w", "solution:s")
    rows = (
        Recommendation("disability:d", "workrelatedfunction:w", "solution:s", "", ("fair",)),
        Recommendation("disability:d", "limitation:l", "solution:s", "", ("atlas", "fair")),
    )
    graph = built(vocabulary, nodes, recommendations=rows)
    facts = {"via": ("limitation:l", "workrelatedfunction:w")}
    merged = Edge("recommends", "disability:d", "solution:s", 1.0, "source", ("fair", "atlas"), facts)
    assert graph.edges_named("disability:d", "recommends") == (merged,)
    assert Counter(edge.source for edge in graph.edges_named("solution:s", "recommended_for")) == {"solution:s": 3}


def test_a_graph_has_aliases_sources_redirects_and_degrees(graph: Graph) -> None:
    assert [alias.text for alias in graph.aliases["solution:telework"]] == ["Working from Home"]
    assert list(graph.sources) == ["atlas", "jobbook", "fair", "editors", "pages"]
    assert graph.redirects["disability:add"] == ADHD
    assert graph.degree("solution:telework") == 7  # 4 conditions, 2 limitations, 1 function
    assert graph.degree("disability:relapsing-remitting-multiple-sclerosis") == 1


def test_an_entity_without_relations_has_no_edges(vocabulary: Vocabulary) -> None:
    graph = built(vocabulary, ["vendor:v"])
    assert graph.edges_named("vendor:v", "sells") == graph.edges_named("vendor:x", "sells") == ()
    assert graph.degree("vendor:v") == 0


def test_both_names_in_a_title_with_an_abbreviation_are_names(vocabulary: Vocabulary) -> None:
    nurse, arthritis = entity("occupation:31-1131.00"), entity("disability:arthritis")
    titles = ("Certified Nurse Aide (CNA)", "RN (Registered Nurse)", "Resident Assistant (RA)", "Driver (bus)")
    aliases = [Alias(nurse.id, title, "title", ("onet",)) for title in (*titles, "Certified Nursing Assistant (CNA)")]
    graph = built(vocabulary, [nurse, arthritis], aliases=(*aliases, Alias(arthritis.id, "RA", "lay", ("editors",))))
    found = [alias.text for alias in graph.aliases[nurse.id]]
    assert sorted({*found} - {alias.text for alias in aliases}) == [
        *("CNA", "Certified Nurse Aide", "Certified Nursing Assistant", "RN", "Registered Nurse"),
        "Resident Assistant",  # RA is rheumatoid arthritis
    ]
    assert len(found) == len(set(found))
