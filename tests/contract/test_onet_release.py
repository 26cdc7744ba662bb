"""An official release, where one lies beside the checkout: imported, it is what the shipped tables hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.imports import Manifest, replace
from indexer.joining import joined
from indexer.onet.files import opened
from indexer.onet.reading import read_release
from indexer.onet.tables import KIND, source_of, to_tables
from indexer.sources import package_of, read
from indexer.vocabulary import read_vocabulary
from tests.contract.project import CONTENT, MAPPINGS, ROOT

if TYPE_CHECKING:
    from pathlib import Path

OFFICIAL = ROOT.parent / "shared" / "onet-30.3"


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the official files of O*NET 30.3 are not beside this checkout")
def test_the_official_release_joined_is_the_shipped_graph_with_descriptions(tmp_path: Path) -> None:
    with opened(OFFICIAL) as files:
        release = read_release(files, lambda _: None)
    assert release.number == "30.3"
    assert release.notes == ("no file job_titles in this release; all job titles are from sample_of_reported_titles",)
    source = source_of(release, "2026-11-21")
    manifest = Manifest(name="onet", kind=KIND, title="O*NET 30.3", made="2026-11-21", origin="here", source=source)
    replace(tmp_path, manifest, to_tables(release))
    vocabulary = read_vocabulary(MAPPINGS)
    content = read(CONTENT, vocabulary)
    done = joined(content, tmp_path, package_of(CONTENT), vocabulary)
    assert done.notes == (
        "With O*NET 30.3, imported 2026-11-21 from here.",
        "O*NET 30.3: occupations of which the release says nothing, left out: 69, such as occupation:11-9039.00.",
    )
    assert done.content.ratings == content.ratings
    assert done.content.related_occupations == content.related_occupations
    assert set(done.content.aliases) == set(content.aliases)
    after = {entity.id: entity for entity in done.content.entities}
    assert after.keys() == {entity.id for entity in content.entities}
    for entity in content.entities:
        now = after[entity.id]
        assert (now.slug, now.name, now.short, now.facts) == (entity.slug, entity.name, entity.short, entity.facts)
        assert bool(now.long) == (bool(entity.long) or entity.type in ("occupation", "ability"))
