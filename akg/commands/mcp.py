"""`akg mcp`: the MCP server on standard input and output."""

from __future__ import annotations

import asyncio
import signal
import sys

from akg.connection import engine_urls, settings_from_environment
from akg.console import report_errors


def mcp() -> None:
    """Run the MCP server on standard input and output."""
    from api.mcp.transport import serve_stdio  # noqa: PLC0415 - takes a second to import, and every start of `akg` imports this
    from api.telemetry.log_format import configure_logging  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # there is nothing to clean up, and a thread would wait for more input
    with report_errors():
        settings = settings_from_environment()
        configure_logging(settings.log_level, sys.stderr)
        asyncio.run(serve_stdio(settings, engine_urls(settings)))
