"""`akg market`: visit the pages of products and vendors, and write down what is found there."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from akg.connection import settings_from_environment
from akg.console import notes, out, plain_errors
from api.settings import content_folder, mappings_folder
from indexer import sources
from indexer.market.due import KINDS, addresses, as_table, due, merged
from indexer.market.hosts import Clock
from indexer.market.journal import MarketError, journal, rewrite
from indexer.market.round import go_round
from indexer.market.rules import RULES
from indexer.market.transport import PublicTransport
from indexer.market.visit import Limits, Visitor
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import httpx

    from indexer.market.due import Address, Visit
    from indexer.rows import Content

market_app = typer.Typer(no_args_is_help=True, help="See which products and vendors are still there.")

TABLE = "market.csv"
AGAIN_AFTER = 30  # days
AT_ONCE = 8

ContentOption = Annotated[
    Path | None, typer.Option("--content", help="Content folder; default: AKG_CONTENT or the shipped one.")
]
DaysOption = Annotated[int, typer.Option("--older-than", min=0, help="Visit what was not visited for so many days.")]
TypeOption = Annotated[str, typer.Option("--type", help="Only product or only vendor.")]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, help="Most addresses to visit in this run.")]
HostsOption = Annotated[int, typer.Option("--hosts", min=1, max=64, help="Hosts to visit at the same time.")]


@dataclass(frozen=True, slots=True)
class Round:
    """One run of the command: where the state lies, what is due, how many hosts at once."""

    state: Path
    now: datetime
    days: int = AGAIN_AFTER
    kind: str = ""
    most: int | None = None
    at_once: int = AT_ONCE


@market_app.command()
def verify(
    content: ContentOption = None,
    older_than: DaysOption = AGAIN_AFTER,
    kind: TypeOption = "",
    limit: LimitOption = None,
    hosts: HostsOption = AT_ONCE,
) -> None:
    """Visit the address of each product and vendor, decide by the stated rules, and write market.csv."""
    with plain_errors():
        if kind and kind not in KINDS:
            raise MarketError(f"--type is {kind!r}; valid: {', '.join(KINDS)}")
        settings = settings_from_environment()
        folder = content or content_folder(settings)
        tables = sources.read(folder, read_vocabulary(mappings_folder(settings)))
        now = datetime.now(UTC)
        clock = Clock(time.monotonic, asyncio.sleep)
        options = Round(settings.data / "market", now, older_than, kind, limit, hosts)
        visited = verify_all(folder, tables, options, PublicTransport(), clock, settings.market_contact)
        counts = Counter(rule for visit in visited for rule in visit.rules.values())
        number = f"{len(visited):,} address{'' if len(visited) == 1 else 'es'}"
        out.print(f"Visited {number}. {_told(counts)}", markup=False)


def verify_all(
    folder: Path,
    tables: Content,
    options: Round,
    transport: httpx.AsyncBaseTransport,
    clock: Clock,
    contact: str = "",
) -> list[Visit]:
    """Visit what is due through this transport and write the table of the folder; return the visits of this run.

    The table is written too when the run is stopped half-way, with what was seen until then, but not where nothing
    answered at all.
    """
    if not sources.describes(folder, TABLE):
        raise MarketError(f"{folder / sources.PACKAGE} does not describe {TABLE}: copy that part from the shipped one.")
    with journal(options.state) as (visits, remember):
        _write(folder, tables, visits)  # what a killed run had seen; and whether this can be written at all
        before = dict(visits)
        found = due(addresses(tables), visits, tables.findings, options.now.date(), options.days)
        found = [one for one in found if not options.kind or options.kind in {named.kind for named in one.entities}]
        found = found[: options.most]
        try:
            with _progress(len(found), remember) as remember_and_show:
                visitor = Visitor(transport, clock, options.now, Limits(), contact)
                asyncio.run(_round(found, visitor, before, remember_and_show, options))
        except MarketError:
            rewrite(options.state, before)
            raise
        except BaseException:
            _write(folder, tables, visits)
            raise
        _write(folder, tables, visits)
        return [visits[one.url] for one in found]


async def _round(
    found: Sequence[Address],
    visitor: Visitor,
    before: Mapping[str, Visit],
    remember: Callable[[Visit], None],
    options: Round,
) -> None:
    try:
        await go_round(found, visitor, before, remember, options.now.date(), options.at_once)
    finally:
        await visitor.close()


@contextmanager
def _progress(total: int, remember: Callable[[Visit], None]) -> Iterator[Callable[[Visit], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=notes) as progress:
        task = progress.add_task("Visiting", total=total)

        def remember_and_show(visit: Visit) -> None:
            remember(visit)
            progress.advance(task)

        yield remember_and_show


def _write(folder: Path, tables: Content, visits: Mapping[str, Visit]) -> None:
    draft = folder / f".{TABLE}.new"
    try:
        draft.write_bytes(as_table(merged(tables, visits)))
        draft.replace(folder / TABLE)
    except OSError as error:
        where = "--content names a folder of your own"
        raise MarketError(f"{folder / TABLE} cannot be written: {error.strerror}; {where}.") from None


def _told(counts: Counter[str]) -> str:
    """How often each status was found, and by which rules."""
    by_status: Counter[str] = Counter()
    for rule, count in counts.items():
        by_status[RULES[rule].status] += count
    statuses = ", ".join(f"{status}: {count:,}" for status, count in by_status.most_common())
    rules = ", ".join(f"{rule} {count:,}" for rule, count in counts.most_common())
    return f"{statuses} ({rules})." if counts else "Nothing was due."
