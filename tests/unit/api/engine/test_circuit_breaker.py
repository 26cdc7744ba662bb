"""The circuit breaker: which calls it allows after which outcomes."""

from __future__ import annotations

from api.engine.circuit_breaker import CircuitBreaker


def broken(failures: int = 3, at: float = 10.0) -> CircuitBreaker:
    """A breaker that has just seen so many failures, of the three that it bears."""
    breaker = CircuitBreaker(max_failures=3, pause=0.5)
    for _ in range(failures):
        assert breaker.allows(at)
        breaker.failed(at)
    return breaker


def test_a_few_failures_change_nothing() -> None:
    breaker = broken(2)
    assert (breaker.open, [breaker.allows(10.0) for _ in range(3)]) == (False, [True] * 3)


def test_failures_count_only_in_a_row() -> None:
    breaker = broken(2)
    breaker.succeeded()
    breaker.failed(10.0)
    breaker.failed(10.0)
    assert not breaker.open


def test_opens_after_the_maximum_of_failures() -> None:
    breaker = broken()
    assert breaker.open
    assert [breaker.allows(now) for now in (10.0, 10.2, 10.49)] == [False] * 3


def test_allows_one_probe_after_the_pause() -> None:
    breaker = broken()
    assert [breaker.allows(now) for now in (10.5, 10.5, 10.6, 10.99)] == [True, False, False, False]


def test_a_successful_probe_closes_it() -> None:
    breaker = broken()
    assert breaker.allows(10.5)
    breaker.succeeded()
    assert (breaker.open, [breaker.allows(10.5) for _ in range(3)]) == (False, [True] * 3)


def test_a_failed_probe_restarts_the_pause() -> None:
    breaker = broken()
    assert breaker.allows(10.5)
    breaker.failed(10.9)
    assert [breaker.allows(now) for now in (11.0, 11.39, 11.4, 11.4)] == [False, False, True, False]


def test_allows_another_probe_if_the_first_never_ends() -> None:
    breaker = broken()
    assert [breaker.allows(now) for now in (10.5, 10.9, 11.0, 11.1)] == [True, False, True, False]
