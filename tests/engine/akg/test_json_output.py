"""With `--json` a command prints one JSON document of the documented shape on standard output."""

from typing import TypeVar

import pytest
from typer.testing import CliRunner

from akg.cli import app
from akg.reports.releases import IndexList, IndexPrune, IndexRollback, SnapshotList
from akg.reports.report import Report
from tests.support.operator_session import OperatorSession
from tests.support.report_page import PAGE, report_page

Shape = TypeVar("Shape", bound=Report)
REPOSITORY = {"AKG_SNAPSHOT_REPOSITORY": "akg-json", "AKG_SNAPSHOT_LOCATION": "json"}


def report(operator: OperatorSession, shape: type[Shape], command: str) -> Shape:
    result = CliRunner().invoke(app, [*command.split(), "--json"], env={**operator.environ, **REPOSITORY})
    assert result.exit_code == 0, result.output
    return shape.model_validate_json(result.stdout, extra="forbid")


@pytest.mark.parametrize("name", ["list", "releases"])
def test_lists_releases(operator: OperatorSession, name: str) -> None:
    found = report(operator, IndexList, f"index {name}")
    live = [row for row in found.releases if row.live]
    assert [row.release for row in live] == operator.releases.live_indices()
    assert live[0].entities > 0
    assert live[0].size_bytes > 0


def test_rolls_back_and_prunes(operator: OperatorSession) -> None:
    (before,) = operator.releases.live_indices()
    operator.run("index", "build", "--force")
    (after,) = operator.releases.live_indices()
    assert report(operator, IndexRollback, "index rollback").live == before
    assert report(operator, IndexRollback, f"index rollback {after}").live == after
    assert report(operator, IndexPrune, "index prune --keep 0").deleted == [before]


def test_lists_snapshots(operator: OperatorSession) -> None:
    assert report(operator, SnapshotList, "snapshot list").snapshots == []
    operator.run("snapshot", "create", environ=REPOSITORY)
    (row,) = report(operator, SnapshotList, "snapshot list").snapshots
    assert ([row.snapshot], row.state) == (operator.releases.live_indices(), "SUCCESS")
    operator.run("snapshot", "delete", row.snapshot, "--yes", environ=REPOSITORY)


def test_the_page_describes_every_shape() -> None:
    """If not: `python -m tests.support.report_page`."""
    assert PAGE.read_text("utf-8") == report_page()
