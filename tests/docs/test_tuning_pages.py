"""The commands of the pages about tuning run on a real node, in the order of each page."""

import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir

import pytest

from tests.support.markdown import blocks
from tests.support.operator_session import RULES, OperatorSession
from tests.support.project import DOCS

PAGES = ("pin-results.md", "tune-synonyms.md", "compare-releases.md")
PIN = "query\tfirst\tleave_out\treason\tuntil\nrest breaks\tsolution:telework\t\ta trial\t\n"


@pytest.fixture
def operator(operator: OperatorSession) -> Iterator[OperatorSession]:
    """Make the first rules live again after each test."""
    relevance = operator.folder / "mappings" / "relevance"
    relevance.mkdir(exist_ok=True)
    shutil.copy(operator.judgments, relevance / "judgments.tsv")
    yield operator
    operator.rules.write_text(RULES)
    (operator.folder / "mappings" / "pins.tsv").unlink(missing_ok=True)
    operator.run("synonyms", "apply", "--accept")


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_run(operator: OperatorSession, name: str) -> None:
    if name == "pin-results.md":
        (operator.folder / "mappings" / "pins.tsv").write_text(PIN)
    else:
        operator.rules.write_text(f"{RULES}zork => zork, telework\n")
    page = (DOCS / "how-to" / name).read_text("utf-8")
    lines = [line.strip() for block in blocks(page) if block.language == "sh" for line in block.text.splitlines()]
    assert lines
    with chdir(operator.folder):
        for line in lines:
            program, *words = shlex.split(line)
            assert program == "akg"
            operator.run(*words)
