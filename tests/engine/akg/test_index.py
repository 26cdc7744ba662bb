"""`akg index build` and `akg index diff`: changes are shown before a build, stored in the release, and compared."""

import shutil
from pathlib import Path
from typing import Any

from httpx import AsyncClient

from tests.support.fixture_graphs import WORLD, counting_proxy, serving
from tests.support.operator_session import OperatorSession

BROWSER = {"Accept": "text/html"}
SUMMARY = ("Doing the job from home", "Doing one’s job from home")
CHANGES = [
    "+ zork => zork, telework  (rules.txt:4)",
    "~ Telework  (solution:telework)",
]


def edited(folder: Path) -> str:
    copy = folder / "tables"
    shutil.copytree(WORLD, copy)
    path = copy / "solutions.csv"
    path.write_text(path.read_text("utf-8").replace(*SUMMARY), "utf-8")
    return str(copy)


def signed(output: str) -> list[str]:
    return sorted(line.strip() for line in output.splitlines() if line.strip()[:2] in {"+ ", "~ ", "- "})


async def test_changes_are_shown_before_and_after_a_build(operator: OperatorSession, tmp_path: Path) -> None:
    tables, before = edited(tmp_path), operator.state()
    assert "No changes." in operator.run("index", "build", "--dry-run")
    operator.rules.write_text(operator.rules.read_text() + "zork => zork, telework\n")
    assert signed(operator.run("index", "build", "--dry-run", "--content", tables)) == CHANGES
    assert operator.state() == before
    async with serving(operator.url, operator.releases.alias) as service:
        page = (await service.get("/explore/release", headers=BROWSER)).text
        assert "There is no previous release" in page
    operator.run("index", "build", "--content", tables)
    assert signed(operator.run("index", "diff", before[0][0])) == CHANGES
    live = operator.state()[0][0]
    backwards = [line.replace("+ ", "- ") for line in CHANGES]
    assert signed(operator.run("index", "diff", live, before[0][0])) == sorted(backwards)
    async with serving(operator.url, operator.releases.alias) as service:
        body: dict[str, Any] = (await service.get("/graph/changes")).json()
        page = (await service.get("/explore/release", headers=BROWSER)).text
    assert body["types"] == [{"name": "solution", "added": 0, "changed": 1, "removed": 0}]
    assert [entity["id"] for entity in body["entities"]] == ["solution:telework"]
    assert "1 entry and" in page
    assert 'data-id="solution:telework"' in page
    assert "zork =&gt; zork, telework" in page
    assert body["rules"]["added"] == ["zork => zork, telework"]
    assert body["since"]["data_version"] != body["provenance"]["data_version"]
    listed = operator.run("index", "releases")
    assert all(index in listed for index in (live, before[0][0]))
    assert "is not a complete release" in operator.run("index", "diff", "akg-nothing", code=1)


def test_a_build_without_changes_publishes_nothing(operator: OperatorSession) -> None:
    operator.run("index", "build")
    before = operator.state()
    assert "Nothing changed" in operator.run("index", "build")
    assert operator.state() == before
    assert "Published" in operator.run("index", "build", "--force")
    assert operator.state()[0] != before[0]


def test_a_build_that_loses_much_stops_first(operator: OperatorSession, tmp_path: Path) -> None:
    operator.run("index", "build")
    before = operator.state()
    tables = Path(shutil.copytree(WORLD, tmp_path / "tables"))
    path = tables / "product_vendors.csv"
    path.write_text(path.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    output = operator.run("index", "build", "--content", str(tables), code=1)
    assert "sold_by: 4 edges in the live release, 0 of them in the new one" in output
    assert output.count("    - product:") == 4
    assert "--allow-loss" in output
    assert operator.state() == before
    operator.run("index", "build", "--content", str(tables), "--allow-loss")
    assert operator.state()[0] != before[0]


def test_a_build_that_replaces_much_by_as_much_stops_first(operator: OperatorSession, tmp_path: Path) -> None:
    operator.run("index", "build")
    before = operator.state()
    tables = Path(shutil.copytree(WORLD, tmp_path / "tables"))
    for path in tables.glob("*.csv"):
        path.write_text(path.read_text("utf-8").replace("quiet-works", "calm-works"), "utf-8")
    output = operator.run("index", "build", "--content", str(tables), code=1)
    assert "vendor: 2 entities in the live release, 1 of them in the new one\n    - vendor:quiet-works  Quiet" in output
    assert operator.state() == before


async def test_a_response_is_from_one_release_and_names_it(operator: OperatorSession) -> None:
    async def search(service: AsyncClient, query: str) -> list[dict[str, Any]]:
        return [
            (await service.get("/search", params={"query": query, "spelling": word})).json() for word in ("on", "off")
        ]

    alias, index_alias = operator.releases.alias, operator.releases.index_alias
    operator.run("index", "build")
    before = operator.state()[0][0]
    async with serving(operator.url, alias) as service:
        first = await search(service, "zorkel")
    operator.rules.write_text(operator.rules.read_text() + "zorkel => zorkel, telework\n")
    operator.run("index", "build")
    late = {f"/{index_alias}/_search": f"/{before}/_search"}  # a node that still has the first release as live
    async with (
        counting_proxy(operator.url, elsewhere=late) as (address, _),
        serving(address, alias, release_check_seconds=60) as service,
    ):
        record = (await service.get("/solution/telework")).json()  # from a node that has the second
        by_rule = await search(service, "zorkel")  # with the rule of the second, it finds Telework in the first
        nothing = await search(service, "qzxv")
    async with serving(operator.url, alias) as service:
        live, live_nothing = await search(service, "zorkel"), await search(service, "qzxv")
    assert record["provenance"]["synonyms_version"] == live[0]["provenance"]["synonyms_version"]
    assert by_rule == first  # the rules, the hits and the provenance of the first
    assert nothing == live_nothing
    assert [body["total"] for body in (*first, *live, *nothing)] == [0, 0, 1, 1, 0, 0]
