"""Malformed requests get the response that the API describes."""

import itertools
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.fixture_graphs import listening
from tests.support.malformed_requests import requests, response_error, send_requests

SEED, REQUESTS = 20_261_121, 400


@pytest.fixture(scope="module")
def port(node_url: str, service: httpx.AsyncClient) -> Iterator[int]:
    assert service  # the world is published
    with listening(
        node_url, "akg-world", rate_limit=0, deadline_seconds=20, client_timeout_seconds=0.5, idle_seconds=1
    ) as url:
        yield urlsplit(url).port or 0


def test_the_same_seed_generates_the_same_requests() -> None:
    first, again = (list(itertools.islice(requests(SEED), 50)) for _ in range(2))
    assert first == again
    assert first != list(itertools.islice(requests(SEED + 1), 50))


async def test_malformed_requests_get_valid_responses_and_no_server_error(port: int) -> None:
    exchanges = await send_requests(port, itertools.islice(requests(SEED), REQUESTS), 8, lambda: None)
    assert [(request, error) for request, response in exchanges if (error := response_error(request, response))] == []
    assert sum(response.startswith(b"HTTP/1.1 200") for _, response in exchanges) > REQUESTS / 10  # many reach a route
    assert sum(response == b"" for _, response in exchanges) < REQUESTS / 10
