"""Writes the templates of an overlay: each table with its header, and comments with what it is for and an example."""

from collections.abc import Iterator
from pathlib import Path

from indexer.content.csv_table import csv_bytes
from indexer.content.datapackage_schema import Package, Resource
from indexer.overlays.examples import EXAMPLES
from indexer.overlays.tables import OWN_TABLES, SPECS, TABLES, is_required, overlay_package
from schema.errors import AkgError

COMMENT = "# "


class OverlayExistsError(AkgError):
    """The folder for a new overlay has files already; they are unchanged."""


def write_templates(folder: Path, package: Package) -> list[Path]:
    """Write the templates into a new or empty folder; raise OverlayExistsError if it is not empty."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise OverlayExistsError(f"{folder} is not empty. Name a new folder; nothing was written.")
    paths = []
    for resource in overlay_package(package).resources:
        paths.append(folder / resource.path)
        paths[-1].write_bytes(template(resource))
    return paths


def template(resource: Resource, *, with_example: bool = False) -> bytes:
    """Return a table with its comments; `with_example` makes the example a row."""
    columns = [column.name for column in resource.table.columns]
    example = [EXAMPLES[resource.stem].get(column, "") for column in columns]
    row = csv_bytes([example]).decode()
    comments = [f"{COMMENT}{line}\n" for line in _comments(resource)]
    parts = [*comments, csv_bytes([columns]).decode(), row if with_example else f"{COMMENT}{row}"]
    return "".join(parts).encode()


def _comments(resource: Resource) -> Iterator[str]:
    spec = SPECS[resource.stem]
    required = [column.name for column in resource.table.columns if is_required(column, spec)]
    optional = [column.name for column in resource.table.columns if not is_required(column, spec)]
    yield {**OWN_TABLES, **TABLES}[resource.stem]
    yield f"Fill: {' '.join(required)}." + (f" May be empty: {' '.join(optional)}." if optional else "")
    yield "Lines that begin with # are comments. Add rows below the header. Delete tables that you do not need."
