"""The version of content with imports."""

from pathlib import Path

from indexer.content.datapackage_schema import Package
from indexer.content.rows import Content, MergedContent
from indexer.imports.export_tables import KIND
from indexer.imports.merge import merge_imports
from indexer.imports.store import Manifest, merged_version, store_files
from schema.vocabulary import Vocabulary
from tests.support.exported_files import without_columns
from tests.support.onet_samples import import_sample


def test_the_version_depends_on_content_and_imports(
    tmp_path: Path, content: Content, package: Package, vocabulary: Vocabulary
) -> None:
    assert merged_version(content.version, []) == content.version
    assert merge_imports(content, tmp_path, package, vocabulary) == MergedContent(content, ())
    versions = [content.version]
    for sample in ("db_29_3_text", "db_30_3_csv", "db_31_0_csv"):
        first = import_sample(tmp_path, sample)
        second = import_sample(tmp_path, sample, "2027-01-01T00:00:00Z")
        assert merged_version(content.version, [first]) == merged_version(content.version, [second])
        versions.append(merge_imports(content, tmp_path, package, vocabulary).content.version)
    assert len(set(versions)) == 4
    assert {version.partition("+")[0] for version in versions} == {"1.0.0"}


def test_an_export_without_core_sources_keeps_those_of_the_content(
    tmp_path: Path, content: Content, files: dict[str, bytes], package: Package, vocabulary: Vocabulary
) -> None:
    older = files | {"sources.csv": without_columns(files, "sources.csv", "core")}
    manifest = Manifest(name="tables", kind=KIND, title="Tables", made="2026-11-21T10:00:00Z", origin="export")
    store_files(tmp_path, manifest, {name: (0, data) for name, data in older.items() if name.endswith(".csv")})
    merged = merge_imports(content, tmp_path, package, vocabulary).content
    assert [source.id for source in merged.sources if source.core] == ["atlas", "jobbook"]
