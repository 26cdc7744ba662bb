"""`akg content`: check the tables in `content/` and show what they hold and what they leave open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import indexer
from indexer import coverage, sources
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.rows import Content
    from indexer.vocabulary import Vocabulary

PLACE = Path(indexer.__file__).parent.parent  # mappings and content stand beside the packages
SHOWN = 5  # ids of a gap that `stats` names unless asked for all

content_app = typer.Typer(no_args_is_help=True, help="Check the content tables and see what they cover.")

ContentFolder = Annotated[
    Path, typer.Option("--content", envvar="AKG_CONTENT", help="Folder with datapackage.json and the tables.")
]
AllGaps = Annotated[bool, typer.Option("--all", help="Name every entity of a gap, not only the first few.")]


@content_app.command()
def check(content: ContentFolder = PLACE / "content") -> None:
    """Print every problem as `file:line: what`; exit with 1 if there is any."""
    vocabulary = read_vocabulary(PLACE / "mappings")
    found = _read(content, vocabulary)
    parts = [f"{len(found.sources)} sources"]
    parts += [f"{number} {vocabulary.plurals[name]}" for name, number in coverage.counts(found).items()]
    parts += [f"{len(found.aliases)} aliases", f"{_relations(found)} relations"]
    typer.echo(f"No problems: {', '.join(parts)}; retired ids: {len(found.redirects)}; version {found.version}.")


@content_app.command()
def stats(content: ContentFolder = PLACE / "content", *, every: AllGaps = False) -> None:
    """Print how much there is of each type and in each table, and where the graph leads nowhere."""
    found = _read(content, read_vocabulary(PLACE / "mappings"))
    _section("Entities", coverage.counts(found))
    _section("Rows", sources.row_counts(content))
    typer.echo("Gaps")
    for title, ids in coverage.gaps(found).items():
        typer.echo(f"{len(ids):>8,}  {title}")
        for entity in ids if every else ids[:SHOWN]:
            typer.echo(f"{'':12}{entity}")
        if len(ids) > SHOWN and not every:
            typer.echo(f"{'':12}and {len(ids) - SHOWN:,} more; --all names them")


def _read(content: Path, vocabulary: Vocabulary) -> Content:
    try:
        return sources.read(content, vocabulary)
    except sources.ContentError as error:
        for problem in error.problems:
            typer.echo(str(problem))
        number = len(error.problems)
        typer.echo(f"{number} problem{'' if number == 1 else 's'}")
        raise typer.Exit(1) from None


def _relations(content: Content) -> int:
    return sum(map(len, (content.links, content.recommendations, content.ratings, content.related_occupations)))


def _section(title: str, numbers: Mapping[str, int]) -> None:
    typer.echo(title)
    for name, number in numbers.items():
        typer.echo(f"{number:>8,}  {name}")
