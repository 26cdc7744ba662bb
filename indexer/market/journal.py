"""Append-only journal of visits: a run that is interrupted continues where it stopped."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import orjson
from filelock import FileLock, Timeout

from indexer.market.schedule import Visit
from schema.errors import AkgError
from schema.market_rules import MARKET_RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

FILE = "visits.ndjson"


class MarketError(AkgError):
    """The addresses cannot be visited now. The table is unchanged, and the visits so far are in the journal."""


@contextmanager
def open_journal(folder: Path) -> Iterator[tuple[dict[str, Visit], Callable[[Visit], None]]]:
    """Yield the last visit to each URL and a function that appends one; raise MarketError if it is already open."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / ".lock").acquire(timeout=0)
    except Timeout:
        message = "Another verification is running. Wait until it ends, or stop it and start again."
        raise MarketError(message) from None
    with lock:
        visits = _read(folder)
        rewrite(folder, visits)
        with (folder / FILE).open("ab") as file:

            def record(visit: Visit) -> None:
                visits[visit.url] = visit
                file.write(_line(visit))
                file.flush()

            yield visits, record


def rewrite(folder: Path, visits: Mapping[str, Visit]) -> None:
    """Replace the journal with these visits."""
    draft = folder / f"{FILE}.new"
    draft.write_bytes(b"".join(map(_line, visits.values())))
    draft.replace(folder / FILE)


def _line(visit: Visit) -> bytes:
    return orjson.dumps(asdict(visit)) + b"\n"


def _read(folder: Path) -> dict[str, Visit]:
    """Read every complete line; a killed run may have truncated the last one."""
    path = folder / FILE
    visits = {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            visit = Visit(**orjson.loads(line))
        except (orjson.JSONDecodeError, TypeError):
            continue
        if set(visit.rules.values()) <= MARKET_RULES.keys():
            visits[visit.url] = visit
    return visits
