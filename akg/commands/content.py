"""`akg content`: check the tables in `content/`, count their rows and list their gaps."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from akg.connection import command_settings
from akg.console import ContentOption, pluralize
from api.settings import content_folder, mappings_folder
from indexer.content import loader
from indexer.content.problems import ContentError
from indexer.content.rows import Content
from indexer.documents.unused_guidance import describe, unused_rows
from indexer.graph import coverage
from indexer.graph.build import build_graph
from schema.vocabulary import Vocabulary, read_vocabulary

MAX_SHOWN = 5  # ids of each gap without --all

content_app = typer.Typer(no_args_is_help=True, help="Check the content tables and show what they cover.")

AllGapsOption = Annotated[bool, typer.Option("--all", help="List every entity of a gap, not only the first five.")]


@content_app.command()
def check(content: ContentOption = None) -> None:
    """List every problem as `file:line: what`, and every row of guidance that changes no answer.

    Exits with 1 if there is a problem.
    """
    folder, vocabulary, tables = _read_tables(content)
    unused = describe(unused_rows(build_graph(tables, vocabulary)), loader.row_lines(folder))
    if unused:
        _report([f"{folder.resolve().name}/{problem}" for problem in unused])
    relations = (tables.links, tables.recommendations, tables.school, tables.ratings, tables.related_occupations)
    parts = [f"{len(tables.sources)} sources"]
    parts += [f"{number} {vocabulary.types[name].plural}" for name, number in coverage.counts(tables).items()]
    parts += [f"{len(tables.aliases)} aliases", f"{sum(map(len, relations))} relations"]
    typer.echo(f"No problems: {', '.join(parts)}; retired ids: {len(tables.redirects)}; version {tables.version}.")


@content_app.command()
def stats(content: ContentOption = None, *, every: AllGapsOption = False) -> None:
    """Count entities and rows, and list entities that lack relations."""
    folder, _, tables = _read_tables(content)
    _print_counts("Entities", coverage.counts(tables))
    _print_counts("Rows", loader.row_counts(folder))
    typer.echo("Gaps")
    for title, ids in coverage.gaps(tables).items():
        typer.echo(f"{len(ids):>8,}  {title}")
        for entity in ids if every else ids[:MAX_SHOWN]:
            typer.echo(f"{'':12}{entity}")
        if len(ids) > MAX_SHOWN and not every:
            typer.echo(f"{'':12}{len(ids) - MAX_SHOWN:,} more (--all lists them)")


def _read_tables(content: Path | None) -> tuple[Path, Vocabulary, Content]:
    with command_settings() as settings:
        folder = content or content_folder(settings)
    vocabulary = read_vocabulary(mappings_folder(settings))
    try:
        return folder, vocabulary, loader.load_content(folder, vocabulary)
    except ContentError as error:
        _report(list(map(str, error.problems)))


def _report(problems: Sequence[str]) -> NoReturn:
    for problem in problems:
        typer.echo(problem)
    typer.echo(pluralize(len(problems), "problem"))
    raise typer.Exit(1) from None


def _print_counts(title: str, counts: Mapping[str, int]) -> None:
    typer.echo(title)
    for name, count in counts.items():
        typer.echo(f"{count:>8,}  {name}")
