"""The exit codes of docs/reference/command-line.md, by the real commands."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from indexer.release.writer_lease import writer_lease
from tests.support.markdown import code, rows, section
from tests.support.operator_session import OperatorSession
from tests.support.project import DOCS

DOWN = {"AKG_OPENSEARCH_URL": "http://127.0.0.1:1"}
CASES: list[tuple[int, str, dict[str, str], str]] = [
    (0, "status", {}, "No warnings|warning"),
    (0, "content check", {}, "No problems"),
    (0, "synonyms lint", {}, "0 errors"),
    (0, "eval search --judgments {folder}/judgments.tsv --report {folder}/report.json", {}, "abbreviation"),
    (1, "index rollback", {}, "There is no earlier complete release"),
    (1, "index diff akg-nothing", {}, "is not a complete release"),
    (1, "status", {"AKG_ALIAS": "akg-nothing"}, "No release is live"),
    (1, "import remove nothing", {}, "nothing"),
    (1, "export {folder}/export", {"AKG_ALIAS": "akg-nothing"}, "No data has been published"),
    (2, "index nothing", {}, "No such command"),
    (2, "index prune --keep many", {}, "Invalid value for '--keep'"),
    (2, "status", {"AKG_PROT": "1"}, "did you mean AKG_PORT"),
    (2, "serve --port {port}", {}, "is in use"),
    (2, "snapshot prune", {}, "Give --keep, --older-than or both"),
    (2, "market verify --type solution", {}, "valid: product, vendor"),
    (2, "synonyms apply --judgments nowhere.tsv", {}, "There are no judged queries at nowhere.tsv"),
    (3, "status", DOWN, "unavailable"),
    (3, "index releases", DOWN, "OpenSearch"),
    (3, "node status", DOWN, "unavailable"),
    (3, "export {folder}/export", DOWN, "is unavailable: .*Connection refused. `akg node status`"),
    (3, "eval names", DOWN, "is unavailable: .*Connection refused"),
]
LOCKED = ["index build --force", "index rollback", "index prune", "synonyms undo", "snapshot create", "snapshot verify"]


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


@pytest.mark.parametrize(("expected", "command", "environ", "message"), CASES, ids=lambda value: str(value)[:40])
def test_commands_exit_with_the_code_of_the_cause(
    operator: OperatorSession, expected: int, command: str, environ: dict[str, str], message: str, port: int
) -> None:
    words = command.format(port=port, folder=operator.folder).split()
    output = operator.run(*words, code=expected, environ=environ)
    assert re.search(message, " ".join(output.split())), output


@pytest.mark.parametrize("command", LOCKED)
def test_writing_commands_exit_with_4_while_another_one_holds_the_lock(
    operator: OperatorSession, command: str, tmp_path: Path
) -> None:
    repository = {"AKG_SNAPSHOT_REPOSITORY": "akg-exit-codes", "AKG_SNAPSHOT_LOCATION": tmp_path.name}
    with ExitStack() as stack:
        stack.enter_context(writer_lease(operator.releases.client, operator.releases.index_alias, print))
        output = operator.run(*command.split(), code=4, environ=repository)
    assert "is running" in " ".join(output.split())


def test_the_page_lists_every_code() -> None:
    table = rows(section((DOCS / "reference/command-line.md").read_text("utf-8"), "Exit codes"))
    assert [code(row["code"]) for row in table] == [*map(str, sorted({4, *(case[0] for case in CASES)})), "130"]
