"""`akg mcp`: the MCP connector for programs on this machine that start it themselves."""

from __future__ import annotations

import asyncio
import signal
import sys

from akg.connection import engine_urls, settings_from_environment
from akg.console import plain_errors


def mcp() -> None:
    """Speak MCP on standard input and output, over the configured engine or the local node."""
    from api.logs import configure  # noqa: PLC0415
    from api.mcp_transport import serve_stdio  # noqa: PLC0415 - takes a second to import, which only this command needs

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing to put in order, and a thread would wait for more input
    with plain_errors():
        settings = settings_from_environment()
        configure(settings.log_level, sys.stderr)
        asyncio.run(serve_stdio(settings, engine_urls(settings)))
