"""Reports about releases and their snapshots."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import Report


class ReleaseRow(Report):
    """One complete release."""

    release: str = Field(description="Name of its index.")
    live: bool = Field(description="Whether the index alias points at it.")
    released: str = Field(description="Time of its publication, UTC.")
    data_version: str = Field(description="Version of the tables.")
    synonyms_version: str = Field(description="Version of the synonym rules.")
    entities: int = Field(description="Number of entities.")
    edges: int = Field(description="Number of edges.")
    size_bytes: int = Field(description="Size of the index; clones share files.")


class IndexList(Report):
    """`akg index list`, and `akg index releases`."""

    releases: Sequence[ReleaseRow] = Field(description="Complete releases, newest first.")
    other_formats: dict[int, int] = Field(description="Number of releases of other document formats, by format.")


class IndexRollback(Report):
    """`akg index rollback`."""

    live: str = Field(description="The release that is live now.")


class IndexPrune(Report):
    """`akg index prune`."""

    deleted: Sequence[str] = Field(description="Deleted indices.")


class SnapshotRow(Report):
    """One snapshot of a release."""

    snapshot: str = Field(description="Its name, that of the release.")
    state: str = Field(description="SUCCESS, IN_PROGRESS, PARTIAL or FAILED.")
    taken: str = Field(description="Time at which it was begun, UTC.")
    data_version: str = Field(description="Version of the tables.")
    synonyms_version: str = Field(description="Version of the synonym rules.")
    entities: int = Field(description="Number of entities.")
    size_bytes: int = Field(description="Size of the release.")


class SnapshotList(Report):
    """`akg snapshot list`."""

    repository: str = Field(description="Name of the snapshot repository.")
    snapshots: Sequence[SnapshotRow] = Field(description="Snapshots of this format, newest release first.")
    other_formats: dict[int, int] = Field(description="Number of snapshots of other document formats, by format.")
