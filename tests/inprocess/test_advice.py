"""What `akg status` warns of, and what it says to do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from akg.advice import Files, warnings
from indexer.condition import Condition, Disk, Usage
from indexer.release import Release

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
INDEX, EARLIER = "akg-entities-20261120t120000z", "akg-entities-20261001t120000z"
DEAD = "akg-entities-20261121t110000z"


def release(index: str, released: str, *, live: bool) -> Release:
    return Release(index, index, live, released, "1", "2", 12, 34, 5_000_000)


WELL = Condition(
    version="3.8.0",
    cluster="akg",
    health="green",
    nodes=1,
    live=(INDEX,),
    meta={"rules": []},
    documents=46,
    releases=(
        release(INDEX, "2026-11-20T12:00:00Z", live=True),
        release(EARLIER, "2026-10-01T12:00:00Z", live=False),
    ),
    unfinished=(),
    usage=Usage(1, 100, 4, NOW - timedelta(minutes=2)),
    disk=Disk(100, 50),
    writer=None,
)


def told(found: Condition = WELL, files: Files | None = None, *, counted: bool = True) -> list[str]:
    return warnings(found, files or Files(), NOW, usage_counted=counted)


def test_where_all_is_well_nothing_is_said() -> None:
    assert told() == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"health": "red"}, "start the nodes that are away"),
        ({"health": "yellow"}, "start another node, or want fewer copies"),
        ({"disk": Disk(100, 15)}, "85% full, at 95 % writes stop: `akg index prune --keep 1`"),
        ({"live": (), "releases": ()}, "No release is live: `akg index build`"),
        ({"live": (EARLIER, INDEX)}, f"points at 2 indices: `akg index rollback {INDEX}`"),
        ({"releases": WELL.releases[1:]}, "never completed: `akg index rollback`"),
        ({"releases": WELL.releases[:1]}, "no earlier release"),
        ({"unfinished": (DEAD,)}, f"left {DEAD}: `akg index prune`"),
        ({"unfinished": (DEAD,), "writer": {"gone": True}}, f"left {DEAD}"),
        (
            {"releases": (replace(WELL.releases[0], released="2026-08-01T12:00:00Z"), *WELL.releases[1:])},
            "112 days old",
        ),
        ({"usage": replace(WELL.usage, latest=NOW - timedelta(hours=3))}, "No usage was counted for 3 hours"),
    ],
)
def test_each_trouble_is_told_with_its_remedy(change: dict[str, Any], says: str) -> None:
    found = told(replace(WELL, **change))
    assert any(says in one for one in found), found


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (Files(tables=True), "`akg index build --dry-run`"),
        (Files(new_rules=2, gone_rules=1), "(2 rules new, 1 gone): `akg synonyms preview`"),
        (Files(new_rules=2, undone=True), "undone or replaced"),
        (Files(problems=3), "3 errors"),
    ],
)
def test_files_that_differ_are_told(files: Files, says: str) -> None:
    (found,) = told(files=files)
    assert says in found


def test_what_is_under_way_or_not_wanted_is_no_trouble() -> None:
    assert told(replace(WELL, unfinished=(DEAD,), writer={"gone": False})) == []
    assert told(replace(WELL, usage=replace(WELL.usage, latest=NOW - timedelta(days=2))), counted=False) == []
    assert told(replace(WELL, usage=Usage(0, 0, 0, None))) == []
