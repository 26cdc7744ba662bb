"""Single-word queries omit redundant tiers and use two phases in large releases, with the same hits."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from unittest.mock import Mock

import pytest
from opensearchpy import OpenSearch

from api.engine.entity_clauses import name_prefix_clause
from api.engine.release import Hit
from api.search import query_builder, two_phase
from api.search.query import ParsedQuery, SearchRequest
from indexer.content.rows import Content
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from schema.release_names import index_alias
from schema.synonyms import SynonymMatcher, rules_from
from schema.text import WORD, name_key, tokens
from tests.support.fixture_graphs import WORLD, plan_of, read_rules, serving, without_provenance

parse = ParsedQuery.parse

ALIAS = "akg-one-word"
REPLACED = "doodad => screen software\n"  # "Screen Magnification Software" has a word between them
SAME_SCORE = 0.01  # 32-bit floats are added in a different order
Body = dict[str, Any]


@pytest.fixture(scope="module")
def words(client: OpenSearch, content: Content, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """A release with the shipped rules and REPLACED; yields the words of its names and rules."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "replaced.txt").write_text(REPLACED)
    rules = (*read_rules(), *read_rules(folder))
    publish_release(Releases(client, ALIAS), plan_of(WORLD, rules), datetime.now(UTC), lambda _: None)
    names = [*(entity.name for entity in content.entities), *(alias.text for alias in content.aliases)]
    name_words = [word for name in names for word in WORD.findall(name)]
    rule_words = [term for rule in rules for term in rule.terms]
    yield sorted({word.lower() for word in (*name_words, *rule_words) if word.isascii() and WORD.fullmatch(word)})
    client.indices.delete(index=f"{ALIAS}-*")


def found(client: OpenSearch, body: Body) -> list[tuple[str, str]]:
    """Return the card and the best tier of each hit, in order."""
    hits = [Hit.parse(hit) for hit in client.search(index=index_alias(ALIAS), body=body)["hits"]["hits"]]
    return [(hit.fields["card"][0], min(hit.tiers, key=query_builder.TIERS.index)) for hit in hits]


def test_omitted_tiers_do_not_change_hits_or_order(
    client: OpenSearch, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reduced = {word: query_builder.search_body(SearchRequest(parse(word), limit=100)) for word in words}
    monkeypatch.setattr(query_builder, "_of_one_word", dict)
    complete = {word: query_builder.search_body(SearchRequest(parse(word), limit=100)) for word in words}
    hits = {word: found(client, body) for word, body in reduced.items()}
    assert hits == {word: found(client, body) for word, body in complete.items()}
    assert sum(map(bool, hits.values())) > len(hits) // 4
    assert any(best == "words" for _, best in hits["doodad"])


def test_indexed_name_prefixes_match_the_same_names_as_prefix_queries(
    client: OpenSearch, words: list[str], content: Content
) -> None:
    assert words
    keys = {name_key(entity.name) for entity in content.entities}
    for key in {key[:length] for key in keys for length in (1, 4, 20)}:
        indexed, prefix = name_prefix_clause("name", key), {"prefix": {"name.key": key}}
        counts = [client.count(index=index_alias(ALIAS), body={"query": query})["count"] for query in (indexed, prefix)]
        assert counts[0] == counts[1] > 0


def test_two_phases_have_the_hits_and_counts_of_one(client: OpenSearch, words: list[str]) -> None:
    (meta,) = [index["mappings"]["_meta"] for index in client.indices.get_mapping(index=index_alias(ALIAS)).values()]
    rules = SynonymMatcher(rules_from(meta["rules"]))
    assert any(rules.matches(tokens(word)) for word in words)
    requests = [
        *(SearchRequest(parse(word), limit=100) for word in words),
        *(SearchRequest(parse(word), ("product", "solution"), 3, 2, setting="school") for word in words),
    ]
    for request in requests:
        body = query_builder.search_body(request)
        single = client.search(index=index_alias(ALIAS), body=body)
        phases = two_phase.bodies(body, request.query, ruled=bool(rules.matches(request.query.tokens)))
        ranked, counted = [client.search(index=index_alias(ALIAS), body=phase) for phase in phases]
        hits, expected = [[Hit.parse(hit) for hit in response["hits"]["hits"]] for response in (ranked, single)]
        assert [shown(hit) for hit in hits] == [shown(hit) for hit in expected], request
        scores = [hit.score for hit in expected]
        assert [hit.score for hit in hits] == pytest.approx(scores, abs=SAME_SCORE), request
        assert "total" not in ranked["hits"]
        assert counted["hits"]["total"] == single["hits"]["total"], request
        assert counted["aggregations"] == single["aggregations"], request


def shown(hit: Hit) -> tuple[str, list[str]]:
    return hit.fields["card"][0], sorted(hit.clauses)


async def test_the_service_gives_the_same_responses_in_two_phases(
    node_url: str, words: list[str], monkeypatch: pytest.MonkeyPatch
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
    assert words
    async with serving(node_url, ALIAS, response_cache_bytes=0) as service:
        single = [await service.get(path) for path in paths]
        assert {response.status_code for response in single} == {200}
        joined = Mock(wraps=two_phase.joined)
        monkeypatch.setattr(two_phase, "LARGE", 1)
        monkeypatch.setattr(two_phase, "joined", joined)
        two_phases = [await service.get(path) for path in paths]
        assert {response.status_code for response in two_phases} == {200}
        assert [without_provenance(response) for response in two_phases] == [
            without_provenance(response) for response in single
        ]
    assert joined.call_count == len(paths)
