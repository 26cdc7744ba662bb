"""The limit of bodies in the whole service."""

from collections.abc import AsyncIterator

from api.app import create_app
from api.settings import Settings
from tests.support.asgi_clients import assert_problem, client_of

LIMIT = 1024
AS_JSON = {"Content-Type": "application/json"}


async def pieces(count: int, size: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b" " * size


async def test_the_service_rejects_a_chunked_body_over_the_limit() -> None:
    async with client_of(create_app(Settings(body_limit_bytes=LIMIT))) as client:
        assert_problem(await client.post("/recommend", headers=AS_JSON, content=pieces(5, LIMIT // 4)), 413)
