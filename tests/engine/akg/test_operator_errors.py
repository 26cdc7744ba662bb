"""Errors that an operator can cause end with one or two lines: what happened, why, what to do."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from akg.console import os_message
from akg.interrupts import INTERRUPTED
from tests.support.operator_session import OperatorSession
from tests.support.project import ROOT

ELASTICSEARCH = {"version": {"number": "8.15.0", "build_flavor": "default"}, "tagline": "You Know, for Search"}
OLD = {"version": {"number": "2.19.1", "distribution": "opensearch"}}
CLUSTERS = [
    (200, ELASTICSEARCH, "is Elasticsearch 8.15.0, not OpenSearch. Set AKG_OPENSEARCH_URL to an OpenSearch 3.x."),
    (200, OLD, "is OpenSearch 2.19.1, which is not supported. Set AKG_OPENSEARCH_URL to an OpenSearch 3.x."),
    (200, {"status": "ok"}, "is another program, not OpenSearch."),
    (404, {}, "is not an OpenSearch."),
    (401, {}, "rejected the credentials (401). Check AKG_OPENSEARCH_USER and AKG_OPENSEARCH_PASSWORD"),
]
MESSAGES = [
    ("index diff {near}", 1, {}, "is not a complete release. Nearest: {live}."),
    ("index rollback {near}", 1, {}, "Nearest: {live}."),
    ("snapshot restore {near}", 1, {}, "There is no snapshot {near}"),
    ("status", 2, {"AKG_MAPPINGS": "{folder}/empty"}, "lacks vocabulary.json, entities.json, synonyms."),
    ("index build", 2, {"AKG_MAPPINGS": "/nowhere"}, "Set it to a copy of the shipped ones, or unset it."),
    ("content check", 2, {"AKG_CONTENT": "/nowhere"}, "AKG_CONTENT: there is no folder /nowhere."),
    *(
        (f"{command} --content /nowhere", 2, {}, "--content: there is no folder /nowhere. Name a content folder")
        for command in ("content check", "content stats", "index build", "synonyms lint", "market status")
    ),
    ("eval search nowhere.tsv", 2, {}, "There is no file nowhere.tsv."),
    ("eval search a.tsv --judgments b.tsv", 2, {}, "The judged queries are named twice."),
    ("eval questions nowhere.tsv", 2, {}, "There is no file nowhere.tsv. Name a table of judged queries."),
    ("export /proc/akg", 1, {}, "/proc/akg: No such file or directory"),
    ("import onet {folder}/nothing.zip", 2, {}, "nothing.zip does not exist. Name a folder, a zip archive"),
]


@contextmanager
def cluster(status: int, body: object) -> Iterator[str]:
    """A server that gives every request the same response."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("command", ["status", "index releases", "synonyms undo", "snapshot list", "eval names"])
@pytest.mark.parametrize(("status", "body", "message"), CLUSTERS, ids=lambda value: str(value)[:20])
def test_names_what_answers_instead_of_a_supported_opensearch(
    operator: OperatorSession, command: str, status: int, body: object, message: str
) -> None:
    with cluster(status, body) as url:
        output = operator.run(*command.split(), code=3, environ={"AKG_OPENSEARCH_URL": url})
    assert message in output
    assert output.startswith(url)
    assert len(output.splitlines()) == 1


@pytest.mark.parametrize(("command", "code", "environ", "message"), MESSAGES, ids=lambda value: str(value)[:30])
def test_says_what_and_why_and_what_next(
    operator: OperatorSession, command: str, code: int, environ: dict[str, str], message: str
) -> None:
    (operator.folder / "empty").mkdir(exist_ok=True)
    (live,) = operator.releases.live_indices()
    values = {"near": f"{live[:-2]}{(int(live[-2]) + 1) % 10}z", "live": live, "folder": str(operator.folder)}
    repository = {"AKG_SNAPSHOT_REPOSITORY": "akg-errors", "AKG_SNAPSHOT_LOCATION": "errors"}
    settings = {name: value.format(**values) for name, value in environ.items()}
    output = operator.run(*command.format(**values).split(), code=code, environ={**repository, **settings})
    assert message.format(**values) in output
    assert "Traceback" not in output
    assert len(output.splitlines()) <= 2


@pytest.mark.parametrize(("number", "text"), [(28, "Free disk space"), (30, "Use a folder that can be written")])
def test_full_and_read_only_disks_say_what_to_do(number: int, text: str) -> None:
    message = os_message(OSError(number, "cause", "/data/file"))
    assert message is not None
    assert message.startswith(f"/data/file: cause. {text}")
    assert os_message(ConnectionResetError(104, "a defect")) is None


READ_ONLY = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
MOUNT = 'mount -t tmpfs -o ro tmpfs "$0" && cd "$0" && exec "$@"'
WRITERS = [
    ("export copy", "copy: Read-only file system. Use a folder that can be written"),
    ("overlay new mine", "mine: Read-only file system. Use a folder that can be written"),
    ("eval search --judgments {folder}/judgments.tsv", ".akg: Read-only file system. Use a folder that can be written"),
    ("import table {folder}/export", "cannot store imports: Read-only file system. Nothing was changed."),
    ("node start", ".akg: Read-only file system. Set AKG_DATA or --root to a folder that can be written."),
]


def may_mount() -> bool:
    """Return whether this user may mount a file system in a namespace."""
    if shutil.which(READ_ONLY[0]) is None:
        return False
    return subprocess.run([*READ_ONLY, "mount -t tmpfs tmpfs /mnt"], capture_output=True, check=False).returncode == 0  # noqa: S603


@pytest.mark.skipif(not may_mount(), reason="this user may not mount file systems")
@pytest.mark.parametrize(("command", "message"), WRITERS, ids=lambda value: str(value)[:20])
def test_a_read_only_file_system_is_named(
    operator: OperatorSession, tmp_path: Path, command: str, message: str
) -> None:
    if command.startswith("import") and not (operator.folder / "export").exists():
        operator.run("export", str(operator.folder / "export"))
    program = [sys.executable, "-c", "from akg.cli import app; app()"]
    words = [*READ_ONLY, MOUNT, str(tmp_path), *program, *command.format(folder=operator.folder).split()]
    environ = {**os.environ, **operator.environ, "PYTHONPATH": str(ROOT)}
    del environ["AKG_DATA"]
    if command.startswith("node"):
        del environ["AKG_OPENSEARCH_URL"]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_writing_to_a_full_disk_ends_with_a_message(operator: OperatorSession) -> None:
    rules = operator.rules.read_text()
    operator.rules.write_text(f"{rules}zork => zork, telework\n")
    words = ("synonyms", "preview", "--judgments", str(operator.judgments), "--html", "/dev/full")
    output = operator.run(*words, code=1)
    operator.rules.write_text(rules)
    assert "No space left on device. Free disk space, then run the command again." in output


def test_debug_prints_the_traceback_too(operator: OperatorSession, capfd: pytest.CaptureFixture[str]) -> None:
    command = ("index", "diff", "akg-nothing")
    assert "Traceback" not in operator.run(*command, code=1)
    output = operator.run("--debug", *command, code=1)
    assert "Traceback" in output
    assert "is not a complete release" in output.splitlines()[-1]
    assert capfd.readouterr().err == ""


def test_ctrl_c_ends_a_command_with_one_line(operator: OperatorSession) -> None:
    words = [sys.executable, "-c", "from akg.cli import app; app()", "serve", "--port", "0"]
    with subprocess.Popen(words, env=operator.environ, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None
        assert "Serving on" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert "Traceback" not in process.stderr.read()
    assert process.returncode in {0, INTERRUPTED}
