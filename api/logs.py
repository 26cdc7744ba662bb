"""What the service writes to its log: lines of JSON in which no caller's words, path or address can stand.

Our own loggers (`akg.…`) say what happened, in words and fields of our own. Of everyone else's records (of the server,
of the engine's client, of warnings) only the fact is kept: who, where, how bad, which kind of error. What they would
say may hold what people asked. Of an error the kind and the places in the code are told, never its message.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

import orjson

if TYPE_CHECKING:
    from types import TracebackType

log = logging.getLogger("akg.process")

OURS = "akg"
SERVER = "uvicorn.error"  # warns of every request that cannot be read, and anyone can send very many
PLACES = 12  # frames of an error, the innermost ones


class Line(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Write what may be told of a record."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if record.name == OURS or record.name.startswith(f"{OURS}."):
            told["event"] = record.getMessage()
            told.update(getattr(record, "fields", {}))
        else:
            told["at"] = f"{record.module}:{record.lineno}"
        kind, _, trace = record.exc_info or (None, None, None)
        if kind is not None:
            told["error"] = kind.__name__
            told["places"] = places(trace)
        return orjson.dumps(told).decode()


def places(trace: TracebackType | None) -> list[str]:
    """Where an error passed, outermost first, as `file:line function`."""
    frames = traceback.extract_tb(trace, limit=-PLACES)
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]


def configure(level: str, stream: TextIO) -> None:
    """Send every record of this process, and every warning, to one stream; nothing else writes a log."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Line())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if level == "debug" else logging.WARNING)  # of others what matters is trouble
    logging.getLogger(SERVER).setLevel(logging.DEBUG if level == "debug" else logging.ERROR)
    logging.getLogger(OURS).setLevel(level.upper())
    logging.captureWarnings(capture=True)
    logging.raiseExceptions = False  # a record that cannot be written would be shown with all that it holds
    sys.excepthook = _crashed
    sys.unraisablehook = lambda lost: _crashed(lost.exc_type, lost.exc_value, lost.exc_traceback)
    threading.excepthook = lambda lost: _crashed(lost.exc_type, lost.exc_value, lost.exc_traceback)
    for name in list(logging.root.manager.loggerDict):  # what libraries set up for themselves goes the same way
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _crashed(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    """What Python would print with the error's message."""
    log.critical("crash", exc_info=(kind, error or kind(), trace))
