"""JSON log formatter that drops user input: no query, path or address of a client reaches the log.

Records of our own loggers (`akg.…`) are written with their message and fields. Records of libraries (server, OpenSearch
client, warnings) may hold what users typed, so only logger, level, code location and error type are written. An error
is written with its type and stack frames, never with its message.
"""

import logging
import sys
import threading
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, TextIO

import orjson

log = logging.getLogger("akg.process")

ROOT_LOGGER = "akg"
SERVER_LOGGER = "uvicorn.error"  # warns of every malformed request, and any client can send very many
MAX_FRAMES = 12  # of an error, the innermost ones


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without anything that may hold user input."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if record.name == ROOT_LOGGER or record.name.startswith(f"{ROOT_LOGGER}."):
            line["event"] = record.getMessage()
            line.update(getattr(record, "fields", {}))
        else:
            line["at"] = f"{record.module}:{record.lineno}"
        kind, _, trace = record.exc_info or (None, None, None)
        if kind is not None:
            line["error"] = kind.__name__
            line["places"] = stack_frames(trace)
        return orjson.dumps(line).decode()


def stack_frames(trace: TracebackType | None) -> list[str]:
    """Return the stack frames of an error, outermost first, as `file:line function`."""
    frames = traceback.extract_tb(trace, limit=-MAX_FRAMES)
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]


def configure_logging(level: str, stream: TextIO) -> None:
    """Send all records and warnings of this process to one stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if level == "debug" else logging.WARNING)
    logging.getLogger(SERVER_LOGGER).setLevel(logging.DEBUG if level == "debug" else logging.ERROR)
    logging.getLogger(ROOT_LOGGER).setLevel(level.upper())
    logging.captureWarnings(capture=True)
    logging.raiseExceptions = False  # else a record that cannot be formatted is printed with all its contents
    sys.excepthook = _log_crash
    sys.unraisablehook = lambda unraisable: _log_crash(
        unraisable.exc_type, unraisable.exc_value, unraisable.exc_traceback
    )
    threading.excepthook = lambda unraisable: _log_crash(
        unraisable.exc_type, unraisable.exc_value, unraisable.exc_traceback
    )
    for name in list(logging.root.manager.loggerDict):  # remove handlers that libraries installed
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _log_crash(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    """Log an uncaught error, which Python would print with its message."""
    log.critical("crash", exc_info=(kind, error or kind(), trace))
