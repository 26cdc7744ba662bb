"""`akg content`: check the tables in `content/`, count their rows and list their gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from akg.connection import settings_from_environment
from akg.console import ContentOption, pluralize, report_errors
from api.settings import content_folder, mappings_folder
from indexer.content import loader
from indexer.content.problems import ContentError
from indexer.graph import coverage
from schema.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.content.rows import Content
    from schema.vocabulary import Vocabulary

MAX_SHOWN = 5  # ids of each gap without --all

content_app = typer.Typer(no_args_is_help=True, help="Check the content tables and show what they cover.")

AllGapsOption = Annotated[bool, typer.Option("--all", help="List every entity of a gap, not only the first five.")]


@content_app.command()
def check(content: ContentOption = None) -> None:
    """List every problem as `file:line: what`.

    Exits with 1 if there is a problem.
    """
    _, vocabulary, tables = _read(content)
    parts = [f"{len(tables.sources)} sources"]
    parts += [f"{number} {vocabulary.types[name].plural}" for name, number in coverage.counts(tables).items()]
    parts += [f"{len(tables.aliases)} aliases", f"{_relations(tables)} relations"]
    typer.echo(f"No problems: {', '.join(parts)}; retired ids: {len(tables.redirects)}; version {tables.version}.")


@content_app.command()
def stats(content: ContentOption = None, *, every: AllGapsOption = False) -> None:
    """Count entities and rows, and list entities that lack relations."""
    folder, _, tables = _read(content)
    _print_counts("Entities", coverage.counts(tables))
    _print_counts("Rows", loader.row_counts(folder))
    typer.echo("Gaps")
    for title, ids in coverage.gaps(tables).items():
        typer.echo(f"{len(ids):>8,}  {title}")
        for entity in ids if every else ids[:MAX_SHOWN]:
            typer.echo(f"{'':12}{entity}")
        if len(ids) > MAX_SHOWN and not every:
            typer.echo(f"{'':12}{len(ids) - MAX_SHOWN:,} more (--all lists them)")


def _read(content: Path | None) -> tuple[Path, Vocabulary, Content]:
    with report_errors():
        settings = settings_from_environment()
    folder = content or content_folder(settings)
    vocabulary = read_vocabulary(mappings_folder(settings))
    try:
        return folder, vocabulary, loader.load_content(folder, vocabulary)
    except ContentError as error:
        for problem in error.problems:
            typer.echo(str(problem))
        typer.echo(pluralize(len(error.problems), "problem"))
        raise typer.Exit(1) from None


def _relations(content: Content) -> int:
    tables = (content.links, content.recommendations, content.school, content.ratings, content.related_occupations)
    return sum(map(len, tables))


def _print_counts(title: str, counts: Mapping[str, int]) -> None:
    typer.echo(title)
    for name, count in counts.items():
        typer.echo(f"{count:>8,}  {name}")
