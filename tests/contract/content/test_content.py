"""The shipped content: valid, complete, and with the terms of its sources."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import orjson
import pytest

from indexer.content.loader import load_content
from indexer.graph.build import build_graph
from schema.entity_kinds import ENTITY_TYPES
from schema.vocabulary import read_vocabulary
from tests.support.markdown import code, rows, section
from tests.support.project import CONTENT, DOCS, MAPPINGS, ROOT

if TYPE_CHECKING:
    from indexer.content.rows import Content

MIN_ENTITIES = 12_000
MAX_SHORT_LENGTH = 200
ONET = (
    "This service includes information from the O*NET 30.3 Database by the U.S. Department of Labor, "
    "Employment and Training Administration (USDOL/ETA). Used under the CC BY 4.0 license. O*NET® is a trademark of "
    "USDOL/ETA. Accommodation Knowledge Graph has modified all or some of this information. USDOL/ETA has not "
    "approved, endorsed, or tested these modifications."
)


@pytest.fixture(scope="module")
def content() -> Content:
    """Load all tables; invalid ones raise every problem."""
    return load_content(CONTENT, read_vocabulary(MAPPINGS))


def test_the_graph_is_large_enough_and_has_all_types(content: Content) -> None:
    counts = Counter(entity.type for entity in content.entities)
    assert set(counts) == set(ENTITY_TYPES)
    assert counts.total() > MIN_ENTITIES


def test_every_entity_has_a_name_a_source_and_an_edge(content: Content) -> None:
    graph = build_graph(content, read_vocabulary(MAPPINGS))
    assert [node.id for node in graph.nodes.values() if not (node.name and node.slug and node.sources)] == []
    assert [node for node in graph.nodes if not graph.degree(node)] == []


def test_conditions_have_different_short_summaries(content: Content) -> None:
    shorts = Counter(entity.short for entity in content.entities if entity.type == "disability")
    assert [text for text, count in shorts.items() if count > 1] == []


def test_every_entity_has_a_short_summary(content: Content) -> None:
    assert [entity.id for entity in content.entities if not 0 < len(entity.short) <= MAX_SHORT_LENGTH] == []


def test_every_source_has_a_licence_and_an_attribution(content: Content) -> None:
    assert [source.id for source in content.sources if not source.licence.strip()] == []
    assert [source.id for source in content.sources if not source.attribution.strip()] == []


def test_the_onet_attribution_is_verbatim(content: Content) -> None:
    sources = {source.id: source.attribution for source in content.sources}
    assert sources["onet-30.3"] == ONET
    assert ONET in " ".join((ROOT / "README.md").read_text("utf-8").replace("> ", "").split())


def test_the_docs_describe_every_table() -> None:
    package = orjson.loads((CONTENT / "datapackage.json").read_bytes())
    tables = {resource["path"] for resource in package["resources"]}
    described = {code(row["table"]) for row in rows(section((DOCS / "data.md").read_text("utf-8"), "Tables"))}
    assert described == tables
    editors = (CONTENT / "README.md").read_text("utf-8")
    assert {name for name in tables if f"`{name}`" not in editors} == set()
