"""The limiter at its borders: exact counts, refusals that cost nothing, memory that stays bounded."""

from __future__ import annotations

import itertools

import pytest

from api.gcra import SECOND, SHARED, Limiter, Quota, Verdict

HUNDRED = Quota(per_minute=100, burst=100)


def allowed(limiter: Limiter, client: int, now: int, times: int) -> int:
    """How many of so many requests at one moment are let in."""
    return sum(limiter.ask(client, now).allowed for _ in range(times))


@pytest.mark.parametrize(
    ("quota", "at_once", "interval", "window"),
    [
        (Quota(100, 100), 100, 600_000_000, 60),
        (Quota(100, 20), 20, 600_000_000, 12),
        (Quota(100, 1), 1, 600_000_000, 1),
        (Quota(1, 1), 1, 60_000_000_000, 60),
        (Quota(7, 3), 3, 8_571_428_571, 26),
        (Quota(6_000, 6_000), 6_000, 10_000_000, 60),
    ],
)
@pytest.mark.parametrize("now", [0, 700_000_000_123_456_789])
def test_a_burst_is_let_in_to_the_last_request_and_no_further(
    quota: Quota, at_once: int, interval: int, window: int, now: int
) -> None:
    limiter = Limiter(quota)
    assert allowed(limiter, 1, now, at_once + 5) == at_once
    assert (quota.interval, quota.window) == (interval, window)


@pytest.mark.parametrize("now", [0, 700_000_000_123_456_789])
def test_then_one_comes_back_with_every_interval(now: int) -> None:
    limiter = Limiter(HUNDRED)
    allowed(limiter, 1, now, 100)
    assert allowed(limiter, 1, now + 599_999_999, 2) == 0
    assert allowed(limiter, 1, now + 600_000_000, 2) == 1
    assert allowed(limiter, 1, now + 3 * SECOND, 9) == 4
    assert allowed(limiter, 1, now + 63 * SECOND, 120) == 100


def test_a_verdict_tells_what_is_left_and_when_to_come_back() -> None:
    limiter = Limiter(Quota(60, 3))
    half = SECOND // 2
    told = [limiter.ask(1, now) for now in (0, 0, half, half, SECOND)]
    assert told == [
        Verdict(True, 2, 0, 1 * SECOND),  # noqa: FBT003 - the first field is its name
        Verdict(True, 1, 0, 2 * SECOND),  # noqa: FBT003
        Verdict(True, 0, 0, 5 * half),  # noqa: FBT003
        Verdict(False, 0, half, 5 * half),  # noqa: FBT003
        Verdict(True, 0, 0, 3 * SECOND),  # noqa: FBT003
    ]


def test_what_is_refused_does_not_count() -> None:
    limiter = Limiter(HUNDRED)
    allowed(limiter, 1, 0, 100)
    assert allowed(limiter, 1, 3 * SECOND // 10, 10_000) == 0
    assert allowed(limiter, 1, 6 * SECOND // 10, 1) == 1


def test_clients_do_not_count_for_each_other() -> None:
    limiter = Limiter(HUNDRED)
    assert [allowed(limiter, client, 0, 101) for client in range(50)] == [100] * 50


def test_a_client_at_rest_is_forgotten_and_has_its_whole_burst_again() -> None:
    limiter = Limiter(HUNDRED)
    for client in range(1000):
        limiter.ask(client, 0)
    assert len(limiter) == 1000
    for moment in range(1000):
        limiter.ask(5000, (10 + moment) * SECOND)
    assert len(limiter) == 1
    assert allowed(limiter, 7, 2000 * SECOND, 101) == 100


def test_a_hot_client_at_the_front_does_not_keep_others_from_being_forgotten() -> None:
    limiter = Limiter(HUNDRED)
    allowed(limiter, -1, 0, 100)  # its allowance is whole again after a minute only
    for client in range(20_000):
        limiter.ask(client, client * SECOND // 1000)
    assert len(limiter) < 1500  # 600 of them count at any moment


def test_newcomers_cannot_push_out_who_still_counts() -> None:
    limiter = Limiter(Quota(100, 100), most_clients=1000)
    assert allowed(limiter, 1, 0, 100) == 100
    for client in range(2, 50_000):
        limiter.ask(client, SECOND // 10)
    assert len(limiter) == 1000
    assert allowed(limiter, 1, SECOND // 10, 1) == 0


def test_where_there_is_no_room_newcomers_share_and_those_inside_do_not_notice() -> None:
    limiter = Limiter(Quota(100, 10), most_clients=100)
    for client in range(100):
        limiter.ask(client, 0)
    let_in = sum(limiter.ask(client, 0).allowed for client in range(100, 100 + 20 * SHARED))
    assert let_in == 10 * SHARED
    assert [allowed(limiter, client, 0, 20) for client in range(100)] == [9] * 100


def test_counts_are_exact_for_twenty_thousand_clients_at_once() -> None:
    limiter = Limiter(Quota(60, 2))
    verdicts = [limiter.ask(client, 0).allowed for _, client in itertools.product(range(3), range(20_000))]
    assert [sum(verdicts[start : start + 20_000]) for start in (0, 20_000, 40_000)] == [20_000, 20_000, 0]
    assert len(limiter) == 20_000
