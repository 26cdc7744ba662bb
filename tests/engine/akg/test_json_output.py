"""With `--json` a command prints one JSON document of the documented shape on standard output."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from typer.testing import CliRunner

from akg.cli import app
from akg.reports.comparison import EvalCompare
from akg.reports.content import ContentCheck, ContentStats, MarketStatus
from akg.reports.evaluation import EvalRecommend, EvalSearch, EvalSynonyms
from akg.reports.evaluation_history import EvalHistory
from akg.reports.imports import Imported, ImportList, ImportRemove
from akg.reports.judged_cases import (
    CaseCount,
    EvalNames,
    EvalPrecision,
    EvalQuestions,
    EvalReadings,
    EvalScenarios,
    EvalSpellings,
    EvalTypos,
    FailedCase,
)
from akg.reports.releases import IndexBuild, IndexDiff, IndexList, IndexPrune, IndexRollback, IndexVerify
from akg.reports.report import Report
from akg.reports.snapshots import SnapshotCreate, SnapshotDelete, SnapshotList, SnapshotRestore
from akg.reports.status import NodeReport, Status
from akg.reports.synonyms import (
    SynonymsApply,
    SynonymsHistory,
    SynonymsLint,
    SynonymsPreview,
    SynonymsStatus,
    SynonymsTry,
)
from tests.support.onet_samples import CSV
from tests.support.operator_session import OperatorSession
from tests.support.report_page import PAGE, report_page
from tests.support.world_files import copy_world

Shape = TypeVar("Shape", bound=Report)
REPOSITORY = {"AKG_SNAPSHOT_REPOSITORY": "akg-json", "AKG_SNAPSHOT_LOCATION": "json"}
ZORK = "zork => zork, telework\n"


def report(operator: OperatorSession, shape: type[Shape], command: str, code: int = 0) -> Shape:
    result = CliRunner().invoke(app, [*command.split(), "--json"], env={**operator.environ, **REPOSITORY})
    assert result.exit_code == code, result.output
    return shape.model_validate_json(result.stdout, extra="forbid")


@pytest.fixture
def edited_rules(operator: OperatorSession) -> Iterator[None]:
    """Add a rule to the files; make the first rules live again afterwards."""
    first = operator.rules.read_text()
    operator.rules.write_text(first + ZORK)
    yield
    operator.rules.write_text(first)
    operator.run("synonyms", "apply", "--accept")


@pytest.mark.parametrize("name", ["list", "releases"])
def test_lists_releases(operator: OperatorSession, name: str) -> None:
    found = report(operator, IndexList, f"index {name}")
    live = [row for row in found.releases if row.live]
    assert [row.release for row in live] == operator.releases.live_indices()
    assert live[0].entities > 0
    assert live[0].size_bytes > 0


def test_builds_rolls_back_and_prunes(operator: OperatorSession) -> None:
    (before,) = operator.releases.live_indices()
    unchanged = report(operator, IndexBuild, "index build")
    assert (unchanged.published, unchanged.live) == (False, before)
    built = report(operator, IndexBuild, "index build --force")
    (after,) = operator.releases.live_indices()
    assert (built.published, built.live, built.entities) == (True, after, unchanged.entities)
    operator.run("index", "rollback", code=1)  # it equals the live release
    assert report(operator, IndexRollback, f"index rollback {before}").live == before
    assert report(operator, IndexRollback, f"index rollback {after}").live == after
    assert report(operator, IndexPrune, "index prune --keep 1").deleted == [before]


def test_lists_changes(operator: OperatorSession, tmp_path: Path) -> None:
    (live,) = operator.releases.live_indices()
    world = copy_world(tmp_path / "world")
    vendors = world / "vendors.csv"
    vendors.write_text(vendors.read_text("utf-8").replace("Makes tools", "Makes good tools"), "utf-8")
    plan = report(operator, IndexDiff, f"index build --dry-run --content {world}")
    assert (plan.before, plan.after) == (live, None)
    assert [(row.type, row.change) for row in plan.entities] == [("vendor", "changed")]
    same = report(operator, IndexDiff, f"index diff {live}")
    assert (same.before, same.after, same.entities, same.edges, same.rules) == (live, live, [], [], [])


def test_verifies_the_live_release(operator: OperatorSession) -> None:
    (live,) = operator.releases.live_indices()
    expected = IndexVerify(release=live, live=True, intact=True, problems=[])
    assert report(operator, IndexVerify, "index verify") == expected
    assert report(operator, IndexVerify, f"index verify {live}") == expected


def test_finds_what_was_changed_in_a_release(operator: OperatorSession) -> None:
    (old,) = operator.releases.live_indices()
    operator.run("index", "build", "--force")
    client = operator.releases.client
    client.indices.put_settings(index=old, body={"index.blocks.write": False})
    client.delete(index=old, id="vendor:quiet-works", refresh=True)
    client.update(index=old, id="solution:telework", body={"doc": {"names": ["changed"]}}, refresh=True)
    found = report(operator, IndexVerify, f"index verify {old}", code=1)
    assert (found.release, found.live, found.intact) == (old, False, False)
    assert "document vendor:quiet-works is missing" in found.problems
    assert "document solution:telework is changed" in found.problems
    assert report(operator, IndexVerify, "index verify").intact
    operator.run("index", "prune", "--keep", "1")


def test_creates_restores_and_deletes_snapshots(operator: OperatorSession) -> None:
    assert report(operator, SnapshotList, "snapshot list").snapshots == []
    created = report(operator, SnapshotCreate, "snapshot create").snapshot
    assert report(operator, SnapshotList, "snapshot list").snapshots == [created]
    assert ([created.snapshot], created.state) == (operator.releases.live_indices(), "SUCCESS")
    assert report(operator, SnapshotRestore, "snapshot restore").live == created.snapshot
    assert report(operator, SnapshotDelete, f"snapshot delete {created.snapshot} --yes").deleted == created.snapshot


def test_shows_the_status(operator: OperatorSession) -> None:
    found = report(operator, Status, "status")
    assert (found.usable, found.live) == (True, operator.releases.live_indices())
    assert found.release is not None
    assert found.release.entities > 0
    assert (found.rules.rules, found.rules.added, found.tables_differ) == (2, 0, False)


def test_a_status_without_a_release_is_a_report_too(operator: OperatorSession) -> None:
    result = CliRunner().invoke(app, ["status", "--json"], env={**operator.environ, "AKG_ALIAS": "akg-nothing"})
    found = Status.model_validate_json(result.stdout)
    assert (result.exit_code, found.usable, found.release) == (1, False, None)
    assert "No release is live: run `akg index build`." in found.warnings


def test_shows_the_cluster_of_the_settings(operator: OperatorSession) -> None:
    found = report(operator, NodeReport, "node status")
    assert (found.running, found.url, found.nodes, found.local) == (True, operator.url, 1, None)


def test_checks_the_content(operator: OperatorSession, tmp_path: Path) -> None:
    assert report(operator, ContentCheck, "content check").problems == []
    assert report(operator, ContentStats, "content stats").entities["disability"] > 0
    world = copy_world(tmp_path / "world")
    with (world / "redirects.csv").open("a") as table:
        table.write("vendor:a,vendor:quiet-work\n")
    checked = report(operator, ContentCheck, f"content check --content {world}", code=1)
    assert [(row.file, row.line) for row in checked.problems] == [("world/redirects.csv", 4)]
    assert "nearest: 'quiet-works'" in checked.problems[0].message
    assert checked.version is None


def test_shows_the_market_status(operator: OperatorSession) -> None:
    found = report(operator, MarketStatus, "market status")
    assert [row.type for row in found.types] == ["product", "vendor"]
    assert all(row.entities == sum(row.statuses.values()) + row.unchecked for row in found.types)


@pytest.mark.usefixtures("edited_rules")
def test_previews_applies_and_undoes_rules(operator: OperatorSession) -> None:
    judgments = f"--judgments {operator.judgments}"
    assert report(operator, SynonymsLint, "synonyms lint").rules == 3
    live = report(operator, SynonymsStatus, "synonyms status")
    assert [row.rule for row in live.added] == [ZORK.strip()]
    tried = report(operator, SynonymsTry, "synonyms try zork")
    assert [(row.rules, [rule.rule for rule in row.applied]) for row in tried.readings] == [
        ("live rules", []),
        ("rules of the files", [ZORK.strip()]),
    ]
    assert (tried.query, tried.tokens, tried.total) == ("zork", ["zork"], 0)
    preview = report(operator, SynonymsPreview, f"synonyms preview {judgments}")
    assert (preview.before, preview.after, preview.added) == (live.live, live.files, live.added)
    assert preview.comparison is not None
    assert preview.comparison.scores["all"].after.queries == 3
    measured = report(operator, EvalSynonyms, f"eval synonyms {judgments}")
    assert measured.comparison == preview.comparison
    applied = report(operator, SynonymsApply, f"synonyms apply {judgments}")
    assert ([applied.live], applied.published) == (operator.releases.live_indices(), True)
    assert (applied.synonyms_version, applied.added) == (live.files, live.added)
    assert not report(operator, SynonymsApply, f"synonyms apply {judgments}").published
    assert report(operator, SynonymsPreview, "synonyms preview").comparison is None
    assert report(operator, EvalSynonyms, f"eval synonyms {judgments}").comparison is None
    assert report(operator, SynonymsApply, "synonyms undo").synonyms_version == live.live
    history = report(operator, SynonymsHistory, "synonyms history")
    assert [event.what for event in history.events[:2]] == ["undo", "apply"]
    assert history.live == live.live


@pytest.mark.usefixtures("edited_rules")
def test_reports_errors_of_rules_and_a_loss_of_scores(operator: OperatorSession) -> None:
    operator.rules.write_text("pc, computer\nthe => thee\nalone\n")
    found = report(operator, SynonymsLint, "synonyms lint", code=1)
    assert sorted((row.file, row.line) for row in found.errors) == [("rules.txt", 2), ("rules.txt", 3)]
    operator.rules.write_text("telly => telework\n")
    before = operator.state()
    measured = report(operator, EvalSynonyms, f"eval synonyms --judgments {operator.judgments}", code=1)
    assert measured.comparison is not None
    assert "abbreviation: success1 drops by 1.0000 ('wfh')" in measured.comparison.regressions
    assert operator.state() == before


def test_measures_search_and_recommendations(operator: OperatorSession, tmp_path: Path) -> None:
    command = f"eval search --judgments {operator.judgments} --report {tmp_path}/search.json"
    searched = report(operator, EvalSearch, command)
    assert searched.scores["all"].queries == sum(half.queries for half in searched.halves.values()) == 3
    operator.judgments.write_text(operator.judgments.read_text().replace("low vision\t", "nothing at all\t"))
    found = report(operator, EvalSearch, command, code=1)
    assert any(drop.startswith("all: ndcg fell") for drop in found.regressions)
    operator.judgments.write_text(operator.judgments.read_text().replace("nothing at all\t", "low vision\t"))
    runs = report(operator, EvalHistory, "eval history search --limit 2").runs
    assert [run.scores["success@1"] for run in runs] == [1.0, pytest.approx(2 / 3, abs=1e-4)]
    assert [run.inputs == runs[0].inputs for run in runs] == [True, False]  # the second table is another one
    assert {run.alias for run in runs} == {operator.releases.alias}
    ranked = report(operator, EvalRecommend, f"eval recommend --report {tmp_path}/recommend.json")
    assert ranked.regressions == []


def test_measures_names_and_typos(operator: OperatorSession) -> None:
    named = report(operator, EvalNames, "eval names")
    assert list(named.kinds) == ["id", "slug", "name", "alias"]
    assert (named.missed, named.kinds["id"].first) == ([], named.kinds["id"].texts)
    typos = report(operator, EvalTypos, "eval typos --samples 5")
    assert [(row.typo, row.names) for row in typos.typos] == [("one edit", 5), ("two edits", 5), ("first letter", 5)]
    assert all(row.share >= row.minimum for row in typos.typos)
    spelled = report(operator, EvalSpellings, "eval spellings")
    assert (spelled.share, spelled.minimum, spelled.lost) == (1.0, 1.0, [])


def judged_table(operator: OperatorSession, name: str, *lines: str) -> Path:
    path = operator.folder / "mappings" / "relevance" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join((*lines, "")), "utf-8")
    return path


def test_measures_questions_and_scenarios(operator: OperatorSession) -> None:
    rows = ("task\ttelework\tsolution:telework\t\tand=vendor:quiet-works", "task\tlow vision\tvendor:quiet-works\t\t")
    table = judged_table(operator, "questions.tsv", "class\tquestion\texpect_any\tmust_not\tnote", *rows)
    measured = report(operator, EvalQuestions, "eval questions")
    assert measured.kinds == {"task": CaseCount(cases=2, passed=1)}
    assert measured.second_parts == CaseCount(cases=1, passed=0)
    assert measured.empty == 0
    assert measured.failed == [FailedCase(kind="task", case="low vision", missing=["vendor:quiet-works"], absurd=[])]
    assert report(operator, EvalQuestions, f"eval questions {table}") == measured

    body = '{"disability": "low-vision"}'
    (first, *_) = report(operator, EvalScenarios, scenarios(operator, f"{body}\tnothing\t")).failed
    assert (first.kind, first.case, first.missing) == ("scenario", body, ["solution:nothing"])
    refused = operator.run(*scenarios(operator, '{"limit": "many"}\ta\t').split(), code=1)
    assert refused.startswith('scenarios.tsv: {"limit": "many"}: Input should be an integer')


def scenarios(operator: OperatorSession, row: str) -> str:
    judged_table(operator, "scenarios.tsv", "body\twant\tmust_not", row)
    return "eval scenarios"


def test_measures_readings_and_precision(operator: OperatorSession) -> None:
    rows = ("low vision\tcondition=disability:low-vision\t", "telework\tcondition=disability:low-vision\t")
    judged_table(operator, "readings.tsv", "question\tparts\tdropped", *rows)
    read = report(operator, EvalReadings, "eval readings")
    assert (read.questions, read.right) == (2, 1)
    assert [(row.question, row.problems) for row in read.misread] == [
        ("telework", ["not read: condition=disability:low-vision"])
    ]
    judged_table(operator, "precision.tsv", "question\tid\tfirst\tsecond", "telework\tsolution:telework\t1\t0")
    found = report(operator, EvalPrecision, "eval precision")
    assert (found.precision, found.judged) == (0.5, 1)
    assert "solution:telework" not in {hit.id for hit in found.unjudged}


@pytest.mark.usefixtures("edited_rules")
def test_compares_rules(operator: OperatorSession) -> None:
    compared = report(operator, EvalCompare, f"eval compare live files --judgments {operator.judgments}")
    (live,) = operator.releases.live_indices()
    assert compared.a.startswith(f"live: {live} with rules ")
    assert compared.b.startswith(f"files: {live} with rules ")
    assert [row.kind for row in compared.kinds] == ["exact", "abbreviation", "all"]
    assert (compared.kinds[-1].queries, compared.kinds[-1].losses, compared.differences) == (3, 0, [])


def test_stores_lists_and_removes_imports(operator: OperatorSession, tmp_path: Path) -> None:
    operator.run("export", str(tmp_path / "export"))
    stored = report(operator, Imported, f"import table {tmp_path / 'export'}")
    assert stored.entities
    assert stored.stored.rows
    assert report(operator, ImportList, "import list").imports == [stored.stored]
    assert report(operator, ImportRemove, "import remove tables").removed == "tables"
    onet = report(operator, Imported, f"import onet {CSV} --allow-loss")
    assert onet.stored.name == "onet"
    assert report(operator, ImportRemove, "import remove onet").removed == "onet"


FAILURES = [
    ("status", 3, {"AKG_OPENSEARCH_URL": "http://127.0.0.1:1"}),
    ("index build", 3, {"AKG_OPENSEARCH_URL": "http://127.0.0.1:1"}),
    ("index rollback akg-nothing", 1, {}),
    ("index verify akg-nothing", 1, {}),
    ("content check", 2, {"AKG_CONTENT": "/nowhere"}),
    ("synonyms apply --judgments nowhere.tsv", 2, {}),
    ("snapshot restore nothing", 1, {}),
    ("snapshot delete nothing --yes", 1, {}),
    ("eval search --judgments nowhere.tsv", 2, {}),
    ("import remove nothing", 1, {}),
    ("market status --content /nowhere", 2, {}),
]


@pytest.mark.parametrize(("command", "code", "environ"), FAILURES, ids=lambda value: str(value)[:30])
def test_a_command_that_fails_prints_nothing_on_standard_output(
    operator: OperatorSession, command: str, code: int, environ: dict[str, str]
) -> None:
    env = {**operator.environ, **REPOSITORY, **environ}
    result = CliRunner().invoke(app, [*command.split(), "--json"], env=env)
    assert (result.exit_code, result.stdout) == (code, "")
    assert 1 <= len(result.stderr.splitlines()) <= 2


def test_declining_a_deletion_prints_nothing_on_standard_output(operator: OperatorSession) -> None:
    name = report(operator, SnapshotCreate, "snapshot create").snapshot.snapshot
    env = {**operator.environ, **REPOSITORY}
    result = CliRunner().invoke(app, ["snapshot", "delete", name, "--json"], env=env, input="n\n")
    assert (result.exit_code, result.stdout.strip()) == (1, "n")  # the runner echoes what is typed
    report(operator, SnapshotDelete, f"snapshot delete {name} --yes")


def test_the_page_describes_every_shape() -> None:
    """If not: `python -m tests.support.report_page`."""
    assert PAGE.read_text("utf-8") == report_page()
