"""`akg eval compare`: the judged queries on two releases, or with two sets of rules on the live release."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import MofNCompleteColumn, TimeElapsedColumn

from akg.commands.rule_files import load_valid_files
from akg.connection import command_settings, connect
from akg.console import JsonOption, print_json, print_notice, progress
from akg.evaluation.comparison import as_html, compare_runs, print_comparison
from akg.evaluation.metrics import Judgment, read_judgments
from akg.evaluation.search_eval import judgments_file, open_service, run_queries
from api.settings import Settings
from indexer.release.releases import Releases
from indexer.release.writer_lease import writer_lease
from indexer.synonyms.publish import RulePublisher
from indexer.synonyms.rules import difference
from schema.pins import Pin
from schema.synonyms import SynonymRule, rules_from

LIVE, FILES = "live", "files"
SIDE_HELP = f"A release of `akg index list`, a rules version of `akg synonyms status`, `{LIVE}`, or `{FILES}`."


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=SIDE_HELP)],
    b: Annotated[str, typer.Argument(metavar="B", help="The same; wins are queries for which B is better.")] = FILES,
    judgments: Annotated[
        Path | None, typer.Option("--judgments", help="Judged queries. Default: those of the mappings.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the comparison as one HTML page.")] = None,
    *,
    json: JsonOption = False,
) -> None:
    """Compare two releases or sets of rules by the judged queries.

    Rules of the files, or of an earlier version, are tried on a clone of the live release that is then deleted.
    """
    with command_settings() as settings:
        judged = read_judgments(judgments or judgments_file(settings))
        (label_a, before), (label_b, after) = (_run(settings, side, judged) for side in (a, b))
        comparison = compare_runs(label_a, label_b, judged, before, after)
        if html:
            html.write_text(as_html(comparison), "utf-8")
        if json:
            print_json(comparison)
        else:
            print_comparison(comparison)


def _run(settings: Settings, side: str, judged: list[Judgment]) -> tuple[str, list[list[dict[str, Any]]]]:
    """Return what was searched, and the hits of each judged query."""

    async def run(index: str, on_query: Callable[[], object]) -> list[list[dict[str, Any]]]:
        async with open_service(settings, index) as (service, _):
            return await run_queries(service, [judgment.query for judgment in judged], on_query)

    with (
        _opened(settings, side) as (label, index, require_lease),
        progress(MofNCompleteColumn(), TimeElapsedColumn()) as bar,
    ):
        task = bar.add_task(label, total=len(judged))

        def on_query() -> None:
            bar.advance(task)
            require_lease()

        return label, asyncio.run(run(index, on_query))


@contextmanager
def _opened(settings: Settings, side: str) -> Iterator[tuple[str, str, Callable[[], None]]]:
    """Yield a label, the index of a side, and a function that raises an error when the writer lease was lost."""
    releases = Releases(connect(settings), settings.alias)
    publisher = RulePublisher(releases)
    live = publisher.live()
    rule_set = _rule_set(settings, publisher, side)
    if side == LIVE or (rule_set and not difference(live.rules, rule_set[0], live.pins, rule_set[1])):
        yield f"{side}: {live.index} with rules {live.version}", live.index, lambda: None
    elif rule_set is None:
        yield side, releases.require_complete(side), lambda: None
    else:
        with writer_lease(releases.client, releases.index_alias, print_notice) as lease:
            publisher = RulePublisher(replace(releases, check_lease=lease.check).planning())
            candidate = publisher.candidate(rule_set[0], datetime.now(UTC), rule_set[1])
            try:
                label = f"{side}: {live.index} with rules {candidate.meta['synonyms_version']}"
                yield label, candidate.index, lease.require
            finally:
                publisher.discard(candidate)


def _rule_set(
    settings: Settings, publisher: RulePublisher, side: str
) -> tuple[tuple[SynonymRule, ...], tuple[Pin, ...]] | None:
    """Return the rules and pins of the files or of an earlier version; None for a release."""
    if side == FILES:
        files = load_valid_files(settings)
        return files.rules, files.pins
    history = publisher.history()
    return (rules_from(history.versions[side]), history.pins_of(side)) if side in history.versions else None
