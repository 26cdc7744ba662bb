"""Runs of `akg market verify` on copies of the test world: what they write, and where they continue."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import respx

from akg.commands.market import Verification, verify_all
from indexer.content.loader import load_content
from indexer.market.crawl import MarketError, open_journal
from indexer.market.host_throttle import Clock
from indexer.market.schedule import Visit, findings_csv
from schema.vocabulary import Vocabulary
from tests.support.market_findings import BAND, BAND_URL, FAIR, HEADER, finding, visit
from tests.support.world_files import copy_world_with_findings

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
OPTIONS = Verification(Path(), NOON)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return copy_world_with_findings(tmp_path / "world", HEADER)


class InterruptedServer:
    """Responds to a number of requests, then raises KeyboardInterrupt."""

    def __init__(self, pages: Mapping[str, str], max_requests: int = 1000) -> None:
        self.router = respx.Router(assert_all_mocked=False, assert_all_called=False)
        self.router.get(path="/robots.txt").respond(404)
        for url, title in pages.items():
            self.router.get(url).respond(html=f"<title>{title}</title>")
        self.router.route().respond(404)
        self.requested: list[str] = []
        self.max_requests = max_requests

    async def respond(self, request: httpx.Request) -> httpx.Response:
        """Respond, or raise."""
        self.requested.append(request.url.path)
        if len(self.requested) > self.max_requests:
            raise KeyboardInterrupt
        return await self.router.async_handler(request)


def run_verify(
    world: Path, vocabulary: Vocabulary, server: InterruptedServer, options: Verification = OPTIONS
) -> Sequence[Visit]:
    async def no_sleep(_: float) -> None:
        await asyncio.sleep(0)

    options = replace(options, journal=world.parent / "state")
    transport = httpx.MockTransport(server.respond)
    return verify_all(world, load_content(world, vocabulary), options, transport, Clock(lambda: 0.0, no_sleep))


def test_a_run_writes_every_finding(world: Path, vocabulary: Vocabulary) -> None:
    visited = run_verify(world, vocabulary, InterruptedServer({BAND_URL: "HushBand Headset", f"{FAIR}pocket": "Shop"}))
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
    again = InterruptedServer({})
    assert run_verify(world, vocabulary, again) == []
    assert again.requested == []
    later = Verification(Path(), datetime(2026, 12, 25, tzinfo=UTC), kind="vendor", limit=1)
    assert len(run_verify(world, vocabulary, again, later)) == 1


def test_an_interrupted_run_keeps_its_findings_and_continues(world: Path, vocabulary: Vocabulary) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_verify(world, vocabulary, InterruptedServer({}, max_requests=3))
    assert len((world / "market.csv").read_text().splitlines()) == 1 + 2
    rest = InterruptedServer({})
    assert len(run_verify(world, vocabulary, rest)) == 4
    assert len([path for path in rest.requested if path != "/robots.txt"]) == 4
    assert len((world / "market.csv").read_text().splitlines()) == 1 + 6


def test_a_run_ends_at_its_deadline_and_the_next_visits_the_rest(
    world: Path, vocabulary: Vocabulary, capsys: pytest.CaptureFixture[str]
) -> None:
    class SilentServer(InterruptedServer):
        async def respond(self, request: httpx.Request) -> httpx.Response:
            if request.url == BAND_URL:
                await asyncio.Event().wait()
            return await super().respond(request)

    visited = run_verify(world, vocabulary, SilentServer({}), replace(OPTIONS, seconds=0.2))
    assert BAND_URL not in [visit.url for visit in visited]
    assert "The next run visits the pages that are left." in capsys.readouterr().err
    assert len((world / "market.csv").read_text().splitlines()) == 1 + len(visited)
    assert BAND_URL in [visit.url for visit in run_verify(world, vocabulary, InterruptedServer({}))]
    assert len((world / "market.csv").read_text().splitlines()) == 1 + 6


def test_an_unchanged_page_keeps_its_finding_with_a_new_date(world: Path, vocabulary: Vocabulary) -> None:
    server = InterruptedServer({BAND_URL: ""})
    first = httpx.Response(200, html="<title>HushBand Headset</title>", headers={"ETag": '"1"'})
    page = server.router.get(BAND_URL).mock(side_effect=[first, httpx.Response(304)])
    run_verify(world, vocabulary, server)
    run_verify(world, vocabulary, server, replace(OPTIONS, now=datetime(2026, 12, 24, tzinfo=UTC)))
    assert page.calls.last.request.headers["if-none-match"] == '"1"'
    assert f"{BAND},verified,2026-12-24,named-in-title,{BAND_URL},{BAND_URL}" in (world / "market.csv").read_text()


def test_writes_nothing_if_no_host_responds(world: Path, vocabulary: Vocabulary) -> None:
    with (world / "products.csv").open("a") as table:
        for number in range(30):
            table.write(f"thing-{number},Thing {number},C,assistive,A thing.,https://host-{number}.example/,fair\n")
    (world / "market.csv").write_bytes(findings_csv([finding("named-in-title")]))
    before = (world / "market.csv").read_bytes()
    server = InterruptedServer({})
    server.router.routes.clear()
    server.router.route().mock(side_effect=httpx.ConnectError("unreachable"))
    offline = r"None of 20 hosts responded\. Is this machine online\? Nothing was written\."
    with pytest.raises(MarketError, match=offline):
        run_verify(world, vocabulary, server)
    assert (world / "market.csv").read_bytes() == before
    assert (world.parent / "state" / "visits.ndjson").read_bytes() == b""


def test_the_next_run_writes_the_findings_of_a_killed_run(world: Path, vocabulary: Vocabulary) -> None:
    with open_journal(world.parent / "state") as (_, record):
        record(visit(load_content(world, vocabulary), "gone", "2026-11-20"))
    assert len(run_verify(world, vocabulary, InterruptedServer({}), replace(OPTIONS, kind="product", limit=1))) == 1
    assert len((world / "market.csv").read_text().splitlines()) == 1 + 2


def test_reports_an_unwritable_table_before_any_request(world: Path, vocabulary: Vocabulary) -> None:
    (world / ".market.csv.new").mkdir()
    server = InterruptedServer({})
    with pytest.raises(MarketError, match=r"market\.csv cannot be written: Is a directory\. Use --content"):
        run_verify(world, vocabulary, server)
    assert server.requested == []
