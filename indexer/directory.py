"""Which entities and sources the tables hold, and what a name that is not among them was meant to be. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.problems import Nearest, shown
from indexer.schema import SEPARATOR
from indexer.shapes import SHAPES, TYPES, key_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.tables import Table


class Directory:
    """Looks names up. A type whose table could not be read whole has no keys to compare with: nothing is said of it."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.names: dict[str, str] = {}
        self._keys: dict[str, set[str]] = {}
        self._by_slug: dict[tuple[str, str], str] = {}
        self._unknown_keys: set[str] = set()
        for stem, shape in SHAPES.items():
            if shape.type and (table := tables.get(stem)):
                self._enter(shape.type, table)
        for kind in self._unknown_keys:
            self._keys.pop(kind, None)
        self._nearest = {kind: Nearest(keys) for kind, keys in self._keys.items()}
        self._sources = tables["sources"].names("id") if "sources" in tables else None
        self._nearest_source = Nearest(self._sources or ())

    def _enter(self, kind: str, table: Table) -> None:
        column = key_column(kind)
        keys = table.names(column)
        if keys is None:
            self._unknown_keys.add(kind)
        else:
            self._keys.setdefault(kind, set()).update(keys)
        cells = zip(table.column(column), table.column("slug"), table.column("name"), strict=True)
        for key, slug, name in cells:
            self.names[f"{kind}:{key}"] = name
            self._by_slug[kind, slug] = key

    def holds(self, entity: str) -> bool:
        """Whether the full id is that of an entity."""
        kind, _, key = entity.partition(":")
        return key in self._keys.get(kind, ())

    def faults(self, column: str, types: Sequence[str], value: str) -> list[str]:
        """What is wrong with a reference. A column of one type holds bare keys, one of several `type:key`."""
        if len(types) == 1:
            what = self._unknown(types[0], value)
        else:
            kind, _, key = value.partition(":")
            what = self.malformed(column, types, value) or self._unknown(kind, key)
        return [what] if what else []

    def malformed(self, column: str, types: Sequence[str], value: str) -> str:
        """What is wrong with the form or type of a full id; whether the entity exists is not asked."""
        kind, colon, key = value.partition(":")
        if not colon:
            full = next((f"{kind}:{value}" for kind in types if self.holds(f"{kind}:{value}")), "")
            return f"{column!r} is {shown(value)}, not of the form type:key" + (f"; nearest: {full!r}" if full else "")
        if kind not in TYPES:
            return f"unknown type {shown(kind)} in {shown(value)}{Nearest(types).hint(kind)}"
        if kind not in types:
            return f"{shown(value)} is a {kind}; {column!r} takes {' or '.join(types)}"
        return "" if key else f"{column!r} is {shown(value)}, which names no {kind}"

    def _unknown(self, kind: str, key: str) -> str:
        keys = self._keys.get(kind)
        if keys is None or key in keys:
            return ""
        by_slug = self._by_slug.get((kind, key))
        return f"unknown {kind} {shown(key)}" + (
            f"; nearest: {by_slug!r}" if by_slug else self._nearest[kind].hint(key)
        )

    def unknown_sources(self, cell: str) -> list[str]:
        """One sentence for each source id in the cell that no source has."""
        if self._sources is None:
            return []
        ids = dict.fromkeys(item.strip() for item in cell.split(SEPARATOR))
        wrong = [item for item in ids if item and item not in self._sources]
        return [f"unknown source {shown(item)}{self._nearest_source.hint(item)}" for item in wrong]
