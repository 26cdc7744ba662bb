"""A query and a name compared: in order, and up to endings."""

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.search.names import HitNames, has_phrase, parse_name, same_stem
from api.search.query import ParsedQuery
from schema.exact_keys import name_lines
from schema.text import singularize, tokens


def test_a_name_has_the_same_parts_as_a_query() -> None:
    name, query = parse_name("Crohn's Diseases"), ParsedQuery.parse("crohns disease")
    assert name.stems == query.stems == ("crohn", "disease")
    assert name.form == query.form == "crohndisease"
    assert (name.text, name.tokens, name.key) == ("Crohn's Diseases", ("crohns", "diseases"), "crohnsdiseases")
    assert name.folded == "crohns diseases"


@pytest.mark.parametrize(
    ("text", "cased"),
    [
        ("DOORS Syndrome", "DOORSsyndrome"),
        ("Doors", None),
        ("AD/HD", "ADHD"),
        ("Vitamin B", None),  # a single capital is not a word in capitals
        ("½ ADA", None),  # one character is two tokens: words and tokens cannot be compared
    ],
)
def test_a_name_with_words_in_capitals_has_a_cased_form(text: str, cased: str | None) -> None:
    assert parse_name(text).cased == cased


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("SAD", {"SAD"}),  # "sad" is a word
        ("Sad", {"sad"}),
        ("ADHD", {"adhd", "ADHD"}),
        ("SAD lamp", {"sadlamp", "SADlamp"}),
    ],
)
def test_an_abbreviation_that_is_a_common_word_is_a_part_of_a_query_only_in_capitals(
    text: str, forms: set[str]
) -> None:
    assert parse_name(text).forms == forms


def test_the_keywords_of_a_name_are_the_base_forms_of_its_content_words() -> None:
    assert parse_name("Can't use my hands well").keywords == {"hand"}
    assert parse_name("trouble remembering Names").keywords == {"remember", "nam"}


@pytest.mark.parametrize(
    ("name", "words", "shared"),
    [
        ("Noise Canceling Headsets", "noise headsets", 2),
        ("forgetting instructions", "forgets instruction", 2),  # up to endings
        ("Noise Canceling Headsets", "noise noise lamp", 2),  # each word of the query counts
        ("Headsets", "lamp desk", 0),
        ("Text-to-Speech", "speech text", 2),  # in any order
        ("", "noise", 0),
        ("Noise", "", 0),
    ],
)
def test_a_name_shares_words_with_a_query(name: str, words: str, shared: int) -> None:
    assert parse_name(name).shared(map(singularize, words.split())) == shared


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("forgets", "forgetting", True),
        ("organize", "organization", True),
        ("for", "forgetting", False),
        ("adjustable", "adjusting", False),
        ("desk", "disk", False),
        ("working", "walking", False),
        ("read", "reader", True),
        ("see", "seeing", True),
        ("ms", "ms", False),  # too short: words of up to three letters must be equal
    ],
)
def test_words_have_the_same_stem_if_they_differ_by_an_ending(one: str, other: str, *, same: bool) -> None:
    assert same_stem(one, other) is same
    assert same_stem(other, one) is same


def test_a_phrase_is_a_run_of_whole_words() -> None:
    words = ("screen", "reader", "app")
    assert has_phrase(words, ("reader", "app"))
    assert not has_phrase(words, ("screen", "app"))
    assert not has_phrase(words, ("screen", "read"))


NAMES = ("Attention Deficit/Hyperactivity Disorder", "ADHD", "AD/HD", "can't pay attention", "My Attention Span")
PAYLOAD = {"card": {"name": NAMES[0]}, "aliases": list(NAMES[1:4]), "titles": [NAMES[4]], "words": name_lines(NAMES)}
OF_HIT = HitNames(PAYLOAD)


@pytest.mark.parametrize(
    ("forms", "found"),
    [
        ({"adhd"}, ["ADHD", "AD/HD"]),
        ({"attentiondeficithyperactivitydisorder"}, [NAMES[0]]),
        ({"cantpayattention", "attentionspan"}, ["can't pay attention", "My Attention Span"]),
        ({"ADHD", "attention"}, []),
        ((), []),
    ],
)
def test_names_of_a_hit_are_found_by_their_form(forms: Collection[str], found: list[str]) -> None:
    names = OF_HIT.with_form(forms)
    assert [name.text for name in names] == found
    assert all(name.form in forms for name in names)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["attentive"], [NAMES[0], NAMES[3], NAMES[4]]),
        (["hd", "span"], ["AD/HD", "My Attention Span"]),
        (["ord"], []),
        ([], []),
    ],
)
def test_only_names_of_a_hit_with_a_similar_word_are_compared(words: list[str], found: list[str]) -> None:
    assert [name.text for name in OF_HIT.with_similar_words(words)] == found


@given(st.lists(st.text("abcdeiosy '/", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=5), st.data())
def test_no_name_that_shares_a_word_is_left_out(names: list[str], data: st.DataObject) -> None:
    of_hit = HitNames({"card": {"name": names[0]}, "aliases": names[1:], "words": name_lines(names)})
    words = data.draw(st.lists(st.sampled_from([word for name in names for word in name.split()]), max_size=3))
    keywords = [singularize(token) for word in words for token in tokens(word)]
    similar = {name.text for name in of_hit.with_similar_words(keywords)}
    assert {name for name in names if parse_name(name).shared(keywords)} <= similar
