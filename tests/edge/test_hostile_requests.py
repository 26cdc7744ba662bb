"""Hostile and malformed requests get the answer that the edge promises, and cause no defect in the service itself."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx

from tests.support import hostile_requests
from tests.support.edge import Edge
from tests.support.hostile_requests import HostileRequest
from tests.support.malformed_requests import requests, response_error, send_requests

SEED, REQUESTS, AT_ONCE = 20_261_121, 600, 16
IN_TIME = 4  # at once, where each has to be answered in two seconds, on a busy machine too


def test_the_edge_keeps_its_promise_for_every_hostile_request(front: Edge) -> None:
    sent = hostile_requests.requests()
    assert len({request.sent for request in sent}) == len(sent) > 200
    with httpx.Client(base_url=front.url, timeout=30) as web:  # the first of each does work for all others
        web.post("/recommend", json={"disability": "adhd"}).raise_for_status()
        web.get("/llms.txt").raise_for_status()
    with ThreadPoolExecutor(IN_TIME) as threads:
        found = threads.map(lambda request: hostile_requests.broken_promise(front.port, request), sent)
        assert [broken for broken in found if broken] == []


def test_the_service_itself_answers_no_hidden_request_and_has_no_error(direct: str) -> None:
    port = urlsplit(direct).port or 0

    def misuse(request: HostileRequest) -> str | None:
        return hostile_requests.misuse(request, hostile_requests.exchange(port, request.sent)[0])

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert [found for found in threads.map(misuse, hostile_requests.requests()) if found] == []


def test_the_same_seed_generates_the_same_requests() -> None:
    first, again = (list(itertools.islice(requests(SEED), 50)) for _ in range(2))
    assert first == again
    assert first != list(itertools.islice(requests(SEED + 1), 50))


async def test_malformed_requests_get_valid_responses_and_no_server_error(front: Edge) -> None:
    sent = itertools.islice(requests(SEED), REQUESTS)
    exchanges = await send_requests(front.port, sent, AT_ONCE, lambda: None)
    assert [(request, error) for request, response in exchanges if (error := response_error(request, response))] == []
    assert sum(response.startswith(b"HTTP/1.1 200") for _, response in exchanges) > REQUESTS / 10  # many reach a route


async def test_malformed_requests_to_the_service_itself_are_no_defects_of_it(direct: str) -> None:
    sent = (request for request in requests(SEED + 2) if request.endswith((b"\r\n\r\n", b"}", b"]")))
    exchanges = await send_requests(
        urlsplit(direct).port or 0, itertools.islice(sent, REQUESTS // 3), AT_ONCE, lambda: None
    )
    found = [response.split()[1] for _, response in exchanges if response.startswith(b"HTTP/")]
    assert [status for status in found if status.startswith(b"5")] == []
    assert len(found) > REQUESTS / 4
