"""Have the release unpacked in the cache: downloaded once, checked against its SHA-256, and never half there.

Everything happens in a temporary folder inside the cache that gets its final name when it is complete. A download
that was cut, a file with another content or a process that was killed therefore leaves nothing that could be used.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from jgo.constants import default_maven_repo
from jgo.maven import MavenContext, PythonResolver
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

from akg.node.errors import FetchError
from akg.node.release import OPENSEARCH, Artifact, Release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

_MARKER = "akg-verified"
_ATTEMPTS = 4
_OTHER_FETCH_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Repository:
    """Where artifacts come from: `url` None is Maven Central. Seconds for `timeout` (each read) and `pause`."""

    url: str | None = None
    # Files that Maven itself has already downloaded are taken from here when their SHA-256 is right.
    local: Path = field(default_factory=default_maven_repo)
    timeout: int = 60
    pause: float = 1.0


def fetch(
    cache: Path,
    *,
    console: Console | None = None,
    repository: Repository | None = None,
    release: Release = OPENSEARCH,
) -> Path:
    """The folder of the unpacked release, after downloading it if this cache does not hold it yet."""
    target = cache.absolute() / release.folder
    if is_complete(target, release):
        return target
    console = console or Console(quiet=True)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _alone(target, console):
            if not is_complete(target, release):
                _build(target, release, repository or Repository(), console)
    except OSError as error:
        raise FetchError(f"cannot lay OpenSearch into the cache {cache}: {error}. AKG_CACHE names another") from error
    return target


def is_complete(target: Path, release: Release) -> bool:
    """Whether the folder was finished, and from exactly these files."""
    marker = target / _MARKER
    return marker.is_file() and marker.read_text(encoding="utf-8") == release.pins


@contextmanager
def _alone(target: Path, console: Console) -> Iterator[None]:
    lock = FileLock(f"{target}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        console.print("Another process is fetching OpenSearch; waiting for it.")
        try:
            lock.acquire(timeout=_OTHER_FETCH_SECONDS)
        except Timeout as error:
            raise FetchError(f"another process has held {lock.lock_file} for half an hour") from error
    try:
        yield
    finally:
        lock.release()


def _build(target: Path, release: Release, repository: Repository, console: Console) -> None:
    prefix = f".{target.name}-"
    for abandoned in target.parent.glob(f"{prefix}*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as name:
        work = Path(name)
        with _progress(console) as progress:
            archive = obtain(release.archive, work, repository, progress)
            jars = [obtain(jar, work, repository, progress) for jar in release.jars]
        with console.status("Unpacking OpenSearch"):
            home = unpack(archive, work / "unpacked")
            for jar in jars:
                shutil.copy(jar, home / "lib")
        (home / _MARKER).write_text(release.pins, encoding="utf-8")
        if target.exists():
            shutil.rmtree(target)
        home.rename(target)


def unpack(archive: Path, into: Path) -> Path:
    """Unpack a distribution and return the one folder it holds."""
    try:
        with zipfile.ZipFile(archive) as distribution:
            distribution.extractall(into)
    except zipfile.BadZipFile as error:
        raise FetchError(f"{archive.name} is not a whole zip file: {error}") from error
    home, *others = into.iterdir()
    if others:
        raise FetchError(f"{archive.name} should hold one folder, not {1 + len(others)}")
    return home


def obtain(artifact: Artifact, work: Path, repository: Repository, progress: Progress) -> Path:
    """One verified file: Maven's own copy if it is the right one, else a download into `work`."""
    copy = repository.local / artifact.path
    if copy.is_file() and sha256_of(copy) == artifact.sha256:
        return copy
    downloaded = _download(artifact, work, repository, progress)
    found = sha256_of(downloaded)
    if found != artifact.sha256:
        downloaded.unlink()
        raise FetchError(
            f"{artifact.filename} is not the file that is pinned and was removed: "
            f"its SHA-256 is {found}, it should be {artifact.sha256}"
        )
    return downloaded


def sha256_of(path: Path) -> str:
    """Of a file of any size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(artifact: Artifact, work: Path, repository: Repository, progress: Progress) -> Path:
    context = MavenContext(
        resolver=PythonResolver(progress_callback=_bar(progress)),
        repo_cache=work,
        remote_repos=None if repository.url is None else {"mirror": repository.url.rstrip("/")},
        timeout=repository.timeout,
    )
    project = context.project(artifact.group, artifact.name)
    wanted = project.at_version(artifact.version).artifact(packaging=artifact.packaging)

    def attempt() -> Path:
        # jgo takes whatever lies in its cache for the whole file, even what a cut connection left.
        (work / artifact.path).unlink(missing_ok=True)
        return wanted.resolve()

    try:
        return Retrying(
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_exponential(multiplier=repository.pause) + wait_random(0, repository.pause),
            retry=retry_if_exception(_worth_another_try),
            reraise=True,
        )(attempt)
    except (OSError, RuntimeError) as error:
        raise FetchError(
            f"{artifact.filename} could not be downloaded: {error}. "
            "'akg node fetch --repository' names a mirror of Maven Central"
        ) from error


def _worth_another_try(error: BaseException) -> bool:
    # An error of the network carries no errno here; a full disk does, and stays full.
    return isinstance(error, RuntimeError) or (isinstance(error, OSError) and error.errno is None)


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def _bar(progress: Progress) -> Callable[[str, int], AbstractContextManager[Callable[[int], None]]]:
    @contextmanager
    def one_file(filename: str, size: int) -> Iterator[Callable[[int], None]]:
        task = progress.add_task(filename, total=size)
        yield lambda count: progress.advance(task, count)

    return one_file
