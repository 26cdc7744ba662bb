"""Have a file of the web: with progress, no larger than allowed, the one whose SHA-256 was given, or not at all."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import httpx
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

ATTEMPTS = 4
SECONDS = 60.0  # of silence before the connection counts as lost
REDIRECTS = 5
AGENT = "AccommodationKnowledgeGraph/0.1"
WORTH_ANOTHER_TRY = {408, 425, 429, 500, 502, 503, 504}


class DownloadError(Exception):
    """The file could not be had as asked; nothing of it is kept."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to fetch. `most` is in bytes, `pause` the first wait in seconds; an empty `sha256` takes any content."""

    url: str
    most: int
    sha256: str = ""
    pause: float = 1.0

    def allow(self, size: int) -> None:
        """Raise DownloadError where so many bytes are more than allowed."""
        if size > self.most:
            raise DownloadError(f"{without_secrets(self.url)} is larger than {self.most:,} bytes.")

    def accept(self, sha256: str) -> None:
        """Raise DownloadError where this is not the content that was asked for."""
        if self.sha256 and sha256 != self.sha256.lower():
            what = f"its SHA-256 is {sha256}, not {self.sha256.lower()}"
            raise DownloadError(f"{without_secrets(self.url)} is not the file that was asked for: {what}.")


def is_address(source: str) -> bool:
    """Whether a command's argument names a file of the web rather than one of this machine."""
    return source.lower().startswith(("http://", "https://"))


def without_secrets(url: str) -> str:
    """The address without user, password and query, which may be secrets."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def download(wanted: Wanted, into: Path, console: Console, transport: httpx.BaseTransport | None = None) -> None:
    """Fetch the file into a path that does not exist yet; raise DownloadError and leave nothing where it cannot be."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    client = httpx.Client(
        transport=transport,
        timeout=SECONDS,
        follow_redirects=True,
        max_redirects=REDIRECTS,
        headers={"User-Agent": AGENT, "Accept-Encoding": "identity"},
    )
    try:
        with client, Progress(*columns, TransferSpeedColumn(), TimeRemainingColumn(), console=console) as progress:
            Retrying(
                stop=stop_after_attempt(ATTEMPTS),
                wait=wait_exponential(multiplier=wanted.pause) + wait_random(0, wanted.pause),
                retry=retry_if_exception(_worth_another_try),
                reraise=True,
            )(_fetch, client, wanted, into, progress)
    except httpx.HTTPStatusError as error:
        raise DownloadError(f"{without_secrets(wanted.url)} answers {error.response.status_code}.") from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        what = str(error) or type(error).__name__
        raise DownloadError(f"{without_secrets(wanted.url)} could not be fetched: {what}") from None


def _fetch(client: httpx.Client, wanted: Wanted, into: Path, progress: Progress) -> None:
    digest, size = hashlib.sha256(), 0
    try:
        with client.stream("GET", wanted.url) as response, into.open("wb") as file:
            response.raise_for_status()
            stated = response.headers.get("Content-Length", "")
            total = int(stated) if stated.isdecimal() else None
            task = progress.add_task(into.name, total=total)
            for chunk in response.iter_bytes():
                size += len(chunk)
                wanted.allow(max(size, total or 0))
                digest.update(chunk)
                file.write(chunk)
                progress.advance(task, len(chunk))
        wanted.accept(digest.hexdigest())
    except BaseException:
        into.unlink(missing_ok=True)
        raise


def _worth_another_try(error: BaseException) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in WORTH_ANOTHER_TRY
    return isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol)
