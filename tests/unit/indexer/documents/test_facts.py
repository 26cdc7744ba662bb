"""The facts of an entity in its document: what a record shows, arrays of edges, the hierarchy, and statistics."""

from dataclasses import replace
from math import log

import pytest

from indexer.content.rows import FirstChoice, Link, Source
from indexer.documents.facts import edge_arrays, hierarchy_facts, list_owners, record_facts, source_line, statistics
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.model import EditorialChoices, Graph
from indexer.graph.needs import School, Statement
from indexer.graph.similarity import LimitationStatistics, SimilarLimitation
from schema.edge_documents import MAX_ARRAY_LENGTH
from tests.support.small_graphs import edge, entity, graph_of, listings
from tests.support.written_documents import CHRONIC, EYE, LOW_VISION, RELAPSING, SCLEROSIS, Written, of_kind

BLIND, SIGHT, COMMUTE = "limitation:blind", "limitation:low-vision", "workrelatedfunction:commute"
FATIGUE, MEMORY = "limitation:decreased-stamina-fatigue", "limitation:memory-loss"


# What a record shows of the entity itself


@pytest.mark.parametrize(
    ("node", "external"),
    [
        ("occupation:15-1252.00", {"onet_soc": "15-1252.00"}),
        ("ability:1.A.3.b.1", {"onet_element": "1.A.3.b.1"}),
        ("solution:telework", {"page": "https://atlas.example.org/solutions/telework"}),
        (EYE, {"doid": "DOID:1210", "icd10cm": "H46, H46.9", "mesh": "D009902"}),
        (RELAPSING, {}),
    ],
)
def test_external_ids_are_those_of_the_type(written: Written, node: str, external: dict[str, str]) -> None:
    assert written[node]["external_ids"] == external


@pytest.mark.parametrize(
    ("node", "attributes"),
    [
        ("solution:screen-magnification-software", {"kind": "product|service"}),
        ("solution:checklists", {"kind": "strategy"}),  # its settings are in the card
        ("solution:noise-canceling-headsets", {"kind": "product", "made_for": "occupation:43-4"}),
        ("occupation:15-1252.00", {"job_zone": "4"}),
        ("product:largeview-pocket", {"category": "Devices", "family": "assistive"}),
        (EYE, {"kind": "narrower"}),  # its codes are external ids
        ("vendor:quiet-works", {}),
    ],
)
def test_attributes_are_the_facts_of_the_type(written: Written, node: str, attributes: dict[str, str]) -> None:
    assert written[node]["attributes"] == [{"name": name, "value": value} for name, value in attributes.items()]


def test_summaries_are_those_that_there_are(written: Written) -> None:
    assert list(written["solution:screen-magnification-software"]["summaries"]) == ["short", "plain"]
    assert written["solution:telework"]["summaries"] == {
        "short": "Doing the job from home or another place outside the office."
    }


def test_shown_aliases_have_their_kind_and_source(written: Written) -> None:
    assert written["solution:telework"]["alias_details"] == [
        {"text": "Working from Home", "kind": "lay", "source": "atlas"}
    ]
    # neither the hidden alias nor the one that is only near
    assert [alias["text"] for alias in written[EYE]["alias_details"]] == ["inflamed optic nerve", "MS"]


def test_groupings_have_the_link_to_their_members(written: Written) -> None:
    assert written["disability:crohns-disease"]["grouping_details"] == [
        {
            "scheme": "IDEA",
            "name": "Other Health Impairment",
            "description": "A health condition that limits strength or alertness at school.",
            "basis": "editorial",
            "note": "in a flare",
            "sources": ["editors"],
            "url": "/disability?grouping=other-health-impairment",
        }
    ]
    assert written[LOW_VISION]["grouping_details"] == []


def test_edge_sources_are_those_of_all_edges_and_of_their_use_at_school(written: Written) -> None:
    assert written[LOW_VISION]["edge_sources"] == ["atlas", "editors", "fair"]
    stated = edge("recommends", "limitation:a", "solution:b", school_sources=("pages", "atlas"))
    graph = graph_of(["limitation:a", "solution:b"], [stated._replace(sources=("fair",))])
    assert record_facts(graph, graph.nodes["limitation:a"])["edge_sources"] == ["fair", "pages", "atlas"]


def test_a_source_line_has_null_for_what_is_not_stated() -> None:
    stated = Source(
        "atlas", "Atlas", "Press", "https://atlas.example.org/", "CC0-1.0", "By the Press.", "", "https://l"
    )
    line = {"id": "atlas", "title": "Atlas", "licence": "CC0-1.0", "attribution": "By the Press."}
    assert source_line(stated) == {**line, "url": "https://atlas.example.org/", "licence_url": "https://l"}
    assert source_line(replace(stated, url="", licence_url="")) == {**line, "url": None, "licence_url": None}


# Arrays of edges


def test_arrays_have_the_targets_in_the_order_of_the_edges(written: Written, graph: Graph) -> None:
    assert written[SCLEROSIS]["has_limitation"] == [FATIGUE, SIGHT, MEMORY]
    assert written[SCLEROSIS]["narrower"] == [RELAPSING, EYE]  # main before narrower conditions
    for node, by_name in graph.edges.items():
        arrays = {name: [edge.target for edge in edges] for name, edges in by_name.items()}
        assert arrays.items() <= written[node].items()


def test_an_entity_without_edges_has_no_arrays() -> None:
    assert edge_arrays(graph_of(["solution:alone"]), "solution:alone", ()) == {}


def hub(size: int, basis: str = "source") -> Graph:
    """Return a vendor with so many products and one solution that it recommends."""
    sells = [edge("sells", "vendor:hub", f"product:{number}", basis=basis) for number in range(size)]
    return graph_of(["vendor:hub"], [*sells, edge("recommends", "vendor:hub", "solution:s")])


def test_longer_arrays_than_the_maximum_are_left_out() -> None:
    assert len(edge_arrays(hub(MAX_ARRAY_LENGTH), "vendor:hub", ())["sells"]) == MAX_ARRAY_LENGTH
    assert edge_arrays(hub(MAX_ARRAY_LENGTH + 1), "vendor:hub", ()) == {"recommends": ["solution:s"]}


def test_too_many_inherited_targets_are_left_out() -> None:
    assert edge_arrays(hub(MAX_ARRAY_LENGTH + 1, "inherited"), "vendor:hub", ()).keys() == {"recommends"}


def test_inherited_has_the_targets_that_are_not_stated(written: Written) -> None:
    broad = written["limitation:vision-impairment"]
    assert broad["inherited"] == broad["recommends"] == ["solution:screen-magnification-software"]
    assert "inherited" not in written[SCLEROSIS]
    with_inherited = {key for key, body in of_kind(written, "entity").items() if "inherited" in body}
    # the solution's edge to the broad limitation is inherited as well
    others = {"limitation:vision-impairment", "solution:screen-magnification-software"}
    assert with_inherited == {RELAPSING, EYE, CHRONIC, *others}


def test_an_inheriting_condition_has_the_limitations_and_functions_of_its_sources(written: Written) -> None:
    # of low vision and multiple sclerosis: by weight, then by name
    needs = [FATIGUE, SIGHT, MEMORY, BLIND]
    assert (written[CHRONIC]["has_limitation"], written[CHRONIC]["affects"]) == (needs, [COMMUTE])
    assert written[CHRONIC]["inherited"] == [*needs, COMMUTE]
    assert "recommends" not in written[CHRONIC]  # the service merges these when it reads a condition


def test_inherited_limitations_are_sorted_by_their_greatest_weight() -> None:
    weights = {("b", "w"): 0.4, ("b", "x"): 0.2, ("a", "y"): 0.3, ("a", "x"): 0.5, ("a", "V"): 0.3}
    edges = [edge("has_limitation", f"disability:{a}", f"limitation:{b}", weight) for (a, b), weight in weights.items()]
    graph = graph_of([*(f"disability:{key}" for key in "abc"), *(f"limitation:{key}" for key in "wxyV")], edges)
    targets = [f"limitation:{key}" for key in "xwVy"]
    arrays = edge_arrays(graph, "disability:c", ("disability:a", "disability:b"))
    assert arrays == {"has_limitation": targets, "inherited": targets}


# The hierarchy. Sources list solutions for fatigue and sight.

NAMES = (
    *("disability:ms", "disability:als", "disability:rrms", "disability:nerves", "disability:covid"),
    *("limitation:fatigue", "limitation:pain", "limitation:sight", "limitation:blur", "limitation:odor"),
    *("limitation:vision", "solution:breaks", "solution:lens", "workrelatedfunction:commute", "vendor:v"),
)
LISTINGS = listings(
    ("disability:ms", "limitation:fatigue", "solution:breaks"),
    ("disability:als", "limitation:fatigue", "solution:breaks"),
    ("disability:als", "limitation:sight", "solution:lens"),
)
BROADER = {
    "disability:rrms": "disability:ms",
    "disability:ms": "disability:nerves",
    "disability:als": "disability:nerves",
    "limitation:blur": "limitation:vision",
    "limitation:sight": "limitation:vision",
}
LINKS = [Link("broader", *ends, "editorial", ()) for ends in BROADER.items()]
LIMITS = {"sight": 1.0, "blur": 0.5}
LINKS += [Link("limits", f"limitation:{key}", "ability:near", "editorial", (), value) for key, value in LIMITS.items()]
HAS = (("ms", "pain"), ("covid", "blur"))
GRAPH = graph_of(
    NAMES,
    [edge("has_limitation", f"disability:{key}", f"limitation:{need}") for key, need in HAS],
    listings=LISTINGS,
    hierarchy=Hierarchy.from_links(LINKS),
    editorial=EditorialChoices(
        main_needs={"disability:ms": frozenset({"limitation:pain", "limitation:fatigue"})},
        first_choices_by_seed={
            "disability:ms": (FirstChoice("disability:ms", "solution:breaks", 0.5, settings=("school",)),),
            "limitation:blur": (FirstChoice("limitation:blur", "solution:lens", 1.0),),
        },
        intended_for={"solution:lens": ("occupation:29",)},
    ),
    school=School(
        stated={"disability:ms": {"solution:lens": Statement(0.5, "source", (), ())}},
        naming={"solution:lens": 1},
        modifications=frozenset({"solution:lens"}),
    ),
)


@pytest.mark.parametrize(
    ("node", "relations"),
    [
        ("disability:ms", []),
        ("disability:covid", []),  # it has statements
        ("disability:nerves", [("disability:als", "narrower"), ("disability:ms", "narrower")]),
        ("disability:rrms", [("disability:ms", "broader")]),
        ("limitation:vision", [("limitation:sight", "narrower")]),
        ("limitation:blur", [("limitation:sight", "similar")]),
        ("limitation:odor", []),  # it is related to nothing
        ("limitation:fatigue", []),
        ("solution:breaks", []),
    ],
)
def test_an_entity_without_lists_uses_those_of_related_ones(node: str, relations: list[tuple[str, str]]) -> None:
    assert [(owner.node, owner.relation) for owner in list_owners(GRAPH, GRAPH.nodes[node])] == relations
    inherits = hierarchy_facts(GRAPH, GRAPH.nodes[node], ()).get("inherits", [])
    assert [(owner["id"], owner["relation"]) for owner in inherits] == relations


def test_only_similar_owners_of_lists_have_a_similarity() -> None:
    blur, vision = (hierarchy_facts(GRAPH, GRAPH.nodes[f"limitation:{key}"], ()) for key in ("blur", "vision"))
    similar = {"id": "limitation:sight", "name": "Sight", "relation": "similar", "similarity": 1.0}
    sources = GRAPH.nodes["limitation:sight"].sources
    assert blur == {"inherits": [similar], "inherits_sources": [*sources], "ancestors": ["limitation:vision"]}
    narrower = {"id": "limitation:sight", "name": "Sight", "relation": "narrower"}
    assert vision == {"inherits": [narrower], "inherits_sources": [*sources]}


def test_an_inheriting_condition_names_its_sources_and_ancestors(written: Written) -> None:
    body = written[CHRONIC]
    assert body["inherits_from"] == [LOW_VISION, SCLEROSIS]
    assert body["inherits"] == [
        {"id": LOW_VISION, "name": "Low Vision", "relation": "broader"},
        {"id": SCLEROSIS, "name": "Multiple Sclerosis", "relation": "broader"},
    ]
    assert body["ancestors"] == [EYE, LOW_VISION, SCLEROSIS]  # nearest first
    assert written[RELAPSING]["inherits_from"] == [SCLEROSIS]
    assert not {"inherits", "inherits_from", "ancestors"} & written[SCLEROSIS].keys()
    assert "inherits_from" not in written["limitation:vision-impairment"]


# Statistics


def statistics_of(node: str, limitations: dict[str, LimitationStatistics] | None = None) -> dict[str, object]:
    return statistics(GRAPH, GRAPH.nodes[node], limitations or {})


def test_a_need_has_its_specificity_and_the_conditions_listed_under_it() -> None:
    # both conditions are listed under fatigue, none under pain and commuting
    assert statistics_of("limitation:fatigue") == {"specificity": log(2), "listing_conditions": 2}
    assert statistics_of("limitation:sight") == {"specificity": log(3), "listing_conditions": 1}
    assert statistics_of("limitation:pain") == {"specificity": log(3), "listing_conditions": 0}
    assert statistics_of("workrelatedfunction:commute") == {"specificity": log(3), "listing_conditions": 0}


def test_a_limitation_has_its_rarity_and_those_that_are_similar() -> None:
    similar = SimilarLimitation("limitation:blur", 0.9, "limitation:vision")
    found = statistics_of("limitation:sight", {"limitation:sight": LimitationStatistics(1.5, (similar,))})
    assert found["rarity"] == 1.5
    assert found["similar_limitations"] == [
        {"id": "limitation:blur", "similarity": 0.9, "common_ancestor": "limitation:vision"}
    ]


def test_a_solution_has_its_rarities_and_whom_it_is_for() -> None:
    # both conditions list breaks, one lists a lens; a single statement for school is rare
    breaks = {"rarity": 0.0, "school_rarity": 1.0, "made_for": [], "is_modification": False}
    assert statistics_of("solution:breaks") == breaks
    assert statistics_of("solution:lens") == {
        "rarity": 1.0,
        "school_rarity": 1.0,
        "made_for": ["occupation:29"],
        "is_modification": True,
    }


def test_editorial_choices_are_those_of_the_entity() -> None:
    assert statistics_of("disability:ms") == {
        "main_needs": ["limitation:fatigue", "limitation:pain"],
        "first_choices": [{"solution": "solution:breaks", "strength": 0.5, "settings": ["school"]}],
    }
    assert statistics_of("limitation:blur")["first_choices"] == [{"solution": "solution:lens", "strength": 1.0}]


def test_a_narrower_condition_has_the_first_choices_of_its_nearest_narrower_ancestors() -> None:
    kinds = {"disability:ms": "main"} | dict.fromkeys(
        ("disability:asthma", "disability:cough", "disability:dust"), "narrower"
    )
    entities = [entity(node)._replace(facts={"kind": kind}) for node, kind in kinds.items()]
    broader = {
        "disability:cough": "disability:asthma",
        "disability:dust": "disability:ms",
        "disability:asthma": "disability:ms",
    }
    chosen = {id_: (FirstChoice(id_, f"solution:{id_}", 1.0),) for id_ in ("disability:ms", "disability:asthma")}
    graph = graph_of(
        entities,
        hierarchy=Hierarchy.from_links(Link("broader", *ends, "editorial", ()) for ends in broader.items()),
        editorial=EditorialChoices(first_choices_by_seed=chosen),
    )
    cough, dust = (statistics(graph, graph.nodes[id_], {}) for id_ in ("disability:cough", "disability:dust"))
    assert cough["first_choices"] == [{"solution": "solution:disability:asthma", "strength": 1.0}]
    assert "first_choices" not in dust  # those of a main condition come with its lists


@pytest.mark.parametrize("node", ["disability:covid", "vendor:v"])
def test_other_entities_have_no_statistics(node: str) -> None:
    assert statistics_of(node) == {}


def test_statistics_are_those_of_the_world(written: Written) -> None:
    sight = written[SIGHT]
    # two of five conditions are listed under it, and as many have it
    assert (sight["specificity"], sight["listing_conditions"], sight["rarity"]) == (log(3.5), 2, log(3.5))
    magnifier = written["solution:screen-magnification-software"]
    assert magnifier["rarity"] == pytest.approx(log(5 / 2) / log(5))
    assert written[SCLEROSIS]["main_needs"] == [FATIGUE]
