"""How the commands speak: progress and notes on standard error, results on standard output, errors in one place."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDE = 200  # columns for pipes and files, where nothing should be cut short
# No emoji: `rules.txt:100:` would lose its line number to one.
notes = Console(stderr=True, highlight=False, emoji=False)
out = Console(highlight=False, emoji=False, soft_wrap=True, width=None if sys.stdout.isatty() else WIDE)


# How the engine names the blocks that it sets itself when disks run full.
FULL = ("flood-stage watermark", "cluster create-index blocked")
NO_ROOM = (
    "The engine takes no writes, because its disks are nearly full. What was published before is still live. "
    "Make room on its disks, then wait a minute: it takes writes again by itself."
)


class ExportError(Exception):
    """The files could not be written; the folder is as it was."""


class DashboardsError(Exception):
    """OpenSearch Dashboards did not take what it was sent."""


def _expected() -> tuple[type[Exception], ...]:
    """Errors that a person can act on. Their modules are imported when something goes wrong, and are there then."""
    from akg.download import DownloadError  # noqa: PLC0415 - as above, and so below
    from akg.node.errors import NodeError  # noqa: PLC0415
    from api.errors import ServiceError  # noqa: PLC0415
    from api.quality import JudgmentError  # noqa: PLC0415
    from api.settings import SettingsError  # noqa: PLC0415
    from indexer.imports import ImportedError  # noqa: PLC0415
    from indexer.lock import LockedError  # noqa: PLC0415
    from indexer.market.journal import MarketError  # noqa: PLC0415
    from indexer.onet.files import OnetError  # noqa: PLC0415
    from indexer.processes import LostProcessError  # noqa: PLC0415
    from indexer.release import ReleaseError  # noqa: PLC0415
    from indexer.sources import ContentError  # noqa: PLC0415
    from indexer.synonyms import SynonymError  # noqa: PLC0415

    return (
        *(JudgmentError, SettingsError, LockedError, ReleaseError, ContentError, SynonymError, NodeError),
        *(DownloadError, ImportedError, MarketError, OnetError),
        *(ExportError, DashboardsError, LostProcessError, ServiceError),
    )


def _engine_error() -> type[Exception]:
    from opensearchpy.exceptions import OpenSearchException  # noqa: PLC0415 - as above

    found: type[Exception] = OpenSearchException
    return found


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors that a person can act on into one message and exit code 1; anything else stays a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        notes.print("Stopped. Whatever was published before is still live.", style="yellow")
        raise typer.Exit(130) from None
    except typer.Exit:
        raise
    except _expected() as error:
        notes.print(str(error), style="red", markup=False, soft_wrap=True)  # file:line stays on one line
        raise typer.Exit(1) from None
    except _engine_error() as error:
        told = NO_ROOM if any(sign in str(error) for sign in FULL) else f"OpenSearch: {type(error).__name__}: {error}"
        notes.print(told, style="red", markup=False)
        raise typer.Exit(1) from None
