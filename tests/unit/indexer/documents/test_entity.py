"""The document of an entity: its card, its query-independent score, and what a search hit shows."""

import base64
from typing import Any

import orjson
import pytest

from indexer.content.rows import Alias, Entity, FirstChoice
from indexer.documents.entity import EntityCard, Inheritance, document_prior, entity_document, static_rank
from indexer.graph.model import Graph
from schema.document_ids import ASSISTIVE_BOOST, TYPE_BOOSTS
from schema.edge_documents import MAX_ARRAY_LENGTH
from schema.json_types import JsonObject
from tests.support.market_findings import BAND, finding
from tests.support.small_graphs import edge, entity, graph_of
from tests.support.written_documents import EYE, LOW_VISION, SCLEROSIS, Written, of_kind


def test_an_entity_has_one_document(written: Written) -> None:
    """What records show is in `test_facts.py`, what searches match in `test_search_fields.py`."""
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
    prior = 128 + 8 * 3 / 43  # a vendor, with two edges
    assert payload_of(document) == {
        "card": card,
        "aliases": [],
        "words": " brightline access",
        "sources": ["fair"],
        "prior": round(prior, 2),
        "standing": round(prior, 2),
    }
    products = ["product:largeview-magnifier", "product:largeview-pocket"]
    searched = {
        *("type", "kind", "ids", "owner", "keys", "names", "spelling", "related", "joined", "family", "settings"),
        *("groupings", "description", "wording", "display_name", "british", "hit"),
    }
    assert {name: value for name, value in document.items() if name not in searched} == {
        **{name: [] for name in ("alias_details", "attributes", "grouping_details")},
        "doc": "entity",
        "entity": "vendor:brightline-access",
        "summaries": {"short": "Makes programs and devices for people who see little."},
        "external_ids": {"page": "https://fair.example.org/brightline"},
        "linked": products,
        "sells": products,
        "popularity": 3,
        "prior": prior,
        "standing": prior,
        "position": 0,
        "sources": ["fair"],
        "edge_sources": ["fair"],
    }


def payload_of(document: JsonObject) -> dict[str, Any]:
    """Return what a search reads of a hit."""
    payload: dict[str, Any] = orjson.loads(base64.b64decode(document["hit"]))
    return payload


def document_of(graph: Graph, node: str, inheritance: Inheritance | None = None) -> JsonObject:
    found = graph.nodes[node]
    return entity_document(graph, found, 0, EntityCard.of(found), inheritance or Inheritance(), {})


# What a search reads of a hit


def test_a_hit_has_its_names_without_hidden_ones(written: Written) -> None:
    assert payload_of(written[EYE])["aliases"] == ["inflamed optic nerve", "MS"]
    assert "cripple" not in str([payload_of(body) for body in of_kind(written, "entity").values()])


def test_job_titles_are_apart_from_aliases(written: Written) -> None:
    job = payload_of(written["occupation:15-1252.00"])
    assert (job["aliases"], job["titles"]) == ([], ["Software Engineer"])
    nurse = entity("occupation:29-1141.00")
    aliases = tuple(Alias(nurse.id, text, kind, ("atlas",)) for text, kind in (("Nurse", "lay"), ("RN", "title")))
    found = payload_of(document_of(graph_of([nurse], aliases={nurse.id: aliases}), nurse.id))
    assert (found["aliases"], found["titles"]) == (["Nurse"], ["RN"])
    # the words of the name, the aliases and the titles
    assert found["words"].split("\n")[1:] == [" nurse", " rn"]


def test_a_solution_has_the_names_of_the_needs_that_an_explanation_may_name(written: Written) -> None:
    assert payload_of(written["solution:checklists"])["needs"] == ["Attentiveness/Concentration", "Memory Loss"]
    solution, need, condition = entity("solution:s"), entity("limitation:pain"), entity("disability:d", "Dyslexia")
    edges = [edge("recommended_for", solution.id, need.id, 1.0)]
    choices = (FirstChoice(condition.id, solution.id, 1.0), FirstChoice(need.id, solution.id, 1.0))
    graph = graph_of([solution, need, condition], edges, first_choices=choices)
    assert payload_of(document_of(graph, solution.id))["needs"] == ["Pain", "Dyslexia"]


def test_a_narrower_condition_has_the_names_of_those_that_it_inherits_from(written: Written) -> None:
    assert payload_of(written[EYE])["broader"] == ["Low Vision", "Multiple Sclerosis"]
    assert "broader" not in payload_of(written[LOW_VISION])


@pytest.mark.parametrize(("family", "expected"), [("mainstream", True), ("assistive", False), ("ergonomic", False)])
def test_a_mainstream_product_is_marked(family: str, *, expected: bool) -> None:
    graph = graph_of([entity("product:clock", family=family)])
    assert payload_of(document_of(graph, "product:clock")).get("mainstream", False) is expected


@pytest.mark.parametrize(
    ("kind", "expected"), [("product", False), ("product|service", False), ("service", True), ("strategy", True)]
)
def test_a_solution_that_is_no_product_is_marked(kind: str, *, expected: bool) -> None:
    graph = graph_of([entity("solution:help", kind=kind)])
    assert payload_of(document_of(graph, "solution:help")).get("is_no_product", False) is expected


def test_the_payload_has_only_what_the_entity_has(written: Written) -> None:
    members = {"card", "aliases", "words", "sources", "prior", "standing"}
    optional = {"titles", "needs", "broader", "mainstream", "is_no_product"}
    for body in of_kind(written, "entity").values():
        payload = payload_of(body)
        assert members <= set(payload) <= members | optional
        assert payload["card"] == orjson.loads(body["card"])
        assert payload["sources"] == list(body["sources"])
        assert all(payload[name] for name in optional & set(payload))


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


FAMILIAR, UNFAMILIAR = Inheritance([SCLEROSIS], is_familiar=True), Inheritance([SCLEROSIS])


@pytest.mark.parametrize(
    ("kind", "inheritance", "standing"),
    [
        ("narrower", FAMILIAR, TYPE_BOOSTS["disability"] + ASSISTIVE_BOOST),  # "dyslexia" is well known
        ("narrower", UNFAMILIAR, None),
        ("main", FAMILIAR, None),
    ],
)
def test_a_familiar_narrower_condition_is_completed_like_a_main_one(
    kind: str, inheritance: Inheritance, standing: float | None
) -> None:
    graph = graph_of([entity("disability:a", kind=kind), SCLEROSIS])
    document = document_of(graph, "disability:a", inheritance)
    assert document["standing"] == (document["prior"] if standing is None else standing)
    assert payload_of(document)["standing"] == round(document["standing"], 2)
