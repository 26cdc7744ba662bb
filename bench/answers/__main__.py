"""Compare the responses of two running services for every entity of the graph.

    python -m bench.answers --before http://localhost:8081 --after http://localhost:8082 --to differences.jsonl

No module of the program is imported, so any two versions can be compared. Switch their rate limits off
(AKG_RATE_LIMIT=0). Ctrl-C prints the summary of what was compared. The exit code is 0 if nothing differs, 1 if
something differs, 2 if a service does not respond, and 130 if nothing differs until Ctrl-C.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from math import ceil
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from bench.answers import comparison
from bench.answers.comparison import Body, Difference, compare_lists, compare_pages, compare_records
from bench.answers.service import SEED_FIELDS, Reply, Service, is_loopback
from bench.answers.summary import Summary

PARTS = ("records", "neighbors", "related", "recommend")
WIDTH = 160  # of the table in a file or a pipe
stderr = Console(stderr=True)
stdout = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
Compare = Callable[[Body, Body], Iterator[Difference]]


def compared(part: str, replies: Sequence[Reply], compare: Compare) -> Iterator[Difference]:
    """Yield the differences of two responses; a status that is not 200 is one, because nothing was compared."""
    before, after = replies
    if before.status == after.status == 200:
        yield from compare(before.body, after.body)
    else:
        yield Difference(f"{part}: status", "", before.status, after.status)


async def compare_entity(entity: str, services: Sequence[Service], parts: Sequence[str], summary: Summary) -> None:
    """Request what the services say of an entity, and add the differences to the summary."""
    kind = entity.partition(":")[0]
    if "records" in parts or "neighbors" in parts:
        records = await asyncio.gather(*(service.record(entity) for service in services))
        if "records" in parts:
            summary.add(entity, compared("record", records, compare_records))
        if "neighbors" in parts:
            edges = dict.fromkeys(edge["name"] for record in records for edge in record.body.get("edges", ()))
            for edge in edges:
                neighbors = await asyncio.gather(*(service.neighbors(entity, edge) for service in services))
                compare = partial(compare_pages, comparison.NEIGHBORS)
                summary.add(f"{entity} {edge}", compared("neighbors", neighbors, compare))
    if "related" in parts and kind == "disability":
        related = await asyncio.gather(*(service.related(entity) for service in services))
        summary.add(entity, compared("related", related, partial(compare_pages, comparison.RELATED)))
    if "recommend" in parts and kind in SEED_FIELDS:
        pages = await asyncio.gather(*(service.recommend(entity) for service in services))
        summary.add(entity, compared("recommend", pages, partial(compare_pages, comparison.RECOMMENDED)))


def sample(entities: Mapping[str, Sequence[str]], size: int | None) -> list[str]:
    """Return all entities, or about `size` of them: evenly spaced, and at least one of each type."""
    total = sum(map(len, entities.values()))
    if size is None or size >= total:
        return [entity for ids in entities.values() for entity in ids]
    counts = {kind: ceil(len(ids) * size / total) for kind, ids in entities.items()}
    return [ids[place * len(ids) // counts[kind]] for kind, ids in entities.items() for place in range(counts[kind])]


async def compare_services(options: argparse.Namespace, summary: Summary) -> None:
    """Compare the lists of entities, then every entity in both; `concurrency` entities are compared at a time."""
    slots = asyncio.Semaphore(options.concurrency)
    services = [Service(url, slots) for url in (options.before, options.after)]
    async with services[0].client, services[1].client:
        stderr.print("Reading the lists of entities …")
        before, after = await asyncio.gather(*(service.entities() for service in services))
        in_both: dict[str, list[str]] = {}
        for kind in dict.fromkeys((*before, *after)):
            lists = before.get(kind, []), after.get(kind, [])
            summary.add(kind, compare_lists(comparison.ENTITIES, *lists))
            shared = set(lists[0]).intersection(lists[1])
            in_both[kind] = [entity for entity in lists[0] if entity in shared]
        entities = sample(in_both, options.sample)
        columns = (
            *Progress.get_default_columns()[:2],
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=stderr) as progress:
            remaining = iter(progress.track(entities, description="Comparing entities"))

            async def worker() -> None:
                for entity in remaining:
                    await compare_entity(entity, services, options.only, summary)

            async with asyncio.TaskGroup() as workers:
                for _ in range(options.concurrency):
                    workers.create_task(worker())


def parts_of(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names).difference(PARTS):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; valid: {','.join(PARTS)}")
    return names


def loopback_url(text: str) -> str:
    if not is_loopback(text):
        raise argparse.ArgumentTypeError(f"{text} is not a URL of this machine, such as http://localhost:8081")
    return text


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return int(text)


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(
        "python -m bench.answers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found.add_argument("--before", type=loopback_url, required=True, metavar="URL", help="the service to compare with")
    found.add_argument("--after", type=loopback_url, required=True, metavar="URL", help="the changed service")
    found.add_argument("--to", type=Path, metavar="FILE", help="write all differences as JSON lines")
    found.add_argument("--only", type=parts_of, default=PARTS, metavar="PARTS", help=f"some of {','.join(PARTS)}")
    found.add_argument("--sample", type=positive, metavar="N", help="compare about N entities, of every type")
    found.add_argument("--concurrency", type=positive, default=8, metavar="N", help="requests in flight; default: 8")
    return found


def main() -> int:
    """Compare two services and print the summary."""
    options = parser().parse_args()
    interrupted = False
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let background jobs ignore it
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with ExitStack() as stack:
        file: IO[str] | None = stack.enter_context(options.to.open("w", encoding="utf-8")) if options.to else None
        summary = Summary(file)
        try:
            asyncio.run(compare_services(options, summary))
        except ConnectionError as error:
            stderr.print(str(error), markup=False, soft_wrap=True)
            return 2
        except KeyboardInterrupt:
            interrupted = True
    if summary.counts:
        stdout.print(summary.table())
    until = " until it was interrupted" * interrupted
    stdout.print(f"{summary.differing:,} of {summary.compared:,} compared answers differ{until}.")
    return int(bool(summary.counts)) or 130 * interrupted


if __name__ == "__main__":
    sys.exit(main())
