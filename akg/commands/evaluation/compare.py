"""`akg eval compare`: the judged queries on two releases, or with two sets of rules on the live release."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from akg.commands.rules.files import leased_publisher, load_valid_files, rule_publisher
from akg.connection import command_settings
from akg.console import JsonOption, count_progress, print_json
from akg.evaluation.comparison import compare_runs, comparison_page, print_comparison
from akg.evaluation.comparison_page import as_html
from akg.evaluation.metrics import Judgment, read_judgments
from akg.evaluation.search_eval import judgments_file, open_service, run_queries
from api.settings import Settings
from indexer.synonyms.publish import RulePublisher
from indexer.synonyms.rule_files import RuleFiles
from indexer.synonyms.rules import difference
from schema.synonyms import rules_from

LIVE, FILES = "live", "files"
SIDE_HELP = f"A release of `akg index list`, a rules version of `akg synonyms status`, `{LIVE}`, or `{FILES}`."


@dataclass(frozen=True, slots=True)
class Side:
    """An index to search; with `files`, a clone of it with these rules and pins."""

    label: str
    index: str
    files: RuleFiles | None = None


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
        sides = [_side(settings, name) for name in (a, b)]  # both before the first query: an error costs no minutes
        (label_a, before), (label_b, after) = (_run(settings, side, judged) for side in sides)
        comparison = compare_runs(label_a, label_b, judged, before, after)
        if html:
            html.write_text(as_html(comparison_page(comparison)), "utf-8")
        if json:
            print_json(comparison)
        else:
            print_comparison(comparison)


def _run(settings: Settings, side: Side, judged: list[Judgment]) -> tuple[str, list[list[dict[str, Any]]]]:
    """Return what was searched, and the hits of each judged query."""

    async def run(index: str, on_query: Callable[[], object]) -> list[list[dict[str, Any]]]:
        async with open_service(settings, index) as (service, _):
            return await run_queries(service, [judgment.query for judgment in judged], on_query)

    with (
        _opened(settings, side) as (label, index, require_lease),
        count_progress(len(judged), label) as advance,
    ):

        def on_query() -> None:
            advance()
            require_lease()

        return label, asyncio.run(run(index, on_query))


@contextmanager
def _opened(settings: Settings, side: Side) -> Iterator[tuple[str, str, Callable[[], None]]]:
    """Yield a label, the index of a side, and a function that raises an error when the writer lease was lost."""
    if side.files is None:
        yield side.label, side.index, lambda: None
        return
    with leased_publisher(settings) as (publisher, lease):
        candidate = publisher.candidate(side.files.rules, datetime.now(UTC), side.files.pins)
        try:
            yield f"{side.label} with rules {candidate.meta['synonyms_version']}", candidate.index, lease.require
        finally:
            publisher.discard(candidate)


def _side(settings: Settings, name: str) -> Side:
    """Find what a name means; raise an error if it means nothing or the files are invalid."""
    publisher = rule_publisher(settings)
    live = publisher.live()
    files = _files(settings, publisher, name)
    if name == LIVE or (files and not difference(live.rules, files.rules, live.pins, files.pins)):
        return Side(f"{name}: {live.index} with rules {live.version}", live.index)
    if files is None:
        return Side(name, publisher.releases.require_complete(name))
    return Side(f"{name}: {live.index}", live.index, files)


def _files(settings: Settings, publisher: RulePublisher, name: str) -> RuleFiles | None:
    """Return the rules and pins of the files or of an earlier version; None for a release."""
    if name == FILES:
        return load_valid_files(settings)
    history = publisher.history()
    return RuleFiles(rules_from(history.versions[name]), history.pins_of(name)) if name in history.versions else None
