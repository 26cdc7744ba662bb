"""The download cache has a complete, verified release or none. A Maven repository on loopback serves a small one."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rich.console import Console

from akg.node.distribution import OPENSEARCH, Artifact, Release, Repository, fetch, is_complete, unpack
from akg.node.errors import FetchError


def distribution(*names: str) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name in names:
            archive.writestr(name, f"this is {name}\n")
    return memory.getvalue()


ARCHIVE = distribution("opensearch-9.9.9/lib/core.jar", "opensearch-9.9.9/modules/geo/geo.jar")
JAR = b"thai words"


def artifact(name: str, packaging: str, content: bytes) -> Artifact:
    return Artifact("org.example", name, "9.9.9", packaging, hashlib.sha256(content).hexdigest())


RELEASE = Release(archive=artifact("opensearch", "zip", ARCHIVE), jars=(artifact("icu", "jar", JAR),))


@dataclass
class Served:
    """The files of the repository, how many responses it truncates or fails, and the requested paths."""

    files: dict[str, bytes]
    truncations: int = 0
    failures: int = 0
    requests: list[str] = field(default_factory=list)


@pytest.fixture
def served() -> Served:
    return Served({f"/{RELEASE.archive.path}": ARCHIVE, f"/{RELEASE.jars[0].path}": JAR})


@pytest.fixture
def repository(served: Served, tmp_path: Path) -> Iterator[Repository]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.requests.append(self.path)
            content = served.files.get(self.path)
            if content is None or served.failures > 0:
                served.failures -= 1
                self.send_error(404 if content is None else 503)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if served.truncations > 0 else content)
            served.truncations -= 1

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name in the base class
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.005,))
        thread.start()
        yield Repository(url=f"http://127.0.0.1:{server.server_port}/", local=tmp_path / "m2", pause=0.0)
        server.shutdown()
        thread.join()


def cached(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.suffix != ".lock")


def downloads(served: Served) -> list[str]:
    return [path for path in served.requests if not path.endswith(".sha1")]


def test_a_release_is_unpacked_with_its_jars_in_lib(tmp_path: Path, repository: Repository) -> None:
    home = fetch(tmp_path / "cache", repository=repository, release=RELEASE)
    assert home == tmp_path / "cache" / RELEASE.folder
    assert sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()) == [
        "akg-verified",
        "lib/core.jar",
        "lib/icu-9.9.9.jar",
        "modules/geo/geo.jar",
    ]
    assert cached(tmp_path / "cache") == [RELEASE.folder]


def test_a_second_fetch_sends_no_request(tmp_path: Path, repository: Repository, served: Served) -> None:
    first = fetch(tmp_path, repository=repository, release=RELEASE)
    served.requests.clear()
    assert fetch(tmp_path, repository=repository, release=RELEASE) == first
    assert served.requests == []


def test_two_fetches_at_once_download_once(tmp_path: Path, repository: Repository, served: Served) -> None:
    with ThreadPoolExecutor(2) as pool:
        homes = list(pool.map(lambda _: fetch(tmp_path, repository=repository, release=RELEASE), range(2)))
    assert homes[0] == homes[1]
    assert len(downloads(served)) == 2


def test_rejects_and_removes_a_wrong_file(tmp_path: Path, repository: Repository, served: Served) -> None:
    served.files[f"/{RELEASE.jars[0].path}"] = b"something else"
    with pytest.raises(FetchError, match=r"icu-9\.9\.9\.jar is not the expected file: its SHA-256 is"):
        fetch(tmp_path, repository=repository, release=RELEASE)
    assert cached(tmp_path) == []
    assert downloads(served).count(f"/{RELEASE.jars[0].path}") == 1


@pytest.mark.parametrize("failure", ["truncations", "failures"])
def test_retries_after_a_short_network_failure(
    tmp_path: Path, repository: Repository, served: Served, failure: str
) -> None:
    setattr(served, failure, 2)
    home = fetch(tmp_path, repository=repository, release=RELEASE)
    assert is_complete(home, RELEASE)


def test_a_download_that_always_fails_leaves_no_files(tmp_path: Path, repository: Repository, served: Served) -> None:
    served.truncations = 1000
    with pytest.raises(FetchError, match="could not be downloaded"):
        fetch(tmp_path, repository=repository, release=RELEASE)
    assert cached(tmp_path) == []
    assert len(downloads(served)) == 4


def test_removes_the_remains_of_a_killed_fetch(tmp_path: Path, repository: Repository) -> None:
    abandoned = tmp_path / f".{RELEASE.folder}-abc" / RELEASE.archive.path
    abandoned.parent.mkdir(parents=True)
    abandoned.write_bytes(ARCHIVE[:100])
    unfinished = tmp_path / RELEASE.folder
    unfinished.mkdir()
    (unfinished / "half").touch()
    home = fetch(tmp_path, repository=repository, release=RELEASE)
    assert cached(tmp_path) == [RELEASE.folder]
    assert not (home / "half").exists()


def test_uses_a_matching_file_of_the_local_maven_repository(
    tmp_path: Path, repository: Repository, served: Served
) -> None:
    intact, damaged = (repository.local / item.path for item in (RELEASE.archive, *RELEASE.jars))
    for path, content in ((intact, ARCHIVE), (damaged, JAR[:3])):
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    fetch(tmp_path / "cache", repository=repository, release=RELEASE)
    assert downloads(served) == [f"/{RELEASE.jars[0].path}"]
    assert damaged.read_bytes() == JAR[:3]


def test_shows_progress_on_a_terminal(tmp_path: Path, repository: Repository) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    fetch(tmp_path, console=console, repository=repository, release=RELEASE)
    assert isinstance(console.file, io.StringIO)
    assert "opensearch-9.9.9.zip" in console.file.getvalue()


def test_an_archive_must_be_complete_and_contain_one_folder(tmp_path: Path) -> None:
    for content, reason in ((ARCHIVE[:50], "not a valid zip"), (distribution("a/x", "b/y"), "must contain one folder")):
        archive = tmp_path / "some.zip"
        archive.write_bytes(content)
        with pytest.raises(FetchError, match=reason):
            unpack(archive, tmp_path / reason)


def test_reports_a_cache_that_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FetchError, match="Set AKG_CACHE to another folder"):
        fetch(tmp_path / "file" / "cache", release=RELEASE)


def test_releases_with_different_jars_have_different_folders() -> None:
    assert RELEASE.folder != replace(RELEASE, jars=()).folder
    assert OPENSEARCH.folder.startswith("opensearch-3.8.0-")
    assert OPENSEARCH.archive.path == (
        "org/opensearch/distribution/integ-test-zip/opensearch/3.8.0/opensearch-3.8.0.zip"
    )
