"""How the commands speak: progress and notes on standard error, results on standard output, errors in one place."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from opensearchpy.exceptions import OpenSearchException
from rich.console import Console

from akg.download import DownloadError
from akg.node.errors import NodeError
from api.errors import ServiceError
from api.quality import JudgmentError
from api.settings import SettingsError
from indexer.imports import ImportedError
from indexer.lock import LockedError
from indexer.market.journal import MarketError
from indexer.onet.files import OnetError
from indexer.release import ReleaseError
from indexer.sources import ContentError
from indexer.synonyms import SynonymError

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


EXPECTED = (
    *(JudgmentError, SettingsError, LockedError, ReleaseError, ContentError, SynonymError, NodeError),
    *(DownloadError, ImportedError, MarketError, OnetError),
    *(ExportError, DashboardsError, ServiceError),
)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors that a person can act on into one message and exit code 1; anything else stays a traceback."""
    try:
        yield
    except EXPECTED as error:
        notes.print(str(error), style="red", markup=False, soft_wrap=True)  # file:line stays on one line
        raise typer.Exit(1) from None
    except OpenSearchException as error:
        told = NO_ROOM if any(sign in str(error) for sign in FULL) else f"OpenSearch: {type(error).__name__}: {error}"
        notes.print(told, style="red", markup=False)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        notes.print("Stopped. Whatever was published before is still live.", style="yellow")
        raise typer.Exit(130) from None
