"""Every synonym rule of the shipped mappings: OpenSearch and the service derive the same, and sentences quote it."""

import re
from collections.abc import AsyncIterator
from functools import cache

import httpx
import pytest
from opensearchpy import OpenSearch

from api.engine.search_engine import SearchEngine
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import Settings
from indexer.synonyms.publish import MAX_VARIANTS, token_paths
from schema.english_words import english_words
from schema.synonyms import SynonymMatcher
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, read_rules

RULES = read_rules()
BY_RULE = re.compile("By a synonym rule, ‘(.+?)’ also finds ‘(.+?)’: ")
MIN_SENTENCES = 1000


@pytest.fixture(scope="module")
async def engine(real_service: httpx.AsyncClient, node_url: str) -> AsyncIterator[SearchEngine]:
    assert (await real_service.get("/readyz")).status_code == 200
    opened = SearchEngine(Settings(alias="akg-real", deadline_seconds=30), [node_url])
    yield opened
    await opened.close()


async def test_opensearch_derives_the_variants_that_the_service_derives(
    client: OpenSearch, engine: SearchEngine
) -> None:
    """OpenSearch finds entities by its variants, the service ranks and explains them by its own.

    Compared as stems, since the analyzer stems after its rules, and neither tells "wheelchairs" from "wheelchair".
    """
    index, matcher = (await engine.refresh_live_release()).index, SynonymMatcher(RULES)

    @cache
    def paths(text: str, analyzer: str) -> frozenset[str]:
        response = client.indices.analyze(index=index, body={"analyzer": analyzer, "text": text})
        return frozenset(token_paths(response["tokens"]))

    different = {}
    for rule in RULES:
        for term in rule.terms:
            query = ParsedQuery.parse(term).with_rules(matcher)
            by_service = frozenset[str]().union(*(paths(" ".join(one.tokens), "words") for one in query.variants))
            by_opensearch = paths(term, "words_with_rules")
            assert len(by_opensearch) < MAX_VARIANTS  # of more, `token_paths` leaves some out
            if by_service != by_opensearch:
                different[f"{rule.file}:{rule.line}: {term}"] = (by_service, by_opensearch)
    assert different == {}


async def test_a_sentence_about_a_rule_names_a_term_and_its_replacement(engine: SearchEngine) -> None:
    service = GraphService(engine, read_vocabulary(MAPPINGS), english_words())
    pairs = {(term, replacement) for rule in RULES for term in rule.terms for replacement in rule.replacements}
    sentences = []
    for rule in RULES:
        for query in (*rule.terms, f"help with {rule.terms[0]} in the office"):
            result = await service.search(SearchRequest(ParsedQuery.parse(query), facets=False), [])
            sentences += [hit["match"]["why"] for hit in result.body["results"]]
    by_rule = [sentence for sentence in sentences if "By a synonym rule" in sentence]
    assert len(by_rule) > MIN_SENTENCES
    wrong = [one for one in by_rule if not (found := BY_RULE.search(one)) or found.groups() not in pairs]
    assert wrong == []
