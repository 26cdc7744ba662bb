"""Which snapshots a retention by count and age deletes."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from indexer.snapshots.snapshots import Snapshot

COMPLETE, RUNNING = "SUCCESS", "IN_PROGRESS"


def surplus_snapshots(
    snapshots: Sequence[Snapshot], keep: int, min_age: timedelta, live: Sequence[str], now: datetime
) -> list[Snapshot]:
    """Return the snapshots to delete, oldest release first; `snapshots` come newest release first.

    The `keep` newest complete ones stay, at least one; that of a live release stays, and so does every complete one
    that is younger than `min_age`. A snapshot that failed restores nothing: it neither counts nor stays.
    """
    complete = [snapshot for snapshot in snapshots if snapshot.state == COMPLETE]
    kept = {snapshot.name for snapshot in complete[: max(keep, 1)]}.union(live)
    failed = [snapshot for snapshot in snapshots if snapshot.state not in {COMPLETE, RUNNING}]
    old = [snapshot for snapshot in complete if snapshot.name not in kept and _age(snapshot, now) >= min_age]
    return sorted([*failed, *old], key=lambda snapshot: snapshot.name)


def _age(snapshot: Snapshot, now: datetime) -> timedelta:
    return now - datetime.fromisoformat(snapshot.taken)
