"""A query before the engine sees it: fillers, runs that may be names, a type word at either end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from api.asking import HINTS, MOST_MENTIONS, Hint, content_words, gists, hint, mentions

if TYPE_CHECKING:
    from indexer.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("headset for my employee", "headset"),
        ("I'm unable to use the Mouse", "mouse"),
        ("can\u2019t remember steps", "remember steps"),  # with the apostrophe that phones type
        ("sit/stand desk", "sit stand desk"),
        ("Guillain-Barré", "guillain barre"),
        ("braille braille", "braille braille"),  # said twice is meant twice
        ("workers needing workstations", "workstations"),  # a filler is a whole word
        ("Who needs help?", "needs help"),  # nothing else is left: without what means nothing alone
        ("to be or not to be", ""),
        ("(a OR b) AND", ""),  # a letter that is left alone is no word
        ("vitamin b", "vitamin b"),
        ("b", "b"),
        ("?!", ""),
    ],
)
def test_fillers_go_unless_nothing_else_is_left(text: str, kept: str) -> None:
    assert content_words(text) == kept


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("at the job", {}),  # fillers alone name nothing
        ("MS", {1: ["ms"]}),
        ("tremor, tremor", {2: ["tremortremor", "tremortremors"], 1: ["tremor"]}),  # each run once
        ("wheel chairs", {2: ["wheelchairs", "wheelchair"], 1: ["wheel", "chairs", "chair"]}),
        # only the last word of a run may stand in the plural
        ("sits stands", {2: ["sitsstands", "sitsstand"], 1: ["sits", "sit", "stands", "stand"]}),
        ("Crohn's", {1: ["crohns", "crohn"]}),
        ("AD/HD", {2: ["adhd"]}),  # written as one, it speaks of neither AD nor HD
        ("MS AD/HD", {3: ["msadhd"], 2: ["msad", "adhd"], 1: ["ms"]}),
        # fillers count inside a run, and beside a word
        ("adhd at work", {3: ["adhdatwork"], 2: ["adhdat"], 1: ["adhd"]}),
    ],
)
def test_runs_of_words_may_be_names_the_longest_first(text: str, found: dict[int, list[str]]) -> None:
    assert mentions(text) == found
    assert list(mentions(text)) == sorted(found, reverse=True)


def test_a_name_has_six_words_at_most() -> None:
    found = mentions("b c d e f g h")
    assert list(found) == [6, 5, 4, 3, 2, 1]
    assert found[6] == ["bcdefg", "cdefgh"]
    assert found[1] == ["b", "c", "d", "e", "f", "g", "h"]


def test_a_long_query_has_only_so_many_mentions_of_each_length() -> None:
    found = mentions(" ".join(f"word{number}s" for number in range(100)))  # two forms of each
    assert {length: len(forms) for length, forms in found.items()} == dict.fromkeys(range(6, 0, -1), MOST_MENTIONS)
    assert found[1][:3] == ["word0s", "word0", "word1s"]
    assert found[1][-1] == "word59"


BY_NEED = ("solution", "disability", "limitation")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("vendors of braille displays", Hint("vendors", ("vendor",), "braille displays", "vendors", joins=True)),
        ("braille display vendors", Hint("vendors", ("vendor",), "braille display", "vendors")),
        ("Who sells Zoom?", Hint("who sells", ("vendor",), "zoom", "vendors")),
        ("adjustments for autism", Hint("adjustments", BY_NEED, "autism", "adjustments", joins=True)),
        ("headset app", Hint("app", ("solution", "product"), "headset", "apps")),
        # the longest type word that fits
        (
            "functional limitations of ADHD",
            Hint("functional limitations", ("limitation",), "adhd", "functional limitations", joins=True),
        ),
        (
            "reasonable accommodations for M.S.",
            Hint("reasonable accommodations", BY_NEED, "m s", "reasonable accommodations", joins=True),
        ),
        ("job accommodations", Hint("accommodations", BY_NEED, "job", "accommodations")),
        # all the joiners after it go, and no other filler
        ("products that, with dragon", Hint("products", ("product",), "dragon", "products", joins=True)),
        ("jobs for people with autism", Hint("jobs", ("occupation",), "people with autism", "jobs", joins=True)),
        ("products products", Hint("products", ("product",), "products", "products")),
        # whole sentences that ask for firms
        ("companies that sell screen readers", Hint("companies that sell", ("vendor",), "screen readers", "vendors")),
        (
            "Where can I buy a hearing loop?",
            Hint("where can i buy", ("vendor",), "hearing loop", "vendors", joins=True),
        ),
        ("hearing loop manufacturer", Hint("manufacturer", ("vendor",), "hearing loop", "manufacturers")),
        ("job coach service", Hint("service", BY_NEED, "job coach", "services")),  # the longer of two
        ("equipment for the blind", Hint("equipment", ("solution", "product"), "blind", "equipment", joins=True)),
        # verbs join too, and some of them say what is asked of people
        (
            "Occupations that require standing",
            Hint("occupations", ("occupation",), "standing", "occupations", joins=True, asks=True),
        ),
        ("jobs needing typing", Hint("jobs", ("occupation",), "typing", "jobs", joins=True, asks=True)),
        ("conditions which cause fatigue", Hint("conditions", ("disability",), "fatigue", "conditions", joins=True)),
        ("technology for dyslexia", Hint("technology", BY_NEED, "dyslexia", "technologies", joins=True)),
        ("products", None),  # nothing else is left
        ("products for", None),
        ("who makes", None),
        ("large products here", None),  # in the middle
        ("productsheet stand", None),  # a part of a word
        ("braille displays", None),
        ("", None),
    ],
)
def test_a_type_word_at_either_end_is_taken_off(text: str, found: Hint | None) -> None:
    assert hint(text) == found


def test_type_words_stand_for_types_that_exist(vocabulary: Vocabulary) -> None:
    assert {name for types, _ in HINTS.values() for name in types} <= set(vocabulary.types)


def test_every_type_word_works_at_both_ends() -> None:
    wanted = {phrase: Hint(phrase, types, "lupus", asked) for phrase, (types, asked) in HINTS.items()}
    assert {phrase: hint(f"{phrase} lupus") for phrase in HINTS} == wanted
    assert {phrase: hint(f"lupus {phrase}") for phrase in HINTS} == wanted


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hands go numb", {2: ["hands numb"]}),
        ("I can't use my hands well", {}),  # one telling word
        ("numb numb", {}),
        (
            "tired after lunch every afternoon",
            {3: ["tired lunch afternoon"], 2: ["tired lunch", "tired afternoon", "lunch afternoon"]},
        ),
        ("", {}),
    ],
)
def test_two_or_three_telling_words_may_be_those_of_a_name(text: str, found: dict[int, list[str]]) -> None:
    assert gists(text) == found


def test_of_many_telling_words_the_first_count() -> None:
    found = gists(" ".join(f"word{number}" for number in range(30)))
    assert {size: len(some) for size, some in found.items()} == {3: 35, 2: 21}
