"""Log lines: our own records are written, those of libraries without their messages."""

import logging
import sys

import orjson
import pytest

from api.telemetry.log_format import JsonFormatter

SECRET = "what a user typed"  # noqa: S105 - no password


FIELDS = {"route": "/{type}", "status": 503, "ms": 1.5}
START = {"time": "2023-11-14T22:13:20.500+00:00", "level": "warning"}


def line(name: str, message: str, *args: object, **more: object) -> dict[str, object]:
    attributes = {"name": name, "levelname": "WARNING", "module": "client", "lineno": 7, "msg": message, "args": args}
    record = logging.makeLogRecord({**attributes, "created": 1_700_000_000.5, **more})
    formatted: dict[str, object] = orjson.loads(JsonFormatter().format(record))
    return formatted


def test_writes_message_and_fields_of_our_own_records() -> None:
    expected = {**START, "logger": "akg.requests", "event": "request", **FIELDS}
    assert line("akg.requests", "request", fields=FIELDS) == expected


@pytest.mark.parametrize("name", ["opensearch", "uvicorn.error", "py.warnings", "asyncio", "akgx.service", "root"])
def test_drops_the_message_of_library_records(name: str) -> None:
    logged = line(name, f"POST /{SECRET} %s", SECRET, fields={"query": SECRET})
    assert logged == {**START, "logger": name, "at": "client:7"}


def failing(text: str) -> None:
    raise ValueError(text)


@pytest.mark.parametrize("name", ["akg.service", "uvicorn.error"])
def test_writes_type_and_stack_of_an_error_without_its_message(name: str) -> None:
    try:
        failing(SECRET)
    except ValueError:
        logged = line(name, "defect", exc_info=sys.exc_info())
    assert logged["error"] == "ValueError"
    places = logged["places"]
    assert isinstance(places, list)
    assert places[-1].startswith("test_log_format.py:")
    assert places[-1].endswith(" failing")
    assert SECRET not in str(logged)
