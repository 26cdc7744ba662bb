"""Console output of the commands: results on standard output, progress and messages on standard error."""

import errno
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated

import typer
from opensearchpy.exceptions import (
    AuthenticationException,
    AuthorizationException,
    OpenSearchException,
    TransportError,
)
from opensearchpy.exceptions import ConnectionError as EngineConnectionError
from opensearchpy.exceptions import SSLError as TlsError
from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from akg.interrupts import INTERRUPTED, interrupt_limit
from schema.errors import ENGINE_UNUSABLE, REFUSED, AkgError

MEGABYTE, GIGABYTE = 1_000_000, 1_000_000_000
END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
ContentOption = Annotated[
    Path | None, typer.Option("--content", help="Content folder. Default: AKG_CONTENT, or the shipped one.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON (docs/reference/command-output.md).")]
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
CHECK_CREDENTIALS = "Check AKG_OPENSEARCH_USER and AKG_OPENSEARCH_PASSWORD, or the client certificate."
CHECK_ROLES = "docs/how-to/use-your-own-opensearch.md lists the roles."

# The text of OpenSSL, without its code and the place in its source.
TLS_CAUSE = re.compile(r"(?:verify failed: |\] )(?!certificate verify failed)(.+?)\.? \(_ssl\.c")
CHECK_AUTHORITY = (
    "Its certificate is not from an authority that is trusted here: set AKG_OPENSEARCH_CA_FILE to the file of its "
    "authority."
)
TLS_HINTS = {
    "has expired": "Renew the certificate of OpenSearch (docs/how-to/use-tls.md).",
    "is not valid for": "In AKG_OPENSEARCH_URL, use a name that is in the certificate of OpenSearch.",
    "wrong version number": "OpenSearch speaks no TLS there: use http:// in AKG_OPENSEARCH_URL, or switch TLS on.",
    "certificate required": "Set AKG_OPENSEARCH_CLIENT_CERT and AKG_OPENSEARCH_CLIENT_KEY.",
}

OPERATOR_ERRNOS = {
    errno.ENOSPC: "Free disk space, then run the command again.",
    errno.EDQUOT: "Free disk space, then run the command again.",
    errno.EROFS: "Use a folder that can be written: see AKG_DATA, AKG_CACHE and the options of the command.",
    errno.EACCES: "Give this user the right, or use another folder.",
    errno.EPERM: "Give this user the right, or use another folder.",
    errno.ENOENT: "Check the path, and the settings that name folders.",
    errno.ENOTDIR: "Check the path, and the settings that name folders.",
    errno.EISDIR: "Name a file.",
    errno.EEXIST: "Name another path.",
}
debugging: ContextVar[bool] = ContextVar("debugging", default=False)  # whether errors come with their traceback


def progress(*columns: ProgressColumn, console: Console = stderr) -> Progress:
    """Return a progress display: description, bar, then these columns."""
    return Progress(TextColumn("{task.description}"), BarColumn(), *columns, console=console)


@contextmanager
def count_progress(total: int, label: str) -> Iterator[Callable[[], object]]:
    """Display how many of `total` steps are done; yield the function to call after each."""
    with progress(MofNCompleteColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task(label, total=total)
        yield lambda: bar.advance(task)


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


def print_json(report: BaseModel) -> None:
    """Print a report as one JSON document on standard output."""
    typer.echo(report.model_dump_json(indent=2))


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
        raise _exit(str(error), getattr(error, "exit_code", REFUSED)) from None
    except OpenSearchException as error:
        raise _exit(engine_message(error), ENGINE_UNUSABLE) from None
    except OSError as error:
        if (message := os_message(error)) is None:
            raise
        raise _exit(message, REFUSED) from None


def _exit(message: str, code: int) -> typer.Exit:
    """Print a message, after the traceback with `--debug`; return the exit."""
    if debugging.get():
        traceback.print_exc(file=sys.stderr)
    stderr.print(message, style="red", markup=False, soft_wrap=True)  # file:line stays on one line
    return typer.Exit(code)


def engine_message(error: OpenSearchException) -> str:
    """Return what OpenSearch rejected and what to do."""
    if any(reason in str(error) for reason in DISK_FULL_REASONS):
        return DISK_FULL
    if isinstance(error, AuthenticationException):
        return f"OpenSearch rejected the credentials (401). {CHECK_CREDENTIALS}"
    if isinstance(error, AuthorizationException):
        return f"OpenSearch does not allow this account the request (403): {_reason(error)}. {CHECK_ROLES}"
    if isinstance(error, EngineConnectionError):
        return f"OpenSearch is unavailable: {connection_problem(error)}"
    return f"OpenSearch: {type(error).__name__}: {error}"


def _reason(error: TransportError) -> str:
    info = error.info if isinstance(error.info, dict) else {}
    details = info.get("error")
    return str(details.get("reason", error.error) if isinstance(details, dict) else error.error)


def connection_problem(error: EngineConnectionError) -> str:
    """Return why there is no connection, and what to do."""
    if isinstance(error, TlsError):
        found = TLS_CAUSE.search(str(error.info))
        cause = found[1] if found else str(error.info)
        return f"{cause}. {next((hint for words, hint in TLS_HINTS.items() if words in cause), CHECK_AUTHORITY)}"
    # The text begins with the address of an object.
    cause = str(error.info).rpartition(">: ")[2].rpartition("): ")[2]
    return f"{cause}. `akg node status` shows the local node."


def os_message(error: OSError) -> str | None:
    """Return the file, the cause and what to do; None if the error is not one of an operator's files."""
    hint = OPERATOR_ERRNOS.get(error.errno or 0)
    return f"{error.filename or 'A file'}: {error.strerror}. {hint}" if hint else None
