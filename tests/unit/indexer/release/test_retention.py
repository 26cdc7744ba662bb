"""Which releases a rollback takes and pruning deletes."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from indexer.release.retention import Release, previous_release, surplus_releases


def releases(*descriptions: str) -> list[Release]:
    """Return releases from "name data rules [live|failed]", newest first."""
    result = []
    for description in descriptions:
        name, data, rules, *state = description.split()
        result.append(Release(name, name, "live" in state, "", data, rules, 0, 0, 0, was_live="failed" not in state))
    return result


@pytest.mark.parametrize(
    ("descriptions", "expected"),
    [
        (["c 3 r live", "b 2 r", "a 1 r"], "b"),
        (["c 3 r live", "b 2 r failed", "a 1 r"], "a"),
        (["c 3 r live", "b 3 r", "a 1 r"], "a"),  # a build of the same tables
        (["c 3 s live", "b 3 r", "a 1 r"], "b"),
        (["d 4 r", "c 3 r live", "b 2 r"], "b"),
        (["c 3 r live", "b 3 r"], None),
        (["d 3 r live", "c 3 s", "b 3 r", "a 2 r"], "c"),
        (["c 3 r failed", "b 3 r"], "b"),  # the alias is gone
        ([], None),
    ],
)
def test_the_release_that_a_rollback_takes(descriptions: Sequence[str], expected: str | None) -> None:
    previous = previous_release(releases(*descriptions))
    assert (previous.index if previous else None) == expected


@pytest.mark.parametrize(
    ("descriptions", "keep", "expected"),
    [
        (["d 4 r live", "c 3 r", "b 2 r", "a 1 r"], 2, ["a"]),
        (["d 4 r live", "c 3 r failed", "b 2 r", "a 1 r"], 2, ["c"]),
        (["d 4 r live", "c 4 r", "b 4 r", "a 1 r"], 2, ["c", "b"]),  # unchanged builds
        (["e 4 r live", "d 3 r", "c 3 r", "b 2 r", "a 1 r"], 2, ["c", "a"]),
        (["e 4 r live", "d 3 r", "c 4 r", "b 3 r", "a 2 r"], 2, ["c", "b"]),
        (["d 4 r live", "c 4 r", "b 4 r"], 2, ["c", "b"]),
        (["d 4 r live", "c 4 r", "b 3 r", "a 1 r"], 1, ["c", "a"]),
        (["d 4 r live", "c 4 s", "b 3 r", "a 1 r"], 1, ["c", "a"]),  # the last with other tables
        (["d 4 r live", "c 4 s", "b 3 r", "a 1 r"], 2, ["a"]),
        (["d 4 r", "c 3 r live", "b 2 r"], 2, []),
        (["d 4 r live", "c 3 r", "b 2 r"], 0, ["b"]),
        (["d 4 r live", "c 4 s", "b 2 r"], 0, ["c"]),
    ],
)
def test_the_releases_that_pruning_deletes(descriptions: Sequence[str], keep: int, expected: Sequence[str]) -> None:
    assert [release.index for release in surplus_releases(releases(*descriptions), keep)] == expected


def test_pruning_keeps_one_of_the_clones_with_other_rules() -> None:
    clones = [replace(release, data_index="a") for release in releases("c 1 t live", "b 1 s", "a 1 r")]
    assert [release.index for release in surplus_releases(clones, 2)] == ["a"]
