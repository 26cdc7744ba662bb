"""A new synonym rule moves no right first hit down: 20 rules of broad words, 200 judged queries on the shipped graph.

The rules are live together. A rule that does not apply to a query cannot change its results, and few apply to one.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from opensearchpy import OpenSearch

from akg.evaluation import metrics
from api.engine.search_engine import SearchEngine
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import Settings
from indexer.release.releases import Releases
from indexer.synonyms.publish import Candidate, RulePublisher
from schema.english_words import english_words
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, read_rules

QUERIES = 200
RULES = """
arm => arm, hand
breaks => breaks, rest
cart => cart, trolley
chair => chair, seating
desk => desk, workstation
focus => focus, attention
hearing => hearing, deaf
kid, youngster
lift => lift, hoist
light => light, lighting
memory => memory, forgetfulness
noise => noise, sound
pain => pain, ache
reading => reading, print
screen => screen, monitor
stairs => stairs, climbing
typing => typing, keyboard
vision => vision, sight
walker => walker, mobility
worker, employee, staff
"""


def judged() -> list[metrics.Judgment]:
    """Return the judged queries with an answer, in a random order that stays the same."""
    judgments = metrics.read_judgments(MAPPINGS / "relevance" / "judgments.tsv")
    return sorted(
        (one for one in judgments if one.grades), key=lambda one: hashlib.sha256(one.query.encode()).hexdigest()
    )


@pytest.fixture
def candidate(real_service: httpx.AsyncClient, client: OpenSearch, tmp_path: Path) -> Iterator[Candidate]:
    """Yield a clone of the release with the shipped rules and the new ones."""
    assert real_service  # it publishes the release
    (tmp_path / "trial.txt").write_text(RULES, "utf-8")
    publisher = RulePublisher(Releases(client, "akg-real"))
    found = publisher.candidate((*read_rules(), *read_rules(tmp_path)), datetime.now(UTC))
    yield found
    publisher.discard(found)


async def first_hits(node_url: str, index: str | None, queries: list[str]) -> list[str]:
    """Return the id of the first hit of each query; an empty text for a query without hits."""
    engine = SearchEngine(Settings(alias="akg-real", deadline_seconds=30), [node_url], index)
    service = GraphService(engine, read_vocabulary(MAPPINGS), english_words())
    try:
        results = [await service.search(SearchRequest(ParsedQuery.parse(query), limit=1), []) for query in queries]
    finally:
        await engine.close()
    return [next((hit["id"] for hit in result.body["results"]), "") for result in results]


async def test_a_new_rule_moves_no_right_first_hit_down(candidate: Candidate, node_url: str) -> None:
    judgments = judged()
    before = await first_hits(node_url, None, [one.query for one in judgments])
    right = [
        (one.query, first)
        for one, first in zip(judgments, before, strict=True)
        if one.grades.get(first) == max(one.grades.values())
    ][:QUERIES]
    assert len(right) == QUERIES
    after = await first_hits(node_url, candidate.index, [query for query, _ in right])
    moved = [(query, first, now) for (query, first), now in zip(right, after, strict=True) if first != now]
    assert moved == []
