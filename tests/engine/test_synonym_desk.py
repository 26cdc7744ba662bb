"""Synonym rules are checked, previewed, put live and taken back without a word of the tables being indexed again."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from desks import Desk, open_desk
from worlds import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx
    from opensearchpy import OpenSearch

ZORK = "zork => zork, telework\n"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str) -> Iterator[Desk]:
    """One desk for all tests of this file; each begins with the first rules live."""
    desk = open_desk(tmp_path_factory.mktemp("desk"), client, node_url, "akg-desk")
    yield desk
    client.indices.delete(index="akg-desk-*")


@pytest.fixture
def desk(shared: Desk) -> Iterator[Desk]:
    first = shared.rules.read_text()
    yield shared
    shared.rules.write_text(first)
    shared.run("synonyms", "apply", "--accept")


async def search(service: httpx.AsyncClient, query: str, **headers: str) -> tuple[int, dict[str, Any], str]:
    answer = await service.get("/search", params={"query": query, "spelling": "off"}, headers=headers)
    return answer.status_code, answer.json() if answer.content else {}, answer.headers["etag"]


async def test_an_edit_is_live_at_once_and_undone_in_one_step(desk: Desk) -> None:
    async with serving(desk.url, "akg-desk") as service:
        _, before, tag = await search(service, "zork")
        assert before["total"] == 0
        desk.rules.write_text(desk.rules.read_text() + ZORK)
        await asyncio.to_thread(desk.run, "synonyms", "apply", "--judgments", str(desk.judgments))
        status, after, new_tag = await search(service, "zork", **{"If-None-Match": tag})
        assert status == 200
        assert (after["results"][0]["id"], after["synonyms"][0]["rule"]) == ("solution:telework", ZORK.strip())
        assert new_tag != tag
        versions = [body["provenance"]["synonyms_version"] for body in (before, after)]
        assert versions[0] != versions[1]
        assert before["provenance"]["data_version"] == after["provenance"]["data_version"]
        assert (await search(service, "zork", **{"If-None-Match": new_tag}))[0] == 304
        await asyncio.to_thread(desk.run, "synonyms", "undo")
        undone = (await search(service, "zork"))[1]
        assert (undone["total"], undone["provenance"]["synonyms_version"]) == (0, versions[0])
        status_page = desk.run("synonyms", "status")
    assert f"  + rules.txt:4  {ZORK.strip()}" in status_page
    assert [line.split()[1:3] for line in status_page.splitlines() if line.startswith(" 2")][:2] == [
        ["undo", versions[0]],
        ["apply", versions[1]],
    ]


def test_a_later_build_carries_the_rules_that_are_live(desk: Desk) -> None:
    live = desk.releases.live_meta()
    assert live is not None
    desk.rules.write_text(desk.rules.read_text() + ZORK)
    desk.run("synonyms", "apply", "--accept")
    applied = desk.releases.live_meta()
    desk.run("synonyms", "undo")
    assert "this build keeps the live ones" in desk.run("index", "build", environ={"COLUMNS": "400"})
    built = desk.releases.live_meta()
    assert built is not None
    assert applied is not None
    assert built["synonyms_version"] == live["synonyms_version"]
    desk.run("index", "build", "--file-rules")
    taken = desk.releases.live_meta()
    assert taken is not None
    assert taken["synonyms_version"] == applied["synonyms_version"]


def test_rules_that_make_search_worse_are_refused_unless_told_otherwise(desk: Desk) -> None:
    before = desk.state()
    desk.rules.write_text("telly => telework\n")
    told = desk.run("synonyms", "apply", "--judgments", str(desk.judgments), code=1)
    assert "Search would get worse; the live rules stay." in told
    assert "abbreviation: success1 falls by 1.0000 ('wfh')" in told
    assert desk.state() == before
    desk.run("synonyms", "apply", "--judgments", str(desk.judgments), "--tolerance", "1")
    assert desk.state()[0] != before[0]


def test_without_judgments_nothing_is_put_live_unless_told_so(desk: Desk) -> None:
    before = desk.state()
    desk.rules.write_text(ZORK)
    assert "No judged queries at" in desk.run("synonyms", "apply", "--judgments", "nowhere.tsv", code=1)
    assert desk.state() == before


def test_a_preview_shows_what_moves_and_leaves_nothing(desk: Desk, tmp_path: Path) -> None:
    before = desk.state()
    desk.rules.write_text(desk.rules.read_text().replace("wfh => wfh, telework", "wfh => checklists"))
    own = tmp_path / "own.txt"
    own.write_text("# mine\nwfh pauses\nlow vision\n")
    json, html = tmp_path / "preview.json", tmp_path / "preview.html"
    words = ("--judgments", str(desk.judgments), "--queries", str(own), "--json", str(json), "--html", str(html))
    told = desk.run("synonyms", "preview", *words)
    assert "of 5 queries moved." in told
    assert "‘wfh’ (abbreviation, nDCG -1.0000)" in told
    found = orjson.loads(json.read_bytes())
    (moved,) = [one for one in found["comparison"]["moved"] if one["query"] == "wfh"]
    assert moved["before"][0]["id"] == "solution:telework"
    assert moved["after"][0]["id"] == "solution:checklists"
    assert "‘wfh’" in html.read_text("utf-8")
    assert desk.state() == before
    assert "live already" in desk.run(
        "synonyms", "preview", environ={"AKG_MAPPINGS": str(_as_they_were(desk, tmp_path))}
    )


def _as_they_were(desk: Desk, folder: Path) -> Path:
    mappings = folder / "mappings"
    (mappings / "synonyms").mkdir(parents=True)
    (mappings / "vocabulary.json").write_bytes((desk.folder / "mappings" / "vocabulary.json").read_bytes())
    (mappings / "synonyms" / "rules.txt").write_text("wfh => wfh, telework\nlight breaks, pauses => rest breaks\n")
    return mappings


@pytest.mark.parametrize("command", [("synonyms", "apply"), ("synonyms", "preview"), ("index", "build")], ids=" ".join)
def test_a_broken_file_changes_nothing(desk: Desk, command: tuple[str, ...]) -> None:
    before = desk.state()
    desk.rules.write_text("pc, computer\nthe => thee\nalone\n")
    told = desk.run(*command, code=1)
    assert "rules.txt:2: 'the' is a stop word" in told
    assert "rules.txt:3: 'alone' stands alone" in told
    assert desk.state() == before


def broken(seed: int) -> tuple[str, int]:
    """The text of a rule file with one line that must be refused, and the number of that line."""
    chance = Random(seed)  # noqa: S311 - a sample, no secret

    def word() -> str:
        return "".join(chance.choices("bcdfghjklmnpqrstvwxz", k=6))

    one, two, three = word(), word(), word()
    faults = [
        *(f"{one}", f"{one} =>", f"=> {one}", f"{one},, {two}", f"{one} => {two} => {three}", f"{one} -> {two}"),
        *(f"{one} => {one}", f"{one}, {one.upper()}", f"{one} => {two}, {two}", f"{one}\\, {two}", f"!!! => {two}"),
        *(f"{one}, \u200b{two}", f"{one} => {two} # said late", f"the => {two}", f"{one} = {two}", "wfh, telework"),
        f"{one}{chance.choice(chr(0) + chr(7) + chr(127))}, {two}",
    ]
    lines = [f"{word()} => {word()}" for _ in range(chance.randrange(1, 9))]
    place = chance.randrange(len(lines) + 1)
    return "\n".join([*lines[:place], faults[seed % len(faults)], *lines[place:]]) + "\n", place + 1


def test_fifty_broken_files_are_refused_by_line_and_change_nothing(desk: Desk) -> None:
    before = desk.state()
    first = desk.rules.read_text()
    for seed in range(50):
        text, line = broken(seed)
        desk.rules.write_text(first + text)
        assert f"rules.txt:{line + len(first.splitlines())}:" in desk.run("synonyms", "apply", code=1), text
    assert desk.state() == before


def test_lint_names_every_line_and_tells_errors_from_warnings(desk: Desk) -> None:
    assert desk.run("synonyms", "lint").splitlines()[-1] == "2 rules: 0 errors, 0 warnings"
    desk.rules.write_text("zork => zork, zark\nthe => thee\n")
    told = desk.run("synonyms", "lint", code=1).splitlines()
    assert told[0] == "Errors"
    assert told[1].startswith("rules.txt:2: 'the' is a stop word")
    assert told[2] == "Warnings"
    assert told[3] == "rules.txt:1: 'zark' stands nowhere in the graph: the rule finds nothing"
    assert told[-1] == "2 rules: 1 error, 1 warning"
    desk.rules.write_text("# a manual\n" * 99 + "alone\n")
    assert "rules.txt:100: 'alone' stands alone" in desk.run("synonyms", "lint", code=1)  # and no emoji of 100


def test_words_can_be_tried_on_the_live_rules_and_on_the_files(desk: Desk) -> None:
    desk.rules.write_text("# edited\nzork => telework\nwfh => checklists\n")
    told = [line.strip() for line in desk.run("synonyms", "try", "WFH").splitlines()]
    assert told[:5] == [
        "words              wfh",
        "live rules         wfh / telework",
        "by rules.txt:2  wfh => wfh, telework",
        "rules of the files checklist",
        "by rules.txt:3  wfh => checklists",
    ]
    assert told[6].startswith("1. Telework (solution:telework) / By a synonym rule")
