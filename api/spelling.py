"""Which corrections of a query are worth offering. Pure.

Two helpers propose: the engine's phrase suggester, word by word, and a fuzzy look at whole names, which also sees words
that were split or joined ("fibro mialgia"). A proposal is kept only if each changed word is close to what was typed.
Numbers, ids, words of up to three letters and correct words are never touched; a rare word only where the whole becomes
a name of several words ("carpel tunnel"). Where nothing at all was found, names that are further off, or that change
one of these words, are offered as guesses ("asma", "brian injury"): a guess never takes the place of the query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jellyfish import match_rating_codex
from rapidfuzz.distance import OSA, LCSseq

from api.words import WORD, fold, parts, squeeze

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

SPOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # a word as it is written, with its apostrophe
SHORTEST = 4  # letters of a word that may be corrected
SHORTEST_GUESS = 3  # letters of a word that a guess may change: "lpw vision"
SHORTEST_CODE = 3  # sounds that a guess must share: "poiu" (P) is no "pain"
VOWELS = frozenset("aeiouy")
ENDINGS = frozenset(("s", "es", "ly", "ing", "ed", "er"))
LONG = 8  # from so many letters on, two slips are believed; "lasagna" is no slip of "asana"
SOUNDED = 2  # slips believed between words that sound alike: "hereing", "hearing"
MOST = 3  # corrections offered
MOST_TRIED = 5  # of those that are searched for
LONGEST_NAME = (
    60  # letters of a name that is looked at whole; it costs 5 ms more for each ten, and words are mended anyway
)
MOST_WORDS, MOST_LETTERS = 12, 110  # few names are longer (at most 16 words, 111 letters); nobody slips in all of it


@dataclass(frozen=True, slots=True)
class Correct:
    """Words that are spelled as they should be: `common` ones are never slips, `rare` ones only in a name's company."""

    common: Container[str]
    rare: Container[str] = frozenset()

    def __contains__(self, word: object) -> bool:
        return word in self.common or word in self.rare


@dataclass(frozen=True, slots=True)
class Fix:
    """A corrected query, and the same with the changed words in <em>.

    `only_name`: it is no fix unless it is a whole name. `guess`: it may be offered, but stands in for nothing.
    """

    text: str
    highlighted: str
    only_name: bool = False
    guess: bool = False


def worth_trying(query: str) -> bool:
    """Whether a query is short enough to be a name with slips in it; proposals for whole paragraphs cost too much."""
    return len(WORD.findall(query)) <= MOST_WORDS and len(squeeze(query)) <= MOST_LETTERS


def slips(length: int) -> int:
    """How many slips of the pen are believed in a text of so many letters."""
    return 2 if length >= LONG else 1


def word_fixes(query: str, options: Iterable[Mapping[str, Any]], correct: Correct) -> list[Fix]:
    """What is believable of the phrase suggester's options, in its order; `correct` words stay as they were typed.

    Beside other words a rare one may be a slip after all, if the whole turns out to be a name.
    """
    typed = parts(query)
    found = []
    for option in options:
        proposed = parts(option["text"])
        surely, perhaps = _keeping(correct, typed, proposed), _keeping(correct.common, typed, proposed)
        if _believable(typed, surely):
            found.append(_shown(typed, " ".join(surely)))
        if len(typed) > 1 and perhaps != surely and _believable(typed, perhaps):
            found.append(_shown(typed, " ".join(perhaps), only_name=True))
    return found


def _keeping(correct: Container[str], typed: Sequence[str], fixed: Sequence[str]) -> list[str]:
    if len(typed) != len(fixed):
        return list(fixed)
    return [old if old in correct else new for old, new in zip(typed, fixed, strict=True)]


def _believable(typed: Sequence[str], fixed: Sequence[str]) -> bool:
    pairs = list(zip(typed, fixed, strict=False))
    if len(typed) != len(fixed) or all(_same_word(old, new) for old, new in pairs):
        return False
    slip = _a_slip if len(typed) > 1 else _a_slip_alone
    return all(old == new or (slip(old, new) and not _same_word(old, new)) for old, new in pairs)


def _same_word(old: str, new: str) -> bool:
    """Whether the new word only lost an ending: "jobs" is no slip of "job", nor "naturally" of "natural"."""
    return old == new or (old.startswith(new) and old[len(new) :] in ENDINGS)


def _a_slip(old: str, new: str) -> bool:
    if len(old) < SHORTEST or not old.isalpha():
        return False
    away = OSA.distance(old, new, score_cutoff=SOUNDED)
    return bool(away <= slips(len(old)) or (away <= SOUNDED and _sound_the_same(old, new)))


def _a_slip_alone(old: str, new: str) -> bool:
    """Four letters with nothing beside them are near too many words: "yolo" is no slip of "solo", nor of "yale"."""
    if len(old) <= SHORTEST:
        return bool(OSA.distance(old, new) == 1) and old.isalpha() and _sound_the_same(old, new)
    return _a_slip(old, new)


def _sound_the_same(old: str, new: str) -> bool:
    return new.isalpha() and match_rating_codex(old) == match_rating_codex(new)


def _sound_alike(old: str, new: str) -> bool:
    """Whether two words can be spoken, and sound the same but for sounds that one of them leaves out."""
    if len(old) < SHORTEST or VOWELS.isdisjoint(old):
        return False
    codes = match_rating_codex(old), match_rating_codex(new)
    shorter = min(map(len, codes))
    return LCSseq.similarity(*codes) == shorter >= SHORTEST_CODE


def name_fixes(query: str, found: Iterable[Sequence[str]], correct: Correct) -> list[Fix]:
    """Whole names that are a slip or two away from the whole query; `found` holds the names of each hit."""
    typed = parts(query)
    return [
        _shown(typed, name)
        for name in _near(query, found, slips(len(squeeze(query))))
        if _close_by_words(typed, parts(name), correct)
    ]


def _near(query: str, found: Iterable[Sequence[str]], most: int) -> list[str]:
    """Names by the number of slips that all their letters are away, at most so many; none for what holds digits."""
    key = squeeze(query)
    if len(key) < SHORTEST or not key.isalpha():
        return []
    near = {name: OSA.distance(key, squeeze(name)) for names in found for name in names}
    return [name for away, name in sorted((away, name) for name, away in near.items()) if 0 < away <= most]


def _close_by_words(typed: Sequence[str], fixed: Sequence[str], correct: Correct) -> bool:
    """Word by word where there are as many words; split and joined words have only the whole to go by."""
    kept = correct.common if len(typed) > 1 else correct
    if len(typed) != len(fixed):
        return not all(word in kept for word in typed)
    slip = _a_slip if len(typed) > 1 else _a_slip_alone
    return all(old == new or (old not in kept and slip(old, new)) for old, new in zip(typed, fixed, strict=True))


def guesses(query: str, found: Iterable[Sequence[str]], correct: Correct, known: Container[str]) -> list[Fix]:
    """Whole names that may be meant where nothing was found.

    One word alone must sound like the name. Of several one may be changed, even a correct one, but none that stands in
    other names (`known`). Short forms sound like anything and are never guessed.
    """
    typed = parts(query)
    if len(typed) == 1 and typed[0] in correct:
        return []
    near = [(name, parts(name)) for name in _near(query, found, SOUNDED) if not name.isupper()]
    return [_shown(typed, name, guess=True) for name, fixed in near if _guessed(typed, fixed, known)]


def _guessed(typed: Sequence[str], fixed: Sequence[str], known: Container[str]) -> bool:
    if len(typed) != len(fixed):
        return False
    changed = [(old, new) for old, new in zip(typed, fixed, strict=True) if old != new]
    if len(changed) != 1 or changed[0][0] in known or _same_word(*changed[0]):
        return False
    old, new = changed[0]
    if old[0] != new[0] or len(old) < SHORTEST_GUESS or not (old + new).isalpha():
        return False
    return _sound_alike(old, new) or (len(typed) > 1 and bool(OSA.distance(old, new) == 1))


def _shown(typed: Sequence[str], text: str, *, only_name: bool = False, guess: bool = False) -> Fix:
    kept = set(typed)
    marked = SPOKEN.sub(lambda word: word[0] if fold(word[0]) in kept else f"<em>{word[0]}</em>", text)
    return Fix(text, marked, only_name, guess)


def same_beginnings(query: str, fix: str) -> bool:
    """Whether no word changed its first letter, which people seldom miss."""
    typed, fixed = parts(query), parts(fix)
    if len(typed) != len(fixed):
        return squeeze(query)[:1] == squeeze(fix)[:1]
    return all(old[0] == new[0] for old, new in zip(typed, fixed, strict=True))


def halfway(query: str, fix: Fix, others: Iterable[Fix]) -> bool:
    """Whether another fix mends all that this one does, and more: asked for, this one would be mended again."""
    mended = _mended(query, fix)
    return any(mended < _mended(query, other) for other in others)


def _mended(query: str, fix: Fix) -> set[str]:
    """The typed words that a fix changes."""
    return set(parts(query)) - set(parts(fix.text))


def merged(fixes: Iterable[Fix]) -> list[Fix]:
    """The first few that differ by more than punctuation."""
    different: dict[str, Fix] = {}
    for fix in fixes:
        different.setdefault(squeeze(fix.text), fix)
    return list(different.values())[:MOST_TRIED]
