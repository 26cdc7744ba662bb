"""The documents of a graph: which there are, their order, and the models of the API."""

from dataclasses import replace
from itertools import chain

import orjson
import pytest

from api import about, models
from api.engine.release import Release
from api.graph.records import RecordParts, build_record
from api.http.envelope import provenance
from indexer.content.rows import Alias, Content
from indexer.documents.builder import DocumentBuilder, build_documents, count_documents
from indexer.documents.entity import Inheritance
from indexer.documents.facts import source_line
from indexer.graph.model import Graph
from schema.document_ids import EDGES, ENTITY, MOVED
from schema.edge_documents import EDGE_PAGE_SIZE
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary
from tests.support.search_responses import RELEASE
from tests.support.small_graphs import edge, entity, graph_of
from tests.support.written_documents import ADHD, CHRONIC, EYE, LOW_VISION, RELAPSING, SCLEROSIS, Written, of_kind

ENVELOPE = {"provenance": provenance(None, ()), "notice": about.notice("https://advice.example.org/")}


@pytest.mark.parametrize(
    ("node", "pages"),
    [
        (LOW_VISION, ["has_limitation/0", "affects/0", "recommends/0", "narrower/0"]),
        (RELAPSING, ["broader/0"]),  # what it inherits is stored once, with its source
        (EYE, ["broader/0", "narrower/0"]),
        ("limitation:blind", ["limitation_of/0", "broader/0"]),
        ("workrelatedfunction:commute", ["affected_by/0", "recommends/0"]),
        ("solution:telework", ["recommended_for/0"]),
        ("product:hushband-headset", ["implements/0", "sold_by/0"]),
        ("vendor:quiet-works", ["sells/0"]),
        ("occupation:15-1252.00", ["requires/0", "related_occupation/0", "related_occupation_of/0"]),
        ("ability:1.A.3.b.1", ["required_by/0", "limited_by/0"]),
    ],
)
def test_an_entity_has_a_document_and_pages_of_its_edges(written: Written, node: str, pages: list[str]) -> None:
    assert written[node]["doc"] == ENTITY
    assert [key for key in written if key.startswith(f"{node}/")] == [f"{node}/{page}" for page in pages]
    assert {written[f"{node}/{page}"]["doc"] for page in pages} == {EDGES}


def test_every_entity_and_every_retired_id_has_a_document(written: Written, content: Content) -> None:
    assert set(of_kind(written, ENTITY)) == {entity.id for entity in content.entities}
    assert of_kind(written, MOVED) == {
        "disability:add": {"doc": "moved", "moved_to": ADHD},
        "solution:working-from-home": {"doc": "moved", "moved_to": "solution:telework"},
    }


def test_the_pages_have_every_edge_of_the_graph(written: Written, graph: Graph) -> None:
    pages = of_kind(written, EDGES).values()
    stored = [(page["edge"], page["entity"], nested["target"]) for page in pages for nested in page["edges"]]
    edges = chain.from_iterable(chain.from_iterable(graph.edges.get(node, {}).values()) for node in graph.nodes)
    assert stored == [(edge.name, edge.source, edge.target) for edge in edges]


def test_ids_are_unique_and_the_count_is_right(graph: Graph, vocabulary: Vocabulary) -> None:
    keys = [key for key, _ in build_documents(graph, vocabulary)]
    assert len(set(keys)) == len(keys) == count_documents(graph)


@pytest.mark.parametrize(("size", "pages"), [(0, 0), (1, 1), (EDGE_PAGE_SIZE, 1), (EDGE_PAGE_SIZE + 1, 2), (2_500, 25)])
def test_the_count_includes_all_pages_of_a_hub(vocabulary: Vocabulary, size: int, pages: int) -> None:
    nodes = [entity("vendor:hub"), entity("product:thing", family="mainstream")]
    edges = [edge("sells", "vendor:hub", "product:thing", rank=number) for number in range(size)]
    graph = replace(graph_of(nodes, edges), redirects={"vendor:old": "vendor:hub"})
    documents = dict(build_documents(graph, vocabulary))
    assert [key for key in documents if "/sells/" in key] == [f"vendor:hub/sells/{number}" for number in range(pages)]
    assert len(documents) == count_documents(graph) == pages + 3


def name_of(body: JsonObject) -> str:
    name: str = orjson.loads(body["card"])["name"]
    return name


def test_positions_follow_the_names(written: Written) -> None:
    places = {(body["type"], body["position"]): name_of(body) for body in of_kind(written, ENTITY).values()}
    assert [places["ability", place] for place in range(3)] == ["Memorization", "Near Vision", "Stamina"]
    assert [places["disability", place] for place in range(8)] == [
        "Attention Deficit/Hyperactivity Disorder",
        "Crohn's Disease",
        "Guillain-Barré Syndrome",
        "Low Vision",
        "Multiple Sclerosis",
        "Relapsing-Remitting Multiple Sclerosis",
        "Chronic Optic Neuritis",  # main conditions precede narrower ones
        "Optic Neuritis",
    ]


def test_pages_sort_by_the_name_of_their_entity(written: Written) -> None:
    names = {page["sort_name"]: written[page["entity"]] for page in of_kind(written, EDGES).values()}
    ordered = [names[place] for place in sorted(names)]
    assert [name_of(body) for body in ordered[:4]] == [
        "Attention Deficit/Hyperactivity Disorder",
        "Attentiveness/Concentration",
        "Blind",
        "Brightline Access",
    ]
    assert [body["ids"][0] for body in ordered[-2:]] == [CHRONIC, EYE]
    for type_name in {body["type"] for body in ordered}:  # the order of a list is part of it
        positions = [body["position"] for body in ordered if body["type"] == type_name]
        assert positions == sorted(positions)


def test_edges_to_narrower_conditions_do_not_count_as_popularity(written: Written) -> None:
    listed = [body for body in of_kind(written, ENTITY).values() if body["type"] == "disability"]
    assert {body["kind"] for body in listed} == {"main", "narrower"}
    arrays = ("has_limitation", "affects", "recommends", "broader", "narrower")
    targets = [target for name in arrays for target in written[SCLEROSIS].get(name, ())]
    assert written[SCLEROSIS]["popularity"] == 1 + len(targets) - targets.count(EYE)
    assert written[EYE]["popularity"] == 1


def test_conditions_know_what_inherits_from_them_and_which_names_are_familiar(vocabulary: Vocabulary) -> None:
    nodes = [
        entity("disability:main", "Learning Disability", kind="main"),
        entity("disability:known", "Dyslexia", kind="narrower"),
        entity("disability:unknown", "Rare Disorder", kind="narrower"),
    ]
    edges = [
        *(edge("broader", node.id, "disability:main") for node in nodes[1:]),
        *(edge("narrower", "disability:main", node.id) for node in nodes[1:]),
    ]
    aliases = {
        "disability:main": (Alias("disability:main", "dyslexia", "lay", ()),),
        "disability:known": (Alias("disability:known", "Rare disorder", "lay", ()),),  # of a narrower condition
    }
    builder = DocumentBuilder.from_graph(graph_of(nodes, edges, aliases=aliases), vocabulary)
    assert builder.inheritance == {
        "disability:known": Inheritance(("disability:main",), is_familiar=True),
        "disability:unknown": Inheritance(("disability:main",), is_familiar=False),
    }
    assert builder.search_fields.inheritors == {"disability:main": ["disability:known", "disability:unknown"]}


# The API's models know every field


def release_of(graph: Graph) -> Release:
    return replace(RELEASE, sources={source.id: source_line(source) for source in graph.sources.values()})


def test_every_record_and_card_matches_its_model(written: Written, graph: Graph, vocabulary: Vocabulary) -> None:
    release = release_of(graph)
    for key, body in of_kind(written, ENTITY).items():
        document = orjson.loads(orjson.dumps(body))
        pages = [page for page in of_kind(written, EDGES).values() if page["entity"] == key and page["page"] == 0]
        record = build_record(vocabulary, release, RecordParts.parse(document, orjson.loads(orjson.dumps(pages))))
        models.Record.model_validate({**record, **ENVELOPE})
        card = orjson.loads(body["card"])
        models.Card.model_validate(card)
        assert card.items() <= record.items()
        assert card["id"] == key
        assert [group["name"] for group in record["edges"]] == [page["edge"] for page in pages]
        assert [group["total"] for group in record["edges"]] == [page["total"] for page in pages]


def test_a_record_names_the_sources_of_the_entity_and_of_its_edges(
    written: Written, graph: Graph, vocabulary: Vocabulary
) -> None:
    pages = [page for page in of_kind(written, EDGES).values() if page["entity"] == LOW_VISION]
    record = build_record(vocabulary, release_of(graph), RecordParts.parse(written[LOW_VISION], pages))
    assert [source["id"] for source in record["sources"]] == ["atlas", "editors", "fair"]
    assert record["sources"][2] == source_line(graph.sources["fair"])
    assert record["sources"][1]["url"] is None
