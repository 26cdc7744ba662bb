"""Reports about overlays."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.evaluation import ChangedQueryRow
from akg.reports.releases import EdgeChange, EntityChange
from akg.reports.report import ProblemRow, Report


class OverlayCheck(Report):
    """`akg overlay check`."""

    overlay: str = Field(description="The folder.")
    problems: Sequence[ProblemRow] = Field(description="Every problem; the command exits with 1 if there is one.")
    entities: int = Field(description="Number of entities that it adds; 0 with problems, as the following numbers.")
    names: int = Field(description="Number of other names that it adds.")
    edges: int = Field(description="Number of edges that it adds.")
    changed: int = Field(description="Number of entities whose name or texts it changes.")
    hidden: int = Field(description="Number of entities that it hides.")


class OverlayPreview(Report):
    """`akg overlay preview`."""

    overlay: str = Field(description="The folder.")
    before: str = Field(description="Data version without the overlay.")
    after: str = Field(description="Data version with it.")
    entities: Sequence[EntityChange] = Field(description="Entities that are added, changed and hidden.")
    edges: Sequence[EdgeChange] = Field(description="Edges that are added, changed and hidden, each in one direction.")
    queries: int = Field(description="Number of judged queries that were run on both.")
    changed: Sequence[ChangedQueryRow] = Field(description="Queries with other results, the worst first.")
    regressions: Sequence[str] = Field(description="Classes of queries whose scores drop beyond the tolerance.")
