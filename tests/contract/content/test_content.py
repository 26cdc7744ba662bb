"""The shipped content is valid, complete and attributed, and equal after an export and import."""

import re
from collections import Counter
from pathlib import Path

import pytest

from indexer.content.loader import read_package
from indexer.content.rows import Content, Entity, parse_content
from indexer.content.table_checks import check_tables
from indexer.documents.builder import build_documents
from indexer.graph.build import build_graph
from indexer.graph.model import Graph
from indexer.imports.export_tables import content_tables
from indexer.imports.merge import merge_imports
from indexer.imports.store import Manifest, store_tables
from indexer.onet.archive import open_release
from indexer.onet.merge import KIND, source_row, to_tables
from indexer.onet.reader import read_release
from schema.entity_kinds import ENTITY_TYPES
from schema.vocabulary import Vocabulary
from tests.support.exported_files import exported_files
from tests.support.project import CONTENT, ROOT

MIN_ENTITIES = 12_000
MAX_SHORT_LENGTH = 200
MAX_SHARED_TRIGRAMS = 0.4  # close paraphrases of O*NET had from 0.4 to 0.67
OFFICIAL = ROOT.parent / "shared" / "onet-30.3"
ONET = (
    "This service includes information from the O*NET 30.3 Database by the U.S. Department of Labor, "
    "Employment and Training Administration (USDOL/ETA). Used under the CC BY 4.0 license. O*NET® is a trademark of "
    "USDOL/ETA. Accommodation Knowledge Graph has modified all or some of this information. USDOL/ETA has not "
    "approved, endorsed, or tested these modifications."
)


def test_the_graph_is_large_enough_and_has_all_types(content: Content) -> None:
    counts = Counter(entity.type for entity in content.entities)
    assert set(counts) == set(ENTITY_TYPES)
    assert counts.total() > MIN_ENTITIES


def test_every_entity_has_a_name_a_source_and_an_edge(graph: Graph) -> None:
    assert [node.id for node in graph.nodes.values() if not (node.name and node.slug and node.sources)] == []
    assert [node for node in graph.nodes if not graph.degree(node)] == []


def test_written_summaries_of_conditions_are_unique(content: Content) -> None:
    shorts = Counter(entity.short for entity in content.entities if entity.type == "disability" and entity.short)
    assert [text for text, count in shorts.items() if count > 1] == []


def test_every_entity_has_a_short_summary(content: Content, graph: Graph) -> None:
    assert [node for node, entity in graph.nodes.items() if not entity.short] == []
    assert [entity.id for entity in content.entities if len(entity.short) > MAX_SHORT_LENGTH] == []


def test_every_source_has_a_licence_and_an_attribution(content: Content) -> None:
    assert [source.id for source in content.sources if not source.licence.strip()] == []
    assert [source.id for source in content.sources if not source.attribution.strip()] == []


def test_the_core_sources_are_the_network_and_the_occupational_database(content: Content) -> None:
    assert [source.id for source in content.sources if source.core] == ["jan", "onet-30.3"]


def test_no_source_forbids_derivatives_or_commercial_use(content: Content) -> None:
    assert [source.id for source in content.sources if {"NC", "ND"} & set(re.split(r"[ -]", source.licence))] == []


def test_every_licence_has_one_address(content: Content) -> None:
    addresses = {(source.licence, source.licence_url) for source in content.sources}
    assert len(addresses) == len(dict(addresses))
    unlinked = ("Copyright ", "Each ", "Not stated")  # no licence that an address could name
    assert [pair for pair in addresses if pair[0].startswith(unlinked) == bool(pair[1])] == []
    assert dict(addresses)["CC BY 4.0"] == "https://creativecommons.org/licenses/by/4.0/"


def test_the_onet_attribution_is_verbatim(content: Content) -> None:
    sources = {source.id: source.attribution for source in content.sources}
    assert sources["onet-30.3"] == ONET
    assert ONET in " ".join((ROOT / "README.md").read_text("utf-8").replace("> ", "").split())


def test_an_imported_export_yields_the_same_documents(graph: Graph, vocabulary: Vocabulary) -> None:
    package = read_package(CONTENT)
    files = {name: data for name, data in exported_files(graph, vocabulary).items() if name.endswith(".csv")}
    export = content_tables(files, package, vocabulary)
    assert [*export.problems, *check_tables(package, export.tables, vocabulary)] == []
    reimported = build_graph(parse_content(export.tables, graph.version), vocabulary)
    repeated = dict(build_documents(reimported, vocabulary))
    for key, body in build_documents(graph, vocabulary):
        assert repeated.pop(key) == body, key
    assert repeated == {}


def _shared_trigrams(entity: Entity) -> float:
    """Return the share of the summary's sequences of three words that the description of the source has, too."""
    short, long = (
        set(zip(text, text[1:], text[2:], strict=False)) for text in map(_words, (entity.short, entity.long))
    )
    return len(short & long) / len(short) if short else 0


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the official files of O*NET 30.3 are not next to this checkout")
def test_the_official_onet_release_yields_the_shipped_graph_with_descriptions(
    tmp_path: Path, content: Content, vocabulary: Vocabulary
) -> None:
    with open_release(OFFICIAL) as files:
        release = read_release(files, lambda _: None)
    assert release.number == "30.3"
    assert release.notes == ("this release has no file job_titles; all job titles are from sample_of_reported_titles",)
    source = source_row(release, "2026-11-21")
    manifest = Manifest(name="onet", kind=KIND, title="O*NET 30.3", made="2026-11-21", origin="here", source=source)
    store_tables(tmp_path, manifest, to_tables(release))
    merged = merge_imports(content, tmp_path, read_package(CONTENT), vocabulary)
    assert [entity.id for entity in merged.content.entities if _shared_trigrams(entity) >= MAX_SHARED_TRIGRAMS] == []
    assert merged.notes == (
        "Merged O*NET 30.3, imported 2026-11-21 from here.",
        "O*NET 30.3: occupations without ratings and relations, omitted: 69, such as occupation:11-9039.00.",
    )
    assert merged.content.ratings == content.ratings
    assert merged.content.related_occupations == content.related_occupations
    assert set(merged.content.aliases) == set(content.aliases)
    after = {entity.id: entity for entity in merged.content.entities}
    assert after.keys() == {entity.id for entity in content.entities}
    for entity in content.entities:
        imported = after[entity.id]
        for field in ("slug", "name", "short", "facts"):
            assert getattr(imported, field) == getattr(entity, field), entity.id
        assert bool(imported.long) == (bool(entity.long) or entity.type in ("occupation", "ability"))
