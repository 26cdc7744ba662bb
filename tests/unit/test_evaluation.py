"""Slips of the pen as the measurements make them, and whose name a text is."""

from __future__ import annotations

from random import Random

import pytest
from rapidfuzz.distance import OSA

from api.evaluation import Name, _first_or_tied, draw, owners, slipped
from api.words import WORD

SEEDS = range(200)


def chance(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - a sample, no secret


@pytest.mark.parametrize("text", ["Dyslexia", "Hay Fever Tablet", "Guillain-Barré", "Parkinson's Disease", "CANCER"])
def test_a_slip_is_one_edit_behind_the_first_letter(text: str) -> None:
    found = [slipped(text, chance(seed)) or "" for seed in SEEDS]
    assert {OSA.distance(text, other) for other in found} <= {0, 1}  # that it is never 0 is asked below
    firsts = [word[0] for word in WORD.findall(text)]
    assert all([word[0] for word in WORD.findall(other)] == firsts for other in found)


def test_letters_are_put_in_left_out_changed_and_swapped() -> None:
    found = [slipped("narcotics", chance(seed)) or "" for seed in SEEDS]
    same_letters = [other for other in found if sorted(other) == sorted("narcotics") and other != "narcotics"]
    assert {len(other) for other in found} == {8, 9, 10}
    assert 0 < len(same_letters) < sum(len(other) == 9 for other in found)


@pytest.mark.parametrize(
    ("text", "words", "first_letter"),
    [("Narcolepsy", 1, False), ("Attention", 1, False), ("Carpal Tunnel Syndrome", 2, False), ("Dyslexia", 1, True)],
)
def test_each_slip_changes_a_word(text: str, words: int, *, first_letter: bool) -> None:
    for seed in SEEDS:
        found = slipped(text, chance(seed), first_letter=first_letter, words=words) or ""
        changed = [one for one, other in zip(text.split(), found.split(), strict=True) if one != other]
        assert len(changed) == words, (seed, found)


def test_a_slip_in_the_first_letter_changes_no_other() -> None:
    found = [slipped("My Dyslexia", chance(seed), first_letter=True) or "" for seed in SEEDS]
    assert {other[:3] + other[4:] for other in found} == {"My yslexia"}
    assert not {other[3].casefold() for other in found} & {"d"}
    assert len({other[3] for other in found}) > 10


def test_several_slips_stand_in_as_many_words_and_only_in_long_ones() -> None:
    for seed in SEEDS:
        one, low, other = (slipped("Severe low vision", chance(seed), words=2) or "").split()
        assert low == "low"
        assert OSA.distance(one, "Severe") <= 1
        assert OSA.distance(other, "vision") <= 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 1),
        ("Back Pain", 1),  # no word of six letters
        ("Noise Canceling", 2),  # only one
        ("Model X-123456", 1),  # a number is no word
        ("HD720x480", 1),
        ("Heavy and Tractor-Trailer Truck Drivers", 1),  # more than four words
    ],
)
def test_a_text_without_enough_long_words_has_no_slip(text: str, words: int) -> None:
    assert slipped(text, chance(1), words=words) is None


def test_the_same_chance_makes_the_same_slip() -> None:
    assert slipped("Dyslexia", chance(7)) == slipped("Dyslexia", chance(7))


SHORT = Name("disability:als", "alias", "ALS")
LONG = Name("disability:asthma", "name", "Asthma")
LONGER = Name("disability:carpal", "name", "Carpal Tunnel Syndrome")


def test_only_names_that_can_have_slips_are_drawn() -> None:
    drawn = [draw([SHORT, LONG, LONGER], chance(seed)) for seed in SEEDS]
    assert {one.entity for one, _ in drawn} == {LONG.entity, LONGER.entity}
    assert all(OSA.distance(one.text, text) <= 1 for one, text in drawn)


def test_a_draw_has_the_slips_that_were_asked_for() -> None:
    assert {draw([SHORT, LONG, LONGER], chance(seed), words=2)[0] for seed in SEEDS} == {LONGER}
    one, text = draw([LONG], chance(3), first_letter=True)
    assert (one, text[1:]) == (LONG, "sthma")
    assert text[0] != "A"


def test_a_name_belongs_to_everyone_who_carries_it() -> None:
    wanted = [
        Name("occupation:1", "alias", "Associate Professor"),
        Name("occupation:2", "alias", "associate-professor"),
        Name("occupation:2", "name", "Associate  Professor"),
        Name("disability:crohns", "name", "Crohn\u2019s"),
    ]
    assert owners(wanted) == {"associateprofessor": {"occupation:1", "occupation:2"}, "crohns": {"disability:crohns"}}
    assert owners([]) == {}


ME, TWIN, OTHER = ("me", {"teacher", "tutor"}), ("twin", {"teacher"}), ("other", {"headteacher"})


@pytest.mark.parametrize(
    ("hits", "first"),
    [
        ([ME, OTHER], True),
        ([TWIN, ME], True),  # behind one that carries the very same text
        ([TWIN, TWIN, ME], True),
        ([OTHER, ME], False),
        ([TWIN, OTHER, ME], False),  # the tie ends before it
        ([TWIN, OTHER], False),
        ([TWIN, TWIN], True),  # all of the page ties
        ([], False),
    ],
)
def test_a_name_finds_its_entity_first_or_ties(hits: list[tuple[str, set[str]]], *, first: bool) -> None:
    assert _first_or_tied(Name("me", "name", "Teacher"), hits) is first
