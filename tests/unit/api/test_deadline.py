"""The time that a request has left."""

import pytest

from api.deadline import seconds_left, until


@pytest.mark.parametrize(("now", "left"), [(0.0, 2.0), (3.0, 2.0), (4.0, 1.0), (5.0, 0.0), (6.0, -1.0)])
def test_the_remaining_time_is_limited(now: float, left: float) -> None:
    with until(5.0):
        assert seconds_left(now, 2.0) == left
