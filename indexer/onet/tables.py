"""A release as the tables of its import, and those tables as rows again. Pure.

The tables have the columns of their namesakes in the content, without slugs and sources, which the join gives them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.onet.layout import attribution
from indexer.tables import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.onet.reading import OnetRelease

KIND = "onet"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "occupations.csv": ("code", "name", "job_zone", "long"),
    "abilities.csv": ("code", "name", "long"),
    "occupation_titles.csv": ("occupation", "title"),
    "occupation_abilities.csv": ("occupation", "ability", "importance", "level"),
    "related_occupations.csv": ("occupation", "related", "tier", "rank"),
}
Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class OnetTables:
    """The rows of an import, each with the cells that `COLUMNS` names."""

    source: Mapping[str, str]
    occupations: Rows
    abilities: Rows
    titles: Rows
    ratings: Rows
    related: Rows


def source_of(release: OnetRelease, retrieved: str) -> dict[str, str]:
    """The source row of a release. `retrieved` is the ISO date of the import."""
    return {
        "id": f"onet-{release.number}",
        "title": f"O*NET {release.number} Database",
        "publisher": "U.S. Department of Labor, Employment and Training Administration",
        "url": "https://www.onetcenter.org/database.html",
        "licence": "CC BY 4.0",
        "attribution": attribution(release.number),
        "retrieved": retrieved,
    }


def to_tables(release: OnetRelease) -> dict[str, tuple[Sequence[str], Iterable[Sequence[str]]]]:
    """(header, rows) by file name."""
    rows: dict[str, Iterable[Sequence[str]]] = {
        "occupations.csv": ((code, one.title, one.zone, one.description) for code, one in release.occupations.items()),
        "abilities.csv": ((code, name, long) for code, (name, long) in release.abilities.items()),
        "occupation_titles.csv": release.titles,
        "occupation_abilities.csv": ((*key, *values) for key, values in release.ratings.items()),
        "related_occupations.csv": release.related,
    }
    return {name: (header, rows[name]) for name, header in COLUMNS.items()}


def from_tables(source: Mapping[str, str], files: Mapping[str, bytes]) -> OnetTables:
    """The rows again; the bytes must be those that `to_tables` gave."""
    rows = {name: _rows(name, files[name]) for name in COLUMNS}
    return OnetTables(source, *(rows[name] for name in COLUMNS))


def _rows(name: str, data: bytes) -> Rows:
    table, _ = read_table(name, data, COLUMNS[name])
    return tuple(zip(*(table.column(column) for column in COLUMNS[name]), strict=True))
