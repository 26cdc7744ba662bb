"""Request → OpenSearch body, whole bodies as literals: every change of a tier or boost is seen here."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from api.graph import query_bodies as graph_bodies
from api.recommend import related, seeds
from api.search import demotion, query_builder, spelling, type_hints
from api.search.query import ParsedQuery, SearchRequest
from schema.document_ids import ASSISTIVE_BOOST, POPULARITY_BOOST, TYPE_BOOSTS

if TYPE_CHECKING:
    from schema.json_types import JsonObject

parse = ParsedQuery.parse
NARROWER: JsonObject = {"term": {"kind": "narrower"}}
MAINSTREAM: JsonObject = {"terms": {"family": ["mainstream"]}}
BEHIND = [NARROWER, MAINSTREAM]
GENERAL_PRODUCTS: JsonObject = {"terms": {"family": ["mainstream", "protective", "ergonomic"]}}
SHOWN = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["card", "alias_list", "sources"]}


def searched(text: str, **options: Any) -> JsonObject:  # noqa: ANN401 - fields of the request
    return query_builder.search_body(SearchRequest(parse(text), **options))


def matched(body: JsonObject) -> JsonObject:
    part: JsonObject = body["query"]["function_score"]["query"]["bool"]
    return part


def term(field: str, value: str) -> JsonObject:
    return {"term": {field: value}}


def phrase(field: str, value: object) -> JsonObject:
    return {"match_phrase": {field: value}}


def finished(text: str) -> JsonObject:
    """Words before the last one of a type-ahead, which may have a typo each."""
    words = {"query": text, "operator": "and", "fuzziness": "AUTO:5,9", "analyzer": "plain"}
    either = [{"match": {"names.prefix": {**words, "fuzziness": 0}}}, {"match": {"names": words}}]
    return {"bool": {"should": either}}


def either_of(*several: JsonObject) -> JsonObject:
    return several[0] if len(several) == 1 else {"bool": {"should": list(several)}}


def ahead(query: JsonObject) -> JsonObject:
    """A query with the points that each entity has of its own."""
    prior = {"field_value_factor": {"field": "prior", "missing": 0}}
    return {"function_score": {"query": {"bool": query}, "functions": [prior], "boost_mode": "sum"}}


def fixed(name: str, boost: float, *either: JsonObject) -> JsonObject:
    """A tier whose hits are equals: the priors say which comes first."""
    return {"constant_score": {"filter": either_of(*either), "boost": boost, "_name": name}}


def others(query: JsonObject) -> JsonObject:
    return {"bool": {"must": query, "must_not": NARROWER}}


def narrower(query: JsonObject) -> JsonObject:
    return {"bool": {"filter": [query, NARROWER]}}


def graded(name: str, boost: float, *either: JsonObject, behind: Any = BEHIND) -> JsonObject:  # noqa: ANN401 - one or several
    """A tier whose hits are distinguished by the BM25 of its first reading, without those that are demoted in it."""
    ahead = {"bool": {"must": either_of(*either), "must_not": behind}}
    return {"bool": {"must": [fixed(name, boost, ahead)], "should": [either[0]]}}


def partly(name: str, boost: float, *either: JsonObject, behind: Any = BEHIND) -> JsonObject:  # noqa: ANN401 - one or several
    """Narrower conditions and mainstream products whose names hold all the words."""
    meant = {"bool": {"should": list(either), "filter": {"bool": {"should": behind}}, "minimum_should_match": 1}}
    return {"bool": {"must": [fixed(name, boost, meant)], "should": [either[0]]}}


def worth(boost: float, query: JsonObject) -> JsonObject:
    return {"constant_score": {"filter": query, "boost": boost}}


def both_readings(field: str, text: str, **share: str) -> tuple[JsonObject, JsonObject]:
    """The words as rules read them, and as they stand."""
    analyzers = ("words_with_rules", "words")
    one, other = ({"match": {field: {"query": text, "analyzer": name, **share}}} for name in analyzers)
    return one, other


def exclude_general_products(query: JsonObject) -> JsonObject:
    return {"bool": {"must": query, "must_not": GENERAL_PRODUCTS}}


def mention(tier: str, boost: float, *runs: str) -> JsonObject:
    """Names that stand inside the query; of one word only what is no thing on sale, of several none made for all."""
    either: list[JsonObject] = [{"terms": {field: [*runs]}} for field in ("name.key", "aliases.key", "hidden")]
    named: JsonObject = {"should": either, "minimum_should_match": 1}
    if tier == "mention-1":
        named["filter"] = {"terms": {"type": ["disability", "limitation", "workrelatedfunction", "solution"]}}
    else:
        named["must_not"] = GENERAL_PRODUCTS
    return fixed(tier, boost, {"bool": named})


def gist(size: int, boost: float, *some: str) -> JsonObject:
    """Other names of what people live with whose specific words all stand in the query."""
    either = [{"match": {"aliases.gist": words}} for words in some]
    lived_with = [{"terms": {"type": ["disability", "limitation", "workrelatedfunction"]}}]
    return fixed(f"named-gist{size}", boost, {"bool": {"must": {"bool": {"should": either}}, "filter": lived_with}})


def test_a_query_for_a_thing_is_not_about_a_condition() -> None:
    requests = [names_and_boosts(searched(text)) for text in ("hands go numb", "app for numb hands")]
    assert ["named-gist2" in names for names in requests] == [True, False]


def test_a_search_asks_all_tiers_at_once() -> None:
    text, content = "low vision at work", "low vision"
    typed = {"query": text, "analyzer": "words_with_rules"}
    most, some = ({"minimum_should_match": share} for share in ("2<67%", "2<75%"))
    whole = {"query": "qqbegin low vision at work qqend", "analyzer": "singular_with_rules"}
    ended = {"query": "qqbegin low vision at work qqend", "analyzer": "words_with_rules"}
    phrase: JsonObject = {"match_phrase": {"names": typed}}
    begun: JsonObject = {"match": {"names.prefix": {"query": text, "operator": "and"}}}
    words, everywhere = (both_readings(field, content, operator="and") for field in ("names", "everything"))
    by_rules = [{"match_phrase": {"name.singular": whole}}, {"match_phrase": {"aliases.singular": whole}}]
    spelled = {"match_phrase": {"names.singular": {"query": text, "analyzer": "singular_with_rules"}}}
    by_endings = {"bool": {"should": [{"match_phrase": {f"{field}.whole": ended}} for field in ("name", "aliases")]}}
    phrased = graded("phrase", 4608.0, {"match_phrase": {"names": typed}})
    as_typed = {"dis_max": {"queries": [worth(100.0, spelled), worth(48.0, by_endings)]}}
    phrased["bool"]["should"] += [worth(48.0, {"match_phrase": {"name": typed}}), as_typed]
    vendors = [*BEHIND, {"term": {"type": "vendor"}}]
    queries = [
        fixed("id", 7680.0, {"term": {"ids": text}}),
        fixed("name", 7168.0, others(exclude_general_products({"term": {"name.key": text}}))),
        fixed("alias", 6656.0, {"term": {"aliases.key": text}}, others({"term": {"name.key": text}})),
        fixed(
            "nameform",
            6144.0,
            others(exclude_general_products({"match_phrase": {"name.singular": text}})),
        ),
        fixed(
            "aliasform",
            5632.0,
            {"match_phrase": {"aliases.singular": text}},
            {"term": {"short_forms": text}},
            others({"match_phrase": {"name.singular": text}}),
        ),
        fixed("synonym", 5120.0, *by_rules),
        phrased,
        graded("words", 3584.0, *words),
        fixed("prefix", 3072.0, {"bool": {"must": begun, "must_not": BEHIND}}),
        graded("everywhere", 2048.0, *everywhere, behind=vendors),
        graded("most", 1024.0, *both_readings("names", content, **most)),
        graded("description", 512.0, *both_readings("everything", content, **some), behind=NARROWER),
        # the own names of narrower conditions count as other names, and so do names never shown
        fixed("name-narrower", 6656.0 + 160, narrower({"term": {"name.key": text}})),
        fixed("nameform-narrower", 5632.0 + 160, narrower({"match_phrase": {"name.singular": text}})),
        fixed("alias-unshown", 6656.0, {"term": {"hidden": text}}),
        fixed("aliasform-unshown", 5632.0, {"match_phrase": {"hidden.whole": text}}),
        # their names hold all the words: above mentions of one word, below all else
        partly("phrase-behind", 1536.0 + 420, phrase),
        partly("words-behind", 1536.0 + 370, *words),
        partly("prefix-behind", 1536.0 + 320, begun)["bool"]["must"][0],
        partly("everywhere-behind", 1024.0 + 320, *everywhere, behind=vendors),
        # runs that hold a word beside fillers, by their number of words
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
        "query": ahead({"must": {"dis_max": {"queries": queries}}}),
        "sort": ["_score", {"position": "asc"}],
        "aggs": {"types": {"terms": {"field": "type", "size": 20}}},
        "post_filter": {"terms": {"type": ["solution", "product"]}},
    }


def tiers(body: JsonObject) -> list[JsonObject]:
    return list(matched(body)["must"]["dis_max"]["queries"])


def constant_part(tier: JsonObject) -> JsonObject:
    part: JsonObject = tier.get("constant_score") or tier["bool"]["must"][0]["constant_score"]
    return part


def names_and_boosts(body: JsonObject) -> dict[str, float]:
    return {part["_name"]: part["boost"] for part in map(constant_part, tiers(body))}


def tier_of(text: str, name: str) -> JsonObject:
    return next(tier for tier in tiers(searched(text)) if constant_part(tier)["_name"] == name)


def ladder(body: JsonObject) -> dict[str, float]:
    """The tiers alone, without what narrower conditions and names never shown are requested."""
    return {
        name: boost
        for name, boost in names_and_boosts(body).items()
        if not name.endswith(("-narrower", "-unshown", "-behind"))
    }


def test_a_type_word_at_either_end_asks_for_that_type() -> None:
    rest = {"query": "low vision", "analyzer": "words_with_rules", "operator": "and"}
    names, around = {"match": {"names": rest}}, {"match": {"context": rest}}
    called = [
        worth(160.0, {"term": {"name.key": "low vision"}}),
        worth(80.0, {"term": {"aliases.key": "low vision"}}),
        worth(48.0, {"bool": {"should": [names]}}),
    ]
    scoped = {
        "bool": {
            "must": {"bool": {"should": [names, around]}},
            "should": [{"dis_max": {"queries": called}}],
            "filter": {"terms": {"type": ["solution", "product"]}},
        }
    }
    for text in ("low vision apps", "apps for low vision"):
        tier = graded("scoped", 4096.0, scoped, behind=MAINSTREAM)
        assert tier in tiers(searched(text))


JOINED: JsonObject = {"match_phrase": {"joined": {"query": "fatigue", "analyzer": "words_with_rules", "slop": 50}}}


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("conditions that cause fatigue", True),
        ("condition fatigue", False),  # nothing says that one brings the other
        ("fatigue vendors", True),
        ("jobs that involve fatigue", True),
        ("jobs with fatigue", False),  # what people have, not what a job asks of them
        ("solutions for fatigue", False),  # several types
    ],
)
def test_what_entities_are_joined_to_is_read_where_the_words_say_so(query: str, *, read: bool) -> None:
    assert (JOINED in _goes_with(query)) is read


def _goes_with(query: str) -> list[JsonObject]:
    either: JsonObject = scoped_part(query, "must")
    if "must_not" in str(either):  # narrower conditions are requested by whole names
        either = either["bool"]["should"][0]["bool"]["must"]
    return list(either["bool"]["should"])


def test_narrower_conditions_are_requested_by_their_whole_names_beside_a_type_word() -> None:
    requests = scoped_part("low vision conditions", "must")["bool"]["should"]
    called = [narrower({"term": {field: "low vision"}}) for field in ("name.key", "aliases.key", "short_forms")]
    assert requests[1:] == called
    assert requests[0]["bool"]["must_not"] == {"term": {"kind": "narrower"}}


def scoped_part(query: str, part: str) -> Any:  # noqa: ANN401 - whatever the body holds
    return constant_part(tier_of(query, "scoped"))["filter"]["bool"]["must"]["bool"][part]


def test_what_looks_like_an_id_is_requested_as_a_whole() -> None:
    assert set(ladder(searched("ability:1.A.3.a.1"))) <= set(query_builder.WHOLE)


def test_a_single_word_beside_a_type_word_is_better_met_letter_by_letter() -> None:
    very_word = {"constant_score": {"filter": {"term": {"spelling": "blind"}}, "boost": 16.0}}
    assert scoped_part("devices for blind people", "should")[-1] == very_word
    assert very_word not in scoped_part("apps for low vision", "should")


def test_the_words_of_a_job_stand_in_one_of_its_titles() -> None:
    together = {"query": "heavy lifting", "analyzer": "words", "slop": 50}
    assert scoped_part("jobs with heavy lifting", "must") == {
        "bool": {"should": [{"match_phrase": {"names": together}}]}
    }


def test_without_synonyms_the_other_tiers_stay_where_they_are() -> None:
    with_rules = names_and_boosts(searched("wfh"))
    without = searched("wfh", synonyms=False)
    assert names_and_boosts(without) == {name: boost for name, boost in with_rules.items() if name != "synonym"}
    assert "with_rules" not in str(without)


def test_rules_do_not_apply_to_a_text_so_long_that_they_would_multiply() -> None:
    """Twenty words that all have rules passed the engine's 1,024 clauses; phrases pass it sooner."""
    eight, fourteen = " ".join(["word"] * 8), " ".join(["word"] * 14)
    assert SearchRequest(parse(fourteen)).expands_synonyms
    assert not SearchRequest(parse(f"{fourteen} more")).expands_synonyms
    assert not SearchRequest(parse("word"), synonyms=False).expands_synonyms
    assert "with_rules" not in str(searched(f"{fourteen} more"))
    assert "singular_with_rules" in str(searched(eight))
    longer = str(searched(f"{eight} more"))
    assert "singular_with_rules" not in longer
    assert "words_with_rules" in longer


def test_each_tier_lies_a_whole_step_above_the_next_and_the_ladder_is_complete() -> None:
    boosts = ladder(searched("x apps"))
    boosts["named"] = boosts.pop("named-2") - 2 * query_builder.PER_WORD
    boosts["mention"] = boosts.pop("mention-1") - query_builder.PER_WORD
    assert set(boosts) == set(query_builder.TIERS)
    steps = [*(boosts[name] for name in query_builder.TIERS), 0.0]
    assert {high - low for high, low in pairwise(steps)} == {query_builder.STEP}


def test_what_is_added_inside_a_tier_never_reaches_the_next() -> None:
    priors = POPULARITY_BOOST + ASSISTIVE_BOOST + max(TYPE_BOOSTS.values())
    six = names_and_boosts(searched("one two three four five six"))
    for name, boost in six.items():
        if name.startswith(("named", "mention")):
            assert boost % query_builder.STEP + priors < query_builder.STEP
    assert type_hints.PER_NAME + type_hints.PER_FORM + priors < query_builder.STEP
    assert query_builder.IN_NAME + query_builder.SPELLED + priors < query_builder.STEP
    assert max(demotion.DEMOTED_BOOST.values()) + POPULARITY_BOOST < query_builder.STEP


def test_one_word_is_not_looked_for_twice() -> None:
    """Most of one word is all of it."""
    assert {"most", "description"} & set(ladder(searched("Lamp "))) == set()
    found = either_of(*both_readings("names", "lamp", operator="and"))
    assert tier_of("Lamp ", "words") == fixed("words", 3584.0, {"bool": {"must": found, "must_not": BEHIND}})
    for text in ("e-mail", "naïve", "不安", "can't"):  # several words for the engine, or not known how many
        assert "most" in ladder(searched(text))


def test_a_hit_tells_its_tiers_whatever_the_length_of_a_mention() -> None:
    assert query_builder.tiers_of({"matched_queries": ["named-2", "mention-1", "most"]}) == {"named", "mention", "most"}


def test_the_ladder_says_what_a_hit_is_good_for() -> None:
    assert {"id", "name", "alias", "nameform", "aliasform", "synonym"} == query_builder.WHOLE
    assert query_builder.WHOLE | {"phrase", "scoped", "words"} == query_builder.NO_CORRECTION_NEEDED


def test_a_setting_leaves_out_solutions_that_are_not_used_there_and_nothing_else() -> None:
    plain, at_school = (searched("breaks", setting=setting) for setting in (None, "school"))
    no_solution = {"bool": {"must_not": {"term": {"type": "solution"}}}}
    wanted = {"bool": {"should": [{"term": {"settings": "school"}}, no_solution]}}
    assert matched(at_school).pop("filter") == [wanted]
    assert at_school == plain
    assert query_builder.NO_CORRECTION_NEEDED | {"prefix"} == query_builder.ALL_WORDS
    assert query_builder.ALL_WORDS | {"named", "everywhere", "mention"} == query_builder.INFORMATIVE


def test_a_plain_search_counts_types_and_filters_nothing() -> None:
    body = searched("x")
    assert (body["from"], body["size"], "post_filter" in body, "aggs" in body) == (0, 20, False, True)
    assert "aggs" not in searched("x", facets=False)


def test_only_the_beginning_of_a_very_long_query_is_looked_at() -> None:
    long = "a" * 500
    assert searched(long + "b") == searched(long)
    assert spelling.spelling_body(parse(long + "b")) == spelling.spelling_body(parse(long))


def test_an_id_is_looked_up_without_the_space_around_it() -> None:
    first, *_ = tiers(searched(" 15-1252.00 "))
    assert first == fixed("id", 7680.0, {"term": {"ids": "15-1252.00"}})


def test_spelling_touches_only_words_that_no_name_has() -> None:
    limits = {"suggest_mode": "missing", "min_word_length": 4, "prefix_length": 0, "size": 10}
    suggester = {
        "field": "spelling.shingles",
        "size": 3,
        "gram_size": 3,
        "max_errors": 4,
        "confidence": 0.0,
        "direct_generator": [{"field": "spelling", **limits}],
        "highlight": {"pre_tag": "<em>", "post_tag": "</em>"},
    }
    assert spelling.spelling_body(parse("multpile sclerosis")) == {
        "size": 0,
        "suggest": {"text": "multpile sclerosis", "fixes": {"phrase": suggester}},
    }


def test_type_ahead_takes_the_last_word_as_a_beginning_and_allows_typos_before_it() -> None:
    typo = {"fuzzy": {"spelling": {"value": "screen", "fuzziness": "AUTO:5,9", "rewrite": "top_terms_50"}}}
    begun = {"prefix": {"spelling": {"value": "read", "rewrite": "top_terms_50"}}}
    spans = [{"span_multi": {"match": one}} for one in (typo, begun)]
    near = {"span_near": {"clauses": spans, "slop": 0, "in_order": True}}
    name, alias = term("name.begins", "screenread"), term("aliases.begins", "screenread")
    begins = [
        worth(300.0, narrower(term("name.key", "screenread"))),
        worth(300.0, others(name)),
        worth(150.0, narrower(name)),
        worth(240.0, others(alias)),
        worth(120.0, narrower(alias)),
        worth(150.0, near),
        worth(100.0, {"span_first": {"match": near, "end": 2}}),
    ]
    by_words = {"bool": {"filter": [{"match": {"names.prefix": "read"}}, finished("screen")]}}
    either = {"bool": {"should": [by_words, name, alias], "minimum_should_match": 1}}
    assert query_builder.suggest_body(parse("Screen Read"), ("product",), 7) == {
        "size": 7,
        **SHOWN,
        "track_total_hits": True,
        "query": ahead({"filter": [either, {"terms": {"type": ["product"]}}], "should": begins}),
        "sort": ["_score", {"position": "asc"}],
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a single word: its first letters, beginnings have up to 20
        ("Electroencephalographically", {"match": {"names.prefix": "electroencephalograp"}}),
        ("depresion ", finished("depresion")),  # a space after the last word finishes it
    ],
)
def test_type_ahead_of_one_word_asks_for_that_alone(text: str, expected: JsonObject) -> None:
    assert matched(query_builder.suggest_body(parse(text), (), 10))["filter"] == [expected]


def test_names_near_a_misspelt_one_are_looked_for_by_all_their_letters() -> None:
    near = {"value": "fibromialgia", "fuzziness": 2, "max_expansions": 20}
    assert spelling.near_names_body(parse("fibro mialgia")) == {
        "size": 5,
        **SHOWN,
        "query": {"bool": {"should": [{"fuzzy": {"name.key": near}}, {"fuzzy": {"aliases.key": near}}]}},
    }


@pytest.mark.parametrize("text", ["", "ms", "a.d.d", "15-1252.00", "windows11"])
def test_what_is_short_or_holds_digits_is_no_slip_of_a_name(text: str) -> None:
    assert spelling.near_names_body(parse(text)) is None
    assert spelling.far_names_body(parse(text)) is None


def test_a_single_word_is_guessed_among_what_people_live_with_and_what_helps() -> None:
    meant = ["disability", "limitation", "workrelatedfunction", "solution"]
    requests = (spelling.far_names_body(parse("asma")) or {})["query"]["bool"]
    assert (requests["filter"], requests["minimum_should_match"]) == ([{"terms": {"type": meant}}], 1)
    assert "filter" not in (spelling.far_names_body(parse("bora bora")) or {})["query"]["bool"]


def test_names_further_off_are_sought_and_the_words_that_stand_in_names() -> None:
    near = {"value": "lpwvision", "fuzziness": 2, "prefix_length": 1, "max_expansions": 100}
    either = [{"fuzzy": {"name.key": near}}, {"fuzzy": {"aliases.key": near}}]
    assert (spelling.far_names_body(parse("Lpw vision")) or {})["query"] == {"bool": {"should": either}}
    one = spelling.word_exists_body("lpw")
    assert (one["query"], one["size"], one["terminate_after"]) == ({"term": {"spelling": "lpw"}}, 0, 1)


def test_an_entity_is_found_by_any_form_of_its_id() -> None:
    key, full = "software-developers", "occupation:software-developers"
    record = [term("doc", "record"), term("owner", full)]
    entity = [term("doc", "entity"), term("type", "occupation"), {"terms": {"ids": [key, full]}}]
    assert query_builder.entity_body("occupation", key) == {
        "size": 1,
        "query": {"bool": {"should": [{"bool": {"filter": record}}, {"bool": {"filter": entity}}]}},
        "sort": [{"doc": "desc"}],
    }


def test_the_nearest_entities_are_found_by_their_names_from_a_slug() -> None:
    fuzzy = {"match": {"names": {"query": "multipl sclerosis", "fuzziness": "AUTO", "analyzer": "plain", "boost": 2}}}
    begun = {"match": {"names.prefix": {"query": "multipl sclerosis", "boost": 2.0}}}
    shorter = {"match": {"names.prefix": "multi sclero"}}
    name = worth(8.0, {"term": {"name.begins": "multiplsclerosis"}})
    near = {"bool": {"should": [fuzzy, begun, shorter, name], "minimum_should_match": 1}}
    demoted = {"boosting": {"positive": near, "negative": NARROWER, "negative_boost": 0.4}}
    assert query_builder.nearest_body("disability", " multipl--sclerosis ") == {
        "size": 5,
        **SHOWN,
        "query": {"bool": {"must": [demoted], "filter": [term("type", "disability")]}},
    }


@pytest.mark.parametrize("given", ["q", "??", "a b"])
def test_what_has_next_to_no_letters_is_no_beginning_of_a_name(given: str) -> None:
    (must,) = query_builder.nearest_body("disability", given)["query"]["bool"]["must"]
    assert not any("prefix" in clause for clause in must["boosting"]["positive"]["bool"]["should"])


def test_edge_pages_are_requested_by_number() -> None:
    numbers = {"range": {"number": {"gte": 2, "lte": 7}}}
    assert query_builder.pages_body("occupation:software-developers", "requires", 2, 7) == {
        "size": 6,
        "query": {
            "bool": {"filter": [term("owner", "occupation:software-developers"), term("edge", "requires"), numbers]}
        },
        "sort": [{"number": "asc"}],
    }


def test_related_conditions_of_a_narrower_condition_are_those_it_inherits() -> None:
    either = [term("owner", "disability:low-vision"), term("heir_keys", "disability:low-vision")]
    assert related.related_body("disability:low-vision") == {
        "size": 2,
        "query": {
            "bool": {"filter": [term("doc", "related"), {"bool": {"should": either, "minimum_should_match": 1}}]}
        },
    }


def test_a_seed_is_found_by_id_key_slug_name_alias_or_a_form_of_a_name_within_its_type() -> None:
    text, full = "tires easily", "limitation:tires easily"
    whole = {"query": "qqbegin tires easily qqend", "analyzer": "whole_with_rules"}
    clauses = {
        "seed": [term("owner", full), term("owner", text), term("seed_keys", text)],
        "nameform": [phrase("seed_name", text), phrase("seed_name", whole)],
        "aliasform": [phrase("seed_aliases", text), phrase("seed_aliases", whole)],
        "heir": [
            *(term("heir_keys", full), term("heir_keys", text)),
            *(phrase("heir_names", text), phrase("heir_names", whole)),
        ],
    }
    either = [{"bool": {"should": should, "_name": name}} for name, should in clauses.items()]
    assert seeds.seed_body("limitation", text) == {
        "size": 10,
        **SHOWN,
        "docvalue_fields": ["needs", "answer"],
        "query": {
            "bool": {
                "filter": [term("seed_type", "limitation"), {"bool": {"should": either, "minimum_should_match": 1}}],
                "should": [
                    {"rank_feature": graph_bodies.POPULARITY},
                    worth(2.0, term("seed_keys", full)),
                    worth(1.0, term("seed_keys", text)),
                ],
            }
        },
    }
