"""Search quality on the shipped graph: judged queries, names, typos and every synonym rule."""

import random
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import cache
from typing import Any

import httpx
import orjson
import pytest
from opensearchpy import OpenSearch

from akg.evaluation import metrics, search_eval
from api.engine.search_engine import SearchEngine
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import Settings
from schema.english_words import english_words
from schema.synonyms import SynonymRule
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, read_rules
from tests.support.sampling import sample_size

parse = ParsedQuery.parse

JUDGMENTS = MAPPINGS / "relevance" / "judgments.tsv"
BASELINE = MAPPINGS / "relevance" / "baseline.json"
TOLERANCE = 0.01  # of nDCG and success: one query of the smallest kind is 0.03
RULE_TOLERANCE = 0.0002  # of the nDCG of all queries: one hit that moves down at the end of one list
MIN_SUCCESS = {"exact": 0.95, "alias": 0.95, "abbreviation": 0.95, "id": 0.95}
SEED = 11
NAMES, TYPOS = sample_size(500, 1500), sample_size(200, 400)  # `akg eval names` and `akg eval typos` have more


@pytest.fixture(scope="module")
async def engine(real_service: httpx.AsyncClient, node_url: str) -> AsyncIterator[SearchEngine]:
    assert (await real_service.get("/readyz")).status_code == 200
    opened = SearchEngine(Settings(alias="akg-real", deadline_seconds=30), [node_url])
    yield opened
    await opened.close()


@pytest.fixture(scope="module")
def graph_service(engine: SearchEngine) -> GraphService:
    return GraphService(engine, read_vocabulary(MAPPINGS), english_words())


@pytest.fixture(scope="module")
async def outcomes(graph_service: GraphService) -> list[metrics.Outcome]:
    return await search_eval.run_judgments(graph_service, metrics.read_judgments(JUDGMENTS), lambda: None)


def test_search_quality_reaches_the_minimum(outcomes: list[metrics.Outcome]) -> None:
    scores = metrics.scores_by_kind(outcomes)
    assert {
        kind: scores[kind].success1 for kind, minimum in MIN_SUCCESS.items() if scores[kind].success1 < minimum
    } == {}
    assert scores["all"].ndcg >= 0.90
    assert scores["no-answer"].success1 == 1.0
    assert scores["all"].queries >= 400


def test_search_quality_does_not_regress(outcomes: list[metrics.Outcome]) -> None:
    """After an improvement, run `akg eval search --report mappings/relevance/baseline.json`."""
    assert metrics.regressions(orjson.loads(BASELINE.read_bytes()), metrics.scores_by_kind(outcomes), TOLERANCE) == []


@pytest.fixture(scope="module")
async def without_rules(graph_service: GraphService) -> list[metrics.Outcome]:
    found = []
    for judgment in metrics.read_judgments(JUDGMENTS):
        result = await graph_service.search(SearchRequest(parse(judgment.query), limit=10, synonyms=False), [])
        found.append(metrics.score(judgment, [hit["id"] for hit in result.body["results"]]))
    return found


def test_synonym_rules_improve_search_quality(
    outcomes: list[metrics.Outcome], without_rules: list[metrics.Outcome]
) -> None:
    with_rules, without = metrics.scores_by_kind(outcomes), metrics.scores_by_kind(without_rules)
    assert with_rules["all"].ndcg > without["all"].ndcg
    assert {kind for kind in without if with_rules[kind].success1 < without[kind].success1 - TOLERANCE} == set()


async def test_no_rule_lowers_the_evaluation(
    graph_service: GraphService, outcomes: list[metrics.Outcome], without_rules: list[metrics.Outcome]
) -> None:
    """The effect of a rule is that of all rules on the queries where it fires; small changes of order are allowed."""
    changed: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for with_rules, without in zip(outcomes, without_rules, strict=True):
        if with_rules.ids != without.ids:
            result = await graph_service.search(SearchRequest(parse(with_rules.judgment.query), limit=10), [])
            for rule in {item["rule"] for item in result.body["synonyms"] if item["kind"] == "rule"}:
                changed[rule].append((with_rules.ndcg - without.ndcg, with_rules.success1 - without.success1))
    assert len(changed) > 30
    totals = {rule: tuple(map(sum, zip(*effects, strict=True))) for rule, effects in changed.items()}
    tolerance = RULE_TOLERANCE * len(outcomes)
    assert {rule: sums for rule, sums in totals.items() if sums[0] < -tolerance or sums[1] < 0} == {}


@pytest.fixture(scope="module")
async def names(engine: SearchEngine) -> list[search_eval.EntityName]:
    return [name async for name in search_eval.entity_names(engine)]


@pytest.mark.sampled
async def test_every_name_finds_its_entity_first(engine: SearchEngine, names: list[search_eval.EntityName]) -> None:
    sample = random.Random(SEED).sample(names, NAMES)  # noqa: S311 - a sample, not a secret
    assert await search_eval.names_not_first(engine, sample, lambda: None) == []


@pytest.mark.sampled
@pytest.mark.parametrize("case", search_eval.CASES, ids=lambda case: case.label)
async def test_finds_names_with_typos(
    graph_service: GraphService, names: list[search_eval.EntityName], case: search_eval.TypoCase
) -> None:
    written = [name for name in names if name.kind in ("name", "alias")]
    rng = random.Random(SEED)  # noqa: S311 - a sample, not a secret
    lost = await search_eval.lost_names(graph_service, written, replace(case, samples=TYPOS), rng, lambda: None)
    assert 1 - len(lost) / TYPOS >= case.min_share, lost


EXPECTED = [  # rank limit, query, and entities of which one must be within the limit
    (3, "can't stand for long", {"limitation:standing"}),
    (3, "shaky hands", {"limitation:spasm-tic-tremor-blinking", "disability:essential-tremor"}),
    (3, "trouble remembering things", {"limitation:memory-loss"}),
    (3, "sensitive to light", {"limitation:photosensitivity"}),
    (3, "hard to focus in open office", {"limitation:attentiveness-concentration"}),
    (3, "fear of phone calls", {"disability:phobias", "disability:anxiety-disorder"}),
    (3, "hands go numb", {"limitation:feeling-sensing"}),  # "numb hands", in another order
    (3, "cannot stand for a long time", {"limitation:standing"}),
    (1, "alarm clock", {"solution:alternative-alarm-clocks"}),  # before the product of the same name
    (1, "carpel tunnel", {"disability:carpal-tunnel-syndrome"}),
    (1, "patient lift for nurses", {"solution:patient-lifts"}),
    (1, "devices for blind people", {"solution:screen-reading-software-and-training"}),
]


@pytest.mark.parametrize(("limit", "query", "expected"), EXPECTED)
async def test_everyday_words_find_the_expected_entity(
    real_service: httpx.AsyncClient, limit: int, query: str, expected: set[str]
) -> None:
    found = (await real_service.get("/search", params={"query": query})).json()["results"]
    assert expected & {hit["id"] for hit in found[:limit]}


ABBREVIATIONS = [  # an abbreviation, its entity, and queries that have it as a common word
    ("DOORS", "disability:doors-syndrome", ["door", "doors", "Doors", "DOOR", "heavy doors"]),
    ("BED", "disability:binge-eating-disorder", ["bed", "beds"]),
    ("AIDS", "disability:human-immunodeficiency-virus-hiv", ["aid", "employee needs aids"]),
    ("SAD", "disability:seasonal-affective-disorder", ["sad employee", "I feel sad at work"]),
    ("CHILD", "disability:child-syndrome", ["child", "children", "Child", "child with asthma", "blind child"]),
    ("COLD", "disability:chronic-obstructive-pulmonary-disease", ["cold"]),
    ("PANS", "disability:pandas-and-pans", ["pan"]),
    ("TRAPS", "disability:tnf-receptor-associated-periodic-syndrome", ["trap"]),
]
OTHERWISE_UNKNOWN = [  # words that no other name has, in this form or at all
    ("pots", "disability:postural-orthostatic-tachycardia-syndrome"),
    ("panda", "disability:pandas-and-pans"),
]


async def search(service: httpx.AsyncClient, query: str) -> dict[str, Any]:
    body: dict[str, Any] = (await service.get("/search", params={"query": query, "limit": 100})).json()
    return body


@pytest.mark.parametrize(("abbreviation", "entity", "queries"), ABBREVIATIONS)
async def test_an_abbreviation_that_is_a_common_word_counts_in_capitals(
    real_service: httpx.AsyncClient, abbreviation: str, entity: str, queries: list[str]
) -> None:
    assert (await search(real_service, abbreviation))["results"][0]["id"] == entity
    for query in queries:
        found = await search(real_service, query)
        assert found["results"][0]["id"] != entity, query
        assert not any("is a kind of" in hit["match"]["why"] for hit in found["results"][:3]), query
        assert entity not in [part["entity"]["id"] for part in found["reading"]["parts"] if part["entity"]], query


@pytest.mark.parametrize(("query", "entity"), OTHERWISE_UNKNOWN)
async def test_an_abbreviation_counts_in_any_case_if_nothing_else_has_the_word(
    real_service: httpx.AsyncClient, query: str, entity: str
) -> None:
    assert (await search(real_service, query))["results"][0]["id"] == entity


SPELLINGS = [
    ("crohns disease", "Crohn’s disease"),
    ("lou gehrigs", "Lou Gehrig's disease"),
    ("sit/stand desk", "sit-stand desk"),
    ("text to speech", "text-to-speech"),
    ("wheel chair", "wheelchair"),
    ("colour blind", "color blind"),
    ("migraine", "Migraines"),
]


@pytest.mark.parametrize(("first", "second"), SPELLINGS)
async def test_spellings_of_the_same_name_find_the_same_entity(
    real_service: httpx.AsyncClient, first: str, second: str
) -> None:
    pages = [(await real_service.get("/search", params={"query": text})).json() for text in (first, second)]
    assert pages[0]["results"][0]["id"] == pages[1]["results"][0]["id"]


async def test_mainstream_products_rank_below_assistive_ones(real_service: httpx.AsyncClient) -> None:
    page = (await real_service.get("/search?query=braille&scope=product&limit=500")).json()["results"]
    families = [(await real_service.get(hit["url"])).json()["attributes"]["family"] for hit in page[:60]]
    first_other = next((place for place, family in enumerate(families) if family != "assistive"), len(families))
    assert "assistive" not in families[first_other:] or page[first_other]["match"]["kind"] != page[-1]["match"]["kind"]


async def test_correct_words_numbers_and_short_words_are_never_corrected(real_service: httpx.AsyncClient) -> None:
    rare = ("mistypes", "mouser", "gaging", "misreads", "carpel", "memorised")
    for query in ("chair lamp", "11-1011.01", "tts", "asl", "99999", *rare):
        found = (await real_service.get("/search", params={"query": query})).json()
        assert found["corrected"] is None, query
        assert all(query.split()[0] in suggestion["query"].casefold() for suggestion in found["did_you_mean"]), query


@pytest.mark.parametrize(
    ("query", "suggested"),
    [
        ("hart attack", ["heart attack"]),
        ("lpw vision", ["low vision"]),
        ("brian injury", ["brain injury"]),
        ("asdfghjkl", []),
        ("asdf", None),
        ("asda", None),
        ("(a OR b) AND", []),
    ],
)
async def test_without_hits_the_nearest_names_are_suggested(
    real_service: httpx.AsyncClient, query: str, suggested: list[str] | None
) -> None:
    found = (await real_service.get("/search", params={"query": query})).json()
    assert (found["total"], found["corrected"]) == (0, None)
    assert suggested is None or [suggestion["query"].casefold() for suggestion in found["did_you_mean"]] == suggested


@pytest.mark.parametrize("query", ["adhd", "low visoin", "hereing aid", "asma", "carpel"])
async def test_every_page_has_the_corrections_of_the_first(real_service: httpx.AsyncClient, query: str) -> None:
    pages = [
        (await real_service.get("/search", params={"query": query, "limit": 5, "offset": offset})).json()
        for offset in (0, 5, 20, 5_000)
    ]
    for key in ("corrected", "did_you_mean", "total", "facets"):
        assert [page[key] for page in pages] == [pages[0][key]] * len(pages), key
    ids = [hit["id"] for page in pages for hit in page["results"]]
    assert len(set(ids)) == len(ids)


async def test_a_query_for_vendors_finds_vendors(real_service: httpx.AsyncClient) -> None:
    for query in ("companies that sell screen readers", "where can I buy a screen reader", "screen reader makers"):
        found = (await real_service.get("/search", params={"query": query})).json()
        assert [hit["type"] for hit in found["results"][:3]] == ["vendor"] * 3, query
        assert "vendor" in [item["to"] for item in found["synonyms"] if item["kind"] == "scope"], query
        assert found["results"][0]["match"]["why"].startswith(
            ("Your query asks for vendors:", "Your query asks for makers:")
        )


RULES = read_rules()


def test_there_are_enough_rules_and_each_file_starts_with_comments() -> None:
    assert len(RULES) >= 350
    for path in (MAPPINGS / "synonyms").glob("*.txt"):
        assert path.read_text("utf-8").startswith("#"), path.name


async def test_every_term_of_a_rule_expands_to_all_replacements(client: OpenSearch, engine: SearchEngine) -> None:
    release = await engine.refresh_live_release()

    @cache
    def tokens(text: str, analyzer: str) -> set[str]:
        response = client.indices.analyze(index=release.index, body={"analyzer": analyzer, "text": text})
        return {token["token"] for token in response["tokens"]}

    def unexpanded_terms(rule: SynonymRule) -> list[str]:
        expected = set().union(*(tokens(term, "words") for term in rule.replacements))
        return [term for term in rule.terms if not expected <= tokens(term, "words_with_rules")]

    assert {f"{rule.file}:{rule.line}": found for rule in RULES if (found := unexpanded_terms(rule))} == {}


async def test_no_query_exceeds_the_limits_of_opensearch(real_service: httpx.AsyncClient) -> None:
    rules = " ".join(term for rule in RULES for term in rule.terms)
    widest = sorted(RULES, key=lambda rule: -len(rule.replacements))
    single = [term for rule in widest for term in rule.terms if " " not in term]
    dense = [" ".join(single[:words]) for words in (4, 8, 9, 14, 15, 20, 30)]
    for query in (*dense, "a " * 250, "wheelchair " * 45, "* ? ~ " * 80, "the of and to " * 30, rules[:500], "x" * 500):
        response = await real_service.get("/search", params={"query": query})
        assert response.status_code == 200, response.text


async def test_a_form_of_an_alias_is_reported_with_its_entity(real_service: httpx.AsyncClient) -> None:
    found = (await real_service.get("/search", params={"query": "lou gehrigs"})).json()
    (alias,) = [item for item in found["synonyms"] if item["kind"] == "alias"]
    assert alias["entity"]["id"] == found["results"][0]["id"] == "disability:amyotrophic-lateral-sclerosis"


NOT_SHOWN = ["epileptic", "alcoholic", "recovering alcoholic", "spastic", "retarded", "midget", "mentally handicapped"]


async def test_hidden_names_are_neither_corrections_nor_offered(real_service: httpx.AsyncClient) -> None:
    for name in NOT_SHOWN:
        for place in range(2, len(name), 2):
            typo = name[:place] + name[place + 1 :]
            for query in (typo, f"{typo} employee", f"{typo} nurse"):
                found = await search(real_service, query)
                shown = [offer["query"].lower() for offer in found["did_you_mean"]]
                shown += [found["corrected"]["to"].lower()] if found["corrected"] else []
                assert not [text for text in shown if name in text.split() or name == text], query


async def test_a_hidden_name_with_a_typo_finds_its_entity(real_service: httpx.AsyncClient) -> None:
    for query, expected in (
        ("epilptic", "disability:epilepsy"),
        ("alcoolic", "disability:alcoholism"),
        ("alchoholic nurse", "disability:alcoholism"),
    ):
        assert (await search(real_service, query))["results"][0]["id"] == expected


@pytest.mark.parametrize(
    "letters",
    [
        *("haem", "oed", "paed", "anaesth", "colou", "behaviou", "organis", "gynae", "tumou", "diarrho", "orthopae"),
        *("leukaem", "oesoph", "wheelchair for paed"),
    ],
)
async def test_suggest_completes_british_spellings(real_service: httpx.AsyncClient, letters: str) -> None:
    assert (await real_service.get("/suggest", params={"query": letters})).json()["total"]


FIRST_COMPLETIONS = [
    ("wheelchair", "solution:wheelchairs"),
    ("cashi", "occupation:41-2011.00"),
    ("teach", "occupation:25-9044.00"),
    ("headset", "solution:headsets"),
    ("wheelc", "solution:wheelchairs"),
]


@pytest.mark.parametrize(("letters", "expected"), FIRST_COMPLETIONS)
async def test_suggest_lists_whole_names_then_names_that_begin_so(
    real_service: httpx.AsyncClient, letters: str, expected: str
) -> None:
    results = (await real_service.get("/suggest", params={"query": letters, "limit": 25})).json()["results"]
    assert results[0]["id"] == expected
    begins = [hit["name"].lower().startswith(letters) for hit in results]
    assert begins == sorted(begins, reverse=True)


@pytest.mark.parametrize(("letters", "expected"), [("dys", "disability:dyslexia"), ("wheelc", "solution:wheelchairs")])
async def test_a_usual_name_is_among_the_first_five_completions(
    real_service: httpx.AsyncClient, letters: str, expected: str
) -> None:
    results = (await real_service.get("/suggest", params={"query": letters})).json()["results"]
    assert expected in [hit["id"] for hit in results[:5]]


async def test_suggest_completes_prefixes(real_service: httpx.AsyncClient) -> None:
    for prefix, expected in (
        ("scre", "solution:screen-reading-software-and-training"),
        ("adhd", "disability:attention-deficit-hyperactivity-disorder"),
        ("multipel scl", "disability:multiple-sclerosis"),
        ("guill", "disability:guillain-barre-syndrome"),
        ("carpal tun", "disability:carpal-tunnel-syndrome"),
        ("depresion ", "disability:depression"),
        ("schizofrenia ", "disability:schizophrenia"),  # two edits, in more than eight letters
    ):
        found = (await real_service.get("/suggest", params={"query": prefix})).json()
        assert expected in [hit["id"] for hit in found["results"]], prefix
        assert sorted(key for group in found["groups"] for key in group["ids"]) == sorted(
            hit["id"] for hit in found["results"]
        )
    scoped = (await real_service.get("/suggest?query=low&scope=disability")).json()
    assert {hit["type"] for hit in scoped["results"]} == {"disability"}
    assert (await real_service.get("/suggest?query=zzzz")).json()["total"] == 0
