"""`akg synonyms`: check the rules, try words, preview a change, put it live, take it back."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from akg.connection import connect, settings_from_environment
from akg.console import notes, out, plain_errors
from akg.preview import as_html, as_json, print_text
from akg.rehearsal import Trial, falls, measured
from akg.searching import with_service
from api import quality, queries
from api.rules import Rules, fired
from api.settings import content_folder, mappings_folder
from indexer import lint as linting
from indexer.lock import writer
from indexer.release import ReleaseError, Releases
from indexer.sources import read
from indexer.synonyms import difference, rule_lines, rules_and_problems, rules_version
from indexer.terms import terms_in_tables, terms_of
from indexer.vocabulary import read_vocabulary
from indexer.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Iterator

    from api.answers import Answers
    from api.settings import Settings
    from indexer.history import What
    from indexer.synonyms import Rule
    from indexer.workbench import Candidate

synonyms_app = typer.Typer(no_args_is_help=True, help="Synonym rules: check, try, preview, apply, undo.")

FOUND = 5  # hits that `try` shows
JUDGMENTS = Path("tests/search/judgments.tsv")
QUERIES = "queries.txt"

JudgmentsOption = Annotated[Path, typer.Option("--judgments", help="Judged queries to measure with.")]
QueriesOption = Annotated[
    Path | None, typer.Option("--queries", help="Your own queries, one a line; default: queries.txt in AKG_DATA.")
]
ToleranceOption = Annotated[float, typer.Option("--tolerance", min=0, help="Drop of nDCG or success that is let pass.")]
ContentOption = Annotated[
    Path | None, typer.Option("--content", help="Content folder; default: AKG_CONTENT or the shipped one.")
]


def rule_folder(settings: Settings) -> Path:
    """Where the rule files stand."""
    return mappings_folder(settings) / "synonyms"


def sound_rules(settings: Settings) -> tuple[Rule, ...]:
    """The rules of the files; SynonymError names every problem that stops a build."""
    folder = rule_folder(settings)
    if not folder.is_dir():
        raise ReleaseError(f"There is no folder {folder}; AKG_MAPPINGS names the folder that holds `synonyms`.")
    return linting.sound(*rules_and_problems(folder))


@synonyms_app.command()
def lint(content: ContentOption = None) -> None:
    """Name every problem of the rule files as `file:line: what`; exit with 1 if there is an error."""
    with plain_errors():
        settings = settings_from_environment()
        rules, problems = rules_and_problems(rule_folder(settings))
        errors = [*problems, *map(str, linting.errors(rules))]
        tables = read(content or content_folder(settings), read_vocabulary(mappings_folder(settings)))
        warnings = linting.warnings(rules, terms_in_tables(terms_of(rules), tables))
        for title, found in (("Errors", errors), ("Warnings", [str(one) for one in warnings])):
            if found:
                out.print(title, markup=False)
                out.print("\n".join(found), markup=False)
        counts = (_number(len(rules), "rule"), _number(len(errors), "error"), _number(len(warnings), "warning"))
        out.print("{}: {}, {}".format(*counts), markup=False)
        if errors:
            raise typer.Exit(1)


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


@synonyms_app.command("try")
def try_words(words: Annotated[str, typer.Argument(help="A query, as somebody would type it.")]) -> None:
    """Show what the analyzers make of words, which rules speak, and what would be found. Changes nothing."""
    with plain_errors():
        settings = settings_from_environment()
        bench = _bench(settings)
        live = bench.live()
        files = sound_rules(settings)
        sides = [("live rules", live.rules)]
        if difference(live.rules, files):
            sides.append(("rules of the files", files))
        _line("words", *bench.read(words))
        for label, rules in sides:
            _line(label, *bench.read(words, rules))
            for rule in _speaking(words, rules):
                _line("", f"by {rule.file}:{rule.line}  {rule.text}")
        with_service(settings, lambda answers, _: _print_found(words, answers))


def _line(label: str, *texts: str) -> None:
    out.print(f"{label:18} {' / '.join(texts)}", markup=False)


def _speaking(words: str, rules: tuple[Rule, ...]) -> list[Rule]:
    texts = [rule["text"] for rule in fired(words, Rules(rule_lines(rules)))]
    return [rule for rule in rules if rule.text in texts]


async def _print_found(words: str, answers: Answers) -> None:
    body = (await answers.search(queries.Search(words, limit=FOUND), [])).body
    if body["corrected"]:
        _line("corrected to", body["corrected"]["to"])
    _line("found", f"{body['total']}, with the live rules")
    for place, hit in enumerate(body["results"], start=1):
        _line("", f"{place}. {hit['name']} ({hit['id']})", hit["match"]["why"])


@synonyms_app.command()
def preview(
    judgments: JudgmentsOption = JUDGMENTS,
    own: QueriesOption = None,
    tolerance: ToleranceOption = 0.01,
    json: Annotated[Path | None, typer.Option("--json", help="Write the report as JSON to this file.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the report as one HTML page to this file.")] = None,
) -> None:
    """Show what the rules of the files would change, on a clone that is thrown away. The live release is untouched."""
    with plain_errors():
        settings = settings_from_environment()
        texts = _own_queries(settings, own)
        judged = quality.read_judgments(judgments) if judgments.exists() or judgments != JUDGMENTS else []
        rules = sound_rules(settings)
        with _candidate(settings, rules) as trial:
            if trial is None:
                return
            found = measured(trial, judged, texts, tolerance)
            trial.bench.discard(trial.candidate)
        print_text(found)
        if json:
            json.write_bytes(as_json(found))
        if html:
            html.write_text(as_html(found), "utf-8")


@synonyms_app.command()
def apply(
    judgments: JudgmentsOption = JUDGMENTS,
    tolerance: ToleranceOption = 0.01,
    *,
    accept: Annotated[bool, typer.Option("--accept", help="Put live whatever the judged queries say.")] = False,
) -> None:
    """Put the rules of the files live: check, clone, verify, measure, swap. Nothing is indexed again."""
    with plain_errors():
        settings = settings_from_environment()
        rules = sound_rules(settings)
        if not accept and not judgments.exists():
            raise ReleaseError(
                f"No judged queries at {judgments}. Name them by --judgments, or go without by --accept."
            )
        with _candidate(settings, rules) as trial:
            if trial is None:
                return
            fallen = [] if accept else falls(trial, quality.read_judgments(judgments), tolerance)
            if fallen:
                refused = "Search would get worse; the live rules stay. `--accept` puts the new ones live all the same."
                raise ReleaseError("\n".join((refused, *fallen)))
            _publish(settings, trial.bench, trial.candidate, "apply")


@synonyms_app.command()
def undo() -> None:
    """Go back to the rules before the present ones; the tables stay as they are. The rule files are not touched."""
    with plain_errors():
        settings = settings_from_environment()
        bench = _bench(settings)
        with writer(bench.desk.client, settings.alias):
            earlier = bench.history().before()
            if earlier is None:
                raise ReleaseError("No earlier rules are known for this graph.")
            candidate = bench.candidate(earlier[1], datetime.now(UTC))
            _publish(settings, bench, candidate, "undo")


@synonyms_app.command()
def status() -> None:
    """Say which rules are live, how the files differ from them, and what was live when."""
    with plain_errors():
        settings = settings_from_environment()
        bench = _bench(settings)
        live = bench.live()
        out.print(f"live   {live.version}  {len(live.rules)} rules in {live.index}", markup=False)
        rules, problems = rules_and_problems(rule_folder(settings))
        files = difference(live.rules, rules)
        state = "the live rules" if not files else f"{len(files.added)} new, {len(files.removed)} gone"
        out.print(f"files  {rules_version(rules)}  {len(rules)} rules: {state}", markup=False)
        for sign, found in (("+", files.added), ("-", files.removed)):
            for rule in found:
                out.print(f"  {sign} {rule.file}:{rule.line}  {rule.text}", markup=False)
        if problems:
            out.print(f"  {len(problems)} lines cannot be read; `akg synonyms lint` names them", markup=False)
        table = Table(box=None)
        for name in ("when", "what", "rules", "new", "gone", "release", "data"):
            table.add_column(name, no_wrap=True)
        for event in reversed(bench.history().events):
            counts = (str(event.added), str(event.removed)) if event.what != "published" else ("", "")
            table.add_row(event.at, event.what, event.version, *counts, event.index, event.data_version)
        out.print(table)


def _bench(settings: Settings) -> Workbench:
    return Workbench(Releases(connect(settings), settings.alias))


@contextmanager
def _candidate(settings: Settings, rules: tuple[Rule, ...]) -> Iterator[Trial | None]:
    """A clone with the rules, or None where they are live already; thrown away if anything fails."""
    bench = _bench(settings)
    with writer(bench.desk.client, settings.alias) as renew:
        if not difference(bench.live().rules, rules):
            out.print("The rules of the files are live already.", markup=False)
            yield None
            return
        with notes.status("Cloning the live release with the new rules"):
            candidate = bench.candidate(rules, datetime.now(UTC))
        try:
            yield Trial(settings, bench, candidate, renew)
        except BaseException:
            bench.discard(candidate)
            raise


def _publish(settings: Settings, bench: Workbench, candidate: Candidate, what: What) -> None:
    began = time.monotonic()
    index = bench.publish(candidate, what, datetime.now(UTC))
    # Services look for a new release so often: when this command has ended, none answers by the old rules.
    time.sleep(max(0.0, settings.release_check_seconds - (time.monotonic() - began)))
    change = candidate.change
    rules = f"{len(change.added)} rules new, {len(change.removed)} gone"
    out.print(f"Live: {index} with rules {candidate.meta['synonyms_version']}: {rules}", markup=False)


def _own_queries(settings: Settings, named: Path | None) -> list[str]:
    path = named or settings.data / QUERIES
    if named is None and not path.exists():
        return []
    if not path.is_file():
        raise ReleaseError(f"There is no file {path}.")
    lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]
