"""Reports about snapshots."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import Report


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


class SnapshotCreate(Report):
    """`akg snapshot create`."""

    repository: str = Field(description="Name of the snapshot repository.")
    snapshot: SnapshotRow = Field(description="The snapshot of the live release.")


class SnapshotRestore(Report):
    """`akg snapshot restore`."""

    live: str = Field(description="The release that is live now.")


class SnapshotDelete(Report):
    """`akg snapshot delete`."""

    deleted: str = Field(description="Name of the deleted snapshot.")


class SnapshotVerify(Report):
    """`akg snapshot verify`."""

    snapshot: str = Field(description="Name of the snapshot.")
    intact: bool = Field(description="Whether its release was restored and has no problem.")
    problems: Sequence[str] = Field(description="What is wrong with its release.")
    data_version: str = Field(description="Version of the tables.")
    entities: int = Field(description="Number of entities.")


class SnapshotPrune(Report):
    """`akg snapshot prune`."""

    dry_run: bool = Field(description="Whether nothing was deleted, because of `--dry-run`.")
    deleted: Sequence[str] = Field(description="Deleted snapshots, or those that would be.")
    kept: Sequence[str] = Field(description="Snapshots that stay, newest release first.")
