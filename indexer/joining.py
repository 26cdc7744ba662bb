"""Content and every import beside it become one content, each kind of import by its own rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer import exported
from indexer.imports import ImportedError, joined_version, read_imports
from indexer.onet import tables as onet_tables
from indexer.onet.join import join as join_onet
from indexer.rows import Joined
from indexer.sources import content_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from indexer.imports import Manifest
    from indexer.rows import Content
    from indexer.schema import Package
    from indexer.vocabulary import Vocabulary

    Join = Callable[[Content, Manifest, Mapping[str, bytes], Package, Vocabulary], Joined]


def joined(content: Content, folder: Path, package: Package, vocabulary: Vocabulary) -> Joined:
    """The content with the imports of the folder; as it is where there are none.

    Tables that take its place come first, then the others in the order of their names. `package` describes the tables
    of the content.
    """
    made, notes = content, []
    imports = sorted(read_imports(folder), key=lambda one: (one[0].kind != exported.KIND, one[0].name))
    for manifest, files in imports:
        done = _by_kind(manifest)(made, manifest, files, package, vocabulary)
        made = done.content
        notes.append(f"With {manifest.title}, imported {manifest.made[:10]} from {manifest.origin}.")
        notes += [f"{manifest.title}: {note}." for note in done.notes]
    version = joined_version(content.version, [manifest for manifest, _ in imports])
    return Joined(replace(made, version=version), tuple(notes))


def _by_kind(manifest: Manifest) -> Join:
    if manifest.kind not in KINDS:
        raise ImportedError(f"Import {manifest.name} is of the unknown kind {manifest.kind!r}. Remove it.")
    return KINDS[manifest.kind]


def _onet(content: Content, manifest: Manifest, files: Mapping[str, bytes], _: Package, __: Vocabulary) -> Joined:
    return join_onet(content, onet_tables.from_tables(manifest.source, files))


def _tables(
    content: Content, _: Manifest, files: Mapping[str, bytes], package: Package, vocabulary: Vocabulary
) -> Joined:
    """In place of the content. The files were sound when they were imported; the content's rules may have changed."""
    found = exported.sound_tables(files, package, vocabulary)
    return Joined(content_of(found.tables, content.version), ())


KINDS: Mapping[str, Join] = {onet_tables.KIND: _onet, exported.KIND: _tables}
