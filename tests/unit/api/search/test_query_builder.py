"""Request → OpenSearch body: whole bodies as literals, then which features a query has."""

import re
from dataclasses import replace

import orjson
import pytest

from api.search import query_builder
from api.search.features import BM25_SHARE, GOOD, MAX_IDF, PRIOR_SCALE, Feature
from api.search.query import MAX_VARIANTS, ParsedQuery, QueryVariant, SearchRequest
from api.search.query_builder import feature_clauses, named_body, prefix_body, search_body, search_query
from schema.entity_kinds import SettingName
from schema.json_types import JsonObject
from schema.synonyms import SynonymMatcher, SynonymRule
from tests.support.query_clauses import HIT, boosted, constant, keys, term
from tests.support.search_responses import RELEASE

parse = ParsedQuery.parse

PRIOR = {"rank_feature": {"field": "standing", "boost": PRIOR_SCALE, "linear": {}}}
NOT_SOLUTION = {"bool": {"must_not": {"term": {"type": "solution"}}}}
WHOLE = {Feature.ID, Feature.NAME, Feature.NARROWER}


def fixed(feature: Feature, clause: JsonObject) -> JsonObject:
    return boosted(float(feature), clause)


def scored(feature: Feature, clause: JsonObject, terms: int, clauses: int = 2) -> JsonObject:
    """Return a clause whose BM25 is added, far below the feature; there are so many of them over so many terms each."""
    ((field, options),) = clause["match"].items()
    scaled = {"match": {field: {**options, "boost": BM25_SHARE / (MAX_IDF * terms * clauses)}}}
    return {"bool": {"must": scaled, "should": {"match_all": {"boost": float(feature)}}}}


def all_of(field: str, text: str, analyzer: str = "words") -> JsonObject:
    return {"match": {field: {"query": text, "analyzer": analyzer, "operator": "and"}}}


def most_of(field: str, text: str, share: str, analyzer: str = "words") -> JsonObject:
    return {"match": {field: {"query": text, "analyzer": analyzer, "minimum_should_match": share}}}


def body_of(should: list[JsonObject], **more: JsonObject) -> JsonObject:
    return {
        "from": 0,
        "size": 40,
        **HIT,
        "track_total_hits": True,
        "query": {"bool": {"must": {"bool": {"should": should, "minimum_should_match": 1, **more}}, "should": PRIOR}},
    }


def opposed(forms: list[str], *whole: str) -> JsonObject:
    """Match what is wrong for a side that the query names, but for what serves another one or has the whole name."""
    wanted = [keys(*(f"side:{form}" for form in forms)), *map(keys, whole[:1]), keys(*whole[1:])]
    return {"bool": {"filter": keys(*(f"opposed:{form}" for form in forms)), "must_not": wanted}}


def test_a_search_of_one_word_has_the_features_that_one_word_can_have() -> None:
    assert search_body(SearchRequest(parse("Lamps"))) == body_of(
        [
            fixed(Feature.ID, keys("id:lamps")),
            fixed(Feature.NAME, keys("name:lamp")),
            fixed(Feature.NARROWER, keys("narrower:lamp")),
            fixed(Feature.MOST_OF_RELATED, all_of("related", "lamps")),  # one word of a need says little
            fixed(Feature.DEMOTED_NAMES, all_of("demoted_names", "lamps")),
            fixed(Feature.MENTION, keys("mention:lamp")),
            fixed(Feature.FIRST_CHOICE, keys("first:lamp")),
            fixed(Feature.NEED, keys("need:lamp")),
            fixed(Feature.DESCRIPTION, most_of("description", "lamps", "2<75%")),
            scored(Feature.ALL_WORDS, all_of("names", "lamps"), terms=1, clauses=1),
        ],
    )


def test_a_search_of_three_words_with_a_rule_matches_most_words_too() -> None:
    text, ruled = "wfh desk lamp", "words_with_rules"
    typed = ["wfhdesklamp", "wfhdesk", "desklamp", "wfh", "desk", "lamp"]
    mostly, partly = typed[:3], [*typed[3:], "telework"]
    by_rule = [all_of(field, text, ruled) for field in ("names", "demoted_names")]
    assert search_body(SearchRequest(parse("Wfh, desk lamp")).with_release(RELEASE)) == body_of(
        [
            fixed(Feature.ID, keys("id:wfh, desk lamp")),
            fixed(Feature.NAME, keys("name:wfhdesklamp", "name:teleworkdesklamp")),
            fixed(Feature.NARROWER, keys("narrower:wfhdesklamp")),
            fixed(Feature.ALL_WORDS, all_of("names", text)),
            fixed(Feature.RELATED, all_of("related", text)),
            fixed(Feature.DEMOTED_NAMES, all_of("demoted_names", text)),
            fixed(Feature.ALL_BY_RULE, {"dis_max": {"queries": by_rule}}),
            fixed(Feature.PHRASE, {"match_phrase": {"names": text}}),
            fixed(Feature.MENTION, keys(*(f"mention:{form}" for form in (*typed, "telework")), "job:wfh", "job:lamp")),
            fixed(Feature.FIRST_CHOICE, keys(*(f"first:{form}" for form in mostly))),
            fixed(Feature.NEED, keys(*(f"need:{form}" for form in mostly))),
            fixed(Feature.PART_OF_NEED, keys(*(f"{prefix}:{form}" for form in partly for prefix in ("first", "need")))),
            fixed(
                Feature.KEYWORDS,
                keys("words:desk lamp wfh", "words:desk wfh", "words:lamp wfh", "words:desk lamp"),
            ),
            fixed(Feature.DESCRIPTION, most_of("description", text, "2<75%")),
            scored(Feature.MOST_WORDS, most_of("names", text, "2<67%", ruled), terms=4),
            scored(Feature.MOST_OF_RELATED, most_of("related", text, "2<75%", ruled), terms=4),
        ],
    )


def test_a_search_that_names_a_side_leaves_out_what_is_wrong_for_it() -> None:
    body = search_body(SearchRequest(parse("office is too hot")).with_release(RELEASE))["query"]["bool"]["must"]["bool"]
    assert body["must_not"] == opposed(["toohot"], "id:office is too hot", "name:officeistoohot")
    (named,) = (clause for clause in body["should"] if "side:toohot" in str(clause))
    assert named["terms"]["boost"] == float(Feature.BODY_PART)
    assert "must_not" not in str(search_body(SearchRequest(parse("hot office")).with_release(RELEASE)))


def test_a_search_with_a_type_hint_matches_the_rest_among_entities_of_that_type() -> None:
    text, rest = "apps low vision", "low vision"
    near = [keys("name:lowvision"), all_of("names", rest), all_of("related", rest)]
    scoped: JsonObject = {
        "bool": {"filter": [{"terms": {"type": ["solution", "product"]}}, {"bool": {"should": near}}]}
    }
    mostly = ["appforlowvision", "forlowvision", "lowvision"]  # more than half of the rest
    partly = ["appforlow", "appfor", "forlow", "app", "low", "vision"]
    forms = ["appforlowvision", "appforlow", "forlowvision", "appfor", "forlow", "lowvision", "app", "low", "vision"]
    request = SearchRequest(parse("apps for low vision"), ("solution",), setting="school")
    expected = body_of(
        [
            fixed(Feature.ID, keys("id:apps for low vision")),
            fixed(Feature.NAME, keys("name:appforlowvision")),
            fixed(Feature.NARROWER, keys("narrower:appforlowvision")),
            fixed(Feature.ALL_WORDS, all_of("names", text)),
            fixed(Feature.RELATED, all_of("related", text)),
            fixed(Feature.DEMOTED_NAMES, all_of("demoted_names", text)),
            fixed(Feature.PHRASE, {"match_phrase": {"names": "apps for low vision"}}),
            fixed(Feature.SCOPED, scoped),
            fixed(Feature.MENTION, keys(*(f"mention:{form}" for form in forms), "job:vision")),
            fixed(Feature.FIRST_CHOICE, keys(*(f"first-school:{form}" for form in mostly))),
            fixed(Feature.NEED, keys(*(f"need:{form}" for form in mostly))),
            fixed(
                Feature.PART_OF_NEED,
                keys(*(f"{prefix}:{form}" for form in partly for prefix in ("first-school", "need"))),
            ),
            fixed(Feature.DESCRIPTION, most_of("description", rest, "2<75%")),
            scored(Feature.MOST_WORDS, most_of("names", rest, "2<67%"), terms=4),
            scored(Feature.MOST_OF_RELATED, most_of("related", rest, "2<75%"), terms=4),
        ],
        filter={"bool": {"should": [term("settings", "school"), NOT_SOLUTION]}},
    )
    assert search_body(request) == {**expected, "post_filter": {"terms": {"type": ["solution"]}}}


def test_a_search_asks_only_for_body_parts_and_signs_of_the_release() -> None:
    query = parse("checks the locks on one ankle").with_release(RELEASE)
    assert dict(query.body_parts) == {
        "part:ankle": {"limitation:walking": 0},
        "sign:check lock": {"limitation:walking": 0},
    }
    assert clauses_of("checks the locks on one ankle")[Feature.BODY_PART] == keys("part:ankle", "sign:check lock")
    assert Feature.BODY_PART not in clauses_of("knees")


def clauses_of(text: str, rules: SynonymMatcher = RELEASE.synonyms) -> dict[Feature, JsonObject]:
    """Return the clauses of a query by feature, each without its score."""
    clauses: dict[Feature, JsonObject] = {}
    for clause in feature_clauses(parse(text).with_release(RELEASE).with_rules(rules)):
        if found := constant(clause):
            clauses[Feature(int(found[0]))] = found[1]
        else:
            part = clause["bool"]
            clauses[Feature(int(part["should"]["match_all"]["boost"]))] = part["must"]
    return clauses


def test_each_feature_has_one_clause_in_some_query() -> None:
    queries = ("wfh desk lamp", "apps for low vision", "broken ankle")
    counts = [len(feature_clauses(parse(text).with_release(RELEASE))) for text in queries]
    clauses = map(constant, feature_clauses(replace(parse("lamp"), pinned="solution:lamps")))
    (pinned,) = [found[1] for found in clauses if found and found[0] == Feature.PINNED]
    assert pinned == keys("id:solution:lamps")
    found = [set(clauses_of(text)) for text in queries]
    assert counts == list(map(len, found))
    assert set.union(*found) == set(Feature) - {Feature.PINNED}


def test_a_need_with_less_than_most_of_the_keywords_is_apart() -> None:
    clauses = clauses_of("mouse for shaky hands")
    assert "need:shakyhand" in clauses[Feature.NEED]["terms"]["keys"]
    assert "first:shakyhand" in clauses[Feature.FIRST_CHOICE]["terms"]["keys"]
    part = clauses[Feature.PART_OF_NEED]["terms"]["keys"]
    assert {"first:mouse", "need:mouse"} <= {*part}
    assert "need:shakyhand" not in part


@pytest.mark.parametrize("text", ["ability:1.A.3.a.1", "what is it", "(a OR b)", "?!", ""])
def test_ids_and_stop_words_alone_are_searched_only_as_a_whole(text: str) -> None:
    assert set(clauses_of(text)) == WHOLE


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (" 15-1252.00 ", ["id:15-1252.00", "code:15125200"]),
        ("G35", ["id:g35", "code:g35"]),
        ("DOID:1210", ["id:doid:1210", "code:doid1210"]),
        ("1210", ["id:1210", "code:1210"]),
        ("Asthma", ["id:asthma"]),  # a code has a digit
        ('"low-vision"', ["id:low-vision"]),
    ],
)
def test_a_query_is_looked_up_as_an_id_and_as_a_code(text: str, ids: list[str]) -> None:
    assert clauses_of(text)[Feature.ID] == keys(*ids)


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("lamp", {Feature.ALL_WORDS}),
        ("desk lamp", {Feature.ALL_WORDS, Feature.PHRASE, Feature.KEYWORDS}),  # most of two words are both
        ("lamp for my work", {Feature.ALL_WORDS, Feature.PHRASE}),
        ("10 20 30", {Feature.ALL_WORDS, Feature.PHRASE, Feature.KEYWORDS}),  # only numbers
        (
            "bright desk lamp",
            {Feature.ALL_WORDS, Feature.PHRASE, Feature.KEYWORDS, Feature.MOST_WORDS},
        ),
        (
            "one bright desk lamp with two red shades",
            {Feature.ALL_WORDS, Feature.PHRASE, Feature.KEYWORDS, Feature.MOST_WORDS},
        ),
        (
            "one bright desk lamp with two red paper shades",  # too long for the phrase of a name
            {Feature.ALL_WORDS, Feature.KEYWORDS, Feature.MOST_WORDS},
        ),
        ("vendors of lamps", {Feature.ALL_WORDS, Feature.PHRASE, Feature.SCOPED}),
        ("wfh", {Feature.ALL_WORDS, Feature.ALL_BY_RULE}),
    ],
)
def test_the_words_of_a_query_decide_which_features_it_has(text: str, features: set[Feature]) -> None:
    varying = {
        *(Feature.ALL_WORDS, Feature.PHRASE, Feature.KEYWORDS, Feature.SCOPED),
        *(Feature.MOST_WORDS, Feature.ALL_BY_RULE),
    }
    assert set(clauses_of(text)) & varying == features


def test_without_rules_no_clause_applies_them() -> None:
    request = SearchRequest(parse("wfh desk lamp"), synonyms=False).with_release(RELEASE)
    assert "with_rules" not in str(search_body(request))
    assert "telework" not in str(search_body(request))


def test_a_query_has_a_limited_number_of_whole_names() -> None:
    words = [f"w{number}" for number in range(8)]
    rules = [SynonymRule("rules.txt", 1, (word,), (f"{word}a", f"{word}b")) for word in words]
    names = clauses_of(" ".join(words), SynonymMatcher(rules))[Feature.NAME]["terms"]["keys"]
    assert len(names) == MAX_VARIANTS
    assert names[0] == "name:" + "".join(words)
    assert QueryVariant(tuple(words)).form == "".join(words)


def alternatives(text: str, rules: SynonymMatcher = RELEASE.synonyms) -> list[JsonObject]:
    """Return what the rest beside a type hint may match."""
    either: list[JsonObject] = clauses_of(text, rules)[Feature.SCOPED]["bool"]["filter"][1]["bool"]["should"]
    return either


def near(field: str, text: str, analyzer: str = "words") -> JsonObject:
    return {"match_phrase": {field: {"query": text, "analyzer": analyzer, "slop": 50}}}


@pytest.mark.parametrize(
    ("text", "rest", "joined"),
    [
        ("conditions that cause fatigue", "fatigue", True),
        ("condition fatigue", "fatigue", False),  # not connected
        ("wfh vendors", "wfh", True),
        ("jobs that require standing", "standing", True),
        ("jobs with standing", "standing", False),
        ("solutions for fatigue", "fatigue", False),  # several types
    ],
)
def test_names_of_neighbors_match_if_the_query_connects_type_and_rest(text: str, rest: str, *, joined: bool) -> None:
    analyzer = "words_with_rules" if rest == "wfh" else "words"
    phrase = [near("joined", rest, analyzer)] if joined else []
    words = [all_of(field, rest, analyzer) for field in ("names", "related")]
    assert alternatives(text) == [keys(f"name:{rest}"), *phrase, *words]


def test_one_job_title_contains_all_words_of_a_job_query() -> None:
    assert alternatives("jobs with heavy lifting") == [keys("name:heavylifting"), near("names", "heavy lifting")]


SETTINGS: list[tuple[str, SettingName | None, list[JsonObject]]] = [
    ("breaks", "school", [term("settings", "school"), NOT_SOLUTION]),
    # the words of the query may also be a part of a name
    ("exam chair", None, [term("settings", "testing"), NOT_SOLUTION, keys("id:exam chair"), keys("name:examchair")]),
    ("exam chair", "work", [term("settings", "work"), NOT_SOLUTION]),  # the parameter takes precedence
]


@pytest.mark.parametrize(("text", "setting", "applicable"), SETTINGS)
def test_a_setting_excludes_only_solutions_of_other_settings(
    text: str, setting: SettingName | None, applicable: list[JsonObject]
) -> None:
    query = search_query(SearchRequest(parse(text), setting=setting))
    assert query["bool"]["must"]["bool"]["filter"] == {"bool": {"should": applicable}}


@pytest.mark.parametrize(
    ("setting", "key"), [(None, "first:lamp"), ("work", "first:lamp"), ("testing", "first-testing:lamp")]
)
def test_the_first_choices_are_those_in_the_setting(setting: SettingName | None, key: str) -> None:
    body = orjson.dumps(search_body(SearchRequest(parse("lamp"), setting=setting))).decode()
    assert f'"{key}"' in body
    assert body.count('"first') == 1


def test_a_search_without_a_setting_has_no_filter() -> None:
    assert "filter" not in search_query(SearchRequest(parse("breaks")))["bool"]["must"]["bool"]


def test_good_hits_beyond_the_first_ones_are_counted_by_type() -> None:
    request = SearchRequest(parse("lamp"), ("product",))
    body = search_body(request)
    counted = {"aggs": {"types": {"terms": {"field": "type", "size": 20}}}}
    page = search_body(request, first=60, size=20, good_only=True)
    assert page == {**body, **counted, "from": 60, "size": 20, "min_score": GOOD}
    assert search_body(replace(request, loose=True)) == {**body, **counted}
    assert "aggs" not in search_body(replace(request, loose=True, facets=False))


def test_only_the_first_500_characters_of_a_query_are_searched() -> None:
    long = "a" * 500
    assert search_body(SearchRequest(parse(long + "b"))) == search_body(SearchRequest(parse(long)))


FORTY = " ".join(f"word{letter}{ending}" for letter in "abcdefghijklmnopqrst" for ending in ("", "y"))


def test_a_query_of_forty_words_has_as_few_clauses_and_words_as_one_of_twelve() -> None:
    def words(text: str) -> list[int]:
        (either,) = search_body(SearchRequest(parse(text)))["query"]["bool"]["must"].values()
        matches = re.findall(r"'query': '([^']*)'", str(either["should"]))
        return [len(match.split()) for match in matches]

    assert len(parse(FORTY).keywords) == 40
    assert len(words(FORTY)) <= len(words(" ".join(FORTY.split()[:12])))
    assert max(words(FORTY)) == query_builder.MAX_LOOSE_WORDS
    assert len(parse(FORTY).mentions) <= 40 * 3


def test_the_longest_words_of_a_long_query_are_matched_loosely() -> None:
    short, long = [f"ab{letter}" for letter in "cdefgh"], [f"abcdef{letter}" for letter in "abcdefghijkl"]
    clauses = str(search_body(SearchRequest(parse(" ".join([*short, *long])))))
    assert clauses.count("'query': '" + " ".join(long) + "'") == 3


# Beginnings of words, and whole names


@pytest.mark.parametrize("scope", [(), ("product", "vendor")])
def test_names_whose_words_begin_with_those_of_the_query_are_filtered_not_scored(scope: tuple[str, ...]) -> None:
    fields = ["spelling.words", "british"]
    begun = {"multi_match": {"query": "screen read", "fields": fields, "type": "cross_fields", "operator": "and"}}
    types: list[JsonObject] = [{"terms": {"type": list(scope)}}] if scope else []
    assert prefix_body(SearchRequest(parse("Screen Read"), scope)) == {
        "size": query_builder.RANKED,
        **HIT,
        "track_total_hits": True,
        "query": {"bool": {"filter": [begun, *types]}},
    }


@pytest.mark.parametrize("text", ["", "CP", "a b c", "?!"])
def test_short_words_begin_too_many_names(text: str) -> None:
    assert prefix_body(SearchRequest(parse(text))) is None


@pytest.mark.parametrize(("types", "limited"), [((), []), (("disability",), [{"terms": {"type": ["disability"]}}])])
def test_whole_names_are_looked_up_among_entities_of_some_types(
    types: tuple[str, ...], limited: list[JsonObject]
) -> None:
    either = [
        fixed(Feature.ID, keys("id:wfh")),
        fixed(Feature.NAME, keys("name:wfh", "name:telework")),
        boosted(2.0, keys("name:wfh")),  # as typed first
    ]
    assert named_body(parse("WFH").with_rules(RELEASE.synonyms), types, {"_source": ["ids"]}, 5) == {
        "size": 5,
        "_source": ["ids"],
        "track_total_hits": False,
        "query": {"bool": {"filter": [term("doc", "entity"), *limited], "should": either, "minimum_should_match": 1}},
    }
