"""Merges the tables of a build: content, then imports, then overlays. The only place that joins them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.content.datapackage_schema import Package
from indexer.content.loader import content_version, load_content, read_package
from indexer.content.rows import Content, MergedContent
from indexer.imports.merge import merge_imports
from indexer.imports.store import list_imports, merged_version
from indexer.overlays.apply import apply_overlay
from indexer.overlays.folder import OverlayFiles, read_overlay_files, version_with_overlays
from indexer.overlays.reader import read_overlay
from schema.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class TableFolders:
    """The folders of a build: the content, the imports, and the overlays in order."""

    content: Path
    imports: Path
    overlays: tuple[Path, ...] = ()


def data_version(folders: TableFolders) -> str:
    """Return the data version of a build without parsing rows."""
    version = merged_version(content_version(folders.content), list_imports(folders.imports))
    return version_with_overlays(version, list(map(read_overlay_files, folders.overlays)))


def merged_content(folders: TableFolders, vocabulary: Vocabulary) -> MergedContent:
    """Return the content with all imports and overlays; raise ContentError with the problems of one of them."""
    content, package = load_content(folders.content, vocabulary), read_package(folders.content)
    return merge(content, package, vocabulary, folders.imports, folders.overlays)


def merge(
    content: Content, package: Package, vocabulary: Vocabulary, imports: Path, overlays: Sequence[Path]
) -> MergedContent:
    """Return content that was loaded already, with all imports and overlays."""
    merged = merge_imports(content, imports, package, vocabulary)
    return with_overlays(merged, package, vocabulary, list(map(read_overlay_files, overlays)))


def with_overlays(
    below: MergedContent, package: Package, vocabulary: Vocabulary, overlays: Sequence[OverlayFiles]
) -> MergedContent:
    """Return the content with these overlays; each is checked against the content with those before it."""
    content, notes = below.content, list(below.notes)
    for files in overlays:
        overlay = read_overlay(files, content, package, vocabulary)
        notes.append(f"Merged the overlay {files.folder}: {overlay}.")
        content = apply_overlay(content, overlay)
    version = version_with_overlays(content.version, overlays)
    return MergedContent(replace(content, version=version), tuple(notes))
