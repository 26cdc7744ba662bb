"""Merges every import into the content, by kind."""

from dataclasses import replace
from pathlib import Path

from indexer.content.datapackage_schema import Package
from indexer.content.rows import Content, MergedContent, Source, parse_content
from indexer.imports import export_tables
from indexer.imports.store import ImportDataError, merged_version, read_imports
from indexer.onet import merge as onet_tables
from indexer.onet.merge import merge_onet
from schema.vocabulary import Vocabulary


def merge_imports(content: Content, folder: Path, package: Package, vocabulary: Vocabulary) -> MergedContent:
    """Return the content with the imports of the folder.

    Exports, which replace the content, come first, then the others by name. `package` describes the content's tables.
    """
    notes = []
    version = content.version
    imports = sorted(read_imports(folder), key=lambda item: (item[0].kind != export_tables.KIND, item[0].name))
    for manifest, files in imports:
        if manifest.kind == export_tables.KIND:
            # The files were valid when they were imported; the rules of the content may have changed since.
            export = export_tables.require_valid_tables(files, package, vocabulary)
            replacement = parse_content(export.tables, version)
            merged = MergedContent(replace(replacement, sources=_sources(content, replacement)), ())
        elif manifest.kind == onet_tables.KIND:
            merged = merge_onet(content, onet_tables.from_tables(manifest.source, files))
        else:
            raise ImportDataError(f"Import {manifest.name} has the unknown kind {manifest.kind!r}. Remove it.")
        content = merged.content
        notes.append(f"Merged {manifest.title}, imported {manifest.made[:10]} from {manifest.origin}.")
        notes += [f"{manifest.title}: {note}." for note in merged.notes]
    version = merged_version(version, [manifest for manifest, _ in imports])
    return MergedContent(replace(content, version=version), tuple(notes))


def _sources(content: Content, replacement: Content) -> tuple[Source, ...]:
    """Return the sources of the replacement; core sources of the content stay core (exports of 0.1.0 have none)."""
    core = {source.id for source in content.sources if source.core}
    return tuple(replace(source, core=source.core or source.id in core) for source in replacement.sources)
