"""Pages of edges: at most 100 nested edges in order, the card of each target, and facts that only some edges have."""

import orjson
import pytest

from api import models
from api.graph.edges import edge_item
from indexer.content.rows import Alias
from indexer.documents.edge_pages import edge_pages, nested_edge
from indexer.documents.entity import EntityCard
from indexer.graph.model import Graph
from indexer.graph.needs import School, Statement
from schema.edge_documents import EDGE_FACTS, EDGE_PAGE_SIZE, NestedEdge
from schema.entity_kinds import SETTINGS
from schema.vocabulary import Vocabulary
from tests.support.market_findings import BAND, finding
from tests.support.small_graphs import edge, entity, graph_of
from tests.support.written_documents import ADHD, SCLEROSIS, Written, edges_of, of_kind

NOT_CHECKED = {"status": "unverified", "checked": None, "method": None, "evidence": None, "note": None}
PAGES = "https://school.example.org"
NAMED_WEIGHTS = {"disability:d": 0.75, "limitation:l": 0.5}


def test_a_page_has_its_entity_and_the_edges_of_one_name(written: Written) -> None:
    body = dict(written[f"{ADHD}/recommends/0"])
    edges = body.pop("edges")
    assert body == {
        "doc": "edges",
        "owner": [ADHD],
        "entity": ADHD,
        "entity_type": "disability",
        "entity_names": ["Attention Deficit/Hyperactivity Disorder", "ADHD", "Attention Deficit Disorder"],
        "sort_name": f"0attention deficit/hyperactivity disorder\t{ADHD}",
        "card": written[ADHD]["card"],
        "sources": ["atlas", "editors", "pages"],
        "edge": "recommends",
        "page": 0,
        "total": 5,
    }
    assert edges[2] == {
        "target": "solution:checklists",
        "target_type": "solution",
        "target_name": "Checklists",
        "target_slug": "checklists",
        "target_summary": "A list of the steps of a task to tick off one by one.",
        "target_settings": [*SETTINGS],
        "target_sources": ("atlas",),
        "target_total": 3,  # recommended for two limitations as well
        "order": 2,
        "weight": 0.8971,
        "basis": "source",
        "sources": ("atlas",),
        "via": ("limitation:attentiveness-concentration", "limitation:memory-loss"),
        "school_basis": "source",
        "school_sources": ("pages",),
        "read_at": (f"{PAGES}/adhd",),
        "school_weight": pytest.approx(0.5 + (1 + 2 / 3) / 4 / 2),  # one of two pages, smoothed toward a third
    }


def test_a_page_names_every_id_and_shown_alias_of_its_entity(written: Written) -> None:
    job = written["occupation:15-1252.00/requires/0"]
    assert job["owner"] == [f"occupation:{form}" for form in ("15-1252.00", "software-developers", "15-1252")]
    assert (job["entity"], job["entity_names"]) == (
        "occupation:15-1252.00",
        ["Software Developers", "Software Engineer"],
    )
    eye = written["disability:optic-neuritis/broader/0"]
    assert eye["owner"] == ["disability:optic-neuritis", "disability:DOID:1210"]
    assert eye["entity_names"] == ["Optic Neuritis", "inflamed optic nerve", "MS"]  # and no hidden alias
    # a retired id is a redirect
    assert written["solution:telework/recommended_for/0"]["owner"] == ["solution:telework"]


def test_an_edge_has_the_facts_of_its_kind(written: Written) -> None:
    (app,) = edges_of(written, "solution:checklists", "implemented_by")
    assert (app["reason"], app["basis"]) == ("It shows a checklist one step at a time.", "editorial")
    (near_vision, *_) = edges_of(written, "occupation:15-1252.00", "requires")
    assert (near_vision["importance"], near_vision["level"], near_vision["weight"]) == (3.88, 4.0, 0.776)
    (related,) = edges_of(written, "occupation:15-1252.00", "related_occupation")
    assert (related["tier"], related["rank"]) == ("primary-short", 1)
    breaks, flexible, telework = edges_of(written, "limitation:decreased-stamina-fatigue", "recommends")
    assert [edge["pages"] for edge in (breaks, flexible, telework)] == [3, 2, 1]
    choices = {
        edge["target"]: edge["first_choice"] for edge in edges_of(written, "limitation:memory-loss", "recommends")
    }
    assert choices == {"solution:written-instructions": 1.0, "solution:checklists": 0.5}
    main = {edge["target"] for edge in edges_of(written, SCLEROSIS, "has_limitation") if edge.get("main")}
    assert main == {"limitation:decreased-stamina-fatigue"}


def test_only_edges_to_products_and_vendors_have_a_market_verification(written: Written) -> None:
    for body in of_kind(written, "edges").values():
        for nested in body["edges"]:
            assert nested.get("target_market") == (
                NOT_CHECKED if nested["target_type"] in {"product", "vendor"} else None
            )


def test_an_edge_has_the_market_finding_of_its_target() -> None:
    card = EntityCard.of(entity(BAND, family="ergonomic"), finding("gone"))
    nested = nested_edge(graph_of([]), edge("implemented_by", "solution:s", BAND), card, 0, 1)
    assert nested["target_market"] == card.card["market_verification"]
    assert nested["target_market"]["status"] == "unavailable"


def test_target_total_counts_the_edges_of_the_inverse_at_the_target(written: Written, vocabulary: Vocabulary) -> None:
    for body in of_kind(written, "edges").values():
        inverse = vocabulary.edges[body["edge"]].inverse
        for nested in body["edges"]:
            assert nested["target_total"] == written[f"{nested['target']}/{inverse}/0"]["total"]


@pytest.mark.parametrize(
    ("name", "source", "target", "weight"),
    [
        ("recommends", "disability:d", "solution:s", 0.75),
        ("recommends", "limitation:l", "solution:s", 0.5),
        ("recommends", "disability:d", "solution:t", None),  # it is named for another solution only
        ("recommends", "limitation:m", "solution:s", None),
        ("recommended_for", "solution:s", "disability:d", None),
    ],
)
def test_what_is_named_for_school_has_a_school_weight(
    name: str, source: str, target: str, weight: float | None
) -> None:
    statements = {node: {"solution:s": Statement(value, "source", (), ())} for node, value in NAMED_WEIGHTS.items()}
    graph = graph_of([source, target], school=School(stated=statements))
    nested = nested_edge(graph, edge(name, source, target), EntityCard.of(graph.nodes[target]), 0, 1)
    assert nested.get("school_weight") == weight


def test_a_product_has_its_first_vendor() -> None:
    sold = [edge("sold_by", "product:p", f"vendor:{key}") for key in "ba"]
    graph = graph_of(["solution:s", "product:p", "product:q"], sold)
    cards = {node: EntityCard.of(found) for node, found in graph.nodes.items()}

    def vendor(name: str, source: str, target: str) -> str | None:
        return nested_edge(graph, edge(name, source, target), cards[target], 0, 1).get("vendor")

    assert vendor("implemented_by", "solution:s", "product:p") == "vendor:b"  # the first of its edges
    assert vendor("implemented_by", "solution:s", "product:q") is None
    assert vendor("implements", "product:p", "solution:s") is None


# Lists of any length


def hub(size: int) -> Graph:
    """Return a vendor with `size` products; `rank` numbers the edges, so that two nodes are enough."""
    vendor, product = entity("vendor:hub"), entity("product:thing", family="mainstream")
    edges = [edge("sells", vendor.id, product.id, rank=number) for number in range(size)]
    return graph_of([vendor, product], edges, aliases={vendor.id: (Alias(vendor.id, "The Hub", "lay", ("atlas",)),)})


def pages_of(graph: Graph, vocabulary: Vocabulary, node: str) -> Written:
    cards = {key: EntityCard.of(found) for key, found in graph.nodes.items()}
    return dict(edge_pages(graph, vocabulary, graph.nodes[node], cards))


@pytest.mark.parametrize(
    ("size", "sizes"),
    [
        (1, [1]),
        (EDGE_PAGE_SIZE - 1, [99]),
        (EDGE_PAGE_SIZE, [100]),
        (EDGE_PAGE_SIZE + 1, [100, 1]),
        (250, [100, 100, 50]),
        (2_500, [100] * 25),
    ],
)
def test_the_pages_of_a_hub_contain_all_edges_in_order(vocabulary: Vocabulary, size: int, sizes: list[int]) -> None:
    pages = pages_of(hub(size), vocabulary, "vendor:hub")
    assert list(pages) == [f"vendor:hub/sells/{number}" for number in range(len(sizes))]
    assert [body["page"] for body in pages.values()] == list(range(len(sizes)))
    assert [len(body["edges"]) for body in pages.values()] == sizes
    assert {body["total"] for body in pages.values()} == {size}
    edges = [nested for body in pages.values() for nested in body["edges"]]
    assert [(nested["order"], nested["rank"]) for nested in edges] == [(number, number) for number in range(size)]
    assert {(body["sort_name"], *body["entity_names"]) for body in pages.values()} == {
        ("0hub\tvendor:hub", "Hub", "The Hub")
    }


def test_each_edge_name_counts_from_zero(written: Written) -> None:
    pages = of_kind(written, "edges")
    assert len(pages) > 50
    for key, body in pages.items():
        assert key == f"{body['entity']}/{body['edge']}/{body['page']}"
        assert [nested["order"] for nested in body["edges"]] == list(range(body["total"]))


def test_the_names_of_an_entity_have_american_spellings(vocabulary: Vocabulary) -> None:
    hub = entity("disability:hub", "Brain Tumours")
    aliases = {hub.id: (Alias(hub.id, "growth in the grey matter", "lay", ()),)}
    graph = graph_of([hub, "limitation:l"], [edge("has_limitation", hub.id, "limitation:l")], aliases=aliases)
    (page,) = pages_of(graph, vocabulary, hub.id).values()
    assert page["entity_names"] == ["Brain tumors", "growth in the gray matter"]


def test_an_entity_without_edges_has_no_pages(vocabulary: Vocabulary) -> None:
    assert pages_of(hub(0), vocabulary, "vendor:hub") == {}


# The service knows every member


def test_edges_have_the_members_that_the_schema_declares(written: Written) -> None:
    edges = [nested for body in of_kind(written, "edges").values() for nested in body["edges"]]
    required, optional = NestedEdge.__required_keys__, NestedEdge.__optional_keys__
    for nested in edges:
        assert required <= nested.keys() <= required | optional
    assert {name for nested in edges for name in nested} == (required | optional) - {"editorial_via"}  # of the editors
    assert set(EDGE_FACTS) <= optional


def test_every_edge_matches_the_model_of_neighbors(written: Written) -> None:
    for body in of_kind(written, "edges").values():
        models.Card.model_validate(orjson.loads(body["card"]))
        for nested in orjson.loads(orjson.dumps(body["edges"])):
            models.Neighbor.model_validate(edge_item(nested))


def test_an_edge_shows_the_card_of_its_target(written: Written) -> None:
    for body in of_kind(written, "edges").values():
        for nested in body["edges"]:
            card = orjson.loads(written[nested["target"]]["card"])
            assert card.items() <= edge_item(nested).items()
