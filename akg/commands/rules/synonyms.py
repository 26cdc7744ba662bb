"""`akg synonyms`: check rules, try a query, and show the live rules and their history."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from akg.build import table_folders
from akg.commands.rules.changes import apply, preview, undo
from akg.commands.rules.files import (
    load_valid_files,
    rule_publisher,
)
from akg.connection import command_settings, tables_folder
from akg.console import ContentOption, JsonOption, grid, pluralize, print_json, stdout
from akg.evaluation.search_eval import run_with_service
from akg.reports.evaluation import HitRow
from akg.reports.report import problem_row
from akg.reports.synonyms import (
    RuleEvent,
    RuleReading,
    SynonymsHistory,
    SynonymsLint,
    SynonymsStatus,
    SynonymsTry,
    rule_rows,
)
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import mappings_folder
from indexer.merge import merged_content
from indexer.synonyms import lint as linting
from indexer.synonyms.lint import TermIndex, terms_of
from indexer.synonyms.pins import expired_pins, unknown_ids
from indexer.synonyms.publish import RulePublisher
from indexer.synonyms.rule_files import RuleFiles, read_rule_files
from indexer.synonyms.rules import difference
from schema.errors import REFUSED
from schema.json_types import JsonObject
from schema.synonyms import SynonymMatcher, SynonymRule
from schema.text import tokens
from schema.vocabulary import read_vocabulary

synonyms_app = typer.Typer(no_args_is_help=True, help="Check, try, preview, apply and undo synonym rules.")

MAX_TRY_RESULTS = 5


@synonyms_app.command()
def lint(content: ContentOption = None, *, json: JsonOption = False) -> None:
    """List every problem of the rule files as `file:line: what`.

    Exits with 1 if there is an error.
    """
    with command_settings() as settings:
        files, problems = read_rule_files(mappings_folder(settings))
        tables = merged_content(
            table_folders(settings, tables_folder(settings, content)), read_vocabulary(mappings_folder(settings))
        ).content
        ids = {entity.id for entity in tables.entities}
        errors = [*problems, *map(str, linting.errors(files.rules)), *map(str, unknown_ids(files.pins, ids))]
        found = linting.warnings(files.rules, TermIndex.from_content(terms_of(files.rules), tables))
        warnings = list(map(str, (*found, *expired_pins(files.pins, datetime.now(UTC).date()))))
        rules, pins = len(files.rules), len(files.pins)
        if json:
            problem_rows, warning_rows = list(map(problem_row, errors)), list(map(problem_row, warnings))
            print_json(SynonymsLint(rules=rules, pins=pins, errors=problem_rows, warnings=warning_rows))
        else:
            _print_lint(_counts(rules, pins), errors, warnings)
        if errors:
            raise typer.Exit(REFUSED)


def _print_lint(what: str, errors: Sequence[str], warnings: Sequence[str]) -> None:
    for title, messages in (("Errors", errors), ("Warnings", warnings)):
        if messages:
            stdout.print("\n".join((title, *messages)), markup=False)
    counts = f"{pluralize(len(errors), 'error')}, {pluralize(len(warnings), 'warning')}"
    stdout.print(f"{what}: {counts}", markup=False)


@synonyms_app.command("try")
def try_query(words: Annotated[str, typer.Argument(help="A search query.")], *, json: JsonOption = False) -> None:
    """Show how a query is analyzed, which rules apply and the results, without changing anything."""
    with command_settings() as settings:
        publisher = rule_publisher(settings)
        live = publisher.live()
        rules_of_files = load_valid_files(settings).rules
        rule_sets = [("live rules", live.rules)]
        if difference(live.rules, rules_of_files):
            rule_sets.append(("rules of the files", rules_of_files))
        readings = [_reading(publisher, words, label, rules) for label, rules in rule_sets]
        body = run_with_service(settings, lambda service, _: _search(words, service))
        corrected = body["corrected"]
        report = SynonymsTry(
            query=words,
            tokens=publisher.analyze(words),
            readings=readings,
            corrected=corrected["to"] if corrected else None,
            total=body["total"],
            results=[HitRow(id=hit["id"], name=hit["name"], why=hit["match"]["why"]) for hit in body["results"]],
        )
        if json:
            print_json(report)
        else:
            _print_try(report)


def _reading(publisher: RulePublisher, words: str, label: str, rules: Sequence[SynonymRule]) -> RuleReading:
    applied = [match.rule for match in SynonymMatcher(rules).matches(tokens(words))]
    return RuleReading(rules=label, tokens=publisher.analyze(words, rules), applied=rule_rows(applied))


async def _search(words: str, service: GraphService) -> JsonObject:
    return (await service.search(SearchRequest(ParsedQuery.parse(words), limit=MAX_TRY_RESULTS), [])).body


def _print_try(report: SynonymsTry) -> None:
    _print_row("tokens", *report.tokens)
    for reading in report.readings:
        _print_row(reading.rules, *reading.tokens)
        for rule in reading.applied:
            _print_row("", f"by {rule.file}:{rule.line}  {rule.rule}")
    if report.corrected:
        _print_row("corrected to", report.corrected)
    _print_row("results", f"{report.total}, with the live rules")
    for rank, hit in enumerate(report.results, start=1):
        _print_row("", f"{rank}. {hit.name} ({hit.id})", hit.why)


def _print_row(label: str, *texts: str) -> None:
    stdout.print(f"{label:18} {' / '.join(texts)}", markup=False)


@synonyms_app.command()
def status(*, json: JsonOption = False) -> None:
    """Show the live rules, how the files differ from them, and the history of rule changes."""
    with command_settings() as settings:
        publisher = rule_publisher(settings)
        report = _status_report(publisher, *read_rule_files(mappings_folder(settings)))
        if json:
            print_json(report)
            return
        stdout.print(
            f"live   {report.live}  {_counts(report.live_rules, report.live_pins)} in {report.release}", markup=False
        )
        changed = bool(report.added or report.removed)
        state = f"{len(report.added)} added, {len(report.removed)} removed" if changed else "same as the live rules"
        stdout.print(f"files  {report.files}  {_counts(report.file_rules, report.file_pins)}: {state}", markup=False)
        for sign, changed_rules in (("+", report.added), ("-", report.removed)):
            for rule in changed_rules:
                stdout.print(f"  {sign} {rule.file}:{rule.line}  {rule.rule}", markup=False)
        if report.problems:
            stdout.print(
                f"  {len(report.problems)} lines cannot be read. `akg synonyms lint` lists them.", markup=False
            )
        _print_events(report.events)


def _counts(rules: int, pins: int) -> str:
    return pluralize(rules, "rule") + (f" and {pluralize(pins, 'pin')}" if pins else "")


@synonyms_app.command()
def history(*, json: JsonOption = False) -> None:
    """List which rules were live when, newest first."""
    with command_settings() as settings:
        publisher = rule_publisher(settings)
        events = _events(publisher)
        if json:
            print_json(SynonymsHistory(live=publisher.live().version, events=events))
        else:
            _print_events(events)


def _status_report(publisher: RulePublisher, files: RuleFiles, problems: Sequence[str]) -> SynonymsStatus:
    live = publisher.live()
    change = difference(live.rules, files.rules, live.pins, files.pins)
    return SynonymsStatus(
        release=live.index,
        live=live.version,
        live_rules=len(live.rules),
        live_pins=len(live.pins),
        files=files.version,
        file_rules=len(files.rules),
        file_pins=len(files.pins),
        added=rule_rows(change.all_added),
        removed=rule_rows(change.all_removed),
        problems=list(map(problem_row, problems)),
        events=_events(publisher),
    )


def _events(publisher: RulePublisher) -> list[RuleEvent]:
    """Return the history, newest first."""
    names = ("at", "what", "data_version", "added", "removed")
    return [
        RuleEvent(synonyms_version=event.version, release=event.index, **{name: getattr(event, name) for name in names})
        for event in reversed(publisher.history().events)
    ]


def _print_events(events: Sequence[RuleEvent]) -> None:
    table = grid(("when", "what", "rules", "added", "removed", "release", "data"))
    for event in events:
        counts = (str(event.added), str(event.removed)) if event.what != "published" else ("", "")
        table.add_row(event.at, event.what, event.synonyms_version, *counts, event.release, event.data_version)
    stdout.print(table)


for command in (preview, apply, undo):
    synonyms_app.command()(command)
