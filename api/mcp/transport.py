"""MCP transports: `POST /mcp` inside the service, or standard input and output of a separate process.

The HTTP endpoint is stateless and responds with JSON. It accepts the hosts and origins of the settings; the same
checks of the package are off, because their responses are plain text.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import orjson
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from api.engine.search_engine import SearchEngine
from api.errors import HostError, InternalError, OriginError
from api.http.envelope import Envelope
from api.mcp.server import mcp_server
from api.mcp.text import error_data
from api.service import GraphService
from api.settings import Settings, mappings_folder
from schema.english_words import english_words
from schema.vocabulary import read_vocabulary

log = logging.getLogger("akg.service")

PATH = "/mcp"
# In place of the client's: the request policy has checked these headers, and the package knows fewer forms of them.
CHECKED_HEADERS = {b"accept": b"application/json, text/event-stream", b"content-type": b"application/json"}


class Connector:
    """ASGI endpoint of `/mcp`. Requests need `running` to be entered, which is possible once."""

    def __init__(self, server: Server[Any], settings: Settings, service: GraphService, envelope: Envelope) -> None:
        self._service, self._envelope = service, envelope
        self._hosts = settings.connector_hosts
        self._origins = settings.allowed_origins
        self._manager = StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=settings.mcp_body_limit_bytes,
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the session manager."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or raise a ServiceError."""
        self._check(Headers(scope=scope))

        start: Message = {}
        parts: list[bytes] = []

        async def send_with_blocks(message: Message) -> None:
            if message["type"] == "http.response.start":
                if message["status"] >= InternalError.status:
                    log.error("the MCP transport responded with %d", message["status"])
                start.update(message)
                return
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                body = add_blocks(b"".join(parts), self._envelope.wrap_body({}, self._service.release))
                MutableHeaders(raw=start["headers"])["content-length"] = str(len(body))
                await send(start)
                await send({"type": "http.response.body", "body": body})

        # the package compares header values with the body, so without the spaces around them
        others = [(name, value.strip(b" \t")) for name, value in scope["headers"] if name not in CHECKED_HEADERS]
        await self._manager.handle_request(
            {**scope, "headers": [*others, *CHECKED_HEADERS.items()]}, receive, send_with_blocks
        )

    def _check(self, headers: Headers) -> None:
        """Reject requests that a web page may have sent under another host name of this machine (DNS rebinding)."""
        host = hostname(headers.get("host", ""))
        if self._hosts and host not in self._hosts:
            raise HostError(f"The host {host[:200]!r} is not allowed. AKG_ALLOWED_HOSTS lists the allowed hosts.")
        origin = headers.get("origin")
        if origin and self._origins and origin not in self._origins:
            raise OriginError(f"The origin {origin[:200]!r} is not allowed to call this service.")


def add_blocks(body: bytes, blocks: Mapping[str, Any]) -> bytes:
    """Return the body of a protocol error with provenance and notice in its data, any other body as it is."""
    if b'"error":{' not in body:
        return body
    message = orjson.loads(body)
    if "error" not in message:
        return body
    error = message["error"]
    return orjson.dumps({**message, "error": {**error, "data": error_data(error.get("data"), blocks)}})


def hostname(host: str) -> str:
    """Return a Host header without its port, in lower case: `[::1]` for `[::1]:8080`."""
    name, bracket, _ = host.partition("]")
    return f"{name}{bracket}".lower() if bracket else host.partition(":")[0].lower()


async def serve_stdio(settings: Settings, engine_urls: Sequence[str]) -> None:
    """Serve MCP on standard input and output until the input ends. Nothing else is written to standard output."""
    engine = SearchEngine(settings, engine_urls)
    vocabulary = read_vocabulary(mappings_folder(settings))
    server = mcp_server(GraphService(engine, vocabulary, english_words()), Envelope(settings), settings)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await engine.close()
