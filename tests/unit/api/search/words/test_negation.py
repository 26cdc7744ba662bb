"""Words that say that a condition does not apply; a negated ability stays a need."""

import pytest

from api.search.words.negation import NOT, PAST, WELL, Subject, is_listed_with, negation_of, past_words
from schema.text import tokens

CASES: list[tuple[str, str | None]] = [
    ("not [deaf]", NOT),
    ("I am not [deaf] but hard of hearing", NOT),
    ("she isn't [autistic]", NOT),
    ("not really a [diabetic]", NOT),
    ("does not have [epilepsy]", NOT),
    ("I don't have [asthma]", NOT),
    ("he doesn't have any [allergies]", NOT),
    ("no [dyslexia], slow reader", NOT),
    ("never had [seizures]", NOT),
    ("without [depression]", NOT),
    ("neither [blind] nor deaf", NOT),
    ("doctors ruled out [lupus]", NOT),
    ("[cancer] free", NOT),
    ("no longer have [asthma]", PAST),
    ("no longer has a [concussion]", PAST),
    ("used to have [migraines]", PAST),
    ("I am no longer [pregnant]", PAST),
    ("recovered from [cancer]", PAST),
    ("had [asthma] as a child", PAST),
    ("grew out of [epilepsy]", PAST),
    ("former [alcoholic]", PAST),
    ("ex-[alcoholic]", PAST),
    ("I do not suffer from [asthma]", NOT),
    ("no history of [seizures]", NOT),
    ("my [anxiety] is gone", PAST),
    ("I haven't got [arthritis]", NOT),
    ("had a [concussion], gone now", PAST),
    ("[asthma] is fine", WELL),
    ("no diagnosis of [autism]", NOT),
    ("tested negative for [covid]", NOT),
    ("my doctor excluded [lupus]", NOT),
    ("denies [depression]", NOT),
    ("tested for [adhd] and it was negative", NOT),
    ("[lupus] was ruled out", NOT),
    ("I was previously diagnosed with [autism]", None),
    ("my boss denied my [adhd] accommodation", None),
    ("my boss's reaction to my [depression] was negative", None),
    ("haven't ruled out [lupus]", None),
    ("can't rule out [epilepsy]", None),
    ("[epilepsy] not ruled out", None),
]
NEEDS = [  # a negated ability or amenity is the need
    "can't [sit]",
    "cannot [stand] long",
    "no use of my left [hand]",
    "not enough [light]",
    "unable to [lift]",
    "does not [sleep]",
    "never [remembers]",
    "no [feeling] in my fingers",
    "without [sight] on the left",
    "won't [speak] in class",
    "not able to [read] the board",
    "isn't [walking] yet",
    "no [strength] in my grip",
    "doesn't [hear] the bell",
    "not [concentrating]",
    "no [balance]",
    "don't [understand] directions",
    "not [reaching] the shelf",
    "no longer [climbs] stairs",
    "cannot [smell] gas",
]


def marked(text: str) -> tuple[tuple[str, ...], int, int]:
    """Return the tokens of a text, and where the marked words begin and end."""
    before, _, rest = text.partition("[")
    words, _, after = rest.partition("]")
    start = len(tokens(before))
    return tokens(f"{before}{words}{after}"), start, start + len(tokens(words))


@pytest.mark.parametrize(("text", "kind"), CASES)
def test_a_condition_that_does_not_apply_is_recognized(text: str, kind: str) -> None:
    assert negation_of(*marked(text), "condition") == kind


@pytest.mark.parametrize("text", NEEDS)
def test_a_negated_ability_is_a_need(text: str) -> None:
    assert negation_of(*marked(text), "need") is None


@pytest.mark.parametrize("text", ["[hearing] is fine, vision is poor", "my [legs] are fine", "can [walk] fine"])
def test_an_ability_that_is_well_is_no_need(text: str) -> None:
    assert negation_of(*marked(text), "need") == WELL


@pytest.mark.parametrize("text", ["[asthma] and stress", "can't hear, [deaf]", "not only [asthma]", "[autism] at work"])
def test_a_condition_that_applies_stays(text: str) -> None:
    assert negation_of(*marked(text), "condition") is None


def test_a_negation_goes_on_through_a_list_with_or() -> None:
    words = tokens("no asthma or diabetes and gout")
    assert is_listed_with(words, 2, 3)
    assert not is_listed_with(words, 4, 5)
    assert not is_listed_with(words, 2, 2)


@pytest.mark.parametrize(
    ("text", "subject", "kind"),
    [
        ("arthritis in hips, not in my [hands]", "body part", NOT),
        ("hips, not the [hands]", "body part", NOT),
        ("no [hands]", "body part", None),
        ("my [legs] are fine", "body part", WELL),
        ("does not use a [wheelchair]", "thing", NOT),
        ("no [wheelchair], uses a cane", "thing", NOT),
        ("no longer uses [crutches]", "thing", PAST),
        ("no [elevator]", "thing", None),  # a missing amenity is the need
        ("without a [ramp]", "thing", None),
        ("does not [use a wheelchair]", "need", NOT),
        ("[uses a wheelchair]", "need", None),
    ],
)
def test_body_parts_and_things_have_negations_of_their_own(text: str, subject: Subject, kind: str | None) -> None:
    assert negation_of(*marked(text), subject) == kind


@pytest.mark.parametrize(
    ("text", "count"), [("recovered from covid", 2), ("no longer pregnant", 2), ("no hands", 0), ("covid", 0)]
)
def test_words_at_the_beginning_say_that_the_rest_is_past(text: str, count: int) -> None:
    assert past_words(tokens(text)) == count
