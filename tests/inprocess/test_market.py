"""From the tables to market.csv and the records: what is due, what is remembered, what a finding may say."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
import respx
from typer.testing import CliRunner

from akg.main import app
from akg.market_commands import Round, verify_all
from indexer.checks import examine
from indexer.documents import documents
from indexer.graph import build_graph
from indexer.market.due import Visit, addresses, aged, as_table, current, due, judged, merged
from indexer.market.hosts import Clock
from indexer.market.journal import MarketError, journal
from indexer.market.rules import RULES, Page
from indexer.market.visit import Seen, Validators
from indexer.plan import Versions
from indexer.rows import Finding
from indexer.sources import describes, read, stale_findings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.rows import Content
    from indexer.vocabulary import Vocabulary

ROOT = Path(__file__).parents[2]
WORLD = ROOT / "tests" / "data" / "world"
TODAY = date(2026, 11, 21)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
FAIR = "https://fair.example.org/"
BAND, BAND_URL = "product:hushband-headset", f"{FAIR}hushband"
HEADER = "entity,status,checked,rule,address,evidence\n"


def finding(rule: str, checked: str = "2026-11-01", entity: str = BAND, address: str = BAND_URL) -> Finding:
    return Finding(entity, RULES[rule].status or "verified", checked, rule, address, address)


def visit(content: Content, rule: str, day: str = "2026-11-21", url: str = BAND_URL) -> Visit:
    (address,) = (one for one in addresses(content) if one.url == url)
    return Visit(url, day, address.fingerprint, {one.id: rule for one in address.entities}, url)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """The small world with a place for findings."""
    folder = Path(shutil.copytree(WORLD, tmp_path / "world"))
    package = orjson.loads((folder / "datapackage.json").read_bytes())
    shipped = orjson.loads((ROOT / "content" / "datapackage.json").read_bytes())
    package["resources"] += [one for one in shipped["resources"] if one["path"] == "market.csv"]
    (folder / "datapackage.json").write_bytes(orjson.dumps(package))
    (folder / "market.csv").write_text(HEADER)
    return folder


def test_every_address_of_a_product_or_vendor_is_asked_once(content: Content) -> None:
    assert {one.url.removeprefix(FAIR): [named.id for named in one.entities] for one in addresses(content)} == {
        "dayplan": ["product:dayplan-checklist-app"],
        "hushband": [BAND],
        "largeview": ["product:largeview-magnifier"],
        "pocket": ["product:largeview-pocket"],
        "brightline": ["vendor:brightline-access"],
        "quiet-works": ["vendor:quiet-works"],
    }


def test_an_address_is_shared_and_a_list_is_not_asked(content: Content) -> None:
    moved = {BAND: f"{FAIR}pocket", "product:dayplan-checklist-app": "http://fair.example.org/Catalogue/"}
    entities = tuple(one._replace(url=moved.get(one.id, one.url)) for one in content.entities)
    found = {one.url: [named.id for named in one.entities] for one in addresses(replace(content, entities=entities))}
    assert found[f"{FAIR}pocket"] == [BAND, "product:largeview-pocket"]
    assert "http://fair.example.org/Catalogue/" not in found  # the fair's catalogue is a source


@pytest.mark.parametrize(
    ("rule", "days_ago", "older_than", "is_due"),
    [
        ("named-in-title", 29, 30, False),
        ("named-in-title", 30, 30, True),
        ("not-named", 0, 0, True),
        ("gone", 0, 30, False),
        ("no-answer", 0, 30, False),
        ("no-answer", 1, 30, True),
        ("robots", 1, 30, True),
        ("busy", 0, 0, True),
    ],
)
def test_what_was_visited_lately_is_not_due(
    content: Content, rule: str, days_ago: int, older_than: int, *, is_due: bool
) -> None:
    day = (TODAY - timedelta(days=days_ago)).isoformat()
    found = due(addresses(content), {BAND_URL: visit(content, rule, day)}, (), TODAY, older_than)
    assert (BAND_URL in {one.url for one in found}) is is_due


def test_the_table_alone_tells_too_what_is_due(content: Content) -> None:
    def is_due(row: Finding) -> bool:
        return BAND_URL in {one.url for one in due(addresses(content), {}, [row], TODAY, 30)}

    assert not is_due(finding("gone"))
    assert is_due(finding("gone", "2026-10-01"))
    assert is_due(finding("gone", address=f"{FAIR}old"))


def test_a_new_name_makes_a_page_due_again(content: Content) -> None:
    remembered = {BAND_URL: visit(content, "not-named")}
    renamed = tuple(one._replace(name="HushBand 2") if one.id == BAND else one for one in content.entities)
    found = due(addresses(replace(content, entities=renamed)), remembered, (), TODAY, 30)
    assert BAND_URL in {one.url for one in found}
    assert merged(replace(content, entities=renamed), remembered) == []


def test_each_entity_of_a_page_is_judged_for_itself(content: Content) -> None:
    moved = tuple(one._replace(url=BAND_URL) if one.type == "product" else one for one in content.entities)
    (address,) = (one for one in addresses(replace(content, entities=moved)) if one.url == BAND_URL)
    page = Page(("HushBand Headset",), (), ("LargeView Pocket, too",))
    made = judged(address, Seen(f"{FAIR}new", page=page, validators=Validators(f"{FAIR}new", '"e"')), None, TODAY)
    assert made.rules == {
        "product:dayplan-checklist-app": "not-named",
        BAND: "named-in-title",
        "product:largeview-magnifier": "not-named",
        "product:largeview-pocket": "named-in-text",
    }
    assert (made.day, made.evidence, made.etag) == ("2026-11-21", f"{FAIR}new", '"e"')
    again = judged(address, Seen(f"{FAIR}new", unchanged=True), made, TODAY + timedelta(days=40))
    assert again == replace(made, day="2026-12-31")


@pytest.mark.parametrize(
    ("before", "rule", "after"),
    [
        ([], "named-in-title", finding("named-in-title", "2026-11-21")),
        ([], "no-answer", finding("no-answer", "2026-11-21")),
        ([finding("named-in-title")], "gone", finding("gone", "2026-11-21")),
        ([finding("named-in-title")], "not-named", finding("not-named", "2026-11-21")),
        # What taught nothing leaves an earlier finding as it was.
        ([finding("named-in-title")], "no-answer", finding("named-in-title")),
        ([finding("gone")], "busy", finding("gone")),
        ([finding("robots")], "no-answer", finding("no-answer", "2026-11-21")),
        # A finding of a later day, or of an editor, stands.
        ([finding("gone", "2026-12-01")], "named-in-title", finding("gone", "2026-12-01")),
        ([finding("editor")], "not-named", finding("editor")),
        ([finding("editor")], "gone", finding("gone", "2026-11-21")),
        # One about another address does not.
        ([finding("named-in-title", address=f"{FAIR}old")], "no-answer", finding("no-answer", "2026-11-21")),
    ],
)
def test_newer_findings_take_the_place_of_older_ones(
    content: Content, before: list[Finding], rule: str, after: Finding
) -> None:
    known = replace(content, findings=tuple(before))
    assert merged(known, {BAND_URL: visit(content, rule)}) == [after]


def test_findings_of_entities_that_are_gone_are_dropped(content: Content) -> None:
    known = replace(content, findings=(finding("gone"), finding("gone", entity="product:sold-long-ago")))
    assert merged(known, {}) == [finding("gone")]
    assert current(known) == [finding("gone")]


def test_the_table_is_sorted_and_reads_back(world: Path, vocabulary: Vocabulary) -> None:
    rows = [finding("not-named"), finding("gone", entity="vendor:quiet-works", address=f"{FAIR}quiet-works")]
    (world / "market.csv").write_bytes(as_table(rows))
    assert list(read(world, vocabulary).findings) == rows


def test_records_and_cards_carry_the_finding(content: Content, vocabulary: Vocabulary) -> None:
    told = market_of(replace(content, findings=(finding("named-in-title"),)), vocabulary)
    assert told[BAND] == {
        "status": "verified",
        "checked": "2026-11-01",
        "method": "named-in-title",
        "evidence": BAND_URL,
        "note": "The page is there, and its title or a heading names it.",
    }
    assert told["vendor:quiet-works"]["status"] == "unverified"
    assert told["vendor:quiet-works"]["checked"] is None


def market_of(content: Content, vocabulary: Vocabulary) -> dict[str, Any]:
    """`market_verification` of every record, which must be the same on the cards of its neighbors."""
    written = dict(documents(build_graph(content, vocabulary), vocabulary))
    records = {body["record"]["id"]: body["record"] for body in written.values() if body["doc"] == "record"}
    for body in written.values():
        for card in body["page"]["items"] if body["doc"] == "edges" else ():
            assert card.get("market_verification") == records[card["id"]].get("market_verification")
    return {key: record["market_verification"] for key, record in records.items() if "market_verification" in record}


def test_old_findings_say_so_and_make_another_release(world: Path, vocabulary: Vocabulary) -> None:
    (world / "market.csv").write_bytes(as_table([finding("named-in-title", "2026-05-24")]))
    content = read(world, vocabulary)
    fresh = market_of(aged(content, date(2026, 11, 20), 180), vocabulary)[BAND]
    stale = market_of(aged(content, date(2026, 11, 21), 180), vocabulary)[BAND]
    assert fresh["note"] == "The page is there, and its title or a heading names it."
    assert stale == {**fresh, "note": f"{fresh['note']} That was more than 180 days before this release was built."}
    told = stale_findings(world, "2026-05-24"), stale_findings(world, "2026-05-25")
    assert told[0] == ""
    assert Versions.of("1", (), {}, told[0]) == Versions.of("1", (), {})
    assert Versions.of("1", (), {}, told[1]) != Versions.of("1", (), {})
    assert stale_findings(WORLD, "2026-05-25") == ""


def test_a_finding_about_another_address_is_not_used(content: Content, vocabulary: Vocabulary) -> None:
    known = replace(content, findings=(finding("named-in-title", address=f"{FAIR}old"),))
    assert market_of(aged(known, TODAY, 180), vocabulary)[BAND]["status"] == "unverified"


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (
            f"{BAND},verified,2026-11-01,gone,{BAND_URL},{BAND_URL}",
            "market.csv:2: rule 'gone' means unavailable, not 'verified'",
        ),
        (f"{BAND},verified,2026-11-01,editor,{BAND_URL},{BAND_URL}", ""),
        (f"{BAND},sold,2026-11-01,editor,{BAND_URL},{BAND_URL}", "'status' is 'sold'; valid:"),
        (f"{BAND},verified,2026-11-01,seen,{BAND_URL},{BAND_URL}", "'rule' is 'seen'"),
        (f"{BAND},verified,November,editor,{BAND_URL},{BAND_URL}", "'checked' is 'November', not a date"),
        (f"{BAND},verified,2026-11-01,editor,{BAND_URL},here", "'evidence' is 'here', not an address"),
        (f"{BAND},verified,2026-11-01,editor,{BAND_URL},", "'evidence' is empty"),
        (
            f"product:hush,verified,2026-11-01,editor,{BAND_URL},{BAND_URL}",
            "unknown product 'hush'; valid: 'dayplan-checklist-app'",
        ),
        (
            f"solution:telework,verified,2026-11-01,editor,{BAND_URL},{BAND_URL}",
            "is a solution; 'entity' takes product",
        ),
    ],
)
def test_the_table_is_checked_like_every_other(world: Path, vocabulary: Vocabulary, row: str, what: str) -> None:
    (world / "market.csv").write_text(f"{HEADER}{row}\n")
    files = {path.name: path.read_bytes() for path in world.iterdir()}
    problems = [str(problem) for problem in examine("world", files, vocabulary).problems]
    assert (problems == []) if not what else any(what in problem for problem in problems), problems


def test_what_was_seen_is_remembered_line_by_line(tmp_path: Path, content: Content) -> None:
    first, second = visit(content, "gone"), visit(content, "no-answer", url=f"{FAIR}pocket")
    with journal(tmp_path) as (known, remember):
        assert known == {}
        remember(replace(first, day="2026-01-01"))
        remember(first)
        remember(second)
        with pytest.raises(MarketError, match="Another verification is under way"), journal(tmp_path):
            pytest.fail("two at once")
    with (tmp_path / "visits.ndjson").open("ab") as file:
        file.write(b'{"url": "https://fair.example.org/cut", "da')
    with journal(tmp_path) as (known, _):
        assert known == {BAND_URL: first, f"{FAIR}pocket": second}
    assert len((tmp_path / "visits.ndjson").read_bytes().splitlines()) == 2


class Stopping:
    """A transport that answers so many requests and then is interrupted as Ctrl-C would."""

    def __init__(self, pages: Mapping[str, str], most: int = 1000) -> None:
        self.router = respx.Router(assert_all_mocked=False, assert_all_called=False)
        self.router.get(path="/robots.txt").respond(404)
        for url, title in pages.items():
            self.router.get(url).respond(html=f"<title>{title}</title>")
        self.router.route().respond(404)
        self.asked: list[str] = []
        self.most = most

    async def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer, or stop."""
        self.asked.append(request.url.path)
        if len(self.asked) > self.most:
            raise KeyboardInterrupt
        return await self.router.async_handler(request)


def verified(
    world: Path,
    vocabulary: Vocabulary,
    answers: Stopping,
    now: datetime = NOON,
    kind: str = "",
    most: int | None = None,
) -> Sequence[Visit]:
    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    options = Round(world.parent / "state", now, kind=kind, most=most)
    transport = httpx.MockTransport(answers.answer)
    return verify_all(world, read(world, vocabulary), options, transport, Clock(lambda: 0.0, at_once))


def test_a_run_writes_every_finding(world: Path, vocabulary: Vocabulary) -> None:
    visited = verified(world, vocabulary, Stopping({BAND_URL: "HushBand Headset", f"{FAIR}pocket": "Shop"}))
    assert len(visited) == 6
    assert (world / "market.csv").read_text().splitlines() == [
        HEADER.strip(),
        f"product:dayplan-checklist-app,unavailable,2026-11-21,gone,{FAIR}dayplan,{FAIR}dayplan",
        f"{BAND},verified,2026-11-21,named-in-title,{BAND_URL},{BAND_URL}",
        f"product:largeview-magnifier,unavailable,2026-11-21,gone,{FAIR}largeview,{FAIR}largeview",
        f"product:largeview-pocket,unverified,2026-11-21,not-named,{FAIR}pocket,{FAIR}pocket",
        f"vendor:brightline-access,unavailable,2026-11-21,gone,{FAIR}brightline,{FAIR}brightline",
        f"vendor:quiet-works,unavailable,2026-11-21,gone,{FAIR}quiet-works,{FAIR}quiet-works",
    ]
    again = Stopping({})
    assert verified(world, vocabulary, again) == []
    assert again.asked == []
    assert len(verified(world, vocabulary, again, datetime(2026, 12, 25, tzinfo=UTC), kind="vendor", most=1)) == 1


def test_an_interrupted_run_keeps_what_it_saw_and_goes_on(world: Path, vocabulary: Vocabulary) -> None:
    with pytest.raises(KeyboardInterrupt):
        verified(world, vocabulary, Stopping({}, most=3))
    assert len((world / "market.csv").read_text().splitlines()) == 1 + 2
    rest = Stopping({})
    assert len(verified(world, vocabulary, rest)) == 4
    assert len([path for path in rest.asked if path != "/robots.txt"]) == 4
    assert len((world / "market.csv").read_text().splitlines()) == 1 + 6


def test_an_unchanged_page_keeps_its_finding_with_a_new_date(world: Path, vocabulary: Vocabulary) -> None:
    answers = Stopping({})
    answers.router.routes.clear()
    answers.router.get(path="/robots.txt").respond(404)
    page = answers.router.get(BAND_URL)
    page.side_effect = [
        httpx.Response(200, html="<title>HushBand Headset</title>", headers={"ETag": '"1"'}),
        httpx.Response(304),
    ]
    answers.router.route().respond(404)
    verified(world, vocabulary, answers)
    verified(world, vocabulary, answers, datetime(2026, 12, 24, tzinfo=UTC))
    assert page.calls.last.request.headers["if-none-match"] == '"1"'
    assert f"{BAND},verified,2026-12-24,named-in-title,{BAND_URL},{BAND_URL}" in (world / "market.csv").read_text()


def test_nothing_is_written_where_nothing_answers(world: Path, vocabulary: Vocabulary) -> None:
    table = (world / "products.csv").read_text()
    for number in range(30):
        table += f"thing-{number},Thing {number},C,assistive,A thing.,https://host-{number}.example/,fair\n"
    (world / "products.csv").write_text(table)
    (world / "market.csv").write_bytes(as_table([finding("named-in-title")]))
    before = (world / "market.csv").read_bytes()
    answers = Stopping({})
    answers.router.routes.clear()
    answers.router.route().mock(side_effect=httpx.ConnectError("no way there"))
    with pytest.raises(
        MarketError, match=r"None of 20 hosts answered\. Is this machine online\? Nothing was written\."
    ):
        verified(world, vocabulary, answers)
    assert (world / "market.csv").read_bytes() == before
    assert (world.parent / "state" / "visits.ndjson").read_bytes() == b""


def test_what_a_killed_run_saw_is_written_by_the_next(world: Path, vocabulary: Vocabulary) -> None:
    with journal(world.parent / "state") as (_, remember):
        remember(visit(read(world, vocabulary), "gone", "2026-11-20"))
    assert len(verified(world, vocabulary, Stopping({}), kind="product", most=1)) == 1
    assert len((world / "market.csv").read_text().splitlines()) == 1 + 2


def test_a_table_that_cannot_be_written_is_told_before_anything_is_asked(world: Path, vocabulary: Vocabulary) -> None:
    (world / ".market.csv.new").mkdir()
    answers = Stopping({})
    with pytest.raises(MarketError, match=r"market\.csv cannot be written: Is a directory; --content names"):
        verified(world, vocabulary, answers)
    assert answers.asked == []


def test_the_command_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    assert describes(ROOT / "content", "market.csv")
    run = CliRunner()
    env = {"AKG_DATA": str(tmp_path), "COLUMNS": "200"}
    refused = run.invoke(app, ["market", "verify", "--content", str(WORLD)], env=env)
    assert (refused.exit_code, "does not describe market.csv" in refused.stderr) == (1, True)
    refused = run.invoke(app, ["market", "verify", "--content", str(WORLD), "--type", "solution"], env=env)
    assert (refused.exit_code, refused.stderr) == (1, "--type is 'solution'; valid: product, vendor\n")
