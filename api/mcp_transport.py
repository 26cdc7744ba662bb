"""How MCP requests come in: `POST /mcp` inside the service, or standard input and output of a process of its own.

The HTTP side is stateless and answers in JSON. It lets through what the service's own boundary let through, from the
hosts and web origins of the settings; the package's checks of the same are off, because they answer in plain text.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers

from api.answers import Answers
from api.dictionary import english_words
from api.engine import Engine
from api.envelope import Envelope
from api.errors import HostError, MethodError, OriginError
from api.mcp import mcp_server
from api.settings import mappings_folder
from api.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from mcp.server import Server
    from starlette.types import Message, Receive, Scope, Send

    from api.settings import Settings

log = logging.getLogger("akg.service")

PATH = "/mcp"
FAILED = 500


class Connector:
    """The ASGI endpoint of `/mcp`. Its `running` must surround the requests; it can be entered once."""

    def __init__(self, server: Server[Any], settings: Settings) -> None:
        self._hosts = settings.connector_hosts
        self._origins = settings.allowed_origins
        self._manager = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=settings.mcp_body_limit_bytes,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be ready for requests."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or raise the ServiceError that says why not."""
        if scope["method"] != "POST":  # older clients ask for a stream with GET and end a session with DELETE
            raise MethodError("The MCP connector keeps no streams or sessions: POST only.", allowed=["POST", "OPTIONS"])
        self._check(Headers(scope=scope))

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= FAILED:
                log.error("the MCP transport answered %d", message["status"])
            await send(message)

        await self._manager.handle_request(_trimmed(scope), receive, watched)

    def _check(self, headers: Headers) -> None:
        """Refuse what a web page may have sent by another name for this machine (DNS rebinding)."""
        host = hostname(headers.get("host", ""))
        if self._hosts and host not in self._hosts:
            raise HostError(
                f"The MCP connector does not answer to the host {host[:200]!r}. AKG_ALLOWED_HOSTS names those it does."
            )
        origin = headers.get("origin")
        if origin and self._origins and origin not in self._origins:
            raise OriginError(f"Web pages of {origin[:200]!r} may not call this service.")


def _trimmed(scope: Scope) -> Scope:
    """Without the spaces that may surround a header's value, and that the package would compare with the body."""
    return {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}


def hostname(host: str) -> str:
    """A Host header without its port, in lower case: `[::1]:8080` is `[::1]`."""
    name, bracket, _ = host.partition("]")
    return f"{name}{bracket}".lower() if bracket else host.partition(":")[0].lower()


async def serve_stdio(settings: Settings, engine_urls: Sequence[str]) -> None:
    """Speak MCP on standard input and output until the input ends. Nothing else is written to standard output."""
    engine = Engine(settings, engine_urls)
    vocabulary = read_vocabulary(mappings_folder(settings))
    server = mcp_server(Answers(engine, vocabulary, english_words()), Envelope(settings), settings)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await engine.close()
