"""Malformed requests get the response that the API describes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.support.fixture_graphs import listening
from tests.support.malformed_requests import answers, requests, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

SEED, SOME = 20_261_121, 400


@pytest.fixture(scope="module")
def port(node_url: str, service: httpx.AsyncClient) -> Iterator[int]:
    assert service  # the world is published
    with listening(
        node_url, "akg-world", rate_limit=0, deadline_seconds=20, client_timeout_seconds=0.5, idle_seconds=1
    ) as url:
        yield urlsplit(url).port or 0


def test_a_seed_makes_the_same_requests() -> None:
    first, again = (list(itertools.islice(requests(SEED), 50)) for _ in range(2))
    assert first == again
    assert first != list(itertools.islice(requests(SEED + 1), 50))


async def test_malformed_requests_get_answers_of_their_shape_and_are_never_our_failure(port: int) -> None:
    got = await answers(port, itertools.islice(requests(SEED), SOME), 8, lambda: None)
    assert [(request, said) for request, answer in got if (said := wrong(request, answer))] == []
    assert sum(answer.startswith(b"HTTP/1.1 200") for _, answer in got) > SOME / 10  # many get far
    assert sum(answer == b"" for _, answer in got) < SOME / 10
