"""`akg content`: check the tables in `content/` and show what they hold and what they leave open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akg.connection import settings_from_environment
from akg.console import plain_errors
from api.settings import content_folder, mappings_folder
from indexer import coverage, sources
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.rows import Content
    from indexer.vocabulary import Vocabulary

SHOWN = 5  # ids of a gap that `stats` names unless asked for all

content_app = typer.Typer(no_args_is_help=True, help="Check the content tables and see what they cover.")

ContentFolder = Annotated[
    Path | None, typer.Option("--content", help="Folder with the tables; default: AKG_CONTENT or the shipped one.")
]
AllGaps = Annotated[bool, typer.Option("--all", help="Name every entity of a gap, not only the first few.")]


@content_app.command()
def check(content: ContentFolder = None) -> None:
    """Print every problem as `file:line: what`; exit with 1 if there is any."""
    _, vocabulary, found = _read(content)
    parts = [f"{len(found.sources)} sources"]
    parts += [f"{number} {vocabulary.plurals[name]}" for name, number in coverage.counts(found).items()]
    parts += [f"{len(found.aliases)} aliases", f"{_relations(found)} relations"]
    typer.echo(f"No problems: {', '.join(parts)}; retired ids: {len(found.redirects)}; version {found.version}.")


@content_app.command()
def stats(content: ContentFolder = None, *, every: AllGaps = False) -> None:
    """Print how much there is of each type and in each table, and where the graph leads nowhere."""
    folder, _, found = _read(content)
    _section("Entities", coverage.counts(found))
    _section("Rows", sources.row_counts(folder))
    typer.echo("Gaps")
    for title, ids in coverage.gaps(found).items():
        typer.echo(f"{len(ids):>8,}  {title}")
        for entity in ids if every else ids[:SHOWN]:
            typer.echo(f"{'':12}{entity}")
        if len(ids) > SHOWN and not every:
            typer.echo(f"{'':12}and {len(ids) - SHOWN:,} more; --all names them")


def _read(content: Path | None) -> tuple[Path, Vocabulary, Content]:
    with plain_errors():
        settings = settings_from_environment()
    folder = content or content_folder(settings)
    vocabulary = read_vocabulary(mappings_folder(settings))
    try:
        return folder, vocabulary, sources.read(folder, vocabulary)
    except sources.ContentError as error:
        for problem in error.problems:
            typer.echo(str(problem))
        number = len(error.problems)
        typer.echo(f"{number} problem{'' if number == 1 else 's'}")
        raise typer.Exit(1) from None


def _relations(content: Content) -> int:
    tables = (content.links, content.recommendations, content.school, content.ratings, content.related_occupations)
    return sum(map(len, tables))


def _section(title: str, numbers: Mapping[str, int]) -> None:
    typer.echo(title)
    for name, number in numbers.items():
        typer.echo(f"{number:>8,}  {name}")
