"""The mapping matches the documents of the indexer and the queries of the service."""

import json
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from akg.build import add_precomputed
from api.engine import older_format
from api.graph import query_bodies as graph_bodies
from api.recommend import related, seeds
from api.search import query_builder, spelling, two_phase
from api.search.query import ParsedQuery, SearchRequest
from indexer.content.loader import load_content
from indexer.graph.build import FAMILY_WEIGHT
from indexer.release.bulk import DigestTracker, IndexInput, encode_documents
from indexer.release.changes import fingerprints_of, metadata_documents
from indexer.release.plan import DOCUMENTS_VERSION, make_plan
from schema.document_ids import (
    CHANGES,
    DIGESTS,
    FINGERPRINTS,
    MAX_PREFIX_LENGTH,
    NAME_END,
    NAME_START,
    PREFIX_SUBFIELD,
    WITH_RULES,
)
from schema.entity_kinds import PRODUCT_FAMILIES
from schema.text import NON_CONTENT_WORDS
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import read_rules
from tests.support.project import MAPPINGS, WORLD

parse = ParsedQuery.parse

Body = dict[str, Any]

INDEX: Body = json.loads((MAPPINGS / "entities.json").read_text("utf-8"))
ANALYSIS: Body = INDEX["settings"]["index"] | INDEX["settings"]["analysis"]
PROPERTIES: Body = INDEX["mappings"]["properties"]
COPIES = {target for field in PROPERTIES.values() for target in field.get("copy_to", ())}
PARTS = ("analyzer", "normalizer", "filter", "char_filter", "tokenizer")
# Parts of OpenSearch that the mapping uses.
BUILT_IN = {"filter": {"lowercase", "asciifolding"}, "tokenizer": {"standard", "keyword"}}

SEARCHES = [
    SearchRequest(parse("low vision")),
    SearchRequest(parse("vendors of mobility aids")),
    SearchRequest(parse("conditions that cause fatigue")),
    SearchRequest(parse("low vision"), ("disability",), 1, 1, synonyms=False, spelling=False, facets=False),
    SearchRequest(parse("low vision"), setting="school"),
]
QUERIES: dict[str, list[Body]] = {
    "search_body": [
        body
        for request in SEARCHES
        for single in [query_builder.search_body(request)]
        for body in (single, *two_phase.bodies(single, request.query, ruled=False))
    ],
    "suggest_body": [query_builder.suggest_body(parse("low vis"), ("disability",), 10)],
    "near_names_body": [spelling.near_names_body(parse("wheelchar")) or {}],
    "far_names_body": [spelling.far_names_body(parse("lpw vision")) or {}],
    "word_exists_body": [spelling.word_exists_body("lpw")],
    "spelling_body": [spelling.spelling_body(parse("wheelchar"))],
    "list_body": [graph_bodies.list_body("ability", 20, 0)],
    "filtered_list_body": [
        graph_bodies.filtered_list_body("solution", 20, 0, {"settings": "school", "groupings": "a"})
    ],
    "batch_body": [graph_bodies.batch_body(["ability:sight", "ability:touch"])],
    "adjacency_body": [graph_bodies.adjacency_body("disability:a")],
    "cards_body": [graph_bodies.cards_body("ability:sight")],
    "named_body": [
        graph_bodies.named_body(parse("low vision")),
        graph_bodies.named_body(parse("low vision"), "disability"),
    ],
    "shared_neighbors_body": [
        graph_bodies.shared_neighbors_body(["ability:a"], ["solution:b"], ("vendor:c", "vendor:d"), 10)
    ],
    "bridging_entities_body": [
        graph_bodies.bridging_entities_body(["ability:a"], ["solution:b"], ("vendor:c", "vendor:d"), 10)
    ],
    "moved_body": [graph_bodies.moved_body("ability:sight")],
    "entity_body": [graph_bodies.entity_body("ability", "vision")],
    "nearest_body": [graph_bodies.nearest_body(parse("vison")), graph_bodies.nearest_body(parse("vison"), "ability")],
    "pages_body": [graph_bodies.pages_body("solution:a", "recommended_for", 0, 1)],
    "related_body": [related.related_body("disability:a")],
    "seed_body": [seeds.seed_body("disability", parse("adhd"))],
}
BODIES = [body for bodies in QUERIES.values() for body in bodies]
BY_FIELD = {"term", "terms", "match", "match_phrase", "range", "prefix", "fuzzy"}  # queries whose one key is a field


def walk(value: object) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)


def fields() -> dict[str, Body]:
    """Return every field that can be queried, including multi-fields."""
    found: dict[str, Body] = {}
    for name, field in PROPERTIES.items():
        found[name] = field
        found |= {f"{name}.{sub}": multi for sub, multi in field.get("fields", {}).items()}
    return found


FIELDS = fields()


def searched() -> set[str]:
    found = set()
    for body in BODIES:
        for key, value in walk([body.get("query", {}), body.get("post_filter", {})]):
            if key in BY_FIELD:
                inner = BY_FIELD | {"span_near"}  # the match of a span is a query
                found |= set(value) - {"boost", "_name"} - inner
    return found


def ranked() -> set[str]:
    return {value["field"] for body in BODIES for key, value in walk(body) if key == "rank_feature"} | added()


def added() -> set[str]:
    return {value["field"] for body in BODIES for key, value in walk(body) if key == "field_value_factor"}


def suggested() -> set[str]:
    return {
        value for body in BODIES for key, value in walk(body.get("suggest", {})) if key == "field"
    }  # fmt: skip


def from_columns() -> set[str]:
    """Return the fields read from doc values: returned, sorted by or counted."""
    found = set()
    for body in BODIES:
        for key, value in walk(body):
            if key == "docvalue_fields":
                found |= set(value)
            elif key == "sort":
                found |= {name for item in value for name in ([item] if isinstance(item, str) else item)} - {"_score"}
        found |= {value["field"] for key, value in walk(body.get("aggs", {})) if key == "terms"}
    return found


def named_analyzers() -> set[str]:
    return {value for body in BODIES for key, value in walk(body) if key == "analyzer"}


def test_every_query_of_the_service_is_checked() -> None:
    modules = (graph_bodies, query_builder, related, seeds, spelling)
    assert {name for module in modules for name in vars(module) if name.endswith("_body")} == set(QUERIES)


def test_queried_fields_are_declared() -> None:
    assert (searched() | ranked() | suggested() | from_columns()) - set(FIELDS) == set()


def test_fields_have_the_types_that_queries_need() -> None:
    assert {name for name in searched() if FIELDS[name].get("index") is False} == set()
    assert {name for name in ranked() - added() if FIELDS[name]["type"] != "rank_feature"} == set()
    assert {name for name in added() if FIELDS[name]["type"] != "float"} == set()
    without_columns = {name for name in from_columns() if FIELDS[name].get("doc_values") is False}
    assert without_columns | {name for name in from_columns() if FIELDS[name]["type"] == "text"} == set()


def test_every_indexed_field_is_queried() -> None:
    not_indexed = {"binary", "object", "rank_feature"}
    indexed = {name for name, field in FIELDS.items() if field.get("index", True) and field["type"] not in not_indexed}
    assert indexed - searched() - suggested() - from_columns() == set()


def test_every_referenced_part_of_the_analysis_exists() -> None:
    defined = {part: set(ANALYSIS.get(part, {})) | BUILT_IN.get(part, set()) for part in PARTS}
    assert {part: names - defined[part] for part, names in _named().items() if names - defined[part]} == {}


def test_every_part_of_the_analysis_is_used() -> None:
    named = _named()
    assert {part: set(ANALYSIS.get(part, {})) - named[part] for part in PARTS if part in ANALYSIS} == {
        part: set() for part in PARTS if part in ANALYSIS
    }


def _named() -> dict[str, set[str]]:
    named: dict[str, set[str]] = {part: set() for part in PARTS}
    named["analyzer"] |= named_analyzers()
    for field in FIELDS.values():
        named["analyzer"] |= {field[key] for key in ("analyzer", "search_analyzer") if key in field}
        named["normalizer"] |= {field["normalizer"]} if "normalizer" in field else set()
    for chain in (*ANALYSIS["analyzer"].values(), *ANALYSIS["normalizer"].values()):
        named["tokenizer"] |= {chain["tokenizer"]} if "tokenizer" in chain else set()
        for part in ("filter", "char_filter"):
            named[part] |= set(chain.get(part, ()))
    return named


def test_copies_go_to_declared_fields() -> None:
    assert set(PROPERTIES) >= COPIES


def test_undeclared_fields_are_never_indexed() -> None:
    assert INDEX["mappings"]["dynamic"] == "strict"
    assert {name for name, field in PROPERTIES.items() if field["type"] in ("object", "nested")} == {
        name for name, field in PROPERTIES.items() if field.get("enabled") is False
    }


@pytest.fixture(scope="module")
def written() -> list[Body]:
    vocabulary = read_vocabulary(MAPPINGS)
    plan, work = make_plan(load_content(WORLD, vocabulary), vocabulary, INDEX, read_rules())
    bodies = [body for _, body in add_precomputed(plan.documents)]
    assert len(bodies) == work.document_count
    bodies += [body for _, body in metadata_documents(fingerprints_of((), work.documents()), None, None)]
    *_, digests = DigestTracker(IndexInput(encode_documents(work.documents()))).documents()
    bodies.append(orjson.loads(digests.lines.splitlines()[1]))
    assert len(bodies) == work.document_count + len((FINGERPRINTS, CHANGES, DIGESTS))
    return bodies


def test_written_fields_are_declared(written: list[Body]) -> None:
    assert {name for body in written for name in body} - set(PROPERTIES) == set()


def test_declared_fields_are_written_or_copied(written: list[Body]) -> None:
    assert set(PROPERTIES) - {name for body in written for name in body} == COPIES


def test_queried_fields_are_written(written: list[Body]) -> None:
    queried = {name.partition(".")[0] for name in searched() | ranked() | suggested() | from_columns()}
    assert queried - COPIES <= {name for body in written for name in body}


def test_index_and_service_have_the_same_non_content_words() -> None:
    assert set(ANALYSIS["filter"]["non_content_words"]["stopwords"]) == NON_CONTENT_WORDS


def test_names_have_the_start_and_end_markers_of_queries() -> None:
    assert ANALYSIS["char_filter"]["mark_both_ends"]["replacement"] == f"{NAME_START} $1 {NAME_END}"


def test_indexed_prefixes_have_the_maximum_length_of_queries() -> None:
    analyzer = PROPERTIES["name"]["fields"][PREFIX_SUBFIELD]["analyzer"]
    assert analyzer == PROPERTIES["aliases"]["fields"][PREFIX_SUBFIELD]["analyzer"]
    prefixes = ANALYSIS["filter"][ANALYSIS["analyzer"][analyzer]["filter"][-1]]
    assert prefixes == {"type": "edge_ngram", "min_gram": 1, "max_gram": MAX_PREFIX_LENGTH}


def test_the_name_of_an_analyzer_tells_whether_it_applies_rules() -> None:
    ruled = {name for name, analyzer in ANALYSIS["analyzer"].items() if "rules" in analyzer["filter"]}
    assert ruled == {name for name in ANALYSIS["analyzer"] if name.endswith(WITH_RULES)}


def test_every_product_family_has_a_weight() -> None:
    assert set(FAMILY_WEIGHT) == set(PRODUCT_FAMILIES)


def test_a_new_release_has_precomputed_priors_and_supports_two_phase_search() -> None:
    assert older_format.PRIOR_SINCE_VERSION <= two_phase.SINCE <= older_format.NAMES_SINCE_VERSION <= DOCUMENTS_VERSION
