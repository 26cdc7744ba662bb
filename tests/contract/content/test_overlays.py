"""The examples in the templates of an overlay, and the loan pool, fit the shipped content."""

from pathlib import Path

from indexer.content.loader import read_package
from indexer.content.rows import Content, MergedContent
from indexer.merge import with_overlays
from indexer.overlays.folder import read_overlay_files
from indexer.overlays.tables import overlay_package
from indexer.overlays.templates import template
from schema.vocabulary import Vocabulary
from tests.support.project import CONTENT, DOCS


def applied(content: Content, folder: Path, vocabulary: Vocabulary) -> Content:
    files = read_overlay_files(folder)
    return with_overlays(MergedContent(content, ()), read_package(CONTENT), vocabulary, [files]).content


def test_the_examples_of_all_templates_are_a_valid_overlay(
    tmp_path: Path, content: Content, vocabulary: Vocabulary
) -> None:
    for resource in overlay_package(read_package(CONTENT)).resources:
        (tmp_path / resource.path).write_bytes(template(resource, with_example=True))
    found = applied(content, tmp_path, vocabulary)
    added = {entity.id: entity.sources for entity in found.entities[-8:]}
    assert set(added.values()) == {("example-university",)}
    assert {id_.partition(":")[0] for id_ in added} == {
        *("disability", "limitation", "workrelatedfunction", "solution", "product", "vendor", "occupation")
    }


def test_the_loan_pool_lends_20_devices(content: Content, vocabulary: Vocabulary) -> None:
    found = applied(content, DOCS / "examples" / "loan-pool", vocabulary)
    sold = {link.source for link in found.links if link.target == "vendor:example-university-loan-pool"}
    assert len(sold) == 20
    for device in sold:
        solutions = {link.source for link in found.links if link.target == device}
        assert "solution:equipment-loan" in solutions
        assert len(solutions) == 2
