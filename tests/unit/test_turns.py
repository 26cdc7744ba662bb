"""Whose turn it is, as a table: what happened when, and which node is asked."""

from __future__ import annotations

import pytest

from api.turns import LONGEST, Turns


def asked(turns: Turns, now: float, times: int = 6) -> list[int]:
    return [turns.next(now) for _ in range(times)]


def failed_at(*places: int, now: float = 10.0, size: int = 3) -> Turns:
    """Nodes of which these have just failed."""
    turns = Turns(size)
    for place in places:
        turns.failed(place, now)
    return turns


@pytest.mark.parametrize(
    ("turns", "now", "order"),
    [
        (Turns(3), 10.0, [1, 2, 0, 1, 2, 0]),
        (Turns(3, 1), 10.0, [2, 0, 1, 2, 0, 1]),
        (failed_at(1), 10.5, [2, 0, 2, 0, 2, 0]),
        (failed_at(1), 11.0, [1, 2, 0, 2, 0, 2]),  # one tries it again, nobody else beside it
        (failed_at(1, 2), 10.5, [0, 0, 0, 0, 0, 0]),
        (failed_at(0, 1, 2), 10.5, [1, 2, 0, 1, 2, 0]),  # all failed, and somebody must be asked
        (failed_at(0, size=1), 10.5, [0, 0, 0, 0, 0, 0]),
    ],
)
def test_nodes_are_asked_in_turn_but_for_those_that_failed(turns: Turns, now: float, order: list[int]) -> None:
    assert asked(turns, now) == order


def test_one_that_answers_is_asked_like_all_others() -> None:
    turns = failed_at(1)
    assert turns.well == 2
    turns.answered(1)
    assert (turns.well, asked(turns, 10.0, 3)) == (3, [1, 2, 0])


def test_who_fails_again_is_left_alone_for_twice_as_long() -> None:
    turns, now, pauses = failed_at(1), 10.0, []
    for _ in range(7):
        began = now
        while turns.next(now) != 1:
            now += 0.25
        pauses.append(now - began)
        turns.failed(1, now)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, LONGEST, LONGEST]


def test_what_many_learn_at_once_counts_once() -> None:
    turns = failed_at(1, 1, 1, 1)
    assert [turns.next(11.0) for _ in range(3)] == [1, 2, 0]
    turns.failed(1, 11.0)
    turns.failed(1, 11.5)
    assert 1 not in asked(turns, 12.9)
    assert 1 in asked(turns, 13.0)
