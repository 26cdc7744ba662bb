"""Importing the official O*NET release, if it is beside the checkout, yields the shipped tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.content.loader import load_content, read_package
from indexer.imports.merge import merge_imports
from indexer.imports.store import Manifest, store_tables
from indexer.onet.archive import open_release
from indexer.onet.merge import KIND, source_row, to_tables
from indexer.onet.reader import read_release
from schema.vocabulary import read_vocabulary
from tests.support.project import CONTENT, MAPPINGS, ROOT

if TYPE_CHECKING:
    from pathlib import Path

OFFICIAL = ROOT.parent / "shared" / "onet-30.3"


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the official files of O*NET 30.3 are not beside this checkout")
def test_the_official_release_yields_the_shipped_graph_with_descriptions(tmp_path: Path) -> None:
    with open_release(OFFICIAL) as files:
        release = read_release(files, lambda _: None)
    assert release.number == "30.3"
    assert release.notes == ("this release has no file job_titles; all job titles are from sample_of_reported_titles",)
    source = source_row(release, "2026-11-21")
    manifest = Manifest(name="onet", kind=KIND, title="O*NET 30.3", made="2026-11-21", origin="here", source=source)
    store_tables(tmp_path, manifest, to_tables(release))
    vocabulary = read_vocabulary(MAPPINGS)
    content = load_content(CONTENT, vocabulary)
    merged = merge_imports(content, tmp_path, read_package(CONTENT), vocabulary)
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
