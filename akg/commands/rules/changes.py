"""`akg synonyms preview`, `apply` and `undo`: change the live rules and pins without a build."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from akg.commands.rules.files import leased_publisher, load_valid_files, rule_publisher, rule_trial
from akg.connection import command_settings
from akg.console import JsonOption, print_json, stdout
from akg.evaluation import candidate as candidate_evaluation
from akg.evaluation.candidate import Preview
from akg.evaluation.candidate_report import comparison_report, preview_page, print_text
from akg.evaluation.comparison_page import as_html
from akg.evaluation.metrics import read_judgments
from akg.evaluation.search_eval import judgments_file
from akg.reports.synonyms import SynonymsApply, SynonymsPreview, rule_rows
from api.settings import Settings
from indexer.release.live_alias import published
from indexer.release.stored_releases import ReleaseError
from indexer.synonyms.lines import read_lines
from indexer.synonyms.publish import Candidate, EventKind, LiveRelease, RulePublisher
from indexer.synonyms.rules import Difference
from schema.errors import UsageError

QUERIES_FILE = "queries.txt"
ALREADY_LIVE = "The rules of the files are already live."

JudgmentsOption = Annotated[
    Path | None, typer.Option("--judgments", help="Judged queries to run. Default: mappings/relevance/judgments.tsv.")
]
QueriesOption = Annotated[
    Path | None, typer.Option("--queries", help="Further queries, one a line. Default: queries.txt in AKG_DATA.")
]
ToleranceOption = Annotated[
    float, typer.Option("--tolerance", min=0, help="Largest drop of nDCG or success that is accepted.")
]


def preview(
    judgments: JudgmentsOption = None,
    queries: QueriesOption = None,
    tolerance: ToleranceOption = 0.01,
    html: Annotated[Path | None, typer.Option("--html", help="Write the report as one HTML page to this file.")] = None,
    *,
    json: JsonOption = False,
) -> None:
    """Show what the rules of the files would change, on a clone of the live release that is then deleted."""
    with command_settings() as settings:
        further = _further_queries(settings, queries)
        path = judgments or judgments_file(settings)
        judged = read_judgments(path) if judgments or path.exists() else []
        files = load_valid_files(settings)
        with rule_trial(settings, files) as trial:
            if trial is None:
                _report_live_rules(settings, json=json)
                return
            report = candidate_evaluation.preview(trial, judged, further, tolerance)
            change = trial.candidate.change
            trial.publisher.discard(trial.candidate)
        if json:
            print_json(_preview_report(report, change))
        else:
            print_text(report)
        if html:
            html.write_text(as_html(preview_page(report)), "utf-8")


def _preview_report(report: Preview, change: Difference) -> SynonymsPreview:
    return SynonymsPreview(
        data_version=report.data_version,
        before=report.before,
        after=report.after,
        added=rule_rows(change.all_added),
        removed=rule_rows(change.all_removed),
        comparison=comparison_report(report.comparison),
    )


def _report_live_rules(settings: Settings, *, json: bool) -> None:
    """Print that the rules of the files are live."""
    if not json:
        stdout.print(ALREADY_LIVE, markup=False)
        return
    live = rule_publisher(settings).live()
    data, version = live.meta["data_version"], live.version
    print_json(SynonymsPreview(data_version=data, before=version, after=version, added=[], removed=[], comparison=None))


def apply(
    judgments: JudgmentsOption = None,
    tolerance: ToleranceOption = 0.01,
    *,
    accept: Annotated[bool, typer.Option("--accept", help="Publish without running the judged queries.")] = False,
    json: JsonOption = False,
) -> None:
    """Publish the rules of the files on a verified clone of the live release, without a build."""
    with command_settings() as settings:
        files = load_valid_files(settings)
        path = judgments or judgments_file(settings)
        if not accept and not path.exists():
            raise UsageError(f"There are no judged queries at {path}. Use --judgments FILE, or --accept without any.")
        with rule_trial(settings, files) as trial:
            if trial is None:
                if json:
                    live = rule_publisher(settings).live()
                    print_json(_apply_report(live, Difference((), ()), published=False))
                else:
                    stdout.print(ALREADY_LIVE, markup=False)
                return
            drops = [] if accept else candidate_evaluation.candidate_regressions(trial, read_judgments(path), tolerance)
            if drops:
                refusal = "Search would get worse, so the live rules stay. --accept publishes the new rules anyway."
                raise ReleaseError("\n".join((refusal, *drops)))
            _publish(settings, trial.publisher, trial.candidate, "apply", json=json)


def undo(*, json: JsonOption = False) -> None:
    """Publish the previous rules again; content and rule files do not change."""
    with command_settings() as settings, leased_publisher(settings) as (publisher, _):
        history = publisher.history()
        if (earlier := history.before()) is None:
            raise ReleaseError("There are no earlier rules to publish.")
        version, rules = earlier
        candidate = publisher.candidate(rules, datetime.now(UTC), history.pins_of(version))
        _publish(settings, publisher, candidate, "undo", json=json)


def _publish(
    settings: Settings, publisher: RulePublisher, candidate: Candidate, what: EventKind, *, json: bool
) -> None:
    began = time.monotonic()
    index = publisher.publish(candidate, what, datetime.now(UTC))
    # Services check for a new release at this interval: when this command ends, all of them use the new rules.
    with published(index):
        time.sleep(max(0.0, settings.release_check_seconds - (time.monotonic() - began)))
    if json:
        live = LiveRelease(index, candidate.meta, candidate.rules, candidate.pins)
        print_json(_apply_report(live, candidate.change, published=True))
        return
    change = f"{len(candidate.change.all_added)} added, {len(candidate.change.all_removed)} removed"
    stdout.print(f"Live: {index} with rules {candidate.meta['synonyms_version']}: {change}", markup=False)


def _apply_report(live: LiveRelease, change: Difference, *, published: bool) -> SynonymsApply:
    return SynonymsApply(
        published=published,
        live=live.index,
        synonyms_version=live.version,
        added=rule_rows(change.all_added),
        removed=rule_rows(change.all_removed),
    )


def _further_queries(settings: Settings, path: Path | None) -> list[str]:
    file = path or settings.data / QUERIES_FILE
    if path is None and not file.exists():
        return []
    if not file.is_file():
        raise UsageError(f"There is no file {file}.")
    lines, unreadable = read_lines(file)
    if unreadable:
        raise UsageError("\n".join(unreadable))
    return [text for line in lines if (text := line.strip()) and not text.startswith("#")]
