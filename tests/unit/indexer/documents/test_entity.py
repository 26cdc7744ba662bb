"""The searchable document of an entity: its ids and names, its card, its query-independent score, and its context."""

from collections.abc import Iterable

import orjson
import pytest

from indexer.content.rows import Alias, Entity
from indexer.documents.entity import (
    MAX_NEEDS,
    EntityCard,
    context_names,
    document_prior,
    entity_document,
    neighbor_names,
    static_rank,
)
from indexer.graph.model import Graph
from schema.document_ids import POPULARITY_BOOST
from schema.edge_documents import MAX_ARRAY_LENGTH
from schema.entity_kinds import SETTINGS
from schema.json_types import JsonObject
from tests.support.market_findings import BAND, finding
from tests.support.small_graphs import edge, entity, graph_of
from tests.support.written_documents import EYE, LOW_VISION, Written, of_kind

FORMS = ["15-1252.00", "software-developers", "15-1252"]
FULL_FORMS = [f"occupation:{form}" for form in FORMS]


def test_an_entity_has_one_document(written: Written) -> None:
    """What records show and the statistics are in `test_facts.py`."""
    document = dict(written["vendor:brightline-access"])
    card = orjson.loads(document.pop("card"))
    assert card == {
        "id": "vendor:brightline-access",
        "type": "vendor",
        "slug": "brightline-access",
        "name": "Brightline Access",
        "summary": "Makes programs and devices for people who see little.",
        "url": "/vendor/brightline-access",
        "market_verification": {
            "status": "unverified", "checked": None, "method": None, "evidence": None, "note": None,
        },
    }  # fmt: skip
    empty = ("kind", "aliases", "short_forms", "hidden", "family", "settings", "groupings", "alias_list", "lookup_keys")
    products = ["product:largeview-magnifier", "product:largeview-pocket"]
    assert document == {
        **{name: [] for name in (*empty, "alias_details", "attributes", "grouping_details")},
        "doc": "entity",
        "entity": "vendor:brightline-access",
        "type": "vendor",
        "ids": ["vendor:brightline-access", "brightline-access"],
        "owner": ["vendor:brightline-access"],
        "name": "Brightline Access",
        "summaries": {"short": "Makes programs and devices for people who see little."},
        "context": ["Software", "Screen Magnification Software", "Devices"],  # of its products
        "joined": ["LargeView Magnifier", "LargeView Pocket", "Screen Magnification Software"],
        "description": "Makes programs and devices for people who see little.",
        "external_ids": {"page": "https://fair.example.org/brightline"},
        "linked": products,
        "sells": products,
        "popularity": 3,
        "prior": 128 + 8 * 3 / 43,  # a vendor, with two edges
        "standing": 128,
        "position": 0,
        "sources": ["fair"],
        "edge_sources": ["fair"],
    }


# Ids and names


def test_an_entity_has_id_key_and_slug_as_ids(written: Written) -> None:
    job = written["occupation:15-1252.00"]
    assert (job["ids"], job["owner"]) == ([*FULL_FORMS, *FORMS], FULL_FORMS)


def test_search_finds_an_entity_by_its_retired_ids(written: Written) -> None:
    telework = written["solution:telework"]
    assert telework["ids"][-2:] == ["solution:working-from-home", "working-from-home"]
    assert telework["owner"] == ["solution:telework"]  # a retired id is a redirect


def test_a_seed_resolves_by_its_names(written: Written) -> None:
    keys = ["limitation:memory-loss", "memory-loss", "Memory Loss", "trouble remembering"]
    assert written["limitation:memory-loss"]["lookup_keys"] == keys
    assert {"inflamed optic nerve", "MS", "eye cripple"} <= {*written[EYE]["lookup_keys"]}  # hidden aliases too
    assert written["disability:attention-deficit-hyperactivity-disorder"]["lookup_keys"][-2:] == [
        "disability:add",  # retired
        "add",
    ]


def test_only_seeds_resolve_by_names(written: Written) -> None:
    with_keys = {body["type"] for body in of_kind(written, "entity").values() if body["lookup_keys"]}
    assert with_keys == {"disability", "limitation", "workrelatedfunction", "occupation"}
    for body in of_kind(written, "entity").values():
        assert bool(body["lookup_keys"]) == (body["type"] in with_keys)


def test_an_editorial_job_name_resolves_with_its_type() -> None:
    nurse = entity("occupation:29-1141.00")._replace(slug="registered-nurses")
    aliases = tuple(Alias(nurse.id, text, kind, ("atlas",)) for text, kind in (("Nurse", "lay"), ("RN", "title")))
    keys = document_of(graph_of([nurse], aliases={nurse.id: aliases}), nurse.id)["lookup_keys"]
    typed = [key.removeprefix("occupation:") for key in keys if key.startswith("occupation:")]
    assert typed == ["29-1141.00", "registered-nurses", "29-1141", "Nurse"]
    assert {"Nurse", "RN"} <= set(keys)


def document_of(graph: Graph, node: str) -> JsonObject:
    found = graph.nodes[node]
    return entity_document(graph, found, 0, EntityCard.of(found), (), {})


def test_a_narrower_condition_has_names_and_codes_only(written: Written) -> None:
    document = written[EYE]
    assert (document["kind"], written[LOW_VISION]["kind"]) == ("narrower", "main")
    assert document["ids"] == [EYE, "disability:DOID:1210", "DOID:1210"]  # its slug without a type ranks as a name
    assert document["owner"] == [EYE, "disability:DOID:1210"]
    assert (document["aliases"], document["short_forms"]) == (["inflamed optic nerve"], ["MS"])
    assert (document["hidden"], document["context"]) == (["eye cripple"], ["optic nerve disease"])
    assert (document["description"], document["popularity"]) == ("", 1)


def test_the_hidden_alias_of_an_entity_is_only_searched(written: Written) -> None:
    searched = ("hidden", "lookup_keys")
    shown = {
        key: {name: value for name, value in body.items() if name not in searched} for key, body in written.items()
    }
    assert "eye cripple" not in str(shown)


def test_the_description_has_all_summaries_and_the_category(written: Written) -> None:
    pocket = written["product:largeview-pocket"]
    assert pocket["description"] == "A hand-held camera that shows print enlarged. Devices"
    assert written["disability:crohns-disease"]["description"].endswith("says little about the next one.")
    assert written["solution:telework"]["aliases"] == ["Working from Home"]


def test_groupings_and_settings_can_be_filtered_by(written: Written) -> None:
    assert written["disability:crohns-disease"]["groupings"] == ["other-health-impairment"]
    checklists = written["solution:checklists"]
    assert checklists["settings"] == orjson.loads(checklists["card"])["settings"] == [*SETTINGS]


@pytest.mark.parametrize(("size", "linked"), [(MAX_ARRAY_LENGTH, MAX_ARRAY_LENGTH), (MAX_ARRAY_LENGTH + 1, 0)])
def test_more_neighbors_than_the_maximum_are_left_out(size: int, linked: int) -> None:
    edges = [edge("required_by", "ability:hub", f"occupation:{number}") for number in range(size)]
    document = document_of(graph_of(["ability:hub"], edges), "ability:hub")
    assert len(document.get("linked", ())) == linked
    assert document["popularity"] == size + 1


# The card


def test_only_products_and_vendors_have_a_market_verification(written: Written) -> None:
    for body in of_kind(written, "entity").values():
        assert ("market_verification" in orjson.loads(body["card"])) == (body["type"] in {"product", "vendor"})


def test_the_members_of_an_edge_are_those_of_the_card() -> None:
    product = EntityCard.of(entity(BAND, family="ergonomic"), finding("gone"))
    assert orjson.loads(product.text) == product.card
    assert product.target == {
        "target": BAND,
        "target_type": "product",
        "target_name": "Hushband-Headset",
        "target_slug": "hushband-headset",
        "target_summary": "",
        "target_market": product.card["market_verification"],
        "target_sources": ("atlas",),
    }
    solution = EntityCard.of(entity("solution:s", settings="work|school"))
    assert solution.target["target_settings"] == solution.card["settings"] == ["work", "school"]
    assert "target_market" not in solution.target


# The prior


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (entity("disability:a", kind="main"), 128 + 96),
        (entity("disability:a"), 128 + 96),
        (entity("disability:a", kind="narrower"), 0),
        (entity("limitation:a"), 128 + 96),
        (entity("workrelatedfunction:a"), 128 + 96),
        (entity("solution:a"), 128 + 64),
        (entity("vendor:a"), 128),
        (entity("product:a", family="assistive"), 128),
        (entity("product:a", family="ergonomic"), 0),
        (entity("product:a", family="mainstream"), 0),
    ],
)
def test_type_and_family_give_the_static_rank(node: Entity, expected: float) -> None:
    assert document_prior(node, 40) == expected + 4
    assert static_rank(node) == expected


def test_popularity_adds_little_and_saturates() -> None:
    vendor = entity("vendor:a")
    assert document_prior(vendor, 40) - document_prior(vendor, 1) > document_prior(vendor, 400) - document_prior(
        vendor, 360
    )
    assert document_prior(vendor, 25_000) - 128 < 8


@pytest.mark.parametrize(("edges", "stored"), [(1, 1), (511, 511), (513, 512), (1027, 1024), (25_000, 24_960)])
def test_popularity_has_the_precision_of_a_rank_feature(edges: int, stored: int) -> None:
    assert document_prior(entity("product:a", family="mainstream"), edges) == POPULARITY_BOOST * stored / (stored + 40)


# The context, computed by hand from the tables of the test world

CONTEXT = {
    # half of the two pages with memory loss list it
    "solution:checklists": ["Attentiveness/Concentration", "Memory Loss", "trouble remembering"],
    # two of three pages with fatigue, one of two with commuting
    "solution:flexible-schedule": ["Decreased Stamina/Fatigue", "tires easily", "Commute to and from Work"],
    # one of three pages with fatigue is too few
    "solution:telework": ["Attentiveness/Concentration", "Commute to and from Work"],
    # the limitation, not the condition of the same name
    "solution:screen-magnification-software": ["Low Vision"],
    "product:hushband-headset": ["Noise Canceling Headsets", "Noise-Cancelling Headphones"],
    "product:largeview-pocket": ["Screen Magnification Software"],
    # both of its products implement the same solution, which is named once and without its aliases
    "vendor:brightline-access": ["Software", "Screen Magnification Software", "Devices"],
    "vendor:quiet-works": ["Software", "Checklists", "Hearing", "Noise Canceling Headsets"],
    # only for school: all needs that it is named for, even rare ones
    "solution:preferential-seating": ["Attentiveness/Concentration", "Low Vision"],
    # its categories
    "disability:crohns-disease": ["Other Health Impairment", "OHI"],
    "disability:multiple-sclerosis": [],
    "limitation:low-vision": [],
    "workrelatedfunction:commute": [],
    "occupation:15-1252.00": [],
    "ability:1.A.4.a.1": [],
}


@pytest.mark.parametrize(("node", "names"), CONTEXT.items(), ids=CONTEXT)
def test_the_context_has_the_names_of_the_nearest_neighbors(graph: Graph, node: str, names: list[str]) -> None:
    assert context_names(graph, graph.nodes[node]) == names


def graph_with(name: str, source: str, targets: Iterable[tuple[str, float]], **aliases: list[str]) -> Graph:
    """Return one entity with edges of one name, in this order, and the aliases of their targets by key."""
    edges = [edge(name, source, target, weight) for target, weight in targets]
    nodes = [item.target for item in edges]
    texts = {node: aliases.get(node.partition(":")[2], []) for node in nodes}
    found = {node: tuple(Alias(node, text, "lay", ()) for text in names) for node, names in texts.items()}
    return graph_of([source, *nodes], edges, aliases=found)


def test_a_solution_has_only_its_first_needs_and_no_conditions() -> None:
    needs = [(f"limitation:l{number}", 1.0) for number in range(MAX_NEEDS)]
    conditions = [(f"disability:d{number}", 1.0) for number in range(MAX_NEEDS)]
    late = ("workrelatedfunction:late", 1.0)
    graph = graph_with("recommended_for", "solution:breaks", [*conditions, *needs, late])
    assert context_names(graph, graph.nodes["solution:breaks"]) == [f"L{number}" for number in range(MAX_NEEDS)]


@pytest.mark.parametrize(("weight", "names"), [(0.5, ["Pain", "aches"]), (0.4999, [])])
def test_a_need_counts_if_half_of_its_pages_list_the_solution(weight: float, names: list[str]) -> None:
    graph = graph_with("recommended_for", "solution:breaks", [("limitation:pain", weight)], pain=["aches"])
    assert context_names(graph, graph.nodes["solution:breaks"]) == names


def test_a_shared_name_occurs_once_where_it_is_nearest() -> None:
    targets, aliases = [("solution:light", 1.0), ("solution:glare", 0.5)], {"light": ["Lighting", "Bright"]}
    graph = graph_with("implements", "product:lamp", targets, **aliases, glare=["Lighting", "Light"])
    assert context_names(graph, graph.nodes["product:lamp"]) == ["Light", "Lighting", "Bright", "Glare"]


@pytest.mark.parametrize("node", ["solution:alone", "product:alone", "vendor:alone"])
def test_an_entity_without_edges_has_no_context(node: str) -> None:
    graph = graph_with("requires", node, [])
    assert context_names(graph, graph.nodes[node]) == []
    assert neighbor_names(graph, graph.nodes[node]) == []


@pytest.mark.parametrize(
    ("node", "names"),
    [("limitation:low-vision", ["Low Vision", "MS", "Multiple Sclerosis"]), ("solution:checklists", [])],
)
def test_joined_names_are_those_of_neighbors(graph: Graph, node: str, names: list[str]) -> None:
    assert neighbor_names(graph, graph.nodes[node]) == names


def test_an_occupation_requires_what_limits_several_of_its_abilities() -> None:
    edges = [
        *(edge("requires", "occupation:a", ability, 0.8) for ability in ("ability:x", "ability:y")),
        *(edge("limited_by", ability, "limitation:standing", 0.5) for ability in ("ability:x", "ability:y")),
        edge("limited_by", "ability:x", "limitation:sitting", 0.5),
    ]
    graph = graph_of(["occupation:a", *dict.fromkeys(item.target for item in edges)], edges)
    assert neighbor_names(graph, graph.nodes["occupation:a"]) == ["Standing", "X", "Y"]
