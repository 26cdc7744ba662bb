"""Which pages are due, which findings replace others, and what records say about them."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from indexer.content.loader import load_content, stale_findings_digest
from indexer.content.rows import Content, Finding
from indexer.content.table_checks import check_files
from indexer.documents.builder import build_documents
from indexer.graph.build import build_graph
from indexer.market.fetcher import Validators, VisitResult
from indexer.market.page import Page
from indexer.market.schedule import (
    current_findings,
    due_pages,
    findings_csv,
    mark_stale,
    market_pages,
    merge_findings,
    visit_from_result,
)
from indexer.release.plan import Versions
from schema.vocabulary import Vocabulary
from tests.support.market_findings import BAND, BAND_URL, FAIR, HEADER, finding, visit
from tests.support.project import WORLD
from tests.support.world_files import copy_world_with_findings
from tests.support.written_documents import of_kind

TODAY = date(2026, 11, 21)
EDITOR = "verified,2026-11-01,editor"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return copy_world_with_findings(tmp_path / "world", HEADER)


def test_visits_each_page_of_a_product_or_vendor_once(content: Content) -> None:
    assert {page.url.removeprefix(FAIR): [entity.id for entity in page.entities] for page in market_pages(content)} == {
        "dayplan": ["product:dayplan-checklist-app"],
        "hushband": [BAND],
        "largeview": ["product:largeview-magnifier"],
        "pocket": ["product:largeview-pocket"],
        "brightline": ["vendor:brightline-access"],
        "quiet-works": ["vendor:quiet-works"],
    }


def test_entities_share_a_page_and_sources_are_not_visited(content: Content) -> None:
    moved = {BAND: f"{FAIR}pocket", "product:dayplan-checklist-app": "http://fair.example.org/Catalogue/"}
    entities = tuple(entity._replace(url=moved.get(entity.id, entity.url)) for entity in content.entities)
    pages = {page.url: page.entities for page in market_pages(replace(content, entities=entities))}
    assert [entity.id for entity in pages[f"{FAIR}pocket"]] == [BAND, "product:largeview-pocket"]
    assert "http://fair.example.org/Catalogue/" not in pages  # the catalogue is a source


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
def test_recently_visited_pages_are_not_due(
    content: Content, rule: str, days_ago: int, older_than: int, *, is_due: bool
) -> None:
    day = (TODAY - timedelta(days=days_ago)).isoformat()
    pages = due_pages(market_pages(content), {BAND_URL: visit(content, rule, day)}, (), TODAY, older_than)
    assert (BAND_URL in {page.url for page in pages}) is is_due


def test_findings_without_visits_determine_what_is_due(content: Content) -> None:
    def is_due(row: Finding) -> bool:
        return BAND_URL in {page.url for page in due_pages(market_pages(content), {}, [row], TODAY, 30)}

    assert not is_due(finding("gone"))
    assert is_due(finding("gone", "2026-10-01"))
    assert is_due(finding("gone", address=f"{FAIR}old"))


def test_a_new_name_makes_a_page_due(content: Content) -> None:
    visits = {BAND_URL: visit(content, "not-named")}
    renamed = tuple(entity._replace(name="HushBand 2") if entity.id == BAND else entity for entity in content.entities)
    pages = due_pages(market_pages(replace(content, entities=renamed)), visits, (), TODAY, 30)
    assert BAND_URL in {page.url for page in pages}
    assert merge_findings(replace(content, entities=renamed), visits) == []


def test_judges_each_entity_of_a_page(content: Content) -> None:
    moved = tuple(entity._replace(url=BAND_URL) if entity.type == "product" else entity for entity in content.entities)
    (shared,) = (page for page in market_pages(replace(content, entities=moved)) if page.url == BAND_URL)
    page = Page(("HushBand Headset",), (), ("LargeView Pocket, too",))
    first = visit_from_result(
        shared, VisitResult(f"{FAIR}new", page=page, validators=Validators(f"{FAIR}new", '"e"')), None, TODAY
    )
    assert first.rules == {
        "product:dayplan-checklist-app": "not-named",
        BAND: "named-in-title",
        "product:largeview-magnifier": "not-named",
        "product:largeview-pocket": "named-in-text",
    }
    assert (first.day, first.evidence, first.etag) == ("2026-11-21", f"{FAIR}new", '"e"')
    second = visit_from_result(shared, VisitResult(f"{FAIR}new", unchanged=True), first, TODAY + timedelta(days=40))
    assert second == replace(first, day="2026-12-31")


@pytest.mark.parametrize(
    ("before", "rule", "after"),
    [
        ([], "named-in-title", finding("named-in-title", "2026-11-21")),
        ([], "no-answer", finding("no-answer", "2026-11-21")),
        ([finding("named-in-title")], "gone", finding("gone", "2026-11-21")),
        ([finding("named-in-title")], "not-named", finding("not-named", "2026-11-21")),
        # An inconclusive visit does not replace a conclusive finding.
        ([finding("named-in-title")], "no-answer", finding("named-in-title")),
        ([finding("gone")], "busy", finding("gone")),
        ([finding("robots")], "no-answer", finding("no-answer", "2026-11-21")),
        # A later finding and an editor's finding stay.
        ([finding("gone", "2026-12-01")], "named-in-title", finding("gone", "2026-12-01")),
        ([finding("editor")], "not-named", finding("editor")),
        ([finding("editor")], "gone", finding("gone", "2026-11-21")),
        # A finding about another address does not.
        ([finding("named-in-title", address=f"{FAIR}old")], "no-answer", finding("no-answer", "2026-11-21")),
    ],
)
def test_newer_findings_replace_older_ones(content: Content, before: list[Finding], rule: str, after: Finding) -> None:
    known = replace(content, findings=tuple(before))
    assert merge_findings(known, {BAND_URL: visit(content, rule)}) == [after]


def test_drops_findings_of_removed_entities(content: Content) -> None:
    known = replace(content, findings=(finding("gone"), finding("gone", entity="product:sold-long-ago")))
    assert merge_findings(known, {}) == [finding("gone")]
    assert current_findings(known) == [finding("gone")]


def test_the_written_table_can_be_loaded(world: Path, vocabulary: Vocabulary) -> None:
    rows = [finding("not-named"), finding("gone", entity="vendor:quiet-works", address=f"{FAIR}quiet-works")]
    (world / "market.csv").write_bytes(findings_csv(rows))
    assert list(load_content(world, vocabulary).findings) == rows


def test_cards_and_edges_contain_the_finding(content: Content, vocabulary: Vocabulary) -> None:
    market = market_of(replace(content, findings=(finding("named-in-title"),)), vocabulary)
    assert market[BAND] == {
        "status": "verified",
        "checked": "2026-11-01",
        "method": "named-in-title",
        "evidence": BAND_URL,
        "note": "The page exists, and its title or a heading names it.",
    }
    assert market["vendor:quiet-works"]["status"] == "unverified"
    assert market["vendor:quiet-works"]["checked"] is None


def market_of(content: Content, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the `market_verification` of every card, and check that the edges that lead there have the same."""
    written = dict(build_documents(build_graph(content, vocabulary), vocabulary))
    cards = {key: orjson.loads(body["card"]) for key, body in of_kind(written, "entity").items()}
    for body in of_kind(written, "edges").values():
        assert orjson.loads(body["card"]) == cards[body["entity"]]
        for edge in body["edges"]:
            assert edge.get("target_market") == cards[edge["target"]].get("market_verification")
    return {key: card["market_verification"] for key, card in cards.items() if "market_verification" in card}


def test_stale_findings_are_marked_and_change_the_release(world: Path, vocabulary: Vocabulary) -> None:
    (world / "market.csv").write_bytes(findings_csv([finding("named-in-title", "2026-05-24")]))
    content = load_content(world, vocabulary)
    fresh = market_of(mark_stale(content, date(2026, 11, 20), 180), vocabulary)[BAND]
    stale = market_of(mark_stale(content, date(2026, 11, 21), 180), vocabulary)[BAND]
    assert fresh["note"] == "The page exists, and its title or a heading names it."
    assert stale == {**fresh, "note": f"{fresh['note']} That was more than 180 days before this release was built."}
    fresh_digest, stale_digest = (stale_findings_digest(world, f"2026-05-{day}") for day in (24, 25))
    assert fresh_digest == ""
    assert Versions.from_inputs("1", (), {}, fresh_digest) == Versions.from_inputs("1", (), {})
    assert Versions.from_inputs("1", (), {}, stale_digest) != Versions.from_inputs("1", (), {})
    assert stale_findings_digest(WORLD, "2026-05-25") == ""


def test_ignores_findings_about_another_address(content: Content, vocabulary: Vocabulary) -> None:
    known = replace(content, findings=(finding("named-in-title", address=f"{FAIR}old"),))
    assert market_of(mark_stale(known, TODAY, 180), vocabulary)[BAND]["status"] == "unverified"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            f"{BAND},verified,2026-11-01,gone,{BAND_URL}",
            "market.csv:2: rule 'gone' requires status 'unavailable', not 'verified'",
        ),
        (f"{BAND},{EDITOR},{BAND_URL}", ""),
        (f"{BAND},sold,2026-11-01,editor,{BAND_URL}", "'status' is 'sold'; valid:"),
        (f"{BAND},verified,2026-11-01,seen,{BAND_URL}", "'rule' is 'seen'"),
        (f"{BAND},verified,November,editor,{BAND_URL}", "'checked' is 'November', not a date"),
        (f"{BAND},{EDITOR},here", "'evidence' is 'here', not an address"),
        (f"{BAND},{EDITOR},", "'evidence' is empty"),
        (
            f"product:hush,{EDITOR},{BAND_URL}",
            "unknown product 'hush'; valid: 'dayplan-checklist-app'",
        ),
        (f"solution:telework,{EDITOR},{BAND_URL}", "is a solution; 'entity' accepts product"),
    ],
)
def test_checks_the_table(world: Path, vocabulary: Vocabulary, row: str, message: str) -> None:
    *facts, evidence = row.split(",")
    (world / "market.csv").write_text(f"{HEADER}{','.join([*facts, BAND_URL, evidence])}\n")
    files = {path.name: path.read_bytes() for path in world.iterdir()}
    problems = [str(problem) for problem in check_files("world", files, vocabulary).problems]
    assert any(message in problem for problem in problems) if message else problems == [], problems
