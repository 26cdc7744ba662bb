"""Malformed requests through the edge get the response that the API describes, or a refusal of the edge."""

import itertools

from tests.support.edge import Edge
from tests.support.malformed_requests import requests, response_error, send_requests

SEED, REQUESTS, AT_ONCE = 20_261_121, 600, 16


def test_the_same_seed_generates_the_same_requests() -> None:
    first, again = (list(itertools.islice(requests(SEED), 50)) for _ in range(2))
    assert first == again
    assert first != list(itertools.islice(requests(SEED + 1), 50))


async def test_malformed_requests_get_valid_responses_and_no_server_error(front: Edge) -> None:
    sent = itertools.islice(requests(SEED), REQUESTS)
    exchanges = await send_requests(front.port, sent, AT_ONCE, lambda: None)
    assert [(request, error) for request, response in exchanges if (error := response_error(request, response))] == []
    assert sum(response.startswith(b"HTTP/1.1 200") for _, response in exchanges) > REQUESTS / 10  # many reach a route
    assert sum(response == b"" for _, response in exchanges) < REQUESTS / 10
