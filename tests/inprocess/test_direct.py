"""The short way to the engine says what the client's own connection says, and keeps or drops connections rightly."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from httptools import HttpParserUpgrade
from opensearchpy import AIOHttpConnection
from opensearchpy.exceptions import ConnectionError as EngineConnectionError
from opensearchpy.exceptions import ConnectionTimeout, OpenSearchException, OpenSearchWarning
from scripted import OK, PATIENCE, Node, asked, served, whole

from api import direct
from api.direct import DirectConnection
from api.engine import Engine
from api.errors import EngineAwayError
from api.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from opensearchpy import AsyncOpenSearch

WAYS = (AIOHttpConnection, DirectConnection)


async def ask(client: AsyncOpenSearch, number: int = 0, seconds: float = 5.0) -> object:
    body = {"query": {"match_all": {}}, "from": number}
    return await client.search(index="one", body=body, params={"preference": "_local", "request_timeout": seconds})


SAID = {
    "whole": whole(b'{"a":1}'),
    "nothing": whole(b""),
    "in pieces": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'3\r\n{"a\r\n4\r\n":2}\r\n0\r\n\r\n',
    "until the end": b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"a":3}',
    "after a word": b"HTTP/1.1 100 Continue\r\n\r\n" + whole(b'{"a":4}'),
    "not json": whole("schön".encode(), b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%b"),
    "other text": whole(b'{"a":"sch\xc3\xb6n"}'),
    "an error": whole(
        b'{"error":{"type":"index_not_found_exception","reason":"no"},"status":404}', OK.replace(b"200 OK", b"404 No")
    ),
    "an error in words": whole(
        b"busy", b"HTTP/1.1 503 Busy\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%b"
    ),
    "too many": whole(b"{}", OK.replace(b"200 OK", b"429 Slow")),
    "no answer": b"",
    "half": b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort",
    "no text": whole(b"\xff\xfe", b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%b"),
    "no http": b"short and no http\r\n\r\n",
    "silence": None,
}


@pytest.mark.parametrize("name", SAID)
async def test_it_says_what_the_clients_own_connection_says(name: str) -> None:
    """Answers, errors, and what an error holds: the service tells them apart by class, status and type."""
    told = []
    for way in WAYS:
        node = Node(SAID[name])
        async with asked(node, way) as client:
            try:
                told.append(await ask(client, seconds=0.3))
            except OpenSearchException as error:
                kind, *about = error.args
                info = about[1:] if isinstance(kind, int) else ()
                said = about[:1] if isinstance(kind, int) else ()
                told.append((type(error), kind, *said, *info))
    assert plain(told[0]) == plain(told[1])


def plain(told: object) -> object:
    """Error texts that are not JSON come as bytes here."""
    if isinstance(told, tuple):
        return tuple(one.decode() if isinstance(one, bytes) else one for one in told)
    return told


async def test_a_request_holds_what_the_clients_own_holds() -> None:
    heads = []
    for way in WAYS:
        node = Node()
        async with asked(node, way, http_auth=("me", "secret"), opaque_id="who") as client:
            await ask(client)
            await client.indices.get_mapping(index="one", params={"local": "true"}, headers={"x-more": "yes"})
        port = client.transport.connection_pool.connections[0].port
        plain = [head.lower().replace(b":%d" % port, b":port") for head in node.heads]
        wanted = [sorted(line for line in head.split(b"\r\n") if line) for head in plain]
        heads.append((wanted, node.bodies))
    for own, ours in zip(heads[0][0], heads[1][0], strict=True):
        assert [line for line in ours if line != b"content-length: 0"] == own
    assert heads[0][1] == heads[1][1]


async def test_warnings_of_the_engine_are_given() -> None:
    warned = whole(b"{}", OK.replace(b"\r\n\r\n", b'\r\nWarning: 299 OpenSearch-3 "old way"\r\n\r\n'))
    async with asked(Node(warned)) as client:
        with pytest.warns(OpenSearchWarning, match="old way"):
            await ask(client)


async def test_one_connection_serves_one_request_after_the_other() -> None:
    node = Node(*(whole(b'{"n":%d}' % number) for number in range(5)))
    async with asked(node) as client:
        assert [await ask(client, number) for number in range(5)] == [{"n": number} for number in range(5)]
    assert node.connections == 1


async def test_no_more_connections_than_are_wanted() -> None:
    node = Node()
    node.slow.clear()
    async with asked(node, connections=2) as client:
        several = [asyncio.create_task(ask(client, number)) for number in range(6)]
        await node.heard(2)
        node.slow.set()
        await asyncio.gather(*several)
    assert (node.connections, node.most, len(node.heads)) == (2, 2, 6)


async def test_who_waits_for_a_connection_waits_no_longer_than_told() -> None:
    node = Node(None)
    async with asked(node, connections=1) as client:
        first = asyncio.create_task(ask(client))
        await node.heard(1)
        with pytest.raises(ConnectionTimeout):
            await ask(client, seconds=0.05)
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first
        assert await ask(client) == {}


@pytest.mark.parametrize("closing", ["between", "instead of an answer"])
async def test_a_connection_that_was_closed_meanwhile_is_no_error(closing: str) -> None:
    """The engine, or what stands before it, may close a connection that rests, also while a request is on its way."""
    node = Node(whole(b'{"n":1}'), *([b""] if closing != "between" else []), whole(b'{"n":2}'))
    async with asked(node) as client:
        await ask(client)
        if closing == "between":
            node.open[0].close()
            await asyncio.sleep(0.05)
        assert await ask(client) == {"n": 2}
    assert node.connections == 2


async def test_a_new_connection_that_says_nothing_is_an_error() -> None:
    node = Node(b"")
    async with asked(node) as client:
        with pytest.raises(EngineConnectionError):
            await ask(client)
    assert len(node.heads) == 1


async def test_another_protocol_is_an_error() -> None:
    node = Node(b"HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nshort")
    async with asked(node) as client:
        with pytest.raises(EngineConnectionError) as told:
            await ask(client)
        assert isinstance(told.value.info, HttpParserUpgrade)
        assert await ask(client) == {}


async def test_nobody_gets_the_answer_of_one_who_left() -> None:
    node = Node(whole(b'{"n":1}'), whole(b'{"n":2}'), whole(b'{"n":3}'))
    async with asked(node) as client:
        await ask(client)
        node.slow.clear()
        for leaves in ("cancelled", "late"):
            if leaves == "late":
                with pytest.raises(ConnectionTimeout):
                    await ask(client, seconds=0.05)
                continue
            one = asyncio.create_task(ask(client))
            await node.heard(2)
            one.cancel()
            with suppress(asyncio.CancelledError):
                await one
        node.slow.set()
        node.says[:] = [whole(b'{"n":4}')]
        assert await ask(client) == {"n": 4}
        await asyncio.sleep(0.05)
        assert (node.connections, node.now) == (3, 1)  # those of who left are closed


async def test_what_rested_for_long_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    node = Node()
    async with asked(node) as client:
        await asyncio.gather(*(ask(client) for _ in range(3)))
        opened = node.connections
        monkeypatch.setattr(direct, "IDLE_SECONDS", 0.0)
        assert await ask(client) == {}
        assert node.connections == opened + 1


async def test_what_nobody_needs_any_more_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "IDLE_SECONDS", 0.1)
    node = Node()
    async with asked(node) as client:
        await asyncio.gather(*(ask(client) for _ in range(3)))
        async with asyncio.timeout(PATIENCE):
            while node.now:  # noqa: ASYNC110 - a test's own clock
                await asyncio.sleep(0.02)
        assert await ask(client) == {}


async def test_what_nobody_asked_for_ends_the_connection() -> None:
    node = Node(whole(b'{"n":1}'))
    async with asked(node) as client:
        await ask(client)
        node.open[0].write(whole(b'{"n":0}'))
        await asyncio.sleep(0.05)
        assert await ask(client) == {}
    assert node.connections == 2


@pytest.mark.parametrize("more", [whole(b'{"n":0}'), whole(b'{"n":0}')[:-4], b"HT"])
async def test_what_comes_behind_an_answer_is_nobodys(more: bytes) -> None:
    node = Node(whole(b'{"n":1}') + more, whole(b'{"n":2}'))
    async with asked(node) as client:
        assert await ask(client) == {"n": 1}
        await asyncio.sleep(0.05)
        assert await ask(client) == {"n": 2}
    assert node.connections == 2


async def test_closing_ends_what_is_under_way() -> None:
    """On a connection that was used before, on a new one, and while waiting for one."""
    node = Node(whole(b"{}"), None, None)
    async with asked(node, connections=2) as client:
        await ask(client)
        several = [asyncio.create_task(ask(client)) for _ in range(3)]
        await node.heard(3)
        await client.close()
        for one in several:
            with pytest.raises(EngineConnectionError):
                await one
        await asyncio.sleep(0.05)
        assert (node.now, len(node.heads)) == (0, 3)


async def test_a_long_request_that_is_refused_takes_its_connection_with_it() -> None:
    """Perhaps not all of it was taken."""
    refused = whole(b"{}", OK.replace(b"200 OK", b"413 Large"))
    node = Node(refused)
    async with asked(node) as client:
        with pytest.raises(OpenSearchException):
            await client.msearch(index="one", body="x" * 100_000)
        assert await ask(client) == {}
    assert node.connections == 2


async def test_headers_that_are_written_here_stand_once() -> None:
    node = Node()
    async with asked(node) as client:
        headers = {"Host": "else", "Content-Length": "7", "X-More": "yes"}
        await client.search(index="one", body={}, headers=headers)
    head = node.heads[0].lower()
    assert (head.count(b"\r\nhost:"), head.count(b"\r\ncontent-length:"), head.count(b"x-more: yes")) == (1, 1, 1)


async def test_what_a_pinned_certificate_asks_goes_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_so: list[str] = []

    async def long_way(_: AIOHttpConnection, method: str, *__: object) -> tuple[int, dict[str, str], str]:
        asked_so.append(method)
        return 200, {}, "{}"

    monkeypatch.setattr(AIOHttpConnection, "perform_request", long_way)
    async with asked(Node(), ssl_assert_fingerprint="aa" * 32) as client:
        assert await ask(client) == {}
    assert asked_so == ["POST"]


async def test_many_connections_that_were_closed_meanwhile_cost_one_more_request_at_most() -> None:
    node = Node()
    async with asked(node) as client:
        await asyncio.gather(*(ask(client) for _ in range(4)))
        node.says[:] = [b""]
        assert await ask(client) == {}
        assert len(node.heads) == 4 + 2


async def test_other_methods_go_the_long_way() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"
    async with asked(Node(head)) as client:
        assert await client.ping()


SENSELESS = {
    "no json": whole(b"{not json"),
    "a page": whole(b"<p>", b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n%b"),
    "no text": SAID["no text"],
}


@pytest.mark.parametrize("name", SENSELESS)
async def test_what_answers_without_sense_counts_as_no_engine(name: str) -> None:
    async with served(Node(*[SENSELESS[name]] * 4)) as url:
        engine = Engine(Settings(), [url])
        for question in (engine.look(), engine.fetch(["one"])):
            with pytest.raises(EngineAwayError):
                await question
        await engine.close()


ON_BOTH = (
    test_one_connection_serves_one_request_after_the_other,
    test_no_more_connections_than_are_wanted,
    test_who_waits_for_a_connection_waits_no_longer_than_told,
    test_a_new_connection_that_says_nothing_is_an_error,
    test_nobody_gets_the_answer_of_one_who_left,
    test_what_nobody_asked_for_ends_the_connection,
    test_closing_ends_what_is_under_way,
    test_many_connections_that_were_closed_meanwhile_cost_one_more_request_at_most,
)


@pytest.mark.parametrize("test", ON_BOTH, ids=lambda test: test.__name__)
def test_the_same_on_the_loop_of_the_service(test: Callable[[], Coroutine[None, None, None]]) -> None:
    uvloop = pytest.importorskip("uvloop", reason="uvloop is not for this system")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test())
