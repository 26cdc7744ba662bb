"""A parsed query: its tokens, keywords, setting, candidate names and variants."""

from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.search.guides.names import GuideName
from api.search.query import MAX_MENTIONS, ParsedQuery, SearchRequest, truncate_query
from api.search.words.lexicon import keywords
from api.search.words.mentions import MAX_COMBINED_WORDS, NEAR_WORDS, keyword_combinations
from schema.exact_keys import MAX_KEY_LENGTH, name_form
from schema.synonyms import SynonymMatcher, SynonymRule
from schema.text import fold, name_key, stems, tokens
from tests.support.search_responses import RELEASE

parse = ParsedQuery.parse
WFH = SynonymRule("rules.txt", 1, ("wfh",), ("work from home", "telework"))
CHAIR = SynonymRule("rules.txt", 2, ("wheelchair", "wheel chair"), ("wheelchair", "wheel chair"))
SYNONYMS = SynonymMatcher([WFH, CHAIR])
PIECES = (
    *("vendors", "of", "jobs that require", "AD/HD", "Crohn\u2019s", "½", "東京", "wfh", "wheel chair", " ", "x:1"),
    *("in exams", "at work", "DOORS", "tumours"),
)
TEXTS = st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join)


@given(TEXTS)
def test_the_tokens_of_any_query_have_offsets_in_its_text(raw: str) -> None:
    query = parse(raw).with_rules(SYNONYMS)
    assert query.raw == raw
    assert raw.startswith(query.text)
    assert all(query.text[start:end] for start, end in query.offsets)
    assert list(query.offsets) == sorted(query.offsets)


@given(TEXTS)
def test_a_query_is_tokenized_like_any_other_text(raw: str) -> None:
    query = parse(raw)
    text = query.text
    assert (query.tokens, query.stems) == (tokens(text), stems(text))
    assert (query.key, query.form) == (name_key(text)[:MAX_KEY_LENGTH], name_form(tokens(text)))
    assert query.folded == fold(text)
    assert set(query.keywords) <= set(query.tokens)
    assert query.setting or query.keywords == keywords(query.tokens)


@given(TEXTS)
def test_parsing_the_searched_text_again_changes_nothing(raw: str) -> None:
    query = parse(raw)
    again = parse(query.text)
    derived = [name for name in ParsedQuery.__slots__ if name != "raw"]
    assert [getattr(again, name) for name in derived] == [getattr(query, name) for name in derived]


def test_tokens_folded_from_one_character_share_its_offsets() -> None:
    query = parse("a ½ cup")
    assert query.tokens == ("a", "1", "2", "cup")
    assert query.offsets == ((0, 1), (2, 3), (2, 3), (4, 7))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("headset for my employee", "headset"),
        ("I'm unable to use the Mouse", "mouse"),
        ("can\u2019t remember steps", "remember steps"),  # the typographic apostrophe of phone keyboards
        ("sit/stand desk", "sit stand desk"),
        ("Guillain-Barré", "guillain barre"),
        ("braille braille", "braille braille"),
        ("workers needing workstations", "workstations"),  # a filler is a whole word
        ("Who needs help?", "needs help"),  # nothing else is left: without stop words
        ("to be or not to be", ""),
        ("(a OR b) AND", ""),  # a remaining single letter is not a keyword
        ("vitamin b", "vitamin b"),
        ("b", "b"),
        ("?!", ""),
    ],
)
def test_keywords_exclude_fillers_unless_nothing_else_is_left(text: str, expected: str) -> None:
    assert " ".join(parse(text).keywords) == expected


@pytest.mark.parametrize(
    ("text", "setting", "words", "expected"),
    [
        ("dyslexia in exams", "testing", "in exams", "dyslexia"),
        ("adhd at school", "school", "at school", "adhd"),
        ("back pain in the workplace", "work", "in the workplace", "back pain"),  # the longest phrase: not "workplace"
        ("a law student with ADHD", "school", "law student", "adhd"),
        ("vision standardised test", "testing", "standardized test", "vision"),  # as spelled in America
        ("my employee has adhd in exams", "work", "my employee", "adhd exams"),  # only one phrase, the first
        ("exam chair", "testing", "exam", "chair"),
        ("exams", None, "", "exams"),  # nothing else is left
        ("at work", None, "", "work"),
        ("adhd work", None, "", "adhd"),
        ("my homeworking desk", None, "", "homeworking desk"),  # whole words
    ],
)
def test_the_words_of_a_setting_are_not_keywords(text: str, setting: str | None, words: str, expected: str) -> None:
    query = parse(text)
    assert (query.setting, query.setting_text) == (setting, words)
    assert " ".join(query.keywords) == expected


def test_a_type_hint_is_detected_beside_a_setting() -> None:
    for text in ("apps for dyslexia in exams", "in exams, apps for dyslexia", "dyslexia apps in exams"):
        hint = parse(text).type_hint
        assert hint
        assert (hint.types, hint.keywords) == (("solution", "product"), ("dyslexia",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("at the job", {}),  # fillers alone are not a name
        ("MS", {"ms": "ms"}),
        ("tremor, tremor", {"tremortremor": "tremor tremor", "tremor": "tremor"}),  # each sequence once
        ("wheel chairs", {"wheelchair": "wheel chairs", "wheel": "wheel", "chair": "chairs"}),
        ("Crohn's", {"crohn": "crohns"}),
        ("AD/HD", {"adhd": "ad hd"}),  # written as one word, it mentions neither AD nor HD
        ("MS AD/HD", {"msadhd": "ms ad hd", "msad": "ms ad", "adhd": "ad hd", "ms": "ms"}),
        # fillers count inside a sequence, and next to a word
        ("adhd at work", {"adhdatwork": "adhd at work", "adhdat": "adhd at", "adhd": "adhd"}),
        # alone, some words name something, but not inside a query
        ("that sad dog", {"thatsaddog": "that sad dog", "thatsad": "that sad", "saddog": "sad dog", "dog": "dog"}),
        # unless they stand alone between commas, are in capitals or a noun before "for"
        ("leave, asthma", {"leaveasthma": "leave asthma", "asthma": "asthma", "leave": "leave", "LEAVE": "leave"}),
        (
            "leave for chemo",
            {
                "leaveforchemo": "leave for chemo",
                "leavefor": "leave for",
                "forchemo": "for chemo",
                "chemo": "chemo",
                "leave": "leave",
                "LEAVE": "leave",
            },
        ),
        # whose it is does not matter, and no name begins or ends with it
        ("her dog", {"dog": "dog"}),
        ("Tumours", {"tumor": "tumors"}),
    ],
)
def test_mentions_are_all_word_sequences_with_the_longest_first(text: str, expected: dict[str, str]) -> None:
    mentions = {form: " ".join(words) for form, words in parse(text).mentions.items()}
    assert mentions == expected
    assert list(mentions) == list(expected)


@pytest.mark.parametrize(
    ("text", "cased"),
    [
        ("doors syndrome", set()),
        ("has DOORS", {"DOORS", "hasDOORS"}),
        ("the DOORS open", {"DOORSopen", "DOORS"}),
        ("HAS DOORS", set()),  # everything is in capitals
        ("Doors", set()),
        ("vitamin B", set()),  # a single letter
        ("PTSD in cafés", {"PTSD", "PTSDin", "PTSDincafe"}),
    ],
)
def test_words_in_capitals_are_mentions_as_they_are_typed_too(text: str, cased: set[str]) -> None:
    assert {form for form in parse(text).mentions if not form.islower()} == cased


@pytest.mark.parametrize(
    ("text", "capitals"),
    [
        ("DOORS", {"doors"}),
        ("student with SAD", {"sad"}),
        ("Sad student", set()),
        ("SAD STUDENT", set()),  # everything is in capitals
    ],
)
def test_words_in_capitals_are_known(text: str, capitals: set[str]) -> None:
    assert parse(text).capitals == capitals


def test_a_mention_in_capitals_has_the_same_tokens() -> None:
    mentions = parse("has DOORS").mentions
    assert mentions["DOORS"] == mentions["door"] == ("doors",)


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("tumours of the oesophagus", "tumors of the esophagus"),
        ("Anaesthetists' programme", "anesthetists program"),
        ("colour-blindness", "color blindness"),
    ],
)
def test_british_and_american_spellings_are_the_same_query(british: str, american: str) -> None:
    first, second = parse(british), parse(american)
    for name in ("tokens", "stems", "key", "form", "keywords", "mentions", "keyword_sets", "variants", "type_hint"):
        assert getattr(first, name) == getattr(second, name)


def test_a_mention_has_at_most_six_words() -> None:
    words = list("bcdefgh")
    forms = list(parse(" ".join(words)).mentions)
    assert forms[:2] == ["bcdefg", "cdefgh"]
    assert forms[-len(words) :] == words
    assert len(forms) == sum(len(words) + 1 - size for size in range(1, 7))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("OCR complaint", True), ("my OCR complaint", True), ("OCR complaint for a lamp", False), ("lamp", False)],
)
def test_a_query_asks_for_a_guide_only(text: str, expected: bool) -> None:  # noqa: FBT001
    query = parse(text)
    start = next((place for place, word in enumerate(query.tokens) if word == "ocr"), None)
    names = (GuideName("OCR complaint", start, start + 2, frozenset()),) if start is not None else ()
    assert replace(query, guide_names=names).is_guide is expected


def test_a_query_has_a_limited_number_of_mentions() -> None:
    fractions = "½⅓¼⅕⅙⅐⅛⅑⅒⅔⅖¾⅗⅜⅘⅚⅝⅞"  # two tokens per character
    query = parse("".join(map("".join, product(fractions, repeat=2))))
    assert len(query.mentions) == MAX_MENTIONS
    assert {len(words) for words in query.mentions.values()} == {3}  # the longest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hands go numb", {"hand numb"}),
        ("I can't use my hands well", set()),  # one keyword
        ("numb numb", set()),
        (
            "tired after lunch every afternoon",
            {"tir lunch afternoon", "tir lunch", "tir afternoon", "lunch afternoon"},
        ),
        ("numb hands in exams", {"numb hand exam", "numb hand", "numb exam", "hand exam"}),  # "shuts down in exams"
        ("checking the locks", {"check lock"}),
        ("", set()),
    ],
)
def test_keyword_sets_combine_two_or_three_keywords(text: str, expected: set[str]) -> None:
    assert set(map(" ".join, parse(text).keyword_sets)) == expected


def test_only_words_near_each_other_are_combined() -> None:
    words = [f"word{number}" for number in range(30)]
    sets = keyword_combinations(words)
    assert set(sets) >= {*combinations(words[: NEAR_WORDS[3]], 3), *combinations(words[: NEAR_WORDS[2]], 2)}
    assert ("word0", "word4") not in sets
    assert {word for words in sets for word in words} == set(words[:MAX_COMBINED_WORDS])
    assert len(sets) == 110  # each is a key that OpenSearch looks up


@pytest.mark.parametrize(
    ("text", "is_id"),
    [
        ("occupation:11-1011.00", True),
        ("ability:1.A.3.a.1", True),
        ("solution:telework", False),  # a slug may be a name
        ("vendor: zoom", False),
        ("11-1011.00", False),
        (":", True),
    ],
)
def test_recognizes_a_query_that_can_only_be_an_id(text: str, *, is_id: bool) -> None:
    assert parse(text).is_id is is_id


def test_an_id_has_no_type_hint() -> None:
    assert parse("occupation: software developers").type_hint is None
    assert parse("occupation software developers").type_hint is not None


def test_variants_apply_the_rules_with_the_fewest_replacements_first() -> None:
    query = parse("wheel chair wfh").with_rules(SYNONYMS)
    assert [match.rule for match in query.rules] == [CHAIR, WFH]
    variants = [(" ".join(variant.tokens), variant.replaced) for variant in query.variants]
    assert variants[:2] == [("wheel chair wfh", ()), ("wheel chair work from home", (("wfh", "work from home"),))]
    assert ("wheelchair telework", (("wheel chair", "wheelchair"), ("wfh", "telework"))) in variants
    assert len(variants) == 6


def test_rules_add_mentions_that_were_not_typed() -> None:
    query = parse("wheel chair wfh").with_rules(SYNONYMS)
    assert {form: match.rule for form, match in query.rule_mentions.items()} == {"workfromhome": WFH, "telework": WFH}
    assert "wheelchair" in query.mentions  # as typed


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("mouse for shaky hands", "shakyhand", 2 / 3),
        ("mouse for shaky hands", "mouse", 1 / 3),
        ("mouse for tremor", "tremor", 0.5),
        ("what helps with memory loss at work", "memoryloss", 1),  # the others are fillers
        ("wfh for my work", "telework", 1),
        ("wfh desk", "telework", 0.5),
    ],
)
def test_a_mention_has_a_share_of_the_keywords(text: str, form: str, expected: float) -> None:
    assert parse(text).with_rules(SYNONYMS).keyword_share(form) == expected


def test_a_query_that_matches_no_rule_is_unchanged() -> None:
    query = parse("braille displays for work")
    assert query.with_rules(SYNONYMS) is query
    (variant,) = query.variants
    assert variant.keyword_stems == ("braille", "display")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a" * 501, "a" * 500),
        ("word " * 41, "word " * 40),
        ("東" * 60, "東" * 40),
        (" 東" + "東" * 59, " " + "東" * 40),
        ("(?" + "東" * 60, "(?" + "東" * 40),
        ("lamp " + "東" * 40, "lamp "),
    ],
)
def test_only_the_beginning_of_a_long_query_is_searched(raw: str, text: str) -> None:
    assert truncate_query(raw) == text


@pytest.mark.parametrize(
    ("request_", "expanded"),
    [
        (SearchRequest(parse("wfh")), True),
        (SearchRequest(parse("wfh"), synonyms=False), False),
        (SearchRequest(parse("wfh" + " word" * 13)), True),
        (SearchRequest(parse("wfh" + " word" * 14)), False),  # twenty words with rules have more than 1,024 clauses
    ],
)
def test_rules_apply_to_short_queries_unless_they_are_disabled(request_: SearchRequest, *, expanded: bool) -> None:
    with_rules = request_.with_release(RELEASE)
    assert (request_.expands_synonyms, bool(with_rules.query.rules)) == (expanded, expanded)
    assert replace(with_rules, query=request_.query) == request_
