"""Ctrl-C ends a command in seconds, whatever it waits for, and its message says whether a release was published."""

import zipfile
from pathlib import Path

import pytest
import typer
from filelock import FileLock

from akg.console import report_errors
from akg.download import sha256_of
from akg.interrupts import INTERRUPTED
from akg.node.distribution import OPENSEARCH
from indexer.release.live_alias import published
from tests.support.interrupted import (
    AKG,
    HANDLER,
    WAIT_SECONDS,
    end_of,
    line_with,
    running,
    silent_server,
    slow_server,
    wait_until,
)
from tests.support.project import ROOT

BULK = (
    HANDLER
    + f"""
import time
from akg.interrupts import interrupt_limit
from indexer.release.bulk import EncodedDocument, IndexInput, fill

class Client:
    def bulk(self, **_):
        print("sending", flush=True)
        time.sleep({WAIT_SECONDS})

with interrupt_limit.watching():
    fill(Client(), "new", IndexInput([EncodedDocument("a", "1", b"{{}}\\n{{}}\\n")]), lambda _: None)
"""
)
FETCH = (
    HANDLER
    + """
import sys
from pathlib import Path
from akg.console import report_errors
from akg.node.distribution import Artifact, Release, Repository, fetch

folder, sha256 = Path(sys.argv[1]), sys.argv[2]
release = Release(Artifact("org.example", "opensearch", "9.9.9", "zip", sha256), ())
with report_errors():
    fetch(folder / "cache", release=release, repository=Repository(local=folder / "m2"))
"""
)
MEMBERS = 20_000  # take seconds to unpack


def test_bulk_requests_that_are_running_are_not_waited_for() -> None:
    with running([BULK]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "sending\n"
        assert end_of(process).endswith("KeyboardInterrupt\n")


@pytest.mark.parametrize("kind", ["onet", "table"])
def test_a_slow_download_of_an_import_ends_and_leaves_no_file(kind: str, tmp_path: Path) -> None:
    with slow_server() as slow:
        environ = {"AKG_DATA": str(tmp_path), "NO_PROXY": "127.0.0.1"}
        with running([AKG, "import", kind, f"{slow.url}/db_31_0_csv.zip"], environ) as process:
            assert slow.sending.wait(WAIT_SECONDS / 10)
            assert "Stopped" in end_of(process)
    assert process.returncode == INTERRUPTED
    assert [path.name for path in (tmp_path / "imports").iterdir()] == [".lock"]


def test_a_slow_download_of_opensearch_ends_and_leaves_no_file(tmp_path: Path) -> None:
    with slow_server() as slow:
        environ = {"AKG_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path), "NO_PROXY": "127.0.0.1"}
        with running([AKG, "node", "fetch", "--repository", slow.url], environ) as process:
            assert slow.sending.wait(WAIT_SECONDS / 10)
            assert "Interrupted" in end_of(process)
    assert process.returncode == INTERRUPTED
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def test_a_command_that_waits_for_the_download_of_another_ends(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    with FileLock(f"{cache / OPENSEARCH.folder}.lock"):
        environ = {"AKG_CACHE": str(cache), "HOME": str(tmp_path)}
        with running([AKG, "node", "fetch"], environ) as process:
            line_with(process, "Another process is downloading OpenSearch")
            assert "Interrupted" in end_of(process)
    assert process.returncode == INTERRUPTED


def test_unpacking_ends_and_leaves_no_file(tmp_path: Path) -> None:
    archive = tmp_path / "m2/org/example/opensearch/9.9.9/opensearch-9.9.9.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as distribution:
        for number in range(MEMBERS):
            distribution.writestr(f"opensearch-9.9.9/{number}", "")
    cache = tmp_path / "cache"
    with running([FETCH, str(tmp_path), sha256_of(archive)]) as process:
        wait_until(lambda: next(cache.glob(".*/unpacked/*/*"), None))
        assert "Stopped. The live release has not changed." in end_of(process)
    assert [path.suffix for path in cache.iterdir()] == [".lock"]


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("index", "build"),
        ("index", "prune"),
        ("index", "rollback"),
        ("snapshot", "create"),
        ("snapshot", "restore"),
        ("snapshot", "verify"),
        ("snapshot", "prune", "--keep", "7"),
        ("snapshot", "delete", "name", "--yes"),
        ("synonyms", "undo"),
        ("import", "onet", "{url}/db_31_0_csv.zip"),
        ("import", "table", "{url}/tables.zip"),
    ],
)
def test_a_command_whose_server_never_responds_ends(words: tuple[str, ...], tmp_path: Path) -> None:
    with silent_server() as server:
        url = "http://{}:{}".format(*server.getsockname())
        environ = {
            "AKG_OPENSEARCH_URL": url,
            "AKG_DATA": str(tmp_path),
            "AKG_CONTENT": str(ROOT / "tests" / "data" / "world"),
            "NO_PROXY": "127.0.0.1",
        }
        with running([AKG, *(word.format(url=url) for word in words)], environ) as process:
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                assert "Stopped" in end_of(process)
        assert process.returncode == INTERRUPTED
    assert [path.name for path in tmp_path.rglob("akg-import-*")] == []


def test_after_the_publication_the_message_names_the_release(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), report_errors(), published("akg-entities-new"):
        raise KeyboardInterrupt
    message = " ".join(capsys.readouterr().err.split())
    assert message.startswith("Stopped, but akg-entities-new was already published: it is live.")
    with pytest.raises(typer.Exit), report_errors():
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "Stopped. The live release has not changed.\n"
