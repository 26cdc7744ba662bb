"""Console output of the commands: results on standard output, progress and messages on standard error."""

import signal
import sys
import threading
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from opensearchpy.exceptions import OpenSearchException
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
from rich.table import Column, Table

from akg.interrupts import INTERRUPTED, interrupt_limit
from schema.errors import ENGINE_UNUSABLE, REFUSED, AkgError

MEGABYTE, GIGABYTE = 1_000_000, 1_000_000_000
END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
ContentOption = Annotated[
    Path | None, typer.Option("--content", help="Content folder. Default: AKG_CONTENT, or the shipped one.")
]
WIDTH = 200  # columns in pipes and files, so that no line is cut
# No emoji: rich would replace the line number in `rules.txt:100:` by one.
stderr = Console(stderr=True, highlight=False, emoji=False)
stdout = Console(highlight=False, emoji=False, soft_wrap=True, width=None if sys.stdout.isatty() else WIDTH)

# Reasons of the blocks that OpenSearch sets itself when disks are full.
DISK_FULL_REASONS = ("flood-stage watermark", "cluster create-index blocked")
DISK_FULL = (
    "OpenSearch rejects writes because its disks are nearly full. The live release has not changed. "
    "Free disk space, then wait a minute: OpenSearch accepts writes again by itself."
)


def progress(*columns: ProgressColumn, console: Console = stderr) -> Progress:
    """Return a progress display: description, bar, then these columns."""
    return Progress(TextColumn("{task.description}"), BarColumn(), *columns, console=console)


def print_notice(message: str) -> None:
    """Print a message of a command that goes on."""
    stderr.print(message, style="yellow", markup=False, soft_wrap=True)


def grid(texts: Iterable[str], numbers: Iterable[str] = ()) -> Table:
    """Return a table without borders: columns of text, then right-aligned columns of numbers."""
    number_columns = [Column(name, no_wrap=True, justify="right") for name in numbers]
    return Table(*(Column(name, no_wrap=True) for name in texts), *number_columns, box=None)


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 rule", "2 rules"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def stop_on_sigterm() -> None:
    """Handle SIGTERM like Ctrl-C, so that the command stops and removes what it started."""
    if threading.current_thread() is threading.main_thread():  # Python accepts handlers from no other thread
        signal.signal(signal.SIGTERM, signal.default_int_handler)


@contextmanager
def report_errors(limited: Collection[int] = END_SIGNALS) -> Iterator[None]:
    """Print errors meant for the operator as one message, and exit; other errors keep their traceback.

    Some seconds after one of the `limited` signals the command ends, whatever it waits for.
    """
    try:
        with interrupt_limit.watching(limited):
            yield
    except KeyboardInterrupt as error:
        stderr.print(str(error) or "Stopped. The live release has not changed.", style="yellow", markup=False)
        raise typer.Exit(INTERRUPTED) from None
    except (AkgError, BrokenExecutor) as error:
        stderr.print(str(error), style="red", markup=False, soft_wrap=True)  # file:line stays on one line
        raise typer.Exit(getattr(error, "exit_code", REFUSED)) from None
    except OpenSearchException as error:
        is_full = any(reason in str(error) for reason in DISK_FULL_REASONS)
        message = DISK_FULL if is_full else f"OpenSearch: {type(error).__name__}: {error}"
        stderr.print(message, style="red", markup=False)
        raise typer.Exit(ENGINE_UNUSABLE) from None
