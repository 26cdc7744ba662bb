"""Which snapshots a retention deletes: by count, by age, and never the last good one."""

from datetime import UTC, datetime, timedelta

import pytest

from indexer.snapshots.retention import surplus_snapshots
from indexer.snapshots.snapshots import Snapshot

NOW = datetime(2026, 1, 31, tzinfo=UTC)


def taken(day: int, state: str = "SUCCESS") -> Snapshot:
    """Return a snapshot of a release of this day of January, taken on that day."""
    time = f"2026-01-{day:02}T00:00:00.000Z"
    return Snapshot(f"r{day:02}", state, time, "akg-f5", time, "data", "rules", 1, 1, 1)


DAYS = [taken(day) for day in (30, 20, 10, 1)]
RUNNING, FAILED, PARTIAL = taken(31, "IN_PROGRESS"), taken(25, "FAILED"), taken(5, "PARTIAL")


@pytest.mark.parametrize(
    ("snapshots", "keep", "days", "live", "deleted"),
    [
        (DAYS, 1, 0, [], ["r01", "r10", "r20"]),
        (DAYS, 3, 0, [], ["r01"]),
        (DAYS, 9, 0, [], []),
        (DAYS, 1, 15, [], ["r01", "r10"]),
        (DAYS, 3, 15, [], ["r01"]),
        (DAYS, 1, 1, [], ["r01", "r10", "r20"]),  # the newest is a day old, and stays
        (DAYS, 0, 0, [], ["r01", "r10", "r20"]),
        (DAYS, 1, 0, ["r10"], ["r01", "r20"]),  # live after a rollback
        ([RUNNING, *DAYS], 1, 0, [], ["r01", "r10", "r20"]),
        ([RUNNING, FAILED, PARTIAL, DAYS[3]], 1, 0, [], ["r05", "r25"]),
        ([FAILED], 1, 365, [], ["r25"]),
        ([], 1, 0, [], []),
    ],
)
def test_keeps_the_newest_the_young_and_the_live(
    snapshots: list[Snapshot], keep: int, days: int, live: list[str], deleted: list[str]
) -> None:
    surplus = surplus_snapshots(snapshots, keep, timedelta(days=days), live, NOW)
    assert [snapshot.name for snapshot in surplus] == deleted
