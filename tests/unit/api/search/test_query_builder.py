"""Request → OpenSearch body, whole bodies as literals: every change of a tier or boost shows up here."""

from itertools import pairwise
from typing import Any

import pytest

from api.search import demotion, query_builder, type_hints
from api.search.query import ParsedQuery, SearchRequest
from schema.document_ids import ASSISTIVE_BOOST, POPULARITY_BOOST, TYPE_BOOSTS
from schema.json_types import JsonObject
from tests.support.query_clauses import GENERAL_PRODUCTS, MAINSTREAM, NARROWER, SHOWN, boosted, phrase, term

parse = ParsedQuery.parse
DEMOTED = [NARROWER, MAINSTREAM]
VARIANTS = ("-narrower", "-unshown", "-demoted")


def searched(text: str, **options: Any) -> JsonObject:  # noqa: ANN401 - fields of the request
    return query_builder.search_body(SearchRequest(parse(text), **options))


def matched(body: JsonObject) -> JsonObject:
    part: JsonObject = body["query"]["function_score"]["query"]["bool"]
    return part


def finished(text: str) -> JsonObject:
    """Return the clause for the words before the last one of a completion; each may have a typo."""
    words = {"query": text, "operator": "and", "fuzziness": "AUTO:5,9", "analyzer": "plain"}
    either = [{"match": {"names.prefix": {**words, "fuzziness": 0}}}, {"match": {"names": words}}]
    return {"bool": {"should": either}}


def any_of(*several: JsonObject) -> JsonObject:
    return several[0] if len(several) == 1 else {"bool": {"should": list(several)}}


def with_prior(query: JsonObject) -> JsonObject:
    prior = {"field_value_factor": {"field": "prior", "missing": 0}}
    return {"function_score": {"query": {"bool": query}, "functions": [prior], "boost_mode": "sum"}}


def fixed(name: str, boost: float, *either: JsonObject) -> JsonObject:
    """Return a tier whose hits score equally, so that the priors order them."""
    return {"constant_score": {"filter": any_of(*either), "boost": boost, "_name": name}}


def without_narrower(query: JsonObject) -> JsonObject:
    return {"bool": {"must": query, "must_not": NARROWER}}


def narrower(query: JsonObject) -> JsonObject:
    return {"bool": {"filter": [query, NARROWER]}}


def graded(name: str, boost: float, *either: JsonObject, demoted: Any = DEMOTED) -> JsonObject:  # noqa: ANN401 - one or several
    """Return a tier that excludes the demoted entities and adds the BM25 score of its first query."""
    preferred = {"bool": {"must": any_of(*either), "must_not": demoted}}
    return {"bool": {"must": [fixed(name, boost, preferred)], "should": [either[0]]}}


def demoted_tier(name: str, boost: float, *either: JsonObject, demoted: Any = DEMOTED) -> JsonObject:  # noqa: ANN401 - one or several
    """Return the tier for narrower conditions and mainstream products whose names contain all the words."""
    allowed = {"bool": {"should": list(either), "filter": {"bool": {"should": demoted}}, "minimum_should_match": 1}}
    return {"bool": {"must": [fixed(name, boost, allowed)], "should": [either[0]]}}


def with_and_without_rules(field: str, text: str, **share: str) -> tuple[JsonObject, JsonObject]:
    """Return the match query for the words with synonym rules and the one without."""
    analyzers = ("words_with_rules", "words")
    with_rules, plain = ({"match": {field: {"query": text, "analyzer": name, **share}}} for name in analyzers)
    return with_rules, plain


def exclude_general_products(query: JsonObject) -> JsonObject:
    return {"bool": {"must": query, "must_not": GENERAL_PRODUCTS}}


def mention(tier: str, boost: float, *runs: str) -> JsonObject:
    """Return the tier for names inside the query: of one word no products, of several words no general products."""
    either: list[JsonObject] = [{"terms": {field: [*runs]}} for field in ("name.key", "aliases.key", "hidden")]
    named: JsonObject = {"should": either, "minimum_should_match": 1}
    if tier == "mention-1":
        named["filter"] = {"terms": {"type": ["disability", "limitation", "workrelatedfunction", "solution"]}}
    else:
        named["must_not"] = GENERAL_PRODUCTS
    return fixed(tier, boost, {"bool": named})


def gist(size: int, boost: float, *keyword_sets: str) -> JsonObject:
    """Return the tier for aliases of conditions and limitations whose keywords are all in the query."""
    either = [{"match": {"aliases.gist": words}} for words in keyword_sets]
    needs = [{"terms": {"type": ["disability", "limitation", "workrelatedfunction"]}}]
    return fixed(f"named-gist{size}", boost, {"bool": {"must": {"bool": {"should": either}}, "filter": needs}})


def test_a_query_with_a_type_hint_has_no_gist_tier() -> None:
    requests = [names_and_boosts(searched(text)) for text in ("hands go numb", "app for numb hands")]
    assert ["named-gist2" in names for names in requests] == [True, False]


def test_a_search_is_one_query_with_all_tiers() -> None:
    text, content = "low vision at work", "low vision"
    typed = {"query": text, "analyzer": "words_with_rules"}
    most, some = ({"minimum_should_match": share} for share in ("2<67%", "2<75%"))
    whole = {"query": "qqbegin low vision at work qqend", "analyzer": "singular_with_rules"}
    ended = {"query": "qqbegin low vision at work qqend", "analyzer": "words_with_rules"}
    in_order, form = phrase("names", typed), phrase("name.singular", text)
    prefix: JsonObject = {"match": {"names.prefix": {"query": text, "operator": "and"}}}
    words, everywhere = (with_and_without_rules(field, content, operator="and") for field in ("names", "everything"))
    by_rules = [phrase("name.singular", whole), phrase("aliases.singular", whole)]
    spelled = phrase("names.singular", {"query": text, "analyzer": "singular_with_rules"})
    by_endings = {"bool": {"should": [phrase(f"{field}.whole", ended) for field in ("name", "aliases")]}}
    phrased = graded("phrase", 4608.0, in_order)
    as_typed = {"dis_max": {"queries": [boosted(100.0, spelled), boosted(48.0, by_endings)]}}
    phrased["bool"]["should"] += [boosted(48.0, phrase("name", typed)), as_typed]
    vendors = [*DEMOTED, {"term": {"type": "vendor"}}]
    queries = [
        fixed("id", 7680.0, {"term": {"ids": text}}),
        fixed("name", 7168.0, without_narrower(exclude_general_products({"term": {"name.key": text}}))),
        fixed("alias", 6656.0, {"term": {"aliases.key": text}}, without_narrower({"term": {"name.key": text}})),
        fixed("nameform", 6144.0, without_narrower(exclude_general_products(form))),
        fixed("aliasform", 5632.0, phrase("aliases.singular", text), term("short_forms", text), without_narrower(form)),
        fixed("synonym", 5120.0, *by_rules),
        phrased,
        graded("words", 3584.0, *words),
        fixed("prefix", 3072.0, {"bool": {"must": prefix, "must_not": DEMOTED}}),
        graded("everywhere", 2048.0, *everywhere, demoted=vendors),
        graded("most", 1024.0, *with_and_without_rules("names", content, **most)),
        graded("description", 512.0, *with_and_without_rules("everything", content, **some), demoted=NARROWER),
        # names of narrower conditions count as aliases, and so do names that are never shown
        fixed("name-narrower", 6656.0 + 160, narrower({"term": {"name.key": text}})),
        fixed("nameform-narrower", 5632.0 + 160, narrower(form)),
        fixed("alias-unshown", 6656.0, term("hidden", text)),
        fixed("aliasform-unshown", 5632.0, phrase("hidden.whole", text)),
        # demoted entities whose names contain all the words: above mentions of one word, below all else
        demoted_tier("phrase-demoted", 1536.0 + 420, in_order),
        demoted_tier("words-demoted", 1536.0 + 370, *words),
        demoted_tier("prefix-demoted", 1536.0 + 320, prefix)["bool"]["must"][0],
        demoted_tier("everywhere-demoted", 1024.0 + 320, *everywhere, demoted=vendors),
        # word sequences with at least one keyword, boosted by their length
        mention("named-4", 2560.0 + 4 * 48.0, "lowvisionatwork"),
        mention("named-3", 2560.0 + 3 * 48.0, "lowvisionat", "visionatwork"),
        mention("named-2", 2560.0 + 2 * 48.0, "lowvision", "lowvisions", "visionat"),
        mention("mention-1", 1536.0 + 48.0, "low", "vision"),
        gist(2, 2560.0 + 2 * 4.0, "low vision"),
    ]
    assert searched(text, scope=("solution", "product"), limit=5, offset=10) == {
        "from": 10,
        "size": 5,
        **SHOWN,
        "track_total_hits": True,
        "query": with_prior({"must": {"dis_max": {"queries": queries}}}),
        "sort": ["_score", {"position": "asc"}],
        "aggs": {"types": {"terms": {"field": "type", "size": 20}}},
        "post_filter": {"terms": {"type": ["solution", "product"]}},
    }


def test_a_whole_name_is_matched_by_the_tiers_of_names_only() -> None:
    text = "low vision at work"
    whole = [
        *("id", "name", "alias", "nameform", "aliasform", "synonym"),
        *("name-narrower", "nameform-narrower", "alias-unshown", "aliasform-unshown"),
    ]
    queries = [tier_of(text, name) for name in whole]
    assert query_builder.whole_name_query(parse(text)) == with_prior({"must": {"dis_max": {"queries": queries}}})


def tiers(body: JsonObject) -> list[JsonObject]:
    return list(matched(body)["must"]["dis_max"]["queries"])


def constant_part(tier: JsonObject) -> JsonObject:
    part: JsonObject = tier.get("constant_score") or tier["bool"]["must"][0]["constant_score"]
    return part


def names_and_boosts(body: JsonObject) -> dict[str, float]:
    return {part["_name"]: part["boost"] for part in map(constant_part, tiers(body))}


def tier_of(text: str, name: str) -> JsonObject:
    return next(tier for tier in tiers(searched(text)) if constant_part(tier)["_name"] == name)


def main_tiers(body: JsonObject) -> dict[str, float]:
    """Return the boosts of the tiers without their variants for narrower, demoted and never shown names."""
    return {name: boost for name, boost in names_and_boosts(body).items() if not name.endswith(VARIANTS)}


def test_a_type_phrase_at_either_end_adds_a_tier_for_that_type() -> None:
    rest = {"query": "low vision", "analyzer": "words_with_rules", "operator": "and"}
    names, context = {"match": {"names": rest}}, {"match": {"context": rest}}
    whole_names = [
        boosted(160.0, {"term": {"name.key": "low vision"}}),
        boosted(80.0, {"term": {"aliases.key": "low vision"}}),
        boosted(48.0, {"bool": {"should": [names]}}),
    ]
    scoped = {
        "bool": {
            "must": {"bool": {"should": [names, context]}},
            "should": [{"dis_max": {"queries": whole_names}}],
            "filter": {"terms": {"type": ["solution", "product"]}},
        }
    }
    for text in ("low vision apps", "apps for low vision"):
        tier = graded("scoped", 4096.0, scoped, demoted=MAINSTREAM)
        assert tier in tiers(searched(text))


JOINED: JsonObject = {"match_phrase": {"joined": {"query": "fatigue", "analyzer": "words_with_rules", "slop": 50}}}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("conditions that cause fatigue", True),
        ("condition fatigue", False),  # no verb connects them
        ("fatigue vendors", True),
        ("jobs that involve fatigue", True),
        ("jobs with fatigue", False),  # a property of people, not a requirement of the job
        ("solutions for fatigue", False),  # several types
    ],
)
def test_joined_names_are_searched_if_the_query_connects_type_and_remainder(query: str, *, expected: bool) -> None:
    assert (JOINED in _scoped_alternatives(query)) is expected


def _scoped_alternatives(query: str) -> list[JsonObject]:
    either: JsonObject = scoped_part(query, "must")
    if "must_not" in str(either):  # narrower conditions are matched by whole names
        either = either["bool"]["should"][0]["bool"]["must"]
    return list(either["bool"]["should"])


def test_with_a_type_hint_narrower_conditions_match_by_whole_names() -> None:
    should = scoped_part("low vision conditions", "must")["bool"]["should"]
    whole_names = [narrower({"term": {field: "low vision"}}) for field in ("name.key", "aliases.key", "short_forms")]
    assert should[1:] == whole_names
    assert should[0]["bool"]["must_not"] == {"term": {"kind": "narrower"}}


def scoped_part(query: str, part: str) -> Any:  # noqa: ANN401 - any clause of the body
    return constant_part(tier_of(query, "scoped"))["filter"]["bool"]["must"]["bool"][part]


def test_a_query_that_looks_like_an_id_is_searched_as_a_whole() -> None:
    assert set(main_tiers(searched("ability:1.A.3.a.1"))) <= set(query_builder.WHOLE)


def test_with_a_type_hint_a_single_word_is_boosted_as_spelled() -> None:
    as_spelled = {"constant_score": {"filter": {"term": {"spelling": "blind"}}, "boost": 16.0}}
    assert scoped_part("devices for blind people", "should")[-1] == as_spelled
    assert as_spelled not in scoped_part("apps for low vision", "should")


def test_one_job_title_contains_all_words_of_a_job_query() -> None:
    near = {"query": "heavy lifting", "analyzer": "words", "slop": 50}
    assert scoped_part("jobs with heavy lifting", "must") == {"bool": {"should": [{"match_phrase": {"names": near}}]}}


def test_without_synonyms_the_boosts_of_other_tiers_are_unchanged() -> None:
    with_rules = names_and_boosts(searched("wfh"))
    without = searched("wfh", synonyms=False)
    assert names_and_boosts(without) == {name: boost for name, boost in with_rules.items() if name != "synonym"}
    assert "with_rules" not in str(without)


def test_rules_do_not_apply_to_long_queries() -> None:
    """Twenty words that all have rules exceed the limit of 1,024 clauses; phrases exceed it sooner."""
    eight, fourteen = " ".join(["word"] * 8), " ".join(["word"] * 14)
    assert SearchRequest(parse(fourteen)).expands_synonyms
    assert not SearchRequest(parse(f"{fourteen} more")).expands_synonyms
    assert not SearchRequest(parse("word"), synonyms=False).expands_synonyms
    assert "with_rules" not in str(searched(f"{fourteen} more"))
    assert "singular_with_rules" in str(searched(eight))
    longer = str(searched(f"{eight} more"))
    assert "singular_with_rules" not in longer
    assert "words_with_rules" in longer


def test_each_tier_is_one_step_above_the_next_and_every_tier_is_listed() -> None:
    boosts = main_tiers(searched("x apps"))
    boosts["named"] = boosts.pop("named-2") - 2 * query_builder.PER_WORD
    boosts["mention"] = boosts.pop("mention-1") - query_builder.PER_WORD
    assert set(boosts) == set(query_builder.TIERS)
    steps = [*(boosts[name] for name in query_builder.TIERS), 0.0]
    assert {high - low for high, low in pairwise(steps)} == {query_builder.STEP}


def test_additions_within_a_tier_never_reach_the_next_tier() -> None:
    priors = POPULARITY_BOOST + ASSISTIVE_BOOST + max(TYPE_BOOSTS.values())
    six = names_and_boosts(searched("one two three four five six"))
    for name, boost in six.items():
        if name.startswith(("named", "mention")):
            assert boost % query_builder.STEP + priors < query_builder.STEP
    assert type_hints.PER_NAME + type_hints.PER_FORM + priors < query_builder.STEP
    assert query_builder.IN_NAME + query_builder.SPELLED + priors < query_builder.STEP
    assert max(demotion.DEMOTED_BOOST.values()) + POPULARITY_BOOST < query_builder.STEP


def test_a_single_word_has_no_tiers_for_most_words() -> None:
    """Most words of a single word are all of them."""
    assert {"most", "description"} & set(main_tiers(searched("Lamp "))) == set()
    found = any_of(*with_and_without_rules("names", "lamp", operator="and"))
    assert tier_of("Lamp ", "words") == fixed("words", 3584.0, {"bool": {"must": found, "must_not": DEMOTED}})
    for text in ("e-mail", "naïve", "不安", "can't"):  # several tokens, or an unknown number
        assert "most" in main_tiers(searched(text))


def test_the_sets_of_tiers_include_each_other() -> None:
    assert {"id", "name", "alias", "nameform", "aliasform", "synonym"} == query_builder.WHOLE
    assert query_builder.WHOLE | {"phrase", "scoped", "words"} == query_builder.NO_CORRECTION_NEEDED
    assert query_builder.NO_CORRECTION_NEEDED | {"prefix"} == query_builder.ALL_WORDS
    assert query_builder.ALL_WORDS | {"named", "everywhere", "mention"} == query_builder.INFORMATIVE


def test_a_setting_excludes_only_solutions_of_other_settings() -> None:
    plain, at_school = (searched("breaks", setting=setting) for setting in (None, "school"))
    no_solution = {"bool": {"must_not": {"term": {"type": "solution"}}}}
    expected = {"bool": {"should": [{"term": {"settings": "school"}}, no_solution]}}
    assert matched(at_school).pop("filter") == [expected]
    assert at_school == plain


def test_a_search_without_options_counts_types_and_has_no_filter() -> None:
    body = searched("x")
    assert (body["from"], body["size"], "post_filter" in body, "aggs" in body) == (0, 20, False, True)
    assert "aggs" not in searched("x", facets=False)


def test_only_the_first_500_characters_of_a_query_are_searched() -> None:
    long = "a" * 500
    assert searched(long + "b") == searched(long)


def test_an_id_is_searched_without_surrounding_spaces() -> None:
    first, *_ = tiers(searched(" 15-1252.00 "))
    assert first == fixed("id", 7680.0, {"term": {"ids": "15-1252.00"}})


def test_completion_takes_the_last_word_as_a_prefix_and_allows_typos_before_it() -> None:
    typo = {"fuzzy": {"spelling": {"value": "screen", "fuzziness": "AUTO:5,9", "rewrite": "top_terms_50"}}}
    prefix = {"prefix": {"spelling": {"value": "read", "rewrite": "top_terms_50"}}}
    spans = [{"span_multi": {"match": match}} for match in (typo, prefix)]
    near = {"span_near": {"clauses": spans, "slop": 0, "in_order": True}}
    name, alias = term("name.begins", "screenread"), term("aliases.begins", "screenread")
    begins = [
        boosted(300.0, narrower(term("name.key", "screenread"))),
        boosted(300.0, without_narrower(name)),
        boosted(150.0, narrower(name)),
        boosted(240.0, without_narrower(alias)),
        boosted(120.0, narrower(alias)),
        boosted(150.0, near),
        boosted(100.0, {"span_first": {"match": near, "end": 2}}),
    ]
    by_words = {"bool": {"filter": [{"match": {"names.prefix": "read"}}, finished("screen")]}}
    either = {"bool": {"should": [by_words, name, alias], "minimum_should_match": 1}}
    assert query_builder.suggest_body(parse("Screen Read"), ("product",), 7) == {
        "size": 7,
        **SHOWN,
        "track_total_hits": True,
        "query": with_prior({"filter": [either, {"terms": {"type": ["product"]}}], "should": begins}),
        "sort": ["_score", {"position": "asc"}],
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a single word: its first 20 letters, the longest indexed prefix
        ("Electroencephalographically", {"match": {"names.prefix": "electroencephalograp"}}),
        ("depresion ", finished("depresion")),  # a space after the last word finishes it
    ],
)
def test_completion_of_one_word_is_a_single_clause(text: str, expected: JsonObject) -> None:
    assert matched(query_builder.suggest_body(parse(text), (), 10))["filter"] == [expected]
