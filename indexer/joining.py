"""Content and every import beside it become one content, each kind of import by its own rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.imports import ImportedError, joined_version, read_imports
from indexer.onet import tables as onet_tables
from indexer.onet.join import join as join_onet
from indexer.rows import Joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from indexer.imports import Manifest
    from indexer.rows import Content


def joined(content: Content, folder: Path) -> Joined:
    """The content with the imports of the folder, in the order of their names; as it is where there are none."""
    made, notes = content, []
    imports = read_imports(folder)
    for manifest, files in imports:
        done = _by_kind(manifest)(made, manifest, files)
        made = done.content
        notes.append(f"With {manifest.title}, imported {manifest.made[:10]} from {manifest.origin}.")
        notes += [f"{manifest.title}: {note}." for note in done.notes]
    version = joined_version(content.version, [manifest for manifest, _ in imports])
    return Joined(replace(made, version=version), tuple(notes))


def _by_kind(manifest: Manifest) -> Callable[[Content, Manifest, Mapping[str, bytes]], Joined]:
    if manifest.kind not in KINDS:
        raise ImportedError(f"Import {manifest.name} is of the unknown kind {manifest.kind!r}. Remove it.")
    return KINDS[manifest.kind]


def _onet(content: Content, manifest: Manifest, files: Mapping[str, bytes]) -> Joined:
    return join_onet(content, onet_tables.from_tables(manifest.source, files))


KINDS = {onet_tables.KIND: _onet}
