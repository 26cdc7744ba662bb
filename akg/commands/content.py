"""`akg content`: check the tables in `content/`, count their rows and list their gaps."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from akg.connection import command_settings, tables_folder
from akg.console import ContentOption, JsonOption, pluralize, print_json
from akg.reports.content import ContentCheck, ContentStats, GapRow
from akg.reports.report import ProblemRow, problem_row
from api.settings import mappings_folder
from indexer.content import loader
from indexer.content.problems import ContentError
from indexer.documents.unused_guidance import describe, unused_rows
from indexer.graph import coverage
from indexer.graph.build import build_graph
from schema.errors import REFUSED
from schema.vocabulary import Vocabulary, read_vocabulary

MAX_SHOWN = 5  # ids of each gap without --all

content_app = typer.Typer(no_args_is_help=True, help="Check the content tables and show what they cover.")

AllGapsOption = Annotated[bool, typer.Option("--all", help="List every entity of a gap, not only the first five.")]


@content_app.command()
def check(content: ContentOption = None, *, json: JsonOption = False) -> None:
    """List every problem as `file:line: what`, and every row of guidance that changes no answer.

    Exits with 1 if there is a problem.
    """
    with command_settings() as settings:
        folder, vocabulary = tables_folder(settings, content), read_vocabulary(mappings_folder(settings))
        report = _check(folder, vocabulary)
        if json:
            print_json(report)
        else:
            _print_check(report, vocabulary)
        if report.problems:
            raise typer.Exit(REFUSED)


def _check(folder: Path, vocabulary: Vocabulary) -> ContentCheck:
    try:
        tables = loader.load_content(folder, vocabulary)
    except ContentError as error:
        rows = [ProblemRow(file=found.file, line=found.line, message=found.message) for found in error.problems]
        counts = dict.fromkeys(("sources", "aliases", "relations", "redirects"), 0)
        return ContentCheck(folder=str(folder), problems=rows, version=None, entities={}, **counts)
    unused = describe(unused_rows(build_graph(tables, vocabulary)), loader.row_lines(folder))
    relations = (tables.links, tables.recommendations, tables.school, tables.ratings, tables.related_occupations)
    return ContentCheck(
        folder=str(folder),
        problems=[problem_row(text, f"{folder.resolve().name}/") for text in unused],
        version=tables.version,
        entities=dict(coverage.counts(tables)),
        sources=len(tables.sources),
        aliases=len(tables.aliases),
        relations=sum(map(len, relations)),
        redirects=len(tables.redirects),
    )


def _print_check(report: ContentCheck, vocabulary: Vocabulary) -> None:
    if report.problems:
        for problem in report.problems:
            typer.echo(f"{problem.file}:{problem.line}: {problem.message}")
        typer.echo(pluralize(len(report.problems), "problem"))
        return
    parts = [f"{report.sources} sources"]
    parts += [f"{number} {vocabulary.types[name].plural}" for name, number in report.entities.items()]
    parts += [f"{report.aliases} aliases", f"{report.relations} relations"]
    typer.echo(f"No problems: {', '.join(parts)}; retired ids: {report.redirects}; version {report.version}.")


@content_app.command()
def stats(content: ContentOption = None, *, every: AllGapsOption = False, json: JsonOption = False) -> None:
    """Count entities and rows, and list entities that lack relations."""
    with command_settings() as settings:
        folder = tables_folder(settings, content)
        tables = loader.load_content(folder, read_vocabulary(mappings_folder(settings)))
        entities, rows, gaps = coverage.counts(tables), loader.row_counts(folder), coverage.gaps(tables)
        if json:
            gap_rows = [GapRow(gap=title, entities=ids) for title, ids in gaps.items()]
            print_json(ContentStats(entities=dict(entities), rows=dict(rows), gaps=gap_rows))
            return
        _print_counts("Entities", entities)
        _print_counts("Rows", rows)
        _print_gaps(gaps, every=every)


def _print_gaps(gaps: Mapping[str, Sequence[str]], *, every: bool) -> None:
    typer.echo("Gaps")
    for title, ids in gaps.items():
        typer.echo(f"{len(ids):>8,}  {title}")
        for entity in ids if every else ids[:MAX_SHOWN]:
            typer.echo(f"{'':12}{entity}")
        if len(ids) > MAX_SHOWN and not every:
            typer.echo(f"{'':12}{len(ids) - MAX_SHOWN:,} more (--all lists them)")


def _print_counts(title: str, counts: Mapping[str, int]) -> None:
    typer.echo(title)
    for name, count in counts.items():
        typer.echo(f"{count:>8,}  {name}")
