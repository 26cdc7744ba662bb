"""What was seen at each address, line by line as it was seen: a run that is stopped at any moment goes on from here."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import orjson
from filelock import FileLock, Timeout

from indexer.market.due import Visit
from indexer.market.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

FILE = "visits.ndjson"


class MarketError(Exception):
    """The addresses cannot be visited now; the table is as it was, and what was seen so far is remembered."""


@contextmanager
def journal(folder: Path) -> Iterator[tuple[dict[str, Visit], Callable[[Visit], None]]]:
    """The last visit to each address, and a function that remembers one more at once; for one process at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise MarketError("Another verification is under way here. Wait for it, or stop it and start again.") from None
    try:
        visits = _read(folder)
        rewrite(folder, visits)
        with (folder / FILE).open("ab") as file:

            def remember(visit: Visit) -> None:
                visits[visit.url] = visit
                file.write(_line(visit))
                file.flush()

            yield visits, remember
    finally:
        lock.release()


def rewrite(folder: Path, visits: Mapping[str, Visit]) -> None:
    """Keep these visits and no others."""
    draft = folder / f"{FILE}.new"
    draft.write_bytes(b"".join(map(_line, visits.values())))
    draft.replace(folder / FILE)


def _line(visit: Visit) -> bytes:
    return orjson.dumps(asdict(visit)) + b"\n"


def _read(folder: Path) -> dict[str, Visit]:
    """Every whole line; the last one may have been cut when a run was killed."""
    path = folder / FILE
    visits = {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            visit = Visit(**orjson.loads(line))
        except (orjson.JSONDecodeError, TypeError):
            continue
        if set(visit.rules.values()) <= RULES.keys():
            visits[visit.url] = visit
    return visits
