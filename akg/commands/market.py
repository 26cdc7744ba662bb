"""`akg market`: visit the pages of products and vendors, and record their status in market.csv."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import httpx
import typer
from rich.progress import MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn

from akg.connection import command_settings, tables_folder
from akg.console import ContentOption, JsonOption, grid, pluralize, print_json, print_notice, progress, stdout
from akg.reports.content import MarketStatus, MarketTypeRow, MarketVerify
from api.settings import mappings_folder
from indexer.content import loader
from indexer.content.datapackage_schema import PACKAGE
from indexer.content.rows import Content
from indexer.market.crawl import MarketError, crawl, open_journal, rewrite
from indexer.market.fetcher import Limits, PageFetcher
from indexer.market.host_throttle import Clock
from indexer.market.page_reader import WorkerReader
from indexer.market.public_transport import PublicTransport
from indexer.market.schedule import (
    MarketPage,
    Visit,
    current_findings,
    due_pages,
    findings_csv,
    freshness_cutoff,
    market_pages,
    merge_findings,
)
from schema.errors import UsageError
from schema.market_rules import MARKET_RULES, MARKET_STATUSES, MARKET_TYPES
from schema.vocabulary import read_vocabulary

market_app = typer.Typer(no_args_is_help=True, help="Check which products and vendors still exist.")

TABLE = "market.csv"
REVISIT_DAYS = 30
MAX_HOSTS = 8

DaysOption = Annotated[
    int, typer.Option("--older-than", min=0, help="Visit pages that were not visited for this many days.")
]
TypeOption = Annotated[str, typer.Option("--type", help="Only this type: product or vendor.")]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Maximum number of pages to visit in this run.")
]
MinutesOption = Annotated[
    float | None, typer.Option("--minutes", min=0.1, help="Stop after this time; the next run visits the rest.")
]
HostsOption = Annotated[int, typer.Option("--hosts", min=1, max=64, help="Number of hosts to visit at a time.")]


@dataclass(frozen=True, slots=True)
class Verification:
    """Options of one run; `journal` is the folder of the visits, `seconds` its deadline. An empty `kind` is both."""

    journal: Path
    now: datetime
    days: int = REVISIT_DAYS
    kind: str = ""
    limit: int | None = None
    hosts: int = MAX_HOSTS
    seconds: float | None = None
    limits: Limits = field(default_factory=Limits)


@market_app.command()
def verify(  # noqa: PLR0913 - one parameter for each option
    content: ContentOption = None,
    older_than: DaysOption = REVISIT_DAYS,
    kind: TypeOption = "",
    limit: LimitOption = None,
    hosts: HostsOption = MAX_HOSTS,
    minutes: MinutesOption = None,
    *,
    json: JsonOption = False,
) -> None:
    """Visit the page of each product and vendor, apply the published rules, and write market.csv."""
    with command_settings() as settings:
        if kind and kind not in MARKET_TYPES:
            raise UsageError(f"--type is {kind!r}; valid: {', '.join(MARKET_TYPES)}")
        folder = tables_folder(settings, content)
        tables = loader.load_content(folder, read_vocabulary(mappings_folder(settings)))
        now = datetime.now(UTC)
        clock = Clock(time.monotonic, asyncio.sleep)
        options = Verification(settings.data / "market", now, older_than, kind, limit, hosts, minutes and minutes * 60)
        visits = verify_all(folder, tables, options, PublicTransport(), clock, settings.market_contact)
        counts = Counter(rule for visit in visits for rule in visit.rules.values())
        if json:
            print_json(MarketVerify(visited=len(visits), statuses=_statuses(counts), rules=counts))
        else:
            stdout.print(f"Visited {pluralize(len(visits), 'page')}. {_summary(counts)}", markup=False)


@market_app.command()
def status(content: ContentOption = None, *, json: JsonOption = False) -> None:
    """Show what market.csv says about products and vendors, without visiting any page."""
    with command_settings() as settings:
        tables = loader.load_content(tables_folder(settings, content), read_vocabulary(mappings_folder(settings)))
        report = _status_report(tables, datetime.now(UTC).date(), settings.market_stale_days)
        if json:
            print_json(report)
            return
        table = grid(("type",), ("entities", *MARKET_STATUSES, "unchecked"))
        for row in report.types:
            counts = (row.entities, *(row.statuses[name] for name in MARKET_STATUSES), row.unchecked)
            table.add_row(row.type, *(f"{count:,}" for count in counts))
        stdout.print(table)
        if report.oldest:
            stale = f"{report.stale:,} more than {report.stale_days} days ago"
            stdout.print(f"Checked between {report.oldest} and {report.newest}; {stale}.", markup=False)
        else:
            stdout.print("Nothing was checked yet: run `akg market verify`.", markup=False)


def _status_report(tables: Content, today: date, stale_days: int) -> MarketStatus:
    types = {entity.id: entity.type for entity in tables.entities if entity.type in MARKET_TYPES}
    findings = current_findings(tables)
    days = sorted(finding.checked for finding in findings)
    rows = []
    for name in MARKET_TYPES:
        statuses = Counter(finding.status for finding in findings if types[finding.entity] == name)
        entities = sum(found == name for found in types.values())
        by_status = {status: statuses[status] for status in MARKET_STATUSES}
        unchecked = entities - statuses.total()
        rows.append(MarketTypeRow(type=name, entities=entities, statuses=by_status, unchecked=unchecked))
    cutoff = freshness_cutoff(today, stale_days)
    return MarketStatus(
        types=rows,
        rules=dict(Counter(finding.rule for finding in findings).most_common()),
        oldest=days[0] if days else None,
        newest=days[-1] if days else None,
        stale=sum(day < cutoff for day in days),
        stale_days=stale_days,
    )


def verify_all(
    folder: Path,
    tables: Content,
    options: Verification,
    transport: httpx.AsyncBaseTransport,
    clock: Clock,
    contact: str = "",
) -> list[Visit]:
    """Visit the pages that are due and write market.csv; return the visits of this run.

    An interrupted run writes the visits so far. A run in which no host responded writes nothing.
    """
    if not loader.is_described(folder, TABLE):
        raise MarketError(f"{folder / PACKAGE} does not describe {TABLE}. Copy its entry from the shipped file.")
    with open_journal(options.journal) as (visits, record):
        _write(folder, tables, visits)  # the visits of a killed run; fails early if the file cannot be written
        before = dict(visits)
        pages = due_pages(market_pages(tables), visits, tables.findings, options.now.date(), options.days)
        pages = [page for page in pages if options.kind in {"", *(entity.type for entity in page.entities)}]
        pages = pages[: options.limit]
        try:
            with _progress(len(pages), record) as record_and_advance:
                reader = WorkerReader(options.limits.parse_seconds)
                fetcher = PageFetcher(transport, reader, clock, options.now, options.limits, contact)
                asyncio.run(_crawl(pages, fetcher, before, record_and_advance, options))
        except MarketError:
            rewrite(options.journal, before)
            raise
        except BaseException:
            _write(folder, tables, visits)
            raise
        _write(folder, tables, visits)
        return [visits[page.url] for page in pages if visits.get(page.url) is not before.get(page.url)]


async def _crawl(
    pages: Sequence[MarketPage],
    fetcher: PageFetcher,
    before: Mapping[str, Visit],
    record: Callable[[Visit], None],
    options: Verification,
) -> None:
    deadline = asyncio.timeout(options.seconds)
    try:
        async with deadline:
            await crawl(pages, fetcher, before, record, options.now.date(), options.hosts)
    except TimeoutError:
        if not deadline.expired():
            raise
        print_notice("The time is over. The next run visits the pages that are left.")
    finally:
        await fetcher.close()


@contextmanager
def _progress(total: int, record: Callable[[Visit], None]) -> Iterator[Callable[[Visit], None]]:
    with progress(MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task("Visiting", total=total)

        def record_and_advance(visit: Visit) -> None:
            record(visit)
            bar.advance(task)

        yield record_and_advance


def _write(folder: Path, tables: Content, visits: Mapping[str, Visit]) -> None:
    draft = folder / f".{TABLE}.new"
    try:
        draft.write_bytes(findings_csv(merge_findings(tables, visits)))
        draft.replace(folder / TABLE)
    except OSError as error:
        hint = "Use --content FOLDER with a writable copy of the content."
        raise MarketError(f"{folder / TABLE} cannot be written: {error.strerror}. {hint}") from None


def _statuses(counts: Counter[str]) -> Counter[str]:
    """Return the number of findings by status; `counts` has them by rule."""
    by_status: Counter[str] = Counter()
    for rule, count in counts.items():
        by_status[MARKET_RULES[rule].status] += count
    return by_status


def _summary(counts: Counter[str]) -> str:
    statuses = ", ".join(f"{status}: {count:,}" for status, count in _statuses(counts).most_common())
    rules = ", ".join(f"{rule} {count:,}" for rule, count in counts.most_common())
    return f"{statuses} ({rules})." if counts else "No page was due."
