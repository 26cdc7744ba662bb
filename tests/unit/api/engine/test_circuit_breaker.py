"""When the circuit breaker is open, and when it allows a probe."""

from api.engine.circuit_breaker import MAX_FAILURES, CircuitBreaker


def broken(failures: int = MAX_FAILURES, *, is_slow: bool = True) -> CircuitBreaker:
    breaker = CircuitBreaker()
    for _ in range(failures):
        assert not breaker.open
        breaker.failed(10.0, is_slow=is_slow)
    return breaker


def test_only_consecutive_failures_count() -> None:
    breaker = broken(MAX_FAILURES - 1)
    breaker.succeeded()
    breaker.failed(10.0, is_slow=True)
    breaker.failed(10.0, is_slow=True)
    assert not breaker.open


def test_after_a_slow_failure_no_probe_is_allowed_for_a_pause() -> None:
    breaker = broken()
    assert breaker.open
    assert [breaker.allows_probe(now) for now in (10.0, 10.49, 10.5)] == [False, False, True]
    breaker.failed(10.9, is_slow=True)
    assert [breaker.allows_probe(now) for now in (11.0, 11.39, 11.4)] == [False, False, True]


def test_after_a_quick_failure_a_probe_is_allowed_at_once() -> None:
    breaker = broken(is_slow=False)
    assert (breaker.open, breaker.allows_probe(10.0)) == (True, True)
    breaker.failed(11.0, is_slow=True)
    breaker.failed(11.1, is_slow=False)
    assert breaker.allows_probe(11.1)


def test_a_response_closes_the_circuit_breaker() -> None:
    breaker = broken()
    breaker.succeeded()
    assert not breaker.open
