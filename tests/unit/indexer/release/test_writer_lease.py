"""When the writer lease of another process is expired, by the clock and by the processes of this machine."""

import pytest

from indexer.release.writer_lease import LEASE_SECONDS, RENEW_SECONDS, Lease, _is_expired, _lease_body, _this_process

NOW = 1_795_262_400.0
UNUSED_PID = 2**30  # beyond every process id


@pytest.mark.parametrize(
    ("changes", "after", "expired"),
    [
        ({}, 0.0, False),  # this process is running
        ({}, LEASE_SECONDS, False),
        ({}, LEASE_SECONDS + 0.1, True),  # is running, but did not renew
        ({"pid": UNUSED_PID}, 0.0, True),  # was killed: detected at once
        ({"started": 1.0}, 0.0, True),  # another process has its pid
        ({"host": "elsewhere.example.org", "pid": UNUSED_PID}, 0.0, False),  # not visible on this host
        ({"host": "elsewhere.example.org", "pid": UNUSED_PID}, LEASE_SECONDS + 0.1, True),
    ],
)
def test_a_lease_expires_with_time_or_with_a_local_process(
    changes: Lease,
    after: float,
    expired: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert _is_expired({**_lease_body(_this_process(), NOW)["holder"], **changes}, NOW + after) is expired


def test_a_lease_names_host_and_process_and_no_person() -> None:
    (lease,) = _lease_body(_this_process(), NOW).values()
    assert set(lease) == {"host", "pid", "started", "taken", "expires"}
    assert lease["expires"] == NOW + LEASE_SECONDS


def test_two_leases_of_a_process_differ() -> None:
    assert _this_process()["taken"] != _this_process()["taken"]


def test_a_lease_is_renewed_several_times_before_it_expires() -> None:
    assert RENEW_SECONDS * 3 < LEASE_SECONDS
