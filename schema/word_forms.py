"""Base forms of words, so that "checks the locks", "checking locks" and "checked the lock" have the same words.

Only sets of words are compared by them, in names and in queries alike. A base form is not a word to show: "rac" is that
of "race".
"""

from collections.abc import Sequence

from schema.text import content_tokens, singularize

# Nouns with the ending of a verb: "hearing loss" is not what somebody hears.
NOUNS = frozenset(("hearing", "building", "clothing", "evening", "morning", "wedding"))
MIN_STEM = 3  # letters before an ending: "ring" and "bed" have none
VOWELS = frozenset("aeiouy")
KEPT_DOUBLE = frozenset("ls")  # "selling" is "sell", "dropping" is "drop"
# Forms of verbs of everyday sentences that endings do not explain.
IRREGULAR = {
    form: verb
    for verb, forms in {
        "bite": "bit bitten", "bleed": "bled", "break": "broke broken", "catch": "caught", "cry": "cried cries",
        "die": "dies dying died", "drink": "drank drunk", "drive": "drove driven", "eat": "ate eaten",
        "fall": "fell fallen", "fight": "fought", "forget": "forgot forgotten", "freeze": "froze frozen",
        "hear": "heard", "hide": "hid hidden", "hold": "held", "hurt": "hurting", "lie": "lies lying lied",
        "lose": "lost",
        "panic": "panicking panicked", "read": "reading", "run": "ran", "see": "seen seeing", "shake": "shook shaken",
        "shrink": "shrank shrunk", "sit": "sat", "sleep": "slept", "speak": "spoke spoken", "stand": "stood",
        "steal": "stole stolen", "stick": "stuck", "swell": "swollen", "tell": "told", "think": "thought",
        "throw": "threw thrown", "wake": "woke woken", "wear": "wore worn", "weep": "wept", "write": "wrote written",
    }.items()
    for form in forms.split()
}  # fmt: skip


def base_form(word: str) -> str:
    """Return a folded word without plural and verb endings; different forms of a word are equal.

    Nothing is cached, because the word may be what a user typed.
    """
    if word in NOUNS:
        return word
    word = IRREGULAR.get(word, word)
    singular = singularize(word)
    stem = _without_ending(IRREGULAR.get(singular, singular))
    return stem.removesuffix("e") if len(stem) > MIN_STEM else stem


def content_bases(words: Sequence[str]) -> tuple[str, ...]:
    """Return the base forms of the tokens that say what a sentence is about, each once."""
    return tuple(dict.fromkeys(map(base_form, content_tokens(words))))


def _without_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= MIN_STEM and stem[-1] != "e" and not VOWELS.isdisjoint(stem):
            if stem.endswith("i"):
                return f"{stem[:-1]}y"
            is_double = stem[-1] == stem[-2] and stem[-1] not in KEPT_DOUBLE and stem[-1] not in VOWELS
            return stem[:-1] if is_double else stem
    return word
