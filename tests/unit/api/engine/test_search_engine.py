"""Access to OpenSearch: invalid responses, and the circuit breaker."""

import pytest
from aiohttp import web

from api.engine.search_engine import MAX_FAILURES, CircuitBreaker, SearchEngine
from api.errors import EngineUnavailableError
from api.settings import Settings
from tests.support.http_servers import http_server


def broken(failures: int = MAX_FAILURES) -> CircuitBreaker:
    breaker = CircuitBreaker()
    for _ in range(failures):
        assert breaker.allows(10.0)
        breaker.failed(10.0)
    return breaker


def test_a_few_failures_do_not_open_the_circuit_breaker() -> None:
    breaker = broken(MAX_FAILURES - 1)
    assert (breaker.open, [breaker.allows(10.0) for _ in range(3)]) == (False, [True] * 3)


def test_only_consecutive_failures_count() -> None:
    breaker = broken(MAX_FAILURES - 1)
    breaker.succeeded()
    breaker.failed(10.0)
    breaker.failed(10.0)
    assert not breaker.open


@pytest.mark.parametrize(
    ("times", "allowed"),
    [
        ((10.0, 10.2, 10.49), (False, False, False)),
        ((10.5, 10.5, 10.6, 10.99), (True, False, False, False)),
        ((10.5, 10.9, 11.0, 11.1), (True, False, True, False)),  # the first probe never ends
    ],
)
def test_after_the_maximum_of_failures_one_probe_per_pause_is_allowed(
    times: tuple[float, ...], allowed: tuple[bool, ...]
) -> None:
    breaker = broken()
    assert breaker.open
    assert tuple(map(breaker.allows, times)) == allowed


def test_a_successful_probe_closes_the_circuit_breaker() -> None:
    breaker = broken()
    assert breaker.allows(10.5)
    breaker.succeeded()
    assert (breaker.open, [breaker.allows(10.5) for _ in range(3)]) == (False, [True] * 3)


def test_a_failed_probe_restarts_the_pause() -> None:
    breaker = broken()
    assert breaker.allows(10.5)
    breaker.failed(10.9)
    assert [breaker.allows(now) for now in (11.0, 11.39, 11.4, 11.4)] == [False, False, True, False]


SENSELESS = {
    "broken JSON": (b"{not json", "application/json"),
    "HTML": (b"<p>", "text/html"),
    "invalid UTF-8": (b"\xff\xfe", "text/plain"),
}


@pytest.mark.parametrize(("body", "media_type"), SENSELESS.values(), ids=SENSELESS)
async def test_a_response_that_cannot_be_read_counts_as_unavailable(body: bytes, media_type: str) -> None:
    async def respond(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type=media_type)

    async with http_server(respond) as (url, _):
        engine = SearchEngine(Settings(), [url])
        for read in (engine.refresh_live_release(), engine.fetch(["one"])):
            with pytest.raises(EngineUnavailableError):
                await read
        await engine.close()
