"""Reports about imports."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import Report


class ImportRow(Report):
    """One import."""

    name: str = Field(description="Its name, for `akg import remove`.")
    title: str = Field(description="What was imported.")
    made: str = Field(description="Time of the import, UTC.")
    origin: str = Field(description="File, folder or URL that was imported.")
    rows: dict[str, int] = Field(description="Number of rows, by table.")


class Imported(Report):
    """`akg import onet`, and `akg import table`."""

    stored: ImportRow = Field(description="The import; the next build uses it.")
    entities: int | None = Field(description="Number of imported entities; null for O*NET.")
    skipped_edges: int = Field(description="Number of edges that were not imported, because a build derives them.")
    notes: Sequence[str] = Field(description="What an operator should know about the import.")


class ImportList(Report):
    """`akg import list`."""

    imports: Sequence[ImportRow] = Field(description="The imports, by name.")


class ImportRemove(Report):
    """`akg import remove`."""

    removed: str = Field(description="Name of the import that was removed.")
