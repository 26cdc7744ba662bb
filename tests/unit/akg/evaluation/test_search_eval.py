"""When a name counts as found, and random typos of names."""

from random import Random

import pytest
from rapidfuzz.distance import OSA

from akg.evaluation.metrics import SEARCH_DEPTH
from akg.evaluation.search_eval import EntityName, draw, entities_by_name, is_first_or_tied, with_typos
from schema.json_types import JsonObject
from schema.text import WORD
from tests.support.search_responses import card

TARGET, TWIN, OTHER = (
    {"card": {**card("occupation", name), "id": id_}, "aliases": ["Tutor"], "titles": ["Coach"]}
    for id_, name in (("me", "Teacher"), ("twin", "Teacher"), ("other", "Headteacher"))
)


@pytest.mark.parametrize(
    ("hits", "first"),
    [
        ([TARGET, OTHER], True),
        ([TWIN, TARGET], True),  # after an entity of the same name
        ([TWIN, TWIN, TARGET], True),
        ([OTHER, TARGET], False),
        ([TWIN, OTHER, TARGET], False),  # the tie ends before the entity
        ([TWIN, OTHER], False),
        ([TWIN, TWIN], True),  # all hits of the page tie
        ([TWIN] * SEARCH_DEPTH + [OTHER, TARGET], True),
        ([], False),
    ],
)
def test_an_entity_is_first_or_tied(hits: list[JsonObject], *, first: bool) -> None:
    assert is_first_or_tied(EntityName("me", "name", "Teacher"), hits) is first
    assert is_first_or_tied(EntityName("me", "alias", "tutors"), hits) is (hits[:1] == [TARGET])
    for text in ("Tutor", "coach"):
        assert is_first_or_tied(EntityName("me", "alias", text), hits) is bool(hits)


SEEDS = range(200)


def rng(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - a sample, not a secret


@pytest.mark.parametrize("text", ["Dyslexia", "Hay Fever Tablet", "Guillain-Barré", "Parkinson's Disease", "CANCER"])
def test_a_typo_is_one_edit_after_the_first_letter(text: str) -> None:
    texts = [with_typos(text, rng(seed)) or "" for seed in SEEDS]
    assert {OSA.distance(text, edited) for edited in texts} <= {0, 1}  # the next test rules out 0
    firsts = [word[0] for word in WORD.findall(text)]
    assert all([word[0] for word in WORD.findall(edited)] == firsts for edited in texts)


def test_typos_insert_delete_replace_and_swap_letters() -> None:
    texts = [with_typos("narcotics", rng(seed)) or "" for seed in SEEDS]
    same_letters = [text for text in texts if sorted(text) == sorted("narcotics") and text != "narcotics"]
    assert {len(text) for text in texts} == {8, 9, 10}
    assert 0 < len(same_letters) < sum(len(text) == 9 for text in texts)


@pytest.mark.parametrize(
    ("text", "words", "first_letter"),
    [("Narcolepsy", 1, False), ("Attention", 1, False), ("Carpal Tunnel Syndrome", 2, False), ("Dyslexia", 1, True)],
)
def test_each_typo_changes_one_word(text: str, words: int, *, first_letter: bool) -> None:
    for seed in SEEDS:
        edited = with_typos(text, rng(seed), first_letter=first_letter, words=words) or ""
        changed = [word for word, new in zip(text.split(), edited.split(), strict=True) if word != new]
        assert len(changed) == words, (seed, edited)


def test_a_typo_in_the_first_letter_changes_no_other_letter() -> None:
    texts = [with_typos("My Dyslexia", rng(seed), first_letter=True) or "" for seed in SEEDS]
    assert {text[:3] + text[4:] for text in texts} == {"My yslexia"}
    assert not {text[3].casefold() for text in texts} & {"d"}
    assert len({text[3] for text in texts}) > 10


def test_several_typos_are_in_different_long_words() -> None:
    for seed in SEEDS:
        severe, low, vision = (with_typos("Severe low vision", rng(seed), words=2) or "").split()
        assert low == "low"
        assert OSA.distance(severe, "Severe") <= 1
        assert OSA.distance(vision, "vision") <= 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 1),
        ("Back Pain", 1),  # has no word of six letters
        ("Noise Canceling", 2),  # has one
        ("Model X-123456", 1),  # the number is not a word
        ("HD720x480", 1),
        ("Heavy and Tractor-Trailer Truck Drivers", 1),  # more than four words
    ],
)
def test_a_text_with_too_few_long_words_gets_no_typo(text: str, words: int) -> None:
    assert with_typos(text, rng(1), words=words) is None


def test_the_same_seed_makes_the_same_typo() -> None:
    assert with_typos("Dyslexia", rng(7)) == with_typos("Dyslexia", rng(7))


SHORT = EntityName("disability:als", "alias", "ALS")
LONG = EntityName("disability:asthma", "name", "Asthma")
LONGER = EntityName("disability:carpal", "name", "Carpal Tunnel Syndrome")


def test_draws_names_with_long_words() -> None:
    drawn = [draw([SHORT, LONG, LONGER], rng(seed)) for seed in SEEDS]
    assert {name.entity for name, _ in drawn} == {LONG.entity, LONGER.entity}
    assert all(OSA.distance(name.text, text) <= 1 for name, text in drawn)


def test_draws_the_requested_typos() -> None:
    assert {draw([SHORT, LONG, LONGER], rng(seed), words=2)[0] for seed in SEEDS} == {LONGER}
    name, text = draw([LONG], rng(3), first_letter=True)
    assert (name, text[1:]) == (LONG, "sthma")
    assert text[0] != "A"


def test_entities_by_name_lists_every_entity_of_a_name() -> None:
    names = [
        EntityName("occupation:1", "alias", "Associate Professor"),
        EntityName("occupation:2", "alias", "associate-professor"),
        EntityName("occupation:2", "name", "Associate  Professor"),
        EntityName("disability:crohns", "name", "Crohn\u2019s"),
    ]
    assert entities_by_name(names) == {
        "associateprofessor": {"occupation:1", "occupation:2"},
        "crohns": {"disability:crohns"},
    }
    assert entities_by_name([]) == {}
