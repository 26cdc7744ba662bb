"""Words that say that something does not apply: "not deaf", "no longer have asthma", "uses no wheelchair"."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

NOT, PAST, WELL = "not", "past", "well"
STATED = ""  # it applies
Subject = Literal["condition", "need", "body part", "thing"]
# Before the name of a condition. A negated ability is a need ("can't sit"), so needs have no such words.
PHRASES_BEFORE = {
    NOT: (
        "do not have", "does not have", "did not have", "dont have", "doesnt have", "didnt have", "am not", "is not",
        "are not", "was not", "isnt", "arent", "wasnt", "im not", "hes not", "shes not", "theyre not", "not", "no",
        "havent got", "hasnt got", "hadnt got", "have not got", "has not got",
        "never had", "never have had", "never was", "without", "nor", "neither", "instead of", "rather than",
        "dont", "doesnt", "never", "rule out", "ruled out",
        "not suffer from", "dont suffer from", "doesnt suffer from", "didnt suffer from", "no history of",
        "no diagnosis of", "no sign of", "no signs of", "negative for", "tested negative for", "doctor excluded",
        "doctors excluded", "tests excluded", "denies",
    ),
    PAST: (
        "no longer have", "no longer has", "no longer had", "no longer am", "no longer is", "am no longer",
        "is no longer", "no longer", "not anymore", "used to have", "used to be", "used to get", "used to suffer from",
        "recovered from", "cured of", "grew out of", "outgrew", "over my", "got over", "former", "formerly",
        "previously", "previously had", "once had", "in remission from", "free of", "past",
        "no longer suffer from", "no longer suffers from", "ex",
    ),
    # Longer phrases that contain one of the above and say the opposite.
    STATED: (
        "cant rule out", "cannot rule out", "couldnt rule out", "not rule out", "not ruled out", "not yet ruled out",
        "havent ruled out", "hasnt ruled out", "havent yet ruled out",
    ),
}  # fmt: skip
# Before a body part: "no hands" is a need, "arthritis, not in the hands" is not about hands.
BODY_PART_PHRASES = {
    NOT: ("not in", "not my", "not in my", "not the", "not in the", "not his", "not her", "never in", "except"),
}
# Before a thing: "no elevator" is a need, and somebody who does not use a wheelchair needs nothing for it.
THING_PHRASES = {
    NOT: (
        "do not use", "does not use", "dont use", "doesnt use", "not using", "never use", "never uses", "not in",
        "instead of", "rather than", "not need", "dont need", "doesnt need",
    ),
    PAST: ("no longer use", "no longer uses", "no longer using", "no longer need", "no longer needs", "stopped using"),
}  # fmt: skip
USE_WORDS = frozenset(("use", "uses", "using"))  # "no wheelchair, uses a cane"
PHRASES_AFTER = {
    NOT: (
        "free", "was ruled out", "is ruled out", "ruled out", "and it was negative", "but it was negative",
        "came back negative", "test was negative", "test is negative",
    ),
    WELL: (
        "is fine", "are fine", "is ok", "is okay", "is good", "is great", "is normal", "fine", "ok", "okay",
        "just fine", "is perfect", "works fine", "is no problem", "is not a problem", "is not the problem",
    ),
    PAST: (
        "as a child", "as a kid", "in childhood", "is gone", "gone now", "went away", "is cured", "anymore", "any more",
    ),
}  # fmt: skip
# Words that may stand between the two: "not really a diabetic".
BETWEEN = frozenset(
    ("a", "an", "any", "the", "my", "his", "her", "really", "actually", "exactly", "officially", "have", "has", "had")
)
LISTED = frozenset(("or", "nor"))  # "no asthma or diabetes"
MAX_PHRASE_WORDS = 4

REASONS = {
    NOT: "The question says that this does not apply.",
    PAST: "The question says that this is past.",
    WELL: "The question says that this is no problem.",
}


def _by_words(phrases: Mapping[str, Sequence[str]]) -> dict[tuple[str, ...], str]:
    return {tuple(phrase.split()): kind for kind, texts in phrases.items() for phrase in texts}


_BEFORE: Mapping[Subject, Mapping[tuple[str, ...], str]] = {
    "condition": _by_words(PHRASES_BEFORE),
    "need": {},
    "body part": _by_words(BODY_PART_PHRASES),
    "thing": _by_words(THING_PHRASES),
}
_AFTER = _by_words(PHRASES_AFTER)
WORDS = frozenset(word for phrases in (*_BEFORE.values(), _AFTER) for phrase in phrases for word in phrase)


def negation_of(tokens: Sequence[str], start: int, end: int, subject: Subject) -> str | None:
    """Return why the tokens from `start` to `end` do not count: `not`, `past`, or `well`; None if they do."""
    if is_well(tokens, end):
        return WELL
    if subject == "thing" and tokens[start - 1 : start] == ("no",) and USE_WORDS.intersection(tokens[end : end + 1]):
        return NOT
    names_use = tokens[start] in USE_WORDS  # "uses a wheelchair" is a need that may not apply
    before = _BEFORE["condition" if names_use else subject]
    while before:
        kind = next((before[words] for words in _phrases(tokens[:start], first=False) if words in before), None)
        if kind or not start or tokens[start - 1] not in BETWEEN:
            return kind or (_kind_after(tokens, end) if subject == "condition" else None)
        start -= 1
    return None


def is_well(tokens: Sequence[str], end: int) -> bool:
    """Return whether the words from `end` on say that what is before them is no problem: "is fine"."""
    return _kind_after(tokens, end) == WELL


def past_words(tokens: Sequence[str]) -> int:
    """Return how many words at the beginning say that the rest is past: two of "recovered from covid"."""
    phrases = _BEFORE["condition"]
    return next((len(words) for words in _phrases(tokens, first=True) if phrases.get(words) == PAST), 0)


def _kind_after(tokens: Sequence[str], end: int) -> str | None:
    return next((_AFTER[words] for words in _phrases(tokens[end:], first=True) if words in _AFTER), None)


def _phrases(tokens: Sequence[str], *, first: bool) -> Iterator[tuple[str, ...]]:
    """Yield the first or the last words, most of them first."""
    for size in range(min(MAX_PHRASE_WORDS, len(tokens)), 0, -1):
        yield tuple(tokens[:size] if first else tokens[-size:])


def is_listed_with(tokens: Sequence[str], end: int, start: int) -> bool:
    """Return whether only "or" stands between two names, the first of which ends where the second begins."""
    return bool(tokens[end:start]) and LISTED.issuperset(tokens[end:start])
