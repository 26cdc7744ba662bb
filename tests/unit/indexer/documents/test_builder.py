"""The documents of a graph: their kinds, their contents, and the models of the API."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from api import about, models
from api.http.envelope import provenance
from api.recommend.explanations import explain_related
from indexer.content.rows import Alias, Content, Link, Recommendation, Source
from indexer.documents.builder import build_documents, count_documents
from indexer.graph.inheritance import INHERITED_PREVIEW
from indexer.graph.model import Graph
from schema.codec import unpack
from schema.vocabulary import Vocabulary
from tests.support.small_graphs import built, edge, entity, graph_of
from tests.support.written_documents import (
    ADHD,
    LOW_VISION,
    RELAPSING,
    SCLEROSIS,
    Written,
    needs_of,
    of_kind,
    record_of,
)

EYE, CHRONIC = "disability:optic-neuritis", "disability:chronic-optic-neuritis"
EYE_NAMES = ("Optic Neuritis", "inflamed optic nerve", "MS", "eye cripple")

ATLAS = Source("atlas", "Atlas", "", "", "CC0-1.0", "", "")
ENVELOPE = {"provenance": provenance(None, ()), "notice": about.notice("https://advice.example.org/")}
PAGED = {"limit": 100, "offset": 0, "next": None, "prev": None, **ENVELOPE}


def as_read(body: object) -> Any:  # noqa: ANN401 - any JSON value
    return orjson.loads(orjson.dumps(body))


# Which documents there are


@pytest.mark.parametrize(
    ("node", "parts"),
    [
        (
            LOW_VISION,
            ["inherited", "has_limitation/0", "affects/0", "recommends/0", "narrower/0", "needs", "related"],
        ),
        (RELAPSING, ["broader/0", "needs"]),
        ("disability:optic-neuritis", ["broader/0", "narrower/0", "needs"]),
        ("limitation:blind", ["limitation_of/0", "broader/0", "needs"]),
        ("workrelatedfunction:commute", ["affected_by/0", "recommends/0", "needs"]),
        ("solution:telework", ["recommended_for/0", "products"]),
        ("product:hushband-headset", ["implements/0", "sold_by/0"]),
        ("vendor:quiet-works", ["sells/0"]),
        ("occupation:15-1252.00", ["requires/0", "related_occupation/0", "related_occupation_of/0", "needs"]),
        ("ability:1.A.3.b.1", ["required_by/0", "limited_by/0"]),
    ],
)
def test_an_entity_has_the_documents_of_its_type(written: Written, node: str, parts: list[str]) -> None:
    assert [key for key in written if key.startswith(f"{node}/")] == [f"{node}/{part}" for part in ("record", *parts)]
    assert node in written


def test_every_entity_and_every_retired_id_has_a_document(written: Written, content: Content) -> None:
    assert set(of_kind(written, "entity")) == {entity.id for entity in content.entities}
    assert of_kind(written, "moved") == {
        "disability:add": {"doc": "moved", "moved_to": ADHD},
        "solution:working-from-home": {"doc": "moved", "moved_to": "solution:telework"},
    }


def test_ids_are_unique_and_the_count_is_right(graph: Graph, vocabulary: Vocabulary) -> None:
    keys = [key for key, _ in build_documents(graph, vocabulary)]
    assert len(set(keys)) == len(keys) == count_documents(graph)


def test_the_mapping_has_every_field(written: Written, mappings: Path) -> None:
    known = orjson.loads((mappings / "entities.json").read_bytes())["mappings"]["properties"]
    copied, exported, added_by_the_build = {"names", "spelling", "everything"}, {"files", "piece"}, {"answer"}
    metadata = {"changes", "ledger", "digests"}
    fields = {field for body in written.values() for field in body}
    assert fields == known.keys() - copied - exported - added_by_the_build - metadata


# What search and records read


def test_an_entity_has_a_search_document_and_a_record(written: Written) -> None:
    products = ["product:largeview-magnifier", "product:largeview-pocket"]
    card = {
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
    document = dict(written["vendor:brightline-access"])
    body = dict(written["vendor:brightline-access/record"])
    record = body.pop("record")
    assert body == {"doc": "record", "owner": document["ids"][:1], "sources": ["fair"]}
    assert document.pop("reach")
    assert orjson.loads(document.pop("card")) == card
    empty = ("kind", "aliases", "short_forms", "hidden", "family", "settings", "groupings", "alias_list")
    assert document == {
        **{name: [] for name in empty},
        "doc": "entity",
        "type": "vendor",
        "ids": ["vendor:brightline-access", "brightline-access"],
        "name": "Brightline Access",
        "context": ["Software", "Screen Magnification Software", "Devices"],  # of its products
        "joined": ["LargeView Magnifier", "LargeView Pocket", "Screen Magnification Software"],
        "description": "Makes programs and devices for people who see little.",
        "linked": products,
        "popularity": 3,
        "prior": 128 + 8 * 3 / 43,  # a vendor, with two edges
        "standing": 128,
        "position": 0,
        "sources": ["fair"],
    }
    sold = {"weight": 1.0, "basis": "source", "sources": ["fair"]}
    assert record == {
        **card,
        "summaries": {"short": "Makes programs and devices for people who see little."},
        **{name: [] for name in ("aliases", "accommodation_ideas", "inherits")},
        "attributes": {},
        "edges": [
            {
                "name": "sells",
                "label": "makes or sells",
                "direction": "in",
                "target_types": ["product"],
                "total": 2,
                "items": [{**orjson.loads(written[product]["card"]), **sold} for product in products],
                "url": "/vendor/brightline-access/neighbors?edge=sells",
            }
        ],
        "sources": [
            {
                "id": "fair",
                "title": "Catalogue of the Access Fair",
                "url": "https://fair.example.org/catalogue",
                "licence": "CC-BY-4.0",
                "licence_url": "https://creativecommons.org/licenses/by/4.0/",
                "attribution": "Product facts from the Access Fair.",
            }
        ],
        "external_ids": {"page": "https://fair.example.org/brightline"},
    }


def test_an_entity_has_id_key_and_slug_as_ids(written: Written) -> None:
    forms = ["15-1252.00", "software-developers", "15-1252"]
    full = [f"occupation:{form}" for form in forms]
    assert written["occupation:15-1252.00"]["ids"] == [*full, *forms]
    for part in ("record", "requires/0", "needs"):
        assert written[f"occupation:15-1252.00/{part}"]["owner"] == full


def test_search_finds_an_entity_by_its_retired_ids(written: Written) -> None:
    assert written["solution:telework"]["ids"][-2:] == ["solution:working-from-home", "working-from-home"]
    assert "solution:working-from-home" not in written["solution:telework/record"]["owner"]  # it is a redirect


def test_a_seed_resolves_by_its_names(written: Written) -> None:
    keys = ["limitation:memory-loss", "memory-loss", "Memory Loss", "trouble remembering"]
    assert written["limitation:memory-loss/needs"]["seed_keys"] == keys


def test_the_description_has_all_summaries_and_the_category(written: Written) -> None:
    pocket = written["product:largeview-pocket"]
    assert pocket["description"] == "A hand-held camera that shows print enlarged. Devices"
    assert written["disability:crohns-disease"]["description"].endswith("says little about the next one.")
    assert written["solution:telework"]["aliases"] == ["Working from Home"]


def test_positions_follow_the_names(written: Written) -> None:
    places = {(body["type"], body["position"]): body["name"] for body in of_kind(written, "entity").values()}
    assert [places["ability", place] for place in range(3)] == ["Memorization", "Near Vision", "Stamina"]
    assert [places["disability", place] for place in range(6)] == [
        "Attention Deficit/Hyperactivity Disorder",
        "Crohn's Disease",
        "Guillain-Barré Syndrome",
        "Low Vision",
        "Multiple Sclerosis",
        "Relapsing-Remitting Multiple Sclerosis",
    ]


# Seed data, related conditions and products


def test_an_inheritance_source_lists_its_inheritors(written: Written) -> None:
    assert needs_of(written, RELAPSING)["inheritance_sources"] == [SCLEROSIS]
    names = ["Relapsing-Remitting Multiple Sclerosis", "RRMS", *EYE_NAMES, "Chronic Optic Neuritis"]
    assert written[f"{SCLEROSIS}/needs"]["inheritor_names"] == names
    assert written[f"{SCLEROSIS}/needs"]["inheritor_keys"][:2] == [RELAPSING, RELAPSING.partition(":")[2]]
    assert written[f"{SCLEROSIS}/related"]["inheritor_keys"] == [RELAPSING]  # the conditions whose first source it is
    assert written[f"{LOW_VISION}/related"]["inheritor_keys"] == [EYE, "disability:DOID:1210", CHRONIC]
    totals = {"has_limitation": 3, "affects": 0, "recommends": 4}
    source = {"id": SCLEROSIS, "name": "Multiple Sclerosis", "relation": "broader", "totals": totals}
    assert record_of(written, RELAPSING)["inherits"] == [source]
    assert record_of(written, "limitation:vision-impairment")["inherits"] == [
        {"id": "limitation:low-vision", "name": "Low Vision", "relation": "narrower"}
    ]


def test_a_narrower_condition_has_names_and_codes_only(written: Written) -> None:
    document = written[EYE]
    assert (document["kind"], written[LOW_VISION]["kind"]) == ("narrower", "main")
    assert document["ids"] == [EYE, "disability:DOID:1210", "DOID:1210"]  # its slug without a type ranks as a name
    assert (document["aliases"], document["short_forms"]) == (["inflamed optic nerve"], ["MS"])
    assert (document["hidden"], document["context"]) == (["eye cripple"], ["optic nerve disease"])
    assert (document["description"], document["popularity"]) == ("", 1)
    body = written[f"{EYE}/record"]
    assert body["owner"] == [EYE, "disability:DOID:1210"]
    assert [alias["text"] for alias in body["record"]["aliases"]] == ["inflamed optic nerve", "MS"]
    assert body["record"]["external_ids"] == {"doid": "DOID:1210", "icd10cm": "H46, H46.9", "mesh": "D009902"}
    assert "eye cripple" not in str(body)


def test_a_narrower_condition_counts_what_its_sources_store(written: Written) -> None:
    record = record_of(written, CHRONIC)
    sources = [(source["id"], source["totals"]["recommends"]) for source in record["inherits"]]
    assert sources == [(LOW_VISION, 2), (SCLEROSIS, 4)]
    groups = [(group["name"], group["total"], len(group["items"])) for group in record["edges"]]
    assert groups == [("has_limitation", 4, 0), ("affects", 1, 0), ("recommends", 5, 0), ("broader", 1, 1)]
    assert record["accommodation_ideas"] == []
    inherited = written[f"{LOW_VISION}/inherited"]["inherited"]
    assert [group["name"] for group in inherited["edges"]] == ["has_limitation", "affects", "recommends"]
    assert all(len(idea["solutions"]) <= INHERITED_PREVIEW for idea in inherited["ideas"])


def test_main_conditions_precede_narrower_ones(written: Written) -> None:
    listed = [body for body in of_kind(written, "entity").values() if body["type"] == "disability"]
    listed.sort(key=lambda body: body["position"])
    assert [body["kind"] for body in listed] == ["main"] * 6 + ["narrower"] * 2
    pages = (body for body in of_kind(written, "edges").values() if body["of"] == SCLEROSIS)
    targets = [target for body in pages for target in body["targets"] if target != EYE]
    assert written[SCLEROSIS]["popularity"] == 1 + len(targets)


def test_a_need_in_a_listing_only_is_a_need_too(vocabulary: Vocabulary) -> None:
    nodes = ("disability:d", "limitation:l", "solution:s")
    listed = (Recommendation(*nodes, "", ("atlas",)),)
    graph = built(vocabulary, nodes, recommendations=listed, sources=(ATLAS,))
    needs = needs_of(dict(build_documents(graph, vocabulary)), "disability:d")
    assert [need["entity"]["id"] for need in needs["needs"]] == ["limitation:l"]


def test_related_conditions_share_limitations_by_name(written: Written) -> None:
    related = written[f"{LOW_VISION}/related"]["related"]
    assert related["entity"]["id"] == LOW_VISION
    ((other, shared),) = (
        (item["id"], [limitation["id"] for limitation in item["shared"]]) for item in related["items"]
    )
    assert (other, shared) == (SCLEROSIS, ["limitation:low-vision"])
    assert f"{RELAPSING}/related" not in written  # it uses the document of its source


def test_shows_assistive_products_of_several_known_vendors_first(vocabulary: Vocabulary) -> None:
    family = {**dict.fromkeys("abcd", "assistive"), **dict.fromkeys("ef", "mainstream")}
    vendors = {"a": "one", "b": "one", "c": "two", "e": "three", "f": "three"}  # d has no known vendor
    products = (entity(f"product:{key}", family=kind) for key, kind in family.items())
    links = (
        *(Link("implemented_by", "solution:s", f"product:{key}", "source", ()) for key in family),
        *(Link("sold_by", f"product:{key}", f"vendor:{vendor}", "source", ()) for key, vendor in vendors.items()),
    )
    others = ("solution:s", "vendor:one", "vendor:two", "vendor:three")
    graph = built(vocabulary, (*others, *products), links=links, sources=(ATLAS,))
    shown = dict(build_documents(graph, vocabulary))["solution:s/products"]["products"]
    assert (shown["sources"], shown["card"]["id"]) == (["atlas"], "solution:s")
    sellers = [(item["slug"], item["vendor"] and item["vendor"]["slug"]) for item in shown["items"]]
    assert sellers == [("a", "one"), ("c", "two"), ("b", "one"), ("d", None), ("e", "three")]


# The API's models know every field


def test_every_record_and_card_matches_its_model(written: Written) -> None:
    for key, body in of_kind(written, "entity").items():
        card = orjson.loads(body["card"])
        models.Card.model_validate(card)
        record = record_of(written, key)
        models.Record.model_validate({**as_read(record), **ENVELOPE})
        assert card.items() <= record.items()
        assert card["id"] == key


def test_every_page_of_edges_matches_its_model(written: Written) -> None:
    pages = of_kind(written, "edges")
    assert len(pages) > 50
    for body in pages.values():
        page = as_read(body["page"])
        response = {"entity": page["entity"], "edge": body["edge"], "results": page["items"], "total": page["total"]}
        models.NeighborPage.model_validate({**response, **PAGED})


def test_needs_products_and_related_conditions_match_their_models(written: Written) -> None:
    for body in of_kind(written, "needs").values():
        needs = unpack(body["needs"])
        for card in (needs["card"], *(need["entity"] for need in needs["needs"])):
            models.Card.model_validate(card)
        for source in needs["inherits"]:
            models.InheritanceSource.model_validate(source)
    for body in of_kind(written, "products").values():
        models.Card.model_validate(body["products"]["card"])
    products = [product for body in of_kind(written, "products").values() for product in body["products"]["items"]]
    assert len(products) == 4
    for product in products:
        models.ProductCard.model_validate(product)
    bodies = [body["related"] for body in of_kind(written, "related").values()]
    related = [(body["entity"], item) for body in bodies for item in body["items"]]
    assert len(related) == 10  # five pairs in both directions
    for condition, other in related:
        models.RelatedCondition.model_validate({**as_read(other), "why": explain_related(condition, other)})


def test_an_editorial_job_name_resolves_with_its_type(vocabulary: Vocabulary) -> None:
    nurse = entity("occupation:29-1141.00")._replace(slug="registered-nurses")
    aliases = tuple(Alias(nurse.id, text, kind, ("atlas",)) for text, kind in (("Nurse", "lay"), ("RN", "title")))
    graph = replace(hub(1), nodes={nurse.id: nurse}, aliases={nurse.id: aliases}, edges={})
    keys = dict(build_documents(graph, vocabulary))[f"{nurse.id}/needs"]["seed_keys"]
    typed = [key.removeprefix("occupation:") for key in keys if key.startswith("occupation:")]
    assert typed == ["29-1141.00", "registered-nurses", "29-1141", "Nurse"]
    assert {"Nurse", "RN"} <= set(keys)


# Hubs


def hub(size: int) -> Graph:
    """Return a vendor with `size` products; `rank` numbers the edges, so that two nodes are enough."""
    vendor, product = entity("vendor:hub"), entity("product:thing", family="mainstream")
    edges = [edge("sells", vendor.id, product.id, rank=number) for number in range(size)]
    alias = Alias(vendor.id, "The Hub", "lay", ("atlas",))
    return graph_of([vendor, product], edges, aliases={vendor.id: (alias,)}, sources={"atlas": ATLAS})


@pytest.mark.parametrize(
    ("size", "pages", "last"), [(1, 1, 1), (99, 1, 99), (100, 1, 100), (101, 2, 1), (250, 3, 50), (2_500, 25, 100)]
)
def test_the_pages_of_a_hub_contain_all_edges(vocabulary: Vocabulary, size: int, pages: int, last: int) -> None:
    graph = hub(size)
    found = dict(build_documents(graph, vocabulary))
    written = [found[f"vendor:hub/sells/{number}"] for number in range(pages)]
    assert [body["number"] for body in written] == list(range(pages))
    assert {len(body["page"]["items"]) for body in written[:-1]} <= {100}
    assert len(written[-1]["page"]["items"]) == last
    assert [item["rank"] for body in written for item in body["page"]["items"]] == list(range(size))
    assert {body["page"]["total"] for body in written} == {size}
    assert len(found) == count_documents(graph) == pages + 4


def test_the_record_of_a_hub_shows_ten_edges_and_the_total(vocabulary: Vocabulary) -> None:
    (group,) = dict(build_documents(hub(250), vocabulary))["vendor:hub/record"]["record"]["edges"]
    assert [item["rank"] for item in group["items"]] == list(range(10))
    assert group["total"] == 250
