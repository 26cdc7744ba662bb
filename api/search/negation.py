"""Words that say that somebody does not have a condition, or no longer has it: "not deaf", "no longer have asthma"."""

from collections.abc import Iterator, Sequence

NOT, PAST, WELL = "not", "past", "well"
# Before the name of a condition. A negated ability is a need ("can't sit"), so only conditions are compared.
PHRASES_BEFORE = {
    NOT: (
        "do not have", "does not have", "did not have", "dont have", "doesnt have", "didnt have", "am not", "is not",
        "are not", "was not", "isnt", "arent", "wasnt", "im not", "hes not", "shes not", "theyre not", "not", "no",
        "never had", "never have had", "never was", "without", "nor", "neither", "instead of", "rather than",
        "dont", "doesnt", "never", "rule out", "ruled out",
        "not suffer from", "dont suffer from", "doesnt suffer from", "didnt suffer from", "no history of",
    ),
    PAST: (
        "no longer have", "no longer has", "no longer had", "no longer am", "no longer is", "am no longer",
        "is no longer", "no longer", "not anymore", "used to have", "used to be", "used to get", "used to suffer from",
        "recovered from", "cured of", "grew out of", "outgrew", "over my", "got over", "former", "formerly",
        "previously", "previously had", "once had", "in remission from", "free of", "past",
        "no longer suffer from", "no longer suffers from", "ex",
    ),
}  # fmt: skip
PHRASES_AFTER = {
    NOT: ("free",),
    WELL: (
        "is fine", "are fine", "is ok", "is okay", "is good", "is great", "is normal", "fine", "ok", "okay",
        "just fine", "is perfect", "works fine", "is no problem", "is not a problem", "is not the problem",
    ),
    PAST: ("as a child", "as a kid", "in childhood", "is gone", "went away", "is cured", "anymore", "any more"),
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
_BEFORE = {tuple(phrase.split()): kind for kind, phrases in PHRASES_BEFORE.items() for phrase in phrases}
_AFTER = {tuple(phrase.split()): kind for kind, phrases in PHRASES_AFTER.items() for phrase in phrases}


def negation_of(tokens: Sequence[str], start: int, end: int, *, is_condition: bool) -> str | None:
    """Return why the tokens from `start` to `end` do not count: `not` or `past` for a condition, `well` for a need."""
    after = next((_AFTER[words] for words in _phrases(tokens[end:], first=True) if words in _AFTER), None)
    if after == WELL:
        return after
    if not is_condition:
        return None
    while True:
        before = next((_BEFORE[words] for words in _phrases(tokens[:start], first=False) if words in _BEFORE), None)
        if before or not start or tokens[start - 1] not in BETWEEN:
            return before or after
        start -= 1


def _phrases(tokens: Sequence[str], *, first: bool) -> Iterator[tuple[str, ...]]:
    """Yield the first or the last words, most of them first."""
    for size in range(min(MAX_PHRASE_WORDS, len(tokens)), 0, -1):
        yield tuple(tokens[:size] if first else tokens[-size:])


def is_listed_with(tokens: Sequence[str], end: int, start: int) -> bool:
    """Return whether only "or" stands between two names, the first of which ends where the second begins."""
    return bool(tokens[end:start]) and LISTED.issuperset(tokens[end:start])
