"""`akg synonyms`: check rules, try a query, preview a change, publish it and undo it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from akg.connection import command_settings, connect
from akg.console import ContentOption, grid, pluralize, print_notice, stderr, stdout
from akg.evaluation import candidate as candidate_evaluation
from akg.evaluation.candidate import RuleTrial, as_html, as_json, print_text
from akg.evaluation.metrics import read_judgments
from akg.evaluation.search_eval import judgments_file, run_with_service
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import Settings, content_folder, mappings_folder
from indexer.content.loader import load_content
from indexer.release.live_alias import published
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from indexer.release.writer_lease import WriterLease, writer_lease
from indexer.synonyms import lint as linting
from indexer.synonyms.lint import TermIndex, terms_of
from indexer.synonyms.publish import Candidate, EventKind, RulePublisher
from indexer.synonyms.rules import difference, rules_and_problems
from schema.errors import UsageError
from schema.synonyms import SynonymMatcher, SynonymRule, rules_version
from schema.text import tokens
from schema.vocabulary import read_vocabulary

synonyms_app = typer.Typer(no_args_is_help=True, help="Check, try, preview, apply and undo synonym rules.")

MAX_TRY_RESULTS = 5
QUERIES_FILE = "queries.txt"

JudgmentsOption = Annotated[
    Path | None, typer.Option("--judgments", help="Judged queries to run. Default: mappings/relevance/judgments.tsv.")
]
QueriesOption = Annotated[
    Path | None, typer.Option("--queries", help="Further queries, one a line. Default: queries.txt in AKG_DATA.")
]
ToleranceOption = Annotated[
    float, typer.Option("--tolerance", min=0, help="Largest drop of nDCG or success that is accepted.")
]


def _rule_folder(settings: Settings) -> Path:
    return mappings_folder(settings) / "synonyms"


def _load_valid_rules(settings: Settings) -> tuple[SynonymRule, ...]:
    """Return the rules of the files; raise SynonymError with every problem that stops a build."""
    folder = _rule_folder(settings)
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. AKG_MAPPINGS must be the folder that contains `synonyms`.")
    return linting.require_valid_rules(*rules_and_problems(folder))


@synonyms_app.command()
def lint(content: ContentOption = None) -> None:
    """List every problem of the rule files as `file:line: what`.

    Exits with 1 if there is an error.
    """
    with command_settings() as settings:
        rules, problems = rules_and_problems(_rule_folder(settings))
        errors = [*problems, *map(str, linting.errors(rules))]
        tables = load_content(content or content_folder(settings), read_vocabulary(mappings_folder(settings)))
        warnings = list(map(str, linting.warnings(rules, TermIndex.from_content(terms_of(rules), tables))))
        for title, messages in (("Errors", errors), ("Warnings", warnings)):
            if messages:
                stdout.print("\n".join((title, *messages)), markup=False)
        counts = (pluralize(len(rules), "rule"), pluralize(len(errors), "error"), pluralize(len(warnings), "warning"))
        stdout.print("{}: {}, {}".format(*counts), markup=False)
        if errors:
            raise typer.Exit(1)


@synonyms_app.command("try")
def try_query(words: Annotated[str, typer.Argument(help="A search query.")]) -> None:
    """Show how a query is analyzed, which rules apply and the results, without changing anything."""
    with command_settings() as settings:
        publisher = _publisher(settings)
        live = publisher.live()
        rules_of_files = _load_valid_rules(settings)
        rule_sets = [("live rules", live.rules)]
        if difference(live.rules, rules_of_files):
            rule_sets.append(("rules of the files", rules_of_files))
        _print_row("tokens", *publisher.analyze(words))
        for label, rules in rule_sets:
            _print_row(label, *publisher.analyze(words, rules))
            for match in SynonymMatcher(rules).matches(tokens(words)):
                _print_row("", f"by {match.rule.file}:{match.rule.line}  {match.rule.text}")
        run_with_service(settings, lambda service, _: _print_results(words, service))


def _print_row(label: str, *texts: str) -> None:
    stdout.print(f"{label:18} {' / '.join(texts)}", markup=False)


async def _print_results(words: str, service: GraphService) -> None:
    body = (await service.search(SearchRequest(ParsedQuery.parse(words), limit=MAX_TRY_RESULTS), [])).body
    if body["corrected"]:
        _print_row("corrected to", body["corrected"]["to"])
    _print_row("results", f"{body['total']}, with the live rules")
    for rank, hit in enumerate(body["results"], start=1):
        _print_row("", f"{rank}. {hit['name']} ({hit['id']})", hit["match"]["why"])


@synonyms_app.command()
def preview(
    judgments: JudgmentsOption = None,
    queries: QueriesOption = None,
    tolerance: ToleranceOption = 0.01,
    json: Annotated[Path | None, typer.Option("--json", help="Write the report as JSON to this file.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the report as one HTML page to this file.")] = None,
) -> None:
    """Show what the rules of the files would change, on a clone of the live release that is then deleted."""
    with command_settings() as settings:
        further = _further_queries(settings, queries)
        path = judgments or judgments_file(settings)
        judged = read_judgments(path) if judgments or path.exists() else []
        rules = _load_valid_rules(settings)
        with _candidate(settings, rules) as trial:
            if trial is None:
                return
            report = candidate_evaluation.preview(trial, judged, further, tolerance)
            trial.publisher.discard(trial.candidate)
        print_text(report)
        if json:
            json.write_bytes(as_json(report))
        if html:
            html.write_text(as_html(report), "utf-8")


@synonyms_app.command()
def apply(
    judgments: JudgmentsOption = None,
    tolerance: ToleranceOption = 0.01,
    *,
    accept: Annotated[bool, typer.Option("--accept", help="Publish without running the judged queries.")] = False,
) -> None:
    """Publish the rules of the files on a verified clone of the live release, without a build."""
    with command_settings() as settings:
        rules = _load_valid_rules(settings)
        path = judgments or judgments_file(settings)
        if not accept and not path.exists():
            raise UsageError(f"There are no judged queries at {path}. Use --judgments FILE, or --accept without any.")
        with _candidate(settings, rules) as trial:
            if trial is None:
                return
            drops = [] if accept else candidate_evaluation.candidate_regressions(trial, read_judgments(path), tolerance)
            if drops:
                refusal = "Search would get worse, so the live rules stay. --accept publishes the new rules anyway."
                raise ReleaseError("\n".join((refusal, *drops)))
            _publish(settings, trial.publisher, trial.candidate, "apply")


@synonyms_app.command()
def undo() -> None:
    """Publish the previous rules again; content and rule files do not change."""
    with command_settings() as settings, _leased_publisher(settings) as (publisher, _):
        earlier = publisher.history().before()
        if earlier is None:
            raise ReleaseError("There are no earlier rules to publish.")
        candidate = publisher.candidate(earlier[1], datetime.now(UTC))
        _publish(settings, publisher, candidate, "undo")


@synonyms_app.command()
def status() -> None:
    """Show the live rules, how the files differ from them, and the history of rule changes."""
    with command_settings() as settings:
        publisher = _publisher(settings)
        live = publisher.live()
        stdout.print(f"live   {live.version}  {len(live.rules)} rules in {live.index}", markup=False)
        rules, problems = rules_and_problems(_rule_folder(settings))
        change = difference(live.rules, rules)
        state = f"{len(change.added)} added, {len(change.removed)} removed" if change else "same as the live rules"
        stdout.print(f"files  {rules_version(rules)}  {len(rules)} rules: {state}", markup=False)
        for sign, changed_rules in (("+", change.added), ("-", change.removed)):
            for rule in changed_rules:
                stdout.print(f"  {sign} {rule.file}:{rule.line}  {rule.text}", markup=False)
        if problems:
            stdout.print(f"  {len(problems)} lines cannot be read. `akg synonyms lint` lists them.", markup=False)
        table = grid(("when", "what", "rules", "added", "removed", "release", "data"))
        for event in reversed(publisher.history().events):
            counts = (str(event.added), str(event.removed)) if event.what != "published" else ("", "")
            table.add_row(event.at, event.what, event.version, *counts, event.index, event.data_version)
        stdout.print(table)


def _publisher(settings: Settings) -> RulePublisher:
    return RulePublisher(Releases(connect(settings), settings.alias))


@contextmanager
def _leased_publisher(settings: Settings) -> Iterator[tuple[RulePublisher, WriterLease]]:
    releases = _publisher(settings).releases
    with writer_lease(releases.client, releases.index_alias, print_notice) as lease:
        yield RulePublisher(replace(releases, check_lease=lease.check).planning()), lease


@contextmanager
def _candidate(settings: Settings, rules: tuple[SynonymRule, ...]) -> Iterator[RuleTrial | None]:
    """Clone the live release with the rules, or yield None if they are live; delete the clone on any error."""
    with _leased_publisher(settings) as (publisher, lease):
        if not difference(publisher.live().rules, rules):
            stdout.print("The rules of the files are already live.", markup=False)
            yield None
            return
        with stderr.status("Cloning the live release with the new rules"):
            candidate = publisher.candidate(rules, datetime.now(UTC))
        try:
            yield RuleTrial(settings, publisher, candidate, lease.require)
        except BaseException:
            publisher.discard(candidate)
            raise


def _publish(settings: Settings, publisher: RulePublisher, candidate: Candidate, what: EventKind) -> None:
    began = time.monotonic()
    index = publisher.publish(candidate, what, datetime.now(UTC))
    # Services check for a new release at this interval: when this command ends, all of them use the new rules.
    with published(index):
        time.sleep(max(0.0, settings.release_check_seconds - (time.monotonic() - began)))
    change = f"{len(candidate.change.added)} added, {len(candidate.change.removed)} removed"
    stdout.print(f"Live: {index} with rules {candidate.meta['synonyms_version']}: {change}", markup=False)


def _further_queries(settings: Settings, path: Path | None) -> list[str]:
    file = path or settings.data / QUERIES_FILE
    if path is None and not file.exists():
        return []
    if not file.is_file():
        raise UsageError(f"There is no file {file}.")
    lines = [line.strip() for line in file.read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]
