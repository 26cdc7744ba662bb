"""The journal of visits, which an interrupted run continues."""

from dataclasses import replace
from pathlib import Path

import pytest

from indexer.content.rows import Content
from indexer.market.crawl import MarketError, open_journal
from tests.support.market_findings import BAND_URL, FAIR, visit


def test_the_journal_keeps_the_last_visit_and_ignores_a_truncated_line(tmp_path: Path, content: Content) -> None:
    first, second = visit(content, "gone"), visit(content, "no-answer", url=f"{FAIR}pocket")
    with open_journal(tmp_path) as (visits, record):
        assert visits == {}
        record(replace(first, day="2026-01-01"))
        record(first)
        record(second)
        with pytest.raises(MarketError, match="Another verification is running"), open_journal(tmp_path):
            pytest.fail("opened twice")
    with (tmp_path / "visits.ndjson").open("ab") as file:
        file.write(b'{"url": "https://fair.example.org/cut", "da')
    with open_journal(tmp_path) as (visits, _):
        assert visits == {BAND_URL: first, f"{FAIR}pocket": second}
    assert len((tmp_path / "visits.ndjson").read_bytes().splitlines()) == 2
