"""The graph that is shipped: whole, large enough, and with its sources' terms."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import orjson
import pytest

from indexer.graph import build_graph
from indexer.shapes import TYPES
from indexer.sources import check, read
from indexer.vocabulary import read_vocabulary
from tests.contract.markdown import code, rows, section
from tests.contract.project import CONTENT, DOCS, MAPPINGS, ROOT

if TYPE_CHECKING:
    from indexer.rows import Content

ENTITIES = 12_000
SHORT = 200
ONET = (
    "This service includes information from the O*NET 30.3 Database by the U.S. Department of Labor, "
    "Employment and Training Administration (USDOL/ETA). Used under the CC BY 4.0 license. O*NET® is a trademark of "
    "USDOL/ETA. Accommodation Knowledge Graph has modified all or some of this information. USDOL/ETA has not "
    "approved, endorsed, or tested these modifications."
)


@pytest.fixture(scope="module")
def content() -> Content:
    """All tables; reading them fails with every problem there is."""
    return read(CONTENT, read_vocabulary(MAPPINGS))


def test_nothing_is_wrong_with_the_tables() -> None:
    assert [str(problem) for problem in check(CONTENT, read_vocabulary(MAPPINGS))] == []


def test_the_graph_is_large_enough_and_of_all_types(content: Content) -> None:
    counts = Counter(entity.type for entity in content.entities)
    assert set(counts) == set(TYPES)
    assert counts.total() > ENTITIES


def test_every_entity_is_named_sourced_and_joined_to_another(content: Content) -> None:
    graph = build_graph(content, read_vocabulary(MAPPINGS))
    assert [one.id for one in graph.nodes.values() if not (one.name and one.slug and one.sources)] == []
    assert [node for node in graph.nodes if not graph.degree(node)] == []


def test_no_two_conditions_are_summed_up_alike(content: Content) -> None:
    shorts = Counter(entity.short for entity in content.entities if entity.type == "disability")
    assert [text for text, count in shorts.items() if count > 1] == []


def test_every_entity_is_summed_up_in_one_short_text(content: Content) -> None:
    assert [entity.id for entity in content.entities if not 0 < len(entity.short) <= SHORT] == []


def test_every_source_has_a_licence_and_a_sentence(content: Content) -> None:
    assert [source.id for source in content.sources if not source.licence.strip()] == []
    assert [source.id for source in content.sources if not source.attribution.strip()] == []


def test_the_onet_sentence_stands_word_for_word(content: Content) -> None:
    sources = {source.id: source.attribution for source in content.sources}
    assert sources["onet-30.3"] == ONET
    assert ONET in " ".join((ROOT / "README.md").read_text("utf-8").replace("> ", "").split())


def test_pages_name_every_table() -> None:
    package = orjson.loads((CONTENT / "datapackage.json").read_bytes())
    tables = {resource["path"] for resource in package["resources"]}
    described = {code(row["table"]) for row in rows(section((DOCS / "data.md").read_text("utf-8"), "Tables"))}
    assert described == tables
    editors = (CONTENT / "README.md").read_text("utf-8")
    assert {name for name in tables if f"`{name}`" not in editors} == set()
