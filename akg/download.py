"""Downloads files with progress, retries, a size limit and a SHA-256 check; removes partial files."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx
from rich.console import Console
from rich.progress import DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

from akg.console import progress
from schema.errors import AkgError

MAX_ATTEMPTS = 4
TIMEOUT_SECONDS = 60.0  # of each read
MAX_REDIRECTS = 5
MAX_LENGTH_DIGITS = 15
USER_AGENT = "AccommodationKnowledgeGraph/0.1"
TRANSIENT_STATUS = {408, 425, 429, 500, 502, 503, 504}


class DownloadError(AkgError):
    """The file could not be downloaded or is not the expected one."""


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A file to download. An empty `sha256` accepts any content; `pause_seconds` is the wait before the first retry."""

    url: str
    max_bytes: int
    sha256: str = ""
    pause_seconds: float = 1.0

    def check_size(self, size: int) -> None:
        """Raise DownloadError if the file is too large."""
        if size > self.max_bytes:
            raise DownloadError(f"{without_secrets(self.url)} is larger than {self.max_bytes:,} bytes.")


def is_url(source: str) -> bool:
    """Whether a source is an HTTP URL and not a path."""
    return source.lower().startswith(("http://", "https://"))


def without_secrets(url: str) -> str:
    """Return the URL without user, password and query, which may be secret."""
    parts = urlsplit(url if "//" in url else f"//{url}")
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")).removeprefix("//")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_sha256(name: object, sha256: str, expected: str) -> None:
    """Raise DownloadError if a SHA-256 is expected and the file has another one."""
    if expected and sha256 != expected.lower():
        raise DownloadError(f"{name} is not the expected file: its SHA-256 is {sha256}, not {expected.lower()}.")


def file_progress(console: Console) -> Progress:
    """Return a progress display of bytes and speed, with one bar per file."""
    return progress(DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(), console=console)


def retry_policy(is_transient: Callable[[BaseException], bool], pause_seconds: float) -> Retrying:
    """Return a policy of four attempts with exponential back-off for transient errors."""
    return Retrying(
        stop=stop_after_attempt(MAX_ATTEMPTS),
        wait=wait_exponential(multiplier=pause_seconds) + wait_random(0, pause_seconds),
        retry=retry_if_exception(is_transient),
        reraise=True,
    )


def download(request: FileRequest, path: Path, console: Console, transport: httpx.BaseTransport | None = None) -> None:
    """Download a file to a path that does not exist yet; raise DownloadError and leave no file if that fails."""
    import httpx  # noqa: PLC0415 - takes a quarter of a second, and every command imports this module

    client = httpx.Client(
        transport=transport,
        timeout=TIMEOUT_SECONDS,
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
    )
    try:
        with client, file_progress(console) as bars:
            retry_policy(_is_transient, request.pause_seconds)(_fetch, client, request, path, bars)
    except httpx.HTTPStatusError as error:
        raise DownloadError(
            f"{without_secrets(request.url)} responded with status {error.response.status_code}."
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        cause = str(error) or type(error).__name__
        raise DownloadError(f"{without_secrets(request.url)} could not be downloaded: {cause}") from None


def _fetch(client: httpx.Client, request: FileRequest, path: Path, bars: Progress) -> None:
    digest, size = hashlib.sha256(), 0
    try:
        with client.stream("GET", request.url) as response, path.open("wb") as file:
            response.raise_for_status()
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() and len(length) <= MAX_LENGTH_DIGITS else None
            task = bars.add_task(path.name, total=total)
            for chunk in response.iter_raw():  # never unpacked: a few bytes could become gigabytes
                size += len(chunk)
                request.check_size(max(size, total or 0))
                digest.update(chunk)
                file.write(chunk)
                bars.advance(task, len(chunk))
        check_sha256(without_secrets(request.url), digest.hexdigest(), request.sha256)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _is_transient(error: BaseException) -> bool:
    import httpx  # noqa: PLC0415 - as above

    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in TRANSIENT_STATUS
    return isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol)
