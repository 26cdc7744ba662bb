"""The short way to the engine says what the client's own connection says, and keeps or drops connections rightly."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
from opensearchpy import AIOHttpConnection, AsyncOpenSearch
from opensearchpy.exceptions import ConnectionError as EngineConnectionError
from opensearchpy.exceptions import ConnectionTimeout, OpenSearchException, OpenSearchWarning

from api import direct
from api.connection import FastSerializer
from api.direct import DirectConnection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
PATIENCE = 10.0  # seconds for what a test waits for
WAYS = (AIOHttpConnection, DirectConnection)


def whole(body: bytes, head: bytes = OK) -> bytes:
    return head % (len(body), body)


class Node:
    """Something in the engine's place. `says` are its answers in turn; one of None is silence, b"" hanging up."""

    def __init__(self, *says: bytes | None) -> None:
        self.says = list(says)
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.connections = self.most = self.now = 0
        self.slow = asyncio.Event()
        self.slow.set()
        self.open: list[asyncio.StreamWriter] = []
        self.tasks: list[asyncio.Task[Any] | None] = []

    async def heard(self, requests: int) -> None:
        """Wait until so many were asked."""
        async with asyncio.timeout(PATIENCE):
            while len(self.heads) < requests:  # noqa: ASYNC110 - a test's own clock
                await asyncio.sleep(0.01)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        self.now += 1
        self.most = max(self.most, self.now)
        self.open.append(writer)
        self.tasks.append(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head)
                fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if line)
                self.bodies.append(await reader.readexactly(int(fields.get(b"content-length", b"0"))))
                said = self.says.pop(0) if self.says else whole(b"{}")
                await self.slow.wait()
                if said is None:
                    await reader.read()
                    break
                writer.write(said)
                await writer.drain()
                if not said or b"connection: close" in said or b"short" in said:
                    break
        self.now -= 1
        writer.close()


@asynccontextmanager
async def asked(
    node: Node,
    way: type[AIOHttpConnection] = DirectConnection,
    connections: int = 4,
    **more: Any,  # noqa: ANN401 - the client's own
) -> AsyncIterator[AsyncOpenSearch]:
    server = await asyncio.start_server(node, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    client = AsyncOpenSearch(
        hosts=[f"http://{host}:{port}"],
        connection_class=way,
        serializer=FastSerializer(),
        maxsize=connections,
        max_retries=0,
        **more,
    )
    try:
        yield client
    finally:
        await client.close()
        server.close()
        node.slow.set()
        for writer in node.open:
            writer.close()
        await asyncio.gather(*(task for task in node.tasks if task))


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
        with pytest.raises(EngineConnectionError):
            await ask(client)
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
    node = Node(None)
    async with asked(node) as client:
        one = asyncio.create_task(ask(client))
        await node.heard(1)
        await client.close()
        with pytest.raises(EngineConnectionError):
            await one
        await asyncio.sleep(0.05)
        assert node.now == 0


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
