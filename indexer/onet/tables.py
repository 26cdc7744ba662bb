"""Converts a release to the tables of its import, and those tables back to rows. Pure.

The tables have the columns of those of the content with the same name, without slugs and sources, which the merge adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.content.csv_table import read_table
from indexer.onet.layout import attribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.onet.reader import OnetRelease

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
    """The rows of an import, each with the columns of `COLUMNS`."""

    source: Mapping[str, str]
    occupations: Rows
    abilities: Rows
    titles: Rows
    ratings: Rows
    related: Rows


def source_row(release: OnetRelease, retrieved: str) -> dict[str, str]:
    """Return the source row of a release. `retrieved` is the ISO date of the import."""
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
    """Return (header, rows) by file name."""
    occupations = release.occupations.items()
    rows: dict[str, Iterable[Sequence[str]]] = {
        "occupations.csv": ((code, row.title, row.zone, row.description) for code, row in occupations),
        "abilities.csv": ((element, row.name, row.description) for element, row in release.abilities.items()),
        "occupation_titles.csv": release.titles,
        "occupation_abilities.csv": ((*key, *rating) for key, rating in release.ratings.items()),
        "related_occupations.csv": release.related,
    }
    return {name: (header, rows[name]) for name, header in COLUMNS.items()}


def from_tables(source: Mapping[str, str], files: Mapping[str, bytes]) -> OnetTables:
    """Parse the bytes of tables that `to_tables` returned."""
    tables = (read_table(name, files[name], columns)[0].rows(*columns) for name, columns in COLUMNS.items())
    return OnetTables(source, *map(tuple, tables))
