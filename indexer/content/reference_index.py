"""Index of the entities and sources in the tables: checks references and suggests the nearest valid one. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.problems import NearestMatch, quote
from indexer.content.table_specs import TABLE_SPECS, key_column
from schema.entity_kinds import ENTITY_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.content.csv_table import Table


class ReferenceIndex:
    """Checks references. A type whose table is incomplete has no keys to compare with and is not checked."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.names: dict[str, str] = {}
        self._keys: dict[str, set[str]] = {}
        self._by_slug: dict[tuple[str, str], str] = {}
        self._incomplete_types: set[str] = set()
        for stem, spec in TABLE_SPECS.items():
            if spec.type and (table := tables.get(stem)):
                self._add(spec.type, table)
        for type_name in self._incomplete_types:
            self._keys.pop(type_name, None)
        self._nearest = {type_name: NearestMatch(keys) for type_name, keys in self._keys.items()}
        self._sources = tables["sources"].values("id") if "sources" in tables else None
        self._nearest_source = NearestMatch(self._sources or ())

    def _add(self, type_name: str, table: Table) -> None:
        column = key_column(type_name)
        keys = table.values(column)
        if keys is None:
            self._incomplete_types.add(type_name)
        else:
            self._keys.setdefault(type_name, set()).update(keys)
        for key, slug, name in table.rows(column, "slug", "name"):
            self.names[f"{type_name}:{key}"] = name
            self._by_slug[type_name, slug] = key

    def has_entity(self, entity: str) -> bool:
        """Return whether the full id is that of an entity."""
        type_name, _, key = entity.partition(":")
        return key in self._keys.get(type_name, ())

    def reference_errors(self, column: str, types: Sequence[str], value: str) -> list[str]:
        """Return what is wrong with a reference: a bare key in a column of one type, else `type:key`."""
        if len(types) == 1:
            error = self._unknown_key(types[0], value)
        else:
            type_name, _, key = value.partition(":")
            error = self.id_error(column, types, value) or self._unknown_key(type_name, key)
        return [error] if error else []

    def id_error(self, column: str, types: Sequence[str], value: str) -> str:
        """Return what is wrong with the form or type of a full id, without checking that the entity exists."""
        type_name, colon, key = value.partition(":")
        if not colon:
            full_id = next((f"{name}:{value}" for name in types if self.has_entity(f"{name}:{value}")), "")
            hint = f"; nearest: {full_id!r}" if full_id else ""
            return f"{column!r} is {quote(value)}, not of the form type:key{hint}"
        if type_name not in ENTITY_TYPES:
            return f"unknown type {quote(type_name)} in {quote(value)}{NearestMatch(types).hint(type_name)}"
        if type_name not in types:
            return f"{quote(value)} is a {type_name}; {column!r} accepts {' or '.join(types)}"
        return "" if key else f"{column!r} is {quote(value)}; the key after the colon is missing"

    def _unknown_key(self, type_name: str, key: str) -> str:
        keys = self._keys.get(type_name)
        if keys is None or key in keys:
            return ""
        key_of_slug = self._by_slug.get((type_name, key))
        hint = f"; nearest: {key_of_slug!r}" if key_of_slug else self._nearest[type_name].hint(key)
        return f"unknown {type_name} {quote(key)}{hint}"

    def source_errors(self, cell: str) -> list[str]:
        """Return a message for each unknown source id in the cell."""
        if self._sources is None:
            return []
        ids = dict.fromkeys(item.strip() for item in cell.split(SEPARATOR))
        unknown = [item for item in ids if item and item not in self._sources]
        return [f"unknown source {quote(item)}{self._nearest_source.hint(item)}" for item in unknown]
