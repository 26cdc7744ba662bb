"""Synonym rules are checked, previewed, applied and undone without a build."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch
from typer.testing import CliRunner

from akg.cli import app
from akg.reports.synonyms import SynonymsPreview
from bench.load import operator_commands
from tests.support.fixture_graphs import WORLD, serving
from tests.support.operator_session import RULES, OperatorSession, open_session

ZORK = "zork => zork, telework\n"


@pytest.fixture
def operator(operator: OperatorSession) -> Iterator[OperatorSession]:
    """Make the first rules live again after each test."""
    first = operator.rules.read_text()
    yield operator
    operator.rules.write_text(first)
    operator.run("synonyms", "apply", "--accept")


async def search(service: httpx.AsyncClient, query: str, **headers: str) -> tuple[int, dict[str, Any], str]:
    response = await service.get("/search", params={"query": query, "spelling": "off"}, headers=headers)
    return response.status_code, response.json() if response.content else {}, response.headers["etag"]


async def test_applied_rules_are_live_at_once_and_undone_in_one_step(operator: OperatorSession) -> None:
    async with serving(operator.url, "akg-operator") as service:
        _, before, tag = await search(service, "zork")
        assert before["total"] == 0
        operator.rules.write_text(operator.rules.read_text() + ZORK)
        await asyncio.to_thread(operator.run, "synonyms", "apply", "--judgments", str(operator.judgments))
        status, after, new_tag = await search(service, "zork", **{"If-None-Match": tag})
        assert status == 200
        assert (after["results"][0]["id"], after["synonyms"][0]["rule"]) == ("solution:telework", ZORK.strip())
        assert new_tag != tag
        versions = [body["provenance"]["synonyms_version"] for body in (before, after)]
        assert versions[0] != versions[1]
        assert before["provenance"]["data_version"] == after["provenance"]["data_version"]
        assert (await search(service, "zork", **{"If-None-Match": new_tag}))[0] == 304
        await asyncio.to_thread(operator.run, "synonyms", "undo")
        undone = (await search(service, "zork"))[1]
        assert (undone["total"], undone["provenance"]["synonyms_version"]) == (0, versions[0])
        status_page = operator.run("synonyms", "status")
    assert f"  + rules.txt:4  {ZORK.strip()}" in status_page
    assert [line.split()[1:3] for line in status_page.splitlines() if line.startswith(" 2")][:2] == [
        ["undo", versions[0]],
        ["apply", versions[1]],
    ]


def test_a_later_build_keeps_the_live_rules(operator: OperatorSession) -> None:
    live = operator.releases.live_metadata()
    assert live is not None
    operator.rules.write_text(operator.rules.read_text() + ZORK)
    operator.run("synonyms", "apply", "--accept")
    applied = operator.releases.live_metadata()
    operator.run("synonyms", "undo")
    assert "so this build keeps the live ones" in operator.run("index", "build", environ={"COLUMNS": "400"})
    built = operator.releases.live_metadata()
    assert built is not None
    assert applied is not None
    assert built["synonyms_version"] == live["synonyms_version"]
    operator.run("index", "build", "--file-rules")
    from_files = operator.releases.live_metadata()
    assert from_files is not None
    assert from_files["synonyms_version"] == applied["synonyms_version"]


def test_rejects_rules_that_make_search_worse_beyond_the_tolerance(operator: OperatorSession) -> None:
    before = operator.state()
    operator.rules.write_text("telly => telework\n")
    output = operator.run("synonyms", "apply", "--judgments", str(operator.judgments), code=1)
    assert "Search would get worse, so the live rules stay." in output
    assert "abbreviation: success1 drops by 1.0000 ('wfh')" in output
    assert operator.state() == before
    operator.run("synonyms", "apply", "--judgments", str(operator.judgments), "--tolerance", "1")
    assert operator.state()[0] != before[0]


def test_apply_requires_judgments(operator: OperatorSession) -> None:
    before = operator.state()
    operator.rules.write_text(ZORK)
    assert "There are no judged queries at" in operator.run("synonyms", "apply", "--judgments", "nowhere.tsv", code=2)
    assert operator.state() == before


def test_a_preview_shows_changed_results_and_leaves_no_index(operator: OperatorSession, tmp_path: Path) -> None:
    before = operator.state()
    operator.rules.write_text(operator.rules.read_text().replace("wfh => wfh, telework", "wfh => checklists"))
    queries = tmp_path / "queries.txt"
    queries.write_text("# a comment\nwfh pauses\nlow vision\n")
    html = tmp_path / "preview.html"
    options = {"judgments": operator.judgments, "queries": queries, "html": html}
    command = ("synonyms", "preview", *(f"--{name}={path}" for name, path in options.items()))
    output = operator.run(*command)
    assert "of 5 queries changed." in output
    assert "‘wfh’ (abbreviation, nDCG -1.0000)" in output
    report = SynonymsPreview.model_validate_json(
        CliRunner().invoke(app, [*command, "--json"], env=operator.environ).stdout
    )
    assert report.comparison is not None
    (changed,) = [query for query in report.comparison.changed if query.query == "wfh"]
    assert changed.before[0].id == "solution:telework"
    assert changed.after[0].id == "solution:checklists"
    assert "‘wfh’" in html.read_text("utf-8")
    assert operator.state() == before
    operator.rules.write_text(RULES)
    assert "already live" in operator.run("synonyms", "preview")


@pytest.mark.parametrize("command", [("synonyms", "apply"), ("synonyms", "preview"), ("index", "build")], ids=" ".join)
def test_an_invalid_file_changes_nothing(operator: OperatorSession, command: tuple[str, ...]) -> None:
    before = operator.state()
    operator.rules.write_text("pc, computer\nthe => thee\nalone\n")
    output = operator.run(*command, code=1)
    assert "rules.txt:2: 'the' is a stop word" in output
    assert "rules.txt:3: 'alone' is the only term" in output
    assert operator.state() == before


def test_lint_lists_errors_and_warnings_by_line(operator: OperatorSession) -> None:
    first = operator.run("synonyms", "lint").splitlines()
    assert first[-1] == "2 rules: 0 errors, 1 warning"
    assert first[-2].startswith("rules.txt:3: the rule drops 'light breaks', 'pauses'")
    operator.rules.write_text("zork => zork, zark\nthe => thee\n")
    output = operator.run("synonyms", "lint", code=1).splitlines()
    assert output[0] == "Errors"
    assert output[1].startswith("rules.txt:2: 'the' is a stop word")
    assert output[2] == "Warnings"
    assert output[3] == "rules.txt:1: the graph does not contain 'zark': the rule has no effect"
    assert output[-1] == "2 rules: 1 error, 1 warning"
    operator.rules.write_text("# a manual\n" * 99 + "alone\n")
    assert "rules.txt:100: 'alone' is the only term" in operator.run("synonyms", "lint", code=1)  # and no emoji of 100


def test_try_shows_the_live_rules_and_the_rules_of_the_files(operator: OperatorSession) -> None:
    operator.rules.write_text("# edited\nzork => telework\nwfh => checklists\n")
    output = [line.strip() for line in operator.run("synonyms", "try", "WFH").splitlines()]
    assert output[:5] == [
        "tokens             wfh",
        "live rules         wfh / telework",
        "by rules.txt:2  wfh => wfh, telework",
        "rules of the files checklist",
        "by rules.txt:3  wfh => checklists",
    ]
    assert output[6].startswith("1. Telework (solution:telework) / By a synonym rule")


ROUNDS = 2
MOMENTS = 4
SEED = 7
DEADLINE_SECONDS = 30.0  # a busy machine may be slow


@pytest.fixture
def own_operator(
    tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str, request: pytest.FixtureRequest
) -> Iterator[OperatorSession]:
    alias = f"akg-{request.node.name.replace('_', '-')[:40]}"
    yield open_session(tmp_path_factory.mktemp("operator"), client, node_url, alias)
    client.indices.delete(index=f"{alias}-*")


async def test_searches_never_fail_or_mix_releases(own_operator: OperatorSession) -> None:
    other = operator_commands.changed_tables(WORLD, own_operator.folder)
    await asyncio.to_thread(own_operator.run, "index", "build", "--content", str(other))  # for the first rollback

    async def operate(*words: str) -> None:
        await asyncio.to_thread(own_operator.run, *words)

    async with serving(own_operator.url, own_operator.releases.alias, deadline_seconds=DEADLINE_SECONDS) as service:
        found = await operator_commands.rounds_under_load(service, ROUNDS, operate, (WORLD, other), own_operator.rules)
    assert found.problems == []
    contents = found.contents()
    assert contents["/search?query=telework"] == len((WORLD, other))  # both tables were seen,
    assert contents["/search?query=zork&spelling=off"] > 1  # and both sets of rules


def test_a_killed_command_leaves_a_valid_release_and_the_next_one_cleans_up(own_operator: OperatorSession) -> None:
    _, wrong = operator_commands.kill_at_random_moments(own_operator, MOMENTS, SEED, max_seconds=1.0)
    assert wrong == []
