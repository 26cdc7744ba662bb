"""A parsed query: its tokens, keywords, candidate names, spans and variants."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.search.query import MAX_CANDIDATES, ParsedQuery, Span, keyword_combinations, truncate_query
from api.search.type_hints import keywords
from schema.synonyms import SynonymMatcher, SynonymRule
from schema.text import fold, name_key, stems, tokens

parse = ParsedQuery.parse
WFH = SynonymRule("rules.txt", 1, ("wfh",), ("work from home", "telework"))
CHAIR = SynonymRule("rules.txt", 2, ("wheelchair", "wheel chair"), ("wheelchair", "wheel chair"))
SYNONYMS = SynonymMatcher([WFH, CHAIR])
PIECES = ("vendors", "of", "jobs that require", "AD/HD", "Crohn\u2019s", "½", "東京", "wfh", "wheel chair", " ", "x:1")
TEXTS = st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join)


@given(TEXTS)
def test_the_spans_of_any_query_have_the_text_at_their_offsets(raw: str) -> None:
    query = parse(raw).with_rules(SYNONYMS)
    assert query.raw == raw
    assert raw.startswith(query.text)
    assert all(span.text == query.text[span.start : span.end] != "" for span in query.spans)
    words = [(span.start, span.end) for span in query.spans[: len(query.tokens)]]
    assert words == list(query.offsets) == sorted(words)


@given(TEXTS)
def test_a_query_is_tokenized_like_any_other_text(raw: str) -> None:
    query = parse(raw)
    text = query.text
    assert (query.tokens, query.stems, query.key) == (tokens(text), stems(text), name_key(text))
    assert query.folded == fold(text)
    assert query.keywords == keywords(query.tokens)


@given(TEXTS)
def test_parsing_the_searched_text_again_changes_nothing(raw: str) -> None:
    query = parse(raw)
    again = parse(query.text)
    derived = [*(name for name in ParsedQuery.__slots__ if name != "raw"), "spans"]
    assert [getattr(again, name) for name in derived] == [getattr(query, name) for name in derived]


@given(TEXTS)
def test_every_candidate_name_has_a_span(raw: str) -> None:
    query = parse(raw)
    candidates = {key for span in query.spans if span.role == "mention" for key in span.candidates}
    assert candidates.issuperset(key for keys in query.mentions.values() for key in keys)


def test_each_word_has_a_role() -> None:
    query = parse("Vendors of Crohn\u2019s books for my work")
    spans = query.spans[: len(query.tokens)]
    assert [span.text for span in spans] == query.text.split()
    roles = ["keyword", "connector", "keyword", "keyword", "stop word", "stop word", "filler"]
    assert [span.role for span in spans] == roles


def test_type_phrases_mentions_and_rules_have_spans_with_their_candidates() -> None:
    query = parse("wheel chair vendors").with_rules(SYNONYMS)
    assert query.spans[3:] == (
        Span("vendors", 12, 19, "type", ("vendor",)),
        Span("wheel chair vendors", 0, 19, "mention", ("wheelchairvendors", "wheelchairvendor")),
        Span("wheel chair", 0, 11, "mention", ("wheelchair", "wheelchairs")),
        Span("chair vendors", 6, 19, "mention", ("chairvendors", "chairvendor")),
        Span("wheel", 0, 5, "mention", ("wheel",)),
        Span("chair", 6, 11, "mention", ("chair",)),
        Span("vendors", 12, 19, "mention", ("vendors", "vendor")),
        Span("wheel chair", 0, 11, "synonym", ("wheelchair", "wheel chair")),
    )
    assert Span("vendors of", 0, 10, "type", ("vendor",)) not in parse("vendors of lamps").spans
    assert Span("vendors", 0, 7, "type", ("vendor",)) in parse("vendors of lamps").spans


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
    ("text", "expected"),
    [
        ("", {}),
        ("at the job", {}),  # fillers alone are not a name
        ("MS", {1: ("ms",)}),
        ("tremor, tremor", {2: ("tremortremor", "tremortremors"), 1: ("tremor",)}),  # each sequence once
        ("wheel chairs", {2: ("wheelchairs", "wheelchair"), 1: ("wheel", "chairs", "chair")}),
        # only the last word of a sequence may be in the plural
        ("sits stands", {2: ("sitsstands", "sitsstand"), 1: ("sits", "sit", "stands", "stand")}),
        ("Crohn's", {1: ("crohns", "crohn")}),
        ("AD/HD", {2: ("adhd",)}),  # written as one word, it mentions neither AD nor HD
        ("MS AD/HD", {3: ("msadhd",), 2: ("msad", "adhd"), 1: ("ms",)}),
        # fillers count inside a sequence, and next to a word
        ("adhd at work", {3: ("adhdatwork",), 2: ("adhdat",), 1: ("adhd",)}),
    ],
)
def test_mentions_are_all_word_sequences_with_the_longest_first(
    text: str, expected: dict[int, tuple[str, ...]]
) -> None:
    mentions = parse(text).mentions
    assert mentions == expected
    assert list(mentions) == sorted(expected, reverse=True)


def test_a_mention_has_at_most_six_words() -> None:
    mentions = parse("b c d e f g h").mentions
    assert list(mentions) == [6, 5, 4, 3, 2, 1]
    assert mentions[6] == ("bcdefg", "cdefgh")
    assert mentions[1] == ("b", "c", "d", "e", "f", "g", "h")


def test_a_query_has_a_limited_number_of_mentions_of_each_length() -> None:
    fractions = "½⅓¼⅕⅙⅐⅛⅑⅒⅔⅖¾⅗⅜⅘⅚⅝⅞"  # two tokens per character
    query = parse("".join(map("".join, product(fractions, repeat=2))))
    counts = {length: len(keys) for length, keys in query.mentions.items()}
    assert counts == dict.fromkeys((6, 5, 4, 3, 2), MAX_CANDIDATES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hands go numb", {2: ("hands numb",)}),
        ("I can't use my hands well", {}),  # one keyword
        ("numb numb", {}),
        (
            "tired after lunch every afternoon",
            {3: ("tired lunch afternoon",), 2: ("tired lunch", "tired afternoon", "lunch afternoon")},
        ),
        ("", {}),
    ],
)
def test_keyword_sets_combine_two_or_three_keywords(text: str, expected: dict[int, tuple[str, ...]]) -> None:
    assert parse(text).keyword_sets == expected


def test_only_the_first_of_many_keywords_are_combined() -> None:
    sets = keyword_combinations([f"word{number}" for number in range(30)])
    assert {size: len(combinations) for size, combinations in sets.items()} == {3: 35, 2: 21}


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


def test_a_query_that_matches_no_rule_is_unchanged() -> None:
    query = parse("braille displays for work")
    assert query.with_rules(SYNONYMS) is query
    (variant,) = query.variants
    assert (variant.stems, variant.keyword_stems) == (("braille", "display", "for", "work"), ("braille", "display"))


@pytest.mark.parametrize(("text", "single"), [(" Lamp ", True), ("e-mail", False), ("café", False), ("", False)])
def test_a_single_word_has_plain_letters_only(text: str, *, single: bool) -> None:
    assert parse(text).is_single_word is single


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
