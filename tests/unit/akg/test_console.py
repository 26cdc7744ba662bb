"""Errors of commands: what is printed, and the exit code."""

from concurrent.futures import BrokenExecutor

import pytest
import typer
from opensearchpy.exceptions import AuthorizationException, TransportError

from akg.console import DISK_FULL, report_errors
from indexer.content.problems import ContentError, Problem

FLOOD_STAGE = "index [a] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has …]"


BLOCKED = "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];"


def with_reason(reason: str) -> dict[str, object]:
    return {"error": {"reason": reason, "root_cause": [{"type": "block", "reason": reason}]}}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (TransportError(429, "cluster_block_exception", with_reason(FLOOD_STAGE)), DISK_FULL),
        (AuthorizationException(403, "index_create_block_exception", with_reason(BLOCKED)), DISK_FULL),
        (TransportError(503, "unavailable", {}), "OpenSearch: TransportError: TransportError(503, 'unavailable')"),
    ],
)
def test_prints_errors_of_opensearch_without_a_traceback(
    error: TransportError, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit), report_errors():
        raise error
    assert " ".join(capsys.readouterr().err.split()) == message


@pytest.mark.parametrize(
    "error", [ContentError([Problem("aliases.csv", 2, "a duplicate")]), BrokenExecutor("a job died")]
)
def test_prints_errors_for_the_operator_and_exits_with_1(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end, report_errors():
        raise error
    assert (end.value.exit_code, capsys.readouterr().err) == (1, f"{error}\n")


def test_any_other_error_keeps_its_traceback() -> None:
    with pytest.raises(KeyError), report_errors():
        raise KeyError("a defect")
