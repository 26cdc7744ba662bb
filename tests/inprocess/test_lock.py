"""Whether the holder of the writer's lease is gone: asked of the clock and of this machine's processes."""

from __future__ import annotations

import pytest

from indexer.lock import LEASE_SECONDS, RENEW_SECONDS, _gone, _lease, _me

NOW = 1_795_262_400.0
NOBODY = 2**30  # beyond every process id


@pytest.mark.parametrize(
    ("other", "after", "gone"),
    [
        ({}, 0.0, False),  # this very process lives
        ({}, LEASE_SECONDS, False),
        ({}, LEASE_SECONDS + 0.1, True),  # lives, but did not renew
        ({"pid": NOBODY}, 0.0, True),  # was killed: seen at once
        ({"started": 1.0}, 0.0, True),  # its number belongs to another process now
        ({"host": "elsewhere.example.org", "pid": NOBODY}, 0.0, False),  # cannot be seen from here
        ({"host": "elsewhere.example.org", "pid": NOBODY}, LEASE_SECONDS + 0.1, True),
    ],
)
def test_a_holder_is_gone_when_it_died_here_or_its_lease_ran_out(
    other: dict[str, object],
    after: float,
    gone: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert _gone({**_me(), **other, "expires": NOW + LEASE_SECONDS}, NOW + after) is gone


def test_a_lease_names_host_and_process_and_no_person() -> None:
    (holder,) = _lease(_me(), NOW).values()
    assert set(holder) == {"host", "pid", "started", "taken", "expires"}
    assert holder["expires"] == NOW + LEASE_SECONDS


def test_two_leases_of_one_process_are_told_apart() -> None:
    assert _me()["taken"] != _me()["taken"]


def test_a_lease_is_renewed_several_times_before_it_runs_out() -> None:
    assert RENEW_SECONDS * 3 < LEASE_SECONDS
