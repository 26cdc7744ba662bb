"""The mapping matches the documents of the indexer and the queries of the service."""

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson
import pytest

from indexer.content.guidance_rows import Caution, ConditionSide, Exclusion, Guidance, NeedSide, SolutionSide
from indexer.content.loader import load_content
from indexer.content.rows import EDITORS, Content, CoOccurrence, FirstChoice, Link, Recommendation
from indexer.graph.build import FAMILY_WEIGHT
from indexer.release.bulk import DigestTracker, IndexInput, encode_documents
from indexer.release.changes import fingerprints_of, metadata_documents
from indexer.release.plan import make_plan
from schema.document_ids import (
    CHANGES,
    DIGESTS,
    FINGERPRINTS,
    MAX_PREFIX_LENGTH,
    WITH_RULES,
)
from schema.edge_documents import EDGE_FACTS, NestedEdge
from schema.entity_kinds import PRODUCT_FAMILIES
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import read_rules
from tests.support.project import MAPPINGS, WORLD, modules
from tests.support.query_bodies import QUERIES, Body

INDEX: Body = json.loads((MAPPINGS / "entities.json").read_text("utf-8"))
ANALYSIS: Body = INDEX["settings"]["index"] | INDEX["settings"]["analysis"]
PROPERTIES: Body = INDEX["mappings"]["properties"]
COPIES = {target for field in PROPERTIES.values() for target in field.get("copy_to", ())}
PARTS = ("analyzer", "normalizer", "filter", "char_filter", "tokenizer")
# Parts of OpenSearch that the mapping uses.
BUILT_IN = {"filter": {"lowercase", "asciifolding"}, "tokenizer": {"standard", "keyword"}}
BODIES = [body for bodies in QUERIES.values() for body in bodies]
# Queries whose one key is a field.
BY_FIELD = {"term", "terms", "match", "match_phrase", "range", "prefix", "fuzzy"}
# Indexed for operators: their own queries and dashboards (docs/reference/index-fields.md).
FOR_OPERATORS = {
    *("edge_sources", "made_for", "is_modification", "family", "co_occurring.id"),
    *("inherits.id", "inherits.relation", "first_choices.solution", "first_choices.strength"),
    *("similar_limitations.id", "similar_limitations.common_ancestor"),
    *("alias_details.kind", "alias_details.source", "attributes.name"),
    *("grouping_details.scheme", "grouping_details.name", "grouping_details.basis", "grouping_details.sources"),
    *(f"external_ids.{name}" for name in ("onet_soc", "onet_element", "doid", "icd10cm", "mesh")),
    *(f"edges.{name}" for name in ("target_type", "target_name", "target_market.status", "order", "via", "vendor")),
    *(f"edges.{name}" for name in ("importance", "level", "pages", "tier", "rank", "first_choice", "main")),
    *("edges.school_weight", "edges.school_basis"),
    *("sides", "worsens", "opposed_sides", "troubles.need", "troubles.side", "troubles.occurs", "not_for.concerns"),
    *("cautions.concerns", "cautions.severity", "first_choices.settings"),
    *(f"guide.{name}" for name in ("title", "kind", "country", "checked", "names", "links.publisher", "entities")),
}
NOT_READ = {"prior", "family"}  # the index is sorted by the prior; families are for operators


def walk(value: object) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)


def fields(properties: Mapping[str, Body], prefix: str = "") -> Iterator[tuple[str, Body]]:
    """Yield every field by its full name, including multi-fields and the members of objects."""
    for name, field in properties.items():
        yield f"{prefix}{name}", field
        yield from ((f"{prefix}{name}.{sub}", multi) for sub, multi in field.get("fields", {}).items())
        yield from fields(field.get("properties", {}), f"{prefix}{name}.")


FIELDS = dict(fields(PROPERTIES))
MULTI_FIELDS = {f"{name}.{sub}": name for name, field in FIELDS.items() for sub in field.get("fields", ())}


def searched() -> set[str]:
    return {name for body in BODIES for name in _searched([body.get("query"), body.get("post_filter"), _sort(body)])}


def _searched(queries: object) -> Iterator[str]:
    for key, value in walk(queries):
        if key in BY_FIELD:
            inner = BY_FIELD | {"span_near"}  # the match of a span is a query
            yield from set(value) - {"boost", "_name"} - inner
        elif key == "exists":
            yield value["field"]
        elif key == "multi_match":
            yield from (name.partition("^")[0] for name in value["fields"])


def _sort(body: Body) -> list[Body]:
    return [item for item in body.get("sort", ()) if isinstance(item, dict)]


def ranked() -> set[str]:
    return {value["field"] for body in BODIES for key, value in walk(body) if key == "rank_feature"} | added()


def added() -> set[str]:
    return {value["field"] for body in BODIES for key, value in walk(body) if key == "field_value_factor"}


def suggested() -> set[str]:
    return {value for body in BODIES for key, value in walk(body.get("suggest", {})) if key == "field"}


def from_columns() -> set[str]:
    """Return the fields read from doc values: returned, sorted by or counted."""
    found = set()
    for body in BODIES:
        found |= returned("docvalue_fields", body)
        found |= {name for item in body.get("sort", ()) for name in ([item] if isinstance(item, str) else item)}
        found |= {value["field"] for key, value in walk(body.get("aggs", {})) if key == "terms"}
    return found - {"_score"}


def returned(source: str, *bodies: Body) -> set[str]:
    """Return the fields that these bodies, and the inner hits in them, read from `docvalue_fields` or `_source`."""
    return {name for body in bodies for key, value in walk(body) if key == source and value for name in value}


def named_analyzers() -> set[str]:
    return {value for body in BODIES for key, value in walk(body) if key == "analyzer"}


def queried() -> set[str]:
    return searched() | ranked() | suggested() | from_columns() | returned("_source", *BODIES)


def test_every_query_of_the_service_is_checked() -> None:
    defined = set()
    for module in modules("api/graph", "api/recommend", "api/search"):
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.endswith("_body"):
                defined.add(node.name)
            elif isinstance(node, ast.ClassDef):
                methods = {method.name for method in node.body if isinstance(method, ast.FunctionDef)}
                defined |= {f"{node.name}.body"} if "body" in methods else set()
    assert defined == set(QUERIES)


def test_queried_fields_are_declared() -> None:
    assert queried() - set(FIELDS) == set()


def test_fields_have_the_types_that_queries_need() -> None:
    assert {name for name in searched() if FIELDS[name].get("index") is False} == set()
    assert {name for name in ranked() - added() if FIELDS[name]["type"] != "rank_feature"} == set()
    assert {name for name in added() if FIELDS[name]["type"] != "float"} == set()
    without_columns = {name for name in from_columns() if FIELDS[name].get("doc_values") is False}
    assert without_columns | {name for name in from_columns() if FIELDS[name]["type"] == "text"} == set()


def test_members_of_edges_are_queried_within_nested_queries() -> None:
    assert PROPERTIES["edges"]["type"] == "nested"
    nested = {name for name in searched() if name.startswith("edges.")}
    assert nested == {f"edges.{name}" for name in ("target", "weight", "basis", "sources", "school_sources")}
    for body in BODIES:
        outside = _without_nested([body.get("query"), body.get("post_filter")])
        assert not [name for name in _searched(outside) if name.startswith("edges.")]
        orders = [order for item in _sort(body) for name, order in item.items() if name.startswith("edges.")]
        assert [order["nested"]["path"] for order in orders] == ["edges"] * len(orders)
        # the doc values of nested fields are those of other documents, which only inner hits have
        assert not [name for name in body.get("docvalue_fields", ()) if name.startswith("edges.")]


def _without_nested(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nested(inner) for key, inner in value.items() if key != "nested"}
    return [_without_nested(inner) for inner in value] if isinstance(value, list) else value


def test_the_edges_of_the_mapping_are_those_of_the_schema() -> None:
    assert PROPERTIES["edges"]["properties"].keys() == NestedEdge.__annotations__.keys()


def test_every_indexed_field_is_queried_or_for_operators() -> None:
    not_indexed = {"binary", "object", "nested", "rank_feature"}
    indexed = {
        name
        for name, field in FIELDS.items()
        if field.get("index", True) and field.get("type", "object") not in not_indexed
    }
    assert indexed - searched() - suggested() - from_columns() == FOR_OPERATORS


def test_every_field_is_read() -> None:
    """What the program reads of documents is in variables of these names."""
    names = {MULTI_FIELDS.get(name, name).partition(".")[0] for name in queried()} | read_from("document", "page")
    names |= {name for name, field in PROPERTIES.items() if "copy_to" in field} | COPIES | {FINGERPRINTS, DIGESTS}
    assert PROPERTIES.keys() - names == NOT_READ
    assert PROPERTIES["edges"]["properties"].keys() - {*EDGE_FACTS} - read_from("edge") == set()


def read_from(*variables: str) -> set[str]:
    """Return the keys that the program reads from variables of these names."""
    found = set()
    for module in modules("api", "indexer/release"):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Subscript):
                value, key = node.value, node.slice
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                value, key = node.func.value, node.args[0]
            else:
                continue
            name = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
            if name in variables and isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.add(key.value)
    return found


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
    assert "dynamic" not in {key for key, _ in walk(PROPERTIES)}  # objects inherit it
    objects = {name for name, field in FIELDS.items() if field.get("type", "object") in ("object", "nested")}
    assert {name for name in objects if "properties" not in FIELDS[name]} == {
        name for name, field in FIELDS.items() if field.get("enabled") is False
    }


def with_every_fact(content: Content) -> Content:
    """Return the test world with the facts that it lacks: a longer summary, and a limitation similar to another."""
    first, *others = content.entities
    blind = Link("limits", "limitation:blind", "ability:1.A.4.a.1", "editorial", ("editors",), 0.9)
    together = CoOccurrence(
        "disability:multiple-sclerosis",
        "disability:attention-deficit-hyperactivity-disorder",
        *("A study", "https://example.org", "2020", "2026-11-25"),
    )
    magnifier, condition, need = "solution:screen-magnification-software", "disability:low-vision", "limitation:blind"
    at_school = FirstChoice(condition, magnifier, 1.0, settings=("school",))
    row = ("editorial", ("editors",))
    page = ("A page", "https://example.org", "2020", "2026-11-25")
    guidance = Guidance(
        need_sides=(
            NeedSide(need, "bright", ("dim",), "bright light", ("glare",), *row),
            NeedSide(need, "dim", ("bright",), "too little light", (), *row),
        ),
        solution_sides=(SolutionSide(magnifier, need, ("dim",), ("bright",), *row),),
        condition_sides=(ConditionSide(condition, need, "bright", "one", row[0], "", row[1]),),
        exclusions=(
            Exclusion(magnifier, (need,), "useless", "It is no use.", "source", "https://example.org", row[1]),
        ),
        cautions=(Caution(magnifier, (condition,), "must", "Ask first.", *page),),
    )
    by_editors = Recommendation(condition, "limitation:memory-loss", "solution:telework", "", EDITORS)
    return replace(
        content,
        entities=(first._replace(long="In the words of a source."), *others),
        links=(*content.links, blind),
        recommendations=(*content.recommendations, by_editors),
        first_choices=(*content.first_choices, FirstChoice(need, magnifier, 1.0), at_school),
        guidance=guidance,
        co_occurrences=(together,),
    )


@pytest.fixture(scope="module")
def written() -> list[Body]:
    vocabulary = read_vocabulary(MAPPINGS)
    content = with_every_fact(load_content(WORLD, vocabulary))
    plan, work = make_plan(content, vocabulary, INDEX, read_rules())
    bodies = [body for _, body in plan.documents]
    assert len(bodies) == work.document_count
    bodies += [body for _, body in metadata_documents(fingerprints_of((), work.documents()), None, None)]
    *_, digests = DigestTracker(IndexInput(encode_documents(work.documents()))).documents()
    bodies.append(orjson.loads(digests.lines.splitlines()[1]))
    assert len(bodies) == work.document_count + len((FINGERPRINTS, CHANGES, DIGESTS))
    return bodies


def written_fields(body: Body, properties: Mapping[str, Body] = PROPERTIES, prefix: str = "") -> Iterator[str]:
    """Yield every field of a document by its full name, including the members of objects."""
    for name, value in body.items():
        yield f"{prefix}{name}"
        if members := properties.get(name, {}).get("properties"):
            for inner in value if isinstance(value, list) else [value]:
                yield from written_fields(inner, members, f"{prefix}{name}.")


def test_written_fields_are_declared(written: list[Body]) -> None:
    assert {name for body in written for name in written_fields(body)} - set(FIELDS) == set()


def test_declared_fields_are_written_or_copied(written: list[Body]) -> None:
    declared = set(FIELDS) - set(MULTI_FIELDS)
    assert declared - {name for body in written for name in written_fields(body)} == COPIES


def test_queried_fields_are_written(written: list[Body]) -> None:
    names = {MULTI_FIELDS.get(name, name) for name in queried()}
    assert names - COPIES <= {name for body in written for name in written_fields(body)}


def test_indexed_prefixes_have_the_maximum_length_of_queries() -> None:
    analyzer = PROPERTIES["spelling"]["fields"]["names"]["analyzer"]
    prefixes = ANALYSIS["filter"][ANALYSIS["analyzer"][analyzer]["filter"][-1]]
    assert prefixes == {"type": "edge_ngram", "min_gram": 1, "max_gram": MAX_PREFIX_LENGTH}


def test_the_name_of_an_analyzer_tells_whether_it_applies_rules() -> None:
    ruled = {name for name, analyzer in ANALYSIS["analyzer"].items() if "rules" in analyzer["filter"]}
    assert ruled == {name for name in ANALYSIS["analyzer"] if name.endswith(WITH_RULES)}


def test_every_product_family_has_a_weight() -> None:
    assert set(FAMILY_WEIGHT) == set(PRODUCT_FAMILIES)
