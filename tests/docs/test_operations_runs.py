"""Every command of the tasks in docs/operations.md runs, in the order of the page."""

from __future__ import annotations

import shlex
import shutil
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from tests.support.markdown import blocks, sections
from tests.support.operator_session import OperatorSession, open_session
from tests.support.project import DOCS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opensearchpy import OpenSearch

ALIAS = "akg-runbook"


def tasks() -> dict[str, list[list[str]]]:
    """The commands of each task, as words."""
    page = iter(sections((DOCS / "operations.md").read_text("utf-8")))
    next(one for one in page if one.title == "By task")
    found = {}
    for one in page:
        if one.level <= 2:
            break
        lines = [line for block in blocks(one.text) if block.language == "sh" for line in block.text.splitlines()]
        found[one.title] = [shlex.split(line) for line in lines]
    return found


@pytest.fixture
def operator(tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str) -> Iterator[OperatorSession]:
    opened = open_session(tmp_path_factory.mktemp("operator"), client, node_url, ALIAS)
    (opened.folder / "mappings" / "relevance").mkdir(parents=True)
    shutil.copy(opened.judgments, opened.folder / "mappings" / "relevance" / "judgments.tsv")
    yield opened
    client.indices.delete(index=f"{ALIAS}-*")


def test_every_task_can_be_done_as_the_page_says(operator: OperatorSession) -> None:
    output = {}
    with chdir(operator.folder):
        for task, commands in tasks().items():
            if task == "Edit synonym rules":
                operator.rules.write_text(operator.rules.read_text() + "zork => zork, telework\n")
            for program, *words in commands:
                assert program == "akg", task
                output[" ".join(words[:2])] = operator.run(*words)
        assert (operator.folder / "preview.html").exists()
    assert "There is no earlier release for a rollback" in output["status"]
    assert "2 rules, same as the files" in output["status"]
    assert "1 added, 0 removed" in output["synonyms apply"]
    undone = operator.run("status")
    assert "The rule files contain rules that were undone or replaced" in undone
    assert "1 warning\n" in undone
