"""Shapes of what the commands that verify and prune snapshots print with `--json`."""

from collections.abc import Sequence

from pydantic import Field

from akg.reports.report import Report


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
