"""What the engine is told, what the indexer writes and what the service asks fit together, without an engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from akg.answers_ahead import with_answers
from api import asking, goods, listing, lookups, models, parted, prepared, queries, seed_queries, slip_queries
from indexer import prior
from indexer.changes import KEY, last_documents
from indexer.encoding import DIGESTS, Filling, Noted, encoded
from indexer.graph import FAMILY_WEIGHT
from indexer.ledger import LEDGER, ledger_of
from indexer.plan import DOCUMENTS_VERSION, make_plan
from indexer.sources import read
from indexer.synonyms import read_rules
from indexer.vocabulary import read_vocabulary
from tests.contract.project import MAPPINGS, WORLD

if TYPE_CHECKING:
    from collections.abc import Iterator

Body = dict[str, Any]

INDEX: Body = json.loads((MAPPINGS / "entities.json").read_text("utf-8"))
ANALYSIS: Body = INDEX["settings"]["index"] | INDEX["settings"]["analysis"]
PROPERTIES: Body = INDEX["mappings"]["properties"]
PARTS = ("analyzer", "normalizer", "filter", "char_filter", "tokenizer")
# What the engine has of its own, as far as the mapping uses it.
BUILT_IN = {"filter": {"lowercase", "asciifolding"}, "tokenizer": {"standard", "keyword"}}

SEARCHES = [
    queries.Search("low vision"),
    queries.Search("vendors of mobility aids"),
    queries.Search("conditions that cause fatigue"),
    queries.Search("low vision", ("disability",), 1, 1, synonyms=False, spelling=False, facets=False),
    queries.Search("low vision", setting="school"),
]
ASKED: dict[str, list[Body]] = {
    "search_body": [
        body
        for ask in SEARCHES
        for whole in [queries.search_body(ask)]
        for body in (whole, *parted.bodies(whole, ask.query, ruled=False))
    ],
    "suggest_body": [queries.suggest_body("low vis", ("disability",), 10)],
    "near_names_body": [slip_queries.near_names_body("wheelchar") or {}],
    "far_names_body": [slip_queries.far_names_body("lpw vision") or {}],
    "word_body": [slip_queries.word_body("lpw")],
    "spelling_body": [slip_queries.spelling_body("wheelchar")],
    "list_body": [listing.list_body("ability", 20, 0)],
    "filtered_list_body": [listing.filtered_list_body("solution", 20, 0, {"settings": "school", "groupings": "a"})],
    "batch_body": [lookups.batch_body("ability", ["sight", "ability:touch"])],
    "reaches_body": [lookups.reaches_body("disability:a")],
    "cards_body": [lookups.cards_body("ability:sight")],
    "named_body": [lookups.named_body("low vision"), lookups.named_body("low vision", "disability")],
    "nearest_named_body": [lookups.nearest_named_body("low vison"), lookups.nearest_named_body("low vison", "ability")],
    "beside_body": [lookups.beside_body(["ability:a"], ["solution:b"], ("vendor:c", "vendor:d"), 10)],
    "between_body": [lookups.between_body(["ability:a"], ["solution:b"], ("vendor:c", "vendor:d"), 10)],
    "moved_body": [lookups.moved_body("ability:sight")],
    "entity_body": [queries.entity_body("ability", "vision")],
    "nearest_body": [queries.nearest_body("ability", "vison")],
    "pages_body": [queries.pages_body("solution:a", "recommended_for", 0, 1)],
    "related_body": [seed_queries.related_body("disability:a")],
    "seed_body": [seed_queries.seed_body("disability", "adhd")],
}
BODIES = [body for bodies in ASKED.values() for body in bodies]
BY_FIELD = {"term", "terms", "match", "match_phrase", "range", "prefix", "fuzzy"}  # queries whose one key is a field


def walk(value: object) -> Iterator[tuple[str, Any]]:
    """Every key of a body with its value, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)


def fields() -> dict[str, Body]:
    """Every field that can be asked, multi-fields included."""
    found: dict[str, Body] = {}
    for name, field in PROPERTIES.items():
        found[name] = field
        found |= {f"{name}.{sub}": multi for sub, multi in field.get("fields", {}).items()}
    return found


FIELDS = fields()


def searched() -> set[str]:
    """Fields that stand in a query."""
    found = set()
    for body in BODIES:
        for key, value in walk([body.get("query", {}), body.get("post_filter", {})]):
            if key in BY_FIELD:
                inner = BY_FIELD | {"span_near"}  # the match of a span is a query
                found |= set(value) - {"boost", "_name"} - inner
    return found


def ranked() -> set[str]:
    """Fields whose value takes part in the score."""
    return {value["field"] for body in BODIES for key, value in walk(body) if key == "rank_feature"} | added()


def added() -> set[str]:
    """Fields whose value is added to the score as it stands."""
    return {value["field"] for body in BODIES for key, value in walk(body) if key == "field_value_factor"}


def suggested() -> set[str]:
    """Fields that the speller reads."""
    return {
        value for body in BODIES for key, value in walk(body.get("suggest", {})) if key == "field"
    }  # fmt: skip


def from_columns() -> set[str]:
    """Fields read from doc values: returned, sorted by or counted."""
    found = set()
    for body in BODIES:
        for key, value in walk(body):
            if key == "docvalue_fields":
                found |= set(value)
            elif key == "sort":
                found |= {name for one in value for name in ([one] if isinstance(one, str) else one)} - {"_score"}
        found |= {value["field"] for key, value in walk(body.get("aggs", {})) if key == "terms"}
    return found


def analyzers_asked() -> set[str]:
    return {value for body in BODIES for key, value in walk(body) if key == "analyzer"}


def test_every_query_of_the_service_is_looked_at() -> None:
    modules = (listing, lookups, queries, seed_queries, slip_queries)
    assert {name for module in modules for name in vars(module) if name.endswith("_body")} == set(ASKED)


def test_what_is_asked_is_declared() -> None:
    assert (searched() | ranked() | suggested() | from_columns()) - set(FIELDS) == set()


def test_fields_can_do_what_is_asked_of_them() -> None:
    assert {name for name in searched() if FIELDS[name].get("index") is False} == set()
    assert {name for name in ranked() - added() if FIELDS[name]["type"] != "rank_feature"} == set()
    assert {name for name in added() if FIELDS[name]["type"] != "float"} == set()
    without_columns = {name for name in from_columns() if FIELDS[name].get("doc_values") is False}
    assert without_columns | {name for name in from_columns() if FIELDS[name]["type"] == "text"} == set()


def test_nothing_is_indexed_that_nobody_asks_for() -> None:
    kept_whole = {"binary", "object", "rank_feature"}
    indexed = {name for name, field in FIELDS.items() if field.get("index", True) and field["type"] not in kept_whole}
    assert indexed - searched() - suggested() - from_columns() == set()


def test_every_part_of_the_analysis_that_is_named_exists() -> None:
    defined = {part: set(ANALYSIS.get(part, {})) | BUILT_IN.get(part, set()) for part in PARTS}
    assert {part: names - defined[part] for part, names in _named().items() if names - defined[part]} == {}


def test_every_part_of_the_analysis_is_used() -> None:
    named = _named()
    assert {part: set(ANALYSIS.get(part, {})) - named[part] for part in PARTS if part in ANALYSIS} == {
        part: set() for part in PARTS if part in ANALYSIS
    }


def _named() -> dict[str, set[str]]:
    """Names of analyzers, filters and so on, by kind, wherever they are referred to."""
    named: dict[str, set[str]] = {part: set() for part in PARTS}
    named["analyzer"] |= analyzers_asked()
    for field in FIELDS.values():
        named["analyzer"] |= {field[key] for key in ("analyzer", "search_analyzer") if key in field}
        named["normalizer"] |= {field["normalizer"]} if "normalizer" in field else set()
    for chain in (*ANALYSIS["analyzer"].values(), *ANALYSIS["normalizer"].values()):
        named["tokenizer"] |= {chain["tokenizer"]} if "tokenizer" in chain else set()
        for part in ("filter", "char_filter"):
            named[part] |= set(chain.get(part, ()))
    return named


def test_copies_go_to_declared_fields() -> None:
    copies = {target for field in PROPERTIES.values() for target in field.get("copy_to", ())}
    assert copies <= set(PROPERTIES)


def test_nothing_undeclared_is_ever_indexed() -> None:
    assert INDEX["mappings"]["dynamic"] == "strict"
    assert {name for name, field in PROPERTIES.items() if field["type"] in ("object", "nested")} == {
        name for name, field in PROPERTIES.items() if field.get("enabled") is False
    }


@pytest.fixture(scope="module")
def written() -> list[Body]:
    """Every document of the small world."""
    vocabulary = read_vocabulary(MAPPINGS)
    plan, work = make_plan(read(WORLD, vocabulary), vocabulary, INDEX, read_rules(MAPPINGS / "synonyms"))
    bodies = [body for _, body in with_answers(plan.documents)]
    assert len(bodies) == work.count
    bodies += [body for _, body in last_documents(ledger_of((), work.documents()), None, None)]
    *_, digests = Noted(Filling(encoded(work.documents()))).documents()
    bodies.append(orjson.loads(digests.lines.splitlines()[1]))
    assert len(bodies) == work.count + len((LEDGER, KEY, DIGESTS))
    return bodies


def test_what_is_written_is_declared(written: list[Body]) -> None:
    assert {name for body in written for name in body} - set(PROPERTIES) == set()


def test_what_is_declared_is_written_or_copied(written: list[Body]) -> None:
    copies = {target for field in PROPERTIES.values() for target in field.get("copy_to", ())}
    assert set(PROPERTIES) - {name for body in written for name in body} == copies


def test_what_is_asked_is_written(written: list[Body]) -> None:
    copies = {target for field in PROPERTIES.values() for target in field.get("copy_to", ())}
    asked = {name.partition(".")[0] for name in searched() | ranked() | suggested() | from_columns()}
    assert asked - copies <= {name for body in written for name in body}


def test_the_words_that_tell_nothing_are_the_same_for_both_sides() -> None:
    assert set(ANALYSIS["filter"]["not_telling"]["stopwords"]) == asking.FILLERS | asking.PALE


def test_older_releases_are_asked_for_the_points_that_newer_ones_hold() -> None:
    kinds = {kind: boost for several, boost in prepared.KINDS for kind in several}
    asked = (kinds, prepared.MADE_FOR_IT, prepared.POPULARITY, prepared.PIVOT)
    assert asked == (prior.KINDS, prior.MADE_FOR_IT, prior.POPULARITY, prior.PIVOT)
    others = goods.NOT_MADE_FOR_IT["terms"]["family"]
    assert {prior.ASSISTIVE, *others} == set(FAMILY_WEIGHT) == set(goods.FAMILIES)
    assert prior.ASSISTIVE not in others


def test_what_is_left_of_an_exclusion_names_all_types() -> None:
    assert set(models.TYPES) == set(read_vocabulary(MAPPINGS).types)


def test_what_a_build_writes_is_taken_for_a_release_that_holds_points_ready() -> None:
    assert prepared.SINCE <= parted.SINCE <= DOCUMENTS_VERSION
