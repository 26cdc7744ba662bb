"""Every command of the tasks in docs/operations.md runs, in the order of the page."""

from __future__ import annotations

import shlex
import shutil
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest
from desks import Desk, open_desk

from tests.contract.markdown import blocks, sections
from tests.contract.project import DOCS

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
def desk(tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str) -> Iterator[Desk]:
    opened = open_desk(tmp_path_factory.mktemp("desk"), client, node_url, ALIAS)
    (opened.folder / "tests" / "search").mkdir(parents=True)
    shutil.copy(opened.judgments, opened.folder / "tests" / "search" / "judgments.tsv")
    yield opened
    client.indices.delete(index=f"{ALIAS}-*")


def test_every_task_can_be_done_as_the_page_says(desk: Desk) -> None:
    told = {}
    with chdir(desk.folder):
        for task, commands in tasks().items():
            if task == "Edit synonym rules":
                desk.rules.write_text(desk.rules.read_text() + "zork => zork, telework\n")
            for program, *words in commands:
                assert program == "akg", task
                told[" ".join(words[:2])] = desk.run(*words)
        assert (desk.folder / "preview.html").exists()
    assert "There is no earlier release to go back to" in told["status"]
    assert "2 rules, as in the files" in told["status"]
    assert "1 rules new, 0 gone" in told["synonyms apply"]
    undone = desk.run("status")
    assert "The rule files hold rules that were undone or replaced" in undone
    assert "1 warning\n" in undone
