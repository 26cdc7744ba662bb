"""A query of one word leaves out redundant tiers and is sent in two parts in large releases: the hits are the same."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from api.engine.entity_clauses import name_prefix_clause
from api.engine.release import hit_score
from api.search import query_builder, two_phase
from api.search.query import ParsedQuery, SearchRequest
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.synonyms.rules import read_rules
from schema.synonyms import SynonymMatcher, rules_from
from schema.text import WORD, name_key, tokens
from tests.support.fixture_graphs import MAPPINGS, WORLD, plan_of, said, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opensearchpy import OpenSearch

    from indexer.content.rows import Content

parse = ParsedQuery.parse

ALIAS = "akg-one-word"
REPLACED = "doodad => screen software\n"  # "Screen Magnification Software" holds the two apart
SAME_SCORE = 0.01  # 32-bit floats are added in another order
Body = dict[str, Any]


@pytest.fixture(scope="module")
def built(client: OpenSearch, content: Content, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """A release with a rule more than the shipped ones. Its words: those of all names, and what rules are about."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "replaced.txt").write_text(REPLACED)
    rules = (*read_rules(MAPPINGS / "synonyms"), *read_rules(folder))
    publish_release(Releases(client, ALIAS), plan_of(WORLD, rules), datetime.now(UTC), lambda _: None)
    names = [*(one.name for one in content.entities), *(one.text for one in content.aliases)]
    said = [word for name in names for word in WORD.findall(name)]
    ruled = [given for rule in rules for given in rule.terms]
    yield sorted({word.lower() for word in (*said, *ruled) if word.isascii() and WORD.fullmatch(word)})
    client.indices.delete(index=f"{ALIAS}-*")


def found(client: OpenSearch, body: Body) -> list[tuple[str, str]]:
    """The card and the best tier of each hit, in order."""
    hits = client.search(index=ALIAS, body=body)["hits"]["hits"]
    return [(hit["fields"]["card"][0], min(query_builder.tiers_of(hit), key=query_builder.TIERS.index)) for hit in hits]


def test_the_same_is_found_in_the_same_order(
    client: OpenSearch, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = {word: query_builder.search_body(SearchRequest(parse(word), limit=100)) for word in built}
    monkeypatch.setattr(query_builder, "_of_one_word", dict)
    whole = {word: query_builder.search_body(SearchRequest(parse(word), limit=100)) for word in built}
    hits = {word: found(client, body) for word, body in short.items()}
    assert hits == {word: found(client, body) for word, body in whole.items()}
    assert sum(map(bool, hits.values())) > len(hits) // 4
    assert any(best == "words" for _, best in hits["doodad"])


def test_names_begin_as_they_are_spelled(client: OpenSearch, built: list[str], content: Content) -> None:
    assert built
    keys = {name_key(entity.name) for entity in content.entities}
    for key in {key[:length] for key in keys for length in (1, 4, 20)}:
        ready, letters = name_prefix_clause("name", key), {"prefix": {"name.key": key}}
        counts = [client.count(index=ALIAS, body={"query": query})["count"] for query in (ready, letters)]
        assert counts[0] == counts[1] > 0


def test_best_hits_and_counts_are_the_same_where_they_are_requested_apart(client: OpenSearch, built: list[str]) -> None:
    (meta,) = [index["mappings"]["_meta"] for index in client.indices.get_mapping(index=ALIAS).values()]
    rules = SynonymMatcher(rules_from(meta["rules"]))
    assert any(rules.matches(tokens(word)) for word in built)
    asks = [
        *(SearchRequest(parse(word), limit=100) for word in built),
        *(SearchRequest(parse(word), ("product", "solution"), 3, 2, setting="school") for word in built),
    ]
    for ask in asks:
        body = query_builder.search_body(ask)
        whole = client.search(index=ALIAS, body=body)
        parts = two_phase.bodies(body, ask.query, ruled=bool(rules.matches(ask.query.tokens)))
        ranked, counted = [client.search(index=ALIAS, body=part) for part in parts]
        hits, expected = ranked["hits"]["hits"], whole["hits"]["hits"]
        assert [shown(hit) for hit in hits] == [shown(hit) for hit in expected], ask
        scores = [hit_score(hit) for hit in expected]
        assert [hit_score(hit) for hit in hits] == pytest.approx(scores, abs=SAME_SCORE), ask
        assert "total" not in ranked["hits"]
        assert counted["hits"]["total"] == whole["hits"]["total"], ask
        assert counted["aggregations"] == whole["aggregations"], ask


def shown(hit: Body) -> tuple[str, list[str]]:
    """The card and the tiers of a hit."""
    return hit["fields"]["card"][0], sorted(hit["matched_queries"])


async def test_the_service_answers_alike_in_parts(
    node_url: str, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [
        "/search?query=software",
        "/search?query=screen&scope=product&limit=2&offset=1",
        "/search?query=screen&setting=school",
        "/search?query=screen&offset=100",
        "/search?query=sofware",
        "/search?query=qqq",
        "/search?query=screen&synonyms=off&spelling=off",
    ]
    assert built
    async with serving(node_url, ALIAS, response_cache_bytes=0) as service:
        first = [await service.get(path) for path in paths]
        assert {answer.status_code for answer in first} == {200}
        joined = Mock(wraps=two_phase.joined)
        monkeypatch.setattr(two_phase, "LARGE", 1)
        monkeypatch.setattr(two_phase, "joined", joined)
        again = [await service.get(path) for path in paths]
        assert {answer.status_code for answer in again} == {200}
        assert [said(answer) for answer in again] == [said(answer) for answer in first]
    assert joined.call_count == len(paths)
