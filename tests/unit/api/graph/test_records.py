"""Records of the test world, from the documents of their entities and the first pages of their edges."""

from dataclasses import replace

import orjson
import pytest

from api import about, models
from api.engine.release import Release
from api.graph.records import RecordParts, build_record
from api.http.envelope import provenance
from indexer.documents.builder import build_documents
from indexer.documents.facts import source_line
from indexer.graph.model import Graph
from schema.edge_documents import edge_page_id
from schema.entity_kinds import SETTINGS
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary
from tests.support.listings import as_read
from tests.support.search_responses import RELEASE
from tests.support.small_graphs import edge, entity, graph_of
from tests.support.written_documents import CHRONIC, LOW_VISION, RELAPSING, SCLEROSIS, Written

ENVELOPE = {"provenance": provenance(None, ()), "notice": about.notice("https://advice.example.org/")}


@pytest.fixture(scope="module")
def release(graph: Graph) -> Release:
    return replace(RELEASE, sources={source.id: source_line(source) for source in graph.sources.values()})


def parts_of(written: Written, vocabulary: Vocabulary, node: str) -> RecordParts:
    document = as_read(written[node])
    names = [edge.name for edge in vocabulary.edges_from(document["type"])]
    return RecordParts.parse(document, [as_read(written.get(edge_page_id(node, name, 0))) for name in names])


def record_of(written: Written, vocabulary: Vocabulary, release: Release, node: str) -> JsonObject:
    """Return the record of an entity as clients read it, without what it inherits."""
    record: JsonObject = as_read(build_record(vocabulary, release, parts_of(written, vocabulary, node)))
    models.Record.model_validate({**record, **ENVELOPE})
    return record


def test_a_record_has_the_facts_and_edges_of_its_entity(
    written: Written, vocabulary: Vocabulary, release: Release
) -> None:
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
    sold = {"weight": 1.0, "basis": "source", "sources": ["fair"]}
    products = ["product:largeview-magnifier", "product:largeview-pocket"]
    assert record_of(written, vocabulary, release, "vendor:brightline-access") == {
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


def test_a_record_names_the_sources_of_the_entity_of_its_edges_and_of_what_else_it_shows(
    written: Written, vocabulary: Vocabulary, release: Release
) -> None:
    parts = parts_of(written, vocabulary, LOW_VISION)
    sources = build_record(vocabulary, release, parts)["sources"]
    assert [source["id"] for source in sources] == ["atlas", "editors", "fair"]
    assert sources[1]["url"] is None
    brightline = parts_of(written, vocabulary, "vendor:brightline-access")
    brightline.sources += ["fair", "atlas"]
    shown = build_record(vocabulary, release, brightline)["sources"]
    assert [source["id"] for source in shown] == ["fair", "atlas"]


def test_a_record_has_the_settings_attributes_and_groupings_of_its_entity(
    written: Written, vocabulary: Vocabulary, release: Release
) -> None:
    checklists = record_of(written, vocabulary, release, "solution:checklists")
    assert checklists["settings"] == [*SETTINGS]
    assert checklists["attributes"] == {"kind": "strategy"}
    telework = record_of(written, vocabulary, release, "solution:telework")
    assert telework["aliases"] == [{"text": "Working from Home", "kind": "lay", "source": "atlas"}]
    assert record_of(written, vocabulary, release, "disability:crohns-disease")["groupings"] == [
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
    assert "groupings" not in record_of(written, vocabulary, release, LOW_VISION)


def test_edges_have_the_order_of_the_vocabulary_and_the_types_of_all_their_targets(
    written: Written, vocabulary: Vocabulary, release: Release
) -> None:
    record = record_of(written, vocabulary, release, "solution:telework")
    (group,) = record["edges"]
    assert (group["name"], group["target_types"]) == (
        "recommended_for",
        ["disability", "limitation", "workrelatedfunction"],
    )
    names = [group["name"] for group in record_of(written, vocabulary, release, LOW_VISION)["edges"]]
    assert names == ["has_limitation", "affects", "recommends", "narrower"]


@pytest.mark.parametrize(
    ("node", "inherits"),
    [
        (LOW_VISION, []),
        ("limitation:vision-impairment", [("limitation:low-vision", "narrower")]),
        (RELAPSING, [(SCLEROSIS, "broader")]),
        (CHRONIC, [(LOW_VISION, "broader"), (SCLEROSIS, "broader")]),
    ],
)
def test_a_record_names_the_entities_whose_lists_it_uses(
    written: Written, vocabulary: Vocabulary, release: Release, node: str, inherits: list[tuple[str, str]]
) -> None:
    names = {owner: orjson.loads(written[owner]["card"])["name"] for owner, _ in inherits}
    expected = [{"id": owner, "name": names[owner], "relation": relation} for owner, relation in inherits]
    assert record_of(written, vocabulary, release, node)["inherits"] == expected


@pytest.mark.parametrize(
    ("relations", "shown"),
    [
        (["narrower", "narrower"], [0, 1]),
        (["broader"], []),  # it has statements about school, so its lists are merged only by recommend
        (["broader", "similar"], []),
    ],
)
def test_a_condition_that_inherits_no_lists_names_only_those_that_it_covers(
    relations: list[str], shown: list[int]
) -> None:
    owners = [
        {"id": f"disability:{index}", "name": "Other", "relation": relation} for index, relation in enumerate(relations)
    ]
    parts = RecordParts.parse({"type": "disability", "inherits": owners}, [])
    assert parts.inherits == [owners[index] for index in shown]
    assert RecordParts.parse({"type": "limitation", "inherits": owners}, []).inherits == owners


def test_the_similarity_of_an_owner_is_not_shown() -> None:
    owner = {"id": "limitation:b", "name": "B", "relation": "similar"}
    parts = RecordParts.parse({"type": "limitation", "inherits": [owner | {"similarity": 0.8}]}, [])
    assert parts.inherits == [owner]


def hub(size: int) -> Graph:
    """Return a vendor with `size` products; `rank` numbers the edges, so that two nodes are enough."""
    vendor, product = entity("vendor:hub"), entity("product:thing", family="mainstream")
    edges = [edge("sells", vendor.id, product.id, rank=number) for number in range(size)]
    return graph_of([vendor, product], edges)


@pytest.mark.parametrize(("size", "shown"), [(1, 1), (10, 10), (11, 10), (250, 10)])
def test_the_record_of_a_hub_shows_ten_edges_and_the_total(vocabulary: Vocabulary, size: int, shown: int) -> None:
    documents = dict(build_documents(hub(size), vocabulary))
    (group,) = build_record(vocabulary, RELEASE, parts_of(documents, vocabulary, "vendor:hub"))["edges"]
    assert [item["rank"] for item in group["items"]] == list(range(shown))
    assert group["total"] == size


def test_merged_edges_take_the_place_of_pages(written: Written, vocabulary: Vocabulary, release: Release) -> None:
    parts = parts_of(written, vocabulary, RELAPSING)
    assert list(parts.edges) == ["broader"]
    parent = parts_of(written, vocabulary, SCLEROSIS)
    parts.edges["recommends"], parts.totals["recommends"] = parent.edges["recommends"], parent.totals["recommends"]
    recommends, broader = build_record(vocabulary, release, parts)["edges"]
    assert (recommends["name"], recommends["total"], recommends["target_types"]) == ("recommends", 4, ["solution"])
    assert recommends["url"] == "/disability/relapsing-remitting-multiple-sclerosis/neighbors?edge=recommends"
    assert broader["name"] == "broader"
