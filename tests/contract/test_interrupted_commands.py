"""Ctrl-C ends a command in seconds, whatever it waits for, and its message says whether a release was published."""

from pathlib import Path

import pytest
import typer

from akg.console import INTERRUPTED, report_errors
from indexer.release.live_alias import published
from tests.support.interrupted import AKG, HANDLER, WAIT_SECONDS, end_of, running, silent_server
from tests.support.project import ROOT

BULK = (
    HANDLER
    + f"""
import time
from indexer.release.bulk import EncodedDocument, IndexInput, fill

class Client:
    def bulk(self, **_):
        print("sending", flush=True)
        time.sleep({WAIT_SECONDS})

fill(Client(), "new", IndexInput([EncodedDocument("a", "1", b"{{}}\\n{{}}\\n")]), lambda _: None)
"""
)
CLEANUP = (
    HANDLER
    + f"""
import time
from akg.console import report_errors

with report_errors():
    try:
        print("working", flush=True)
        time.sleep({WAIT_SECONDS})
    finally:
        time.sleep({WAIT_SECONDS})
"""
)


def test_bulk_requests_that_are_running_are_not_waited_for() -> None:
    with running([BULK]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "sending\n"
        assert end_of(process).endswith("KeyboardInterrupt\n")


def test_a_cleanup_that_hangs_is_ended() -> None:
    with running([CLEANUP]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        assert "Stopped before everything was cleaned up" in end_of(process)
    assert process.returncode == INTERRUPTED


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("index", "build"),
        ("index", "prune"),
        ("index", "rollback"),
        ("snapshot", "create"),
        ("snapshot", "restore"),
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
