"""`akg eval compare` shows where two sets of rules differ, and leaves no index."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from akg.reports.comparison import EvalCompare
from tests.support.operator_session import RULES, OperatorSession


@pytest.fixture
def operator(operator: OperatorSession) -> Iterator[OperatorSession]:
    """Write the first rules after each test."""
    yield operator
    operator.rules.write_text(RULES)


def test_the_files_are_compared_with_the_live_release(operator: OperatorSession, tmp_path: Path) -> None:
    before = operator.state()
    operator.rules.write_text(RULES.replace("wfh => wfh, telework", "wfh => checklists"))
    page = tmp_path / "page.html"
    words = ("eval", "compare", "live", "files", "--judgments", str(operator.judgments))
    output = operator.run(*words, "--html", str(page))
    assert "‘wfh’ (abbreviation, nDCG -1.0000)" in output
    assert "‘wfh’ (abbreviation, nDCG -1.0000)" in page.read_text("utf-8")
    report = EvalCompare.model_validate_json(operator.run(*words, "--json").partition("{")[2].join(("{", "")))
    (difference,) = report.differences
    assert (difference.before[0].id, difference.after[0].id) == ("solution:telework", "solution:checklists")
    kinds = {kind.kind: kind for kind in report.kinds}
    assert (kinds["abbreviation"].losses, kinds["exact"].losses, kinds["all"].wins) == (1, 0, 0)
    assert (kinds["abbreviation"].ndcg, kinds["abbreviation"].success5) == ((1.0, 0.0), (1.0, 0.0))
    assert operator.state() == before


def test_a_release_and_a_version_of_the_rules_can_be_named(operator: OperatorSession) -> None:
    (live,) = operator.releases.live_indices()
    version = str(operator.releases.metadata(live)["synonyms_version"])
    words = ("--judgments", str(operator.judgments))
    assert "No score differs." in operator.run("eval", "compare", live, version, *words)
    assert "is not a complete release" in operator.run("eval", "compare", "livf", "files", *words, code=1)
