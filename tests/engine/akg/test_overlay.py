"""An overlay is checked, previewed and built; taken out again, it leaves nothing behind."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from akg.cli import app
from akg.reports.overlays import OverlayCheck, OverlayPreview
from akg.reports.synonyms import SynonymsLint
from indexer.synonyms.pins import COLUMNS
from tests.support.fixture_graphs import serving
from tests.support.operator_session import OperatorSession
from tests.support.overlay_folders import write_overlay

BROWSER = {"Accept": "text/html"}
TABLES = {
    "vendors": "slug,name,short,url\nloan-pool,Loan Pool,Lends devices.,https://example.org/loans\n",
    "products": "# devices\nslug,name,category,family,short\nloan-camera,Loan Camera,Device,assistive,To borrow.\n",
    "solution_products": "solution,product,reason\nscreen-magnification-software,loan-camera,it enlarges print\n",
    "product_vendors": "product,vendor\nloan-camera,loan-pool\n",
    "aliases": "entity,text,kind\nproduct:loan-camera,zoomy,lay\nsolution:telework,campus from afar,lay\n",
    "changes": "id,name,short\nsolution:checklists,Step Lists,Lists of steps of the campus.\n",
    "hidden": "id,reason\nproduct:largeview-pocket,not lent\n",
}


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    return write_overlay(tmp_path / "campus", **TABLES)


def run(operator: OperatorSession, *words: str, code: int = 0, environ: Mapping[str, str] | None = None) -> str:
    """Return the standard output of a command."""
    result = CliRunner().invoke(app, list(words), env={**operator.environ, **(environ or {})})
    assert result.exit_code == code, result.output
    return result.stdout


def with_overlays(*folders: Path) -> dict[str, str]:
    return {"AKG_OVERLAYS": ",".join(map(str, folders)), "AKG_MAX_LOSS": "0.5"}


def test_check_counts_what_an_overlay_states(operator: OperatorSession, overlay: Path) -> None:
    expected = "2 entities, 2 other names and 2 edges added, 1 entities changed, 1 hidden."
    assert run(operator, "overlay", "check", str(overlay)) == f"No problems: {expected}\n"
    report = OverlayCheck.model_validate_json(run(operator, "overlay", "check", str(overlay), "--json"))
    assert (report.entities, report.names, report.edges, report.changed, report.hidden) == (2, 2, 2, 1, 1)
    assert report.problems == []


def test_check_lists_problems_and_exits_with_1(operator: OperatorSession, overlay: Path) -> None:
    (overlay / "hidden.csv").write_text("id\nproduct:largeview-poket\n")
    problem = f"{overlay}/hidden.csv:2: unknown product 'largeview-poket'; nearest: 'largeview-pocket'"
    assert run(operator, "overlay", "check", str(overlay), code=1) == f"{problem}\n1 problem\n"
    report = OverlayCheck.model_validate_json(run(operator, "overlay", "check", str(overlay), "--json", code=1))
    (row,) = report.problems
    assert (row.file, row.line) == (f"{overlay}/hidden.csv", 2)
    assert row.message.endswith("nearest: 'largeview-pocket'")


def test_a_folder_that_does_not_exist_is_wrong_usage(operator: OperatorSession, tmp_path: Path) -> None:
    for command in ("check", "preview"):
        output = operator.run("overlay", command, str(tmp_path / "nowhere"), code=2)
        assert "`akg overlay new " in output


def test_new_writes_templates_once(operator: OperatorSession, tmp_path: Path) -> None:
    folder = str(tmp_path / "new")
    assert "Fill in source.csv" in operator.run("overlay", "new", folder)
    assert "source.csv:1: has no row" in operator.run("overlay", "check", folder, code=1)
    assert "is not empty" in operator.run("overlay", "new", folder, code=1)


def test_a_preview_shows_changes_of_graph_and_search_and_leaves_no_index(
    operator: OperatorSession, overlay: Path
) -> None:
    before = operator.state()
    judgments = overlay / "judged.tsv"
    judgments.write_text(
        "query\tkind\tjudgments\tnote\n"
        "largeview pocket\texact\tproduct:largeview-pocket=3\t\n"
        "loan camera\tlay\tproduct:loan-camera=3\t\n"
        "low vision\texact\tdisability:low-vision=3\t\n"
    )
    options = ("overlay", "preview", str(overlay), f"--judgments={judgments}")
    text = run(operator, *options)
    lines = {line.strip() for line in text.splitlines()}
    assert {
        "+ Loan Camera  (product:loan-camera)",
        "~ Step Lists  (solution:checklists)",
        "- LargeView Pocket  (product:largeview-pocket)",
        "+ Loan Camera → Loan Pool",
        "- LargeView Pocket → Brightline Access",
        "+ 1. Loan Camera",
        "- 1. LargeView Pocket",
    } <= lines
    assert "hidden" in text
    report = OverlayPreview.model_validate_json(run(operator, *options, "--json"))
    assert operator.state() == before
    assert report.before != report.after
    changes = {(row.change, row.id) for row in report.entities}
    assert {("added", "vendor:loan-pool"), ("changed", "solution:telework")} < changes
    assert ("hidden", "product:largeview-pocket") in changes
    assert {row.edge for row in report.edges if row.change == "added"} == {"implemented_by", "sold_by"}
    assert report.queries == 3
    changed = {row.query: row for row in report.changed}
    assert changed.keys() >= {"largeview pocket", "loan camera"}
    assert changed["loan camera"].after[0].id == "product:loan-camera"
    assert changed["largeview pocket"].gain == -1
    assert report.regressions != []


def test_a_preview_compares_with_the_other_overlays_alone(
    operator: OperatorSession, overlay: Path, tmp_path: Path
) -> None:
    other = write_overlay(
        tmp_path / "library", "id,title,licence\nlibrary,Library,CC0\n", changes="id,name\nvendor:loan-pool,The Pool\n"
    )
    environ = with_overlays(overlay, other)
    report = OverlayPreview.model_validate_json(
        run(operator, "overlay", "preview", str(other), "--json", environ=environ)
    )
    assert [(row.change, row.id) for row in report.entities] == [("changed", "vendor:loan-pool")]
    # Without the first overlay, the second no longer fits.
    output = operator.run("overlay", "preview", str(overlay), code=1, environ=environ)
    assert "library/changes.csv:2: unknown vendor 'loan-pool'" in output


async def record(service: httpx.AsyncClient, id_: str) -> httpx.Response:
    return await service.get("/" + id_.replace(":", "/"))


async def test_a_build_adds_changes_and_hides_and_its_removal_restores_the_base(
    operator: OperatorSession, overlay: Path
) -> None:
    base = operator.releases.live_metadata()
    assert base is not None
    fingerprints = operator.releases.fingerprints(base["index"])
    operator.run("index", "build", environ=with_overlays(overlay))
    meta = operator.releases.live_metadata()
    assert meta is not None
    assert meta["data_version"] != base["data_version"]
    assert "up to date" in operator.run("index", "build", environ=with_overlays(overlay))
    async with serving(operator.url, operator.releases.alias) as service:
        await found_by_its_other_name(service)
        await shows_its_source(service)
        await hidden_is_nowhere(service)
    operator.run("index", "build", environ={"AKG_MAX_LOSS": "0.5"})
    restored = operator.releases.live_metadata()
    assert restored is not None
    assert {name: restored[name] for name in ("data_version", "counts", "sources", "form")} == {
        name: base[name] for name in ("data_version", "counts", "sources", "form")
    }
    assert operator.releases.fingerprints(restored["index"]) == fingerprints


async def found_by_its_other_name(service: httpx.AsyncClient) -> None:
    for query, id_ in (
        ("zoomy", "product:loan-camera"),
        ("campus from afar", "solution:telework"),
        ("step lists", "solution:checklists"),
        ("checklists", "solution:checklists"),
    ):
        hit = (await service.get("/search", params={"query": query})).json()["results"][0]
        assert hit["id"] == id_
    suggested = (await service.get("/suggest", params={"query": "zoo"})).json()["results"]
    assert suggested[0]["id"] == "product:loan-camera"


async def shows_its_source(service: httpx.AsyncClient) -> None:
    body = (await record(service, "product:loan-camera")).json()
    (source,) = [source for source in body["sources"] if source["id"] == "campus"]
    assert (source["title"], source["url"]) == ("Campus Loans", "https://example.org/")
    (sold_by,) = [edge for edge in body["edges"] if edge["name"] == "sold_by"]
    assert sold_by["items"][0]["sources"] == ["campus"]
    changed = (await record(service, "solution:checklists")).json()
    assert changed["summaries"]["short"] == "Lists of steps of the campus."
    assert {"atlas", "campus"} <= {source["id"] for source in changed["sources"]}
    page = await service.get("/explore/product/loan-camera", headers=BROWSER)
    assert "Campus Loans" in page.text
    assert "Campus Loans" in await mcp_result(service, "get_entity", {"id": "product:loan-camera", "detail": "full"})
    assert "campus: Campus Loans" in (await service.get("/export/attributions.txt")).text


async def mcp_result(service: httpx.AsyncClient, tool: str, arguments: dict[str, str]) -> str:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    accept = {"Accept": "application/json, text/event-stream"}
    response = await service.post("/mcp", json=call, headers=accept)
    result = response.json()["result"]
    assert result.get("isError") is not True, result
    return response.text


async def hidden_is_nowhere(service: httpx.AsyncClient) -> None:
    assert (await record(service, "product:largeview-pocket")).status_code == 404
    body = (await service.get("/search", params={"query": "LargeView Pocket", "spelling": "off"})).json()
    assert "product:largeview-pocket" not in [hit["id"] for hit in body["results"]]
    vendor = (await record(service, "vendor:brightline-access")).json()
    (sells,) = [edge for edge in vendor["edges"] if edge["name"] == "sells"]
    assert [item["id"] for item in sells["items"]] == ["product:largeview-magnifier"]


def test_hiding_too_much_needs_permission(operator: OperatorSession, tmp_path: Path) -> None:
    before = operator.state()
    overlay = write_overlay(tmp_path / "less", hidden="id\nproduct:largeview-pocket\n")
    environ = {"AKG_OVERLAYS": str(overlay)}
    output = operator.run("index", "build", code=1, environ=environ)
    assert "product: 4 entities in the live release, 3 of them in the new one" in output
    assert "product:largeview-pocket  LargeView Pocket" in output
    assert operator.state() == before
    operator.run("index", "build", "--allow-loss", environ=environ)
    assert operator.state() != before
    operator.run("index", "build")


@pytest.mark.parametrize("command", ["build", "build --dry-run"])
def test_a_problem_stops_a_build_before_anything_is_published(
    operator: OperatorSession, overlay: Path, command: str
) -> None:
    before = operator.state()
    (overlay / "aliases.csv").write_text("entity,text,kind\nsolution:telewrk,home,lay\n")
    output = operator.run("index", *command.split(), code=1, environ=with_overlays(overlay))
    assert f"{overlay}/aliases.csv:2: unknown solution 'telewrk'; nearest: 'telework'" in output
    assert f"The overlay {overlay} cannot be used" in output
    missing = overlay / "nowhere"
    output = operator.run("index", *command.split(), code=2, environ=with_overlays(overlay, missing))
    assert f"AKG_OVERLAYS: there is no folder {missing}." in output
    output = operator.run("index", *command.split(), code=2, environ=with_overlays(overlay, overlay))
    assert "is named twice" in output
    assert operator.state() == before


def test_rules_and_pins_are_checked_against_the_graph_with_the_overlay(
    operator: OperatorSession, overlay: Path, tmp_path: Path
) -> None:
    mappings = shutil.copytree(operator.rules.parents[1], tmp_path / "mappings")
    (mappings / "synonyms" / "rules.txt").write_text("zoomster => zoomster, zoomy\n")
    pins = "\n".join(f"{id_}\t{id_}\t\ta test\t" for id_ in ("product:loan-camera", "product:largeview-pocket"))
    (mappings / "pins.tsv").write_text("\t".join(COLUMNS) + f"\n{pins}\n")

    def lint(*folders: Path) -> tuple[list[str], list[str]]:
        environ = {"AKG_MAPPINGS": str(mappings), **with_overlays(*folders)}
        found = SynonymsLint.model_validate_json(run(operator, "synonyms", "lint", "--json", code=1, environ=environ))
        return [row.message for row in found.errors], [row.message for row in found.warnings]

    (added,), warnings = lint()
    assert added.startswith("there is no entity 'product:loan-camera'")
    assert any("'zoomy'" in message for message in warnings)
    (hidden,), warnings = lint(overlay)
    assert hidden.startswith("there is no entity 'product:largeview-pocket'")
    assert not any("'zoomy'" in message for message in warnings)
