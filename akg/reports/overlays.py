"""Reports about overlays."""

from collections.abc import Sequence

from pydantic import Field

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


class OverlayEntity(Report):
    """An entity that a release adds, changes or leaves out."""

    change: str = Field(description="added, changed or hidden.")
    id: str = Field(description="Its id.")
    name: str = Field(description="Its name; for a changed one, the new name.")


class OverlayEdge(Report):
    """An edge that a release adds, changes or leaves out."""

    change: str = Field(description="added, changed or hidden.")
    edge: str = Field(description="Name of the edge type.")
    source: str = Field(description="Id of the entity it leaves.")
    target: str = Field(description="Id of the entity it leads to.")


class OverlayHit(Report):
    """One result of a query."""

    id: str = Field(description="Id of the entity.")
    name: str = Field(description="Its name.")


class OverlayQuery(Report):
    """A judged query whose first ten results differ."""

    query: str = Field(description="The query.")
    kind: str = Field(description="Its class.")
    gain: float = Field(description="Change of nDCG@10.")
    before: Sequence[OverlayHit] = Field(description="First ten results without the overlay.")
    after: Sequence[OverlayHit] = Field(description="First ten results with it.")


class OverlayPreview(Report):
    """`akg overlay preview`."""

    overlay: str = Field(description="The folder.")
    before: str = Field(description="Data version without the overlay.")
    after: str = Field(description="Data version with it.")
    entities: Sequence[OverlayEntity] = Field(description="Entities that are added, changed and hidden.")
    edges: Sequence[OverlayEdge] = Field(description="Edges that are added, changed and hidden, each in one direction.")
    queries: int = Field(description="Number of judged queries that were run on both.")
    changed: Sequence[OverlayQuery] = Field(description="Queries with other results, the worst first.")
    regressions: Sequence[str] = Field(description="Classes of queries whose scores drop beyond the tolerance.")
