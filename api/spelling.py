"""Which corrections of a query are worth offering. Pure.

Two helpers propose: the engine's phrase suggester, word by word, and a fuzzy look at whole names, which also sees words
that were split or joined ("fibro mialgia"). A proposal is kept only if each changed word is close to what was typed.
Numbers, ids, words of up to three letters and correct words are never touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import OSA

from api.words import WORD, fold, squeeze

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

SPOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # a word as it is written, with its apostrophe
SHORTEST = 4  # letters of a word that may be corrected
ENDINGS = frozenset(("s", "es", "ly", "ing", "ed", "er"))
LONG = 8  # from so many letters on, two slips are believed; "lasagna" is no slip of "asana"
MOST = 3  # corrections offered
LONGEST_NAME = (
    60  # letters of a name that is looked at whole; it costs 5 ms more for each ten, and words are mended anyway
)
MOST_WORDS, MOST_LETTERS = 12, 110  # few names are longer (at most 16 words, 111 letters); nobody slips in all of it


@dataclass(frozen=True, slots=True)
class Fix:
    """A corrected query, and the same with the changed words in <em>."""

    text: str
    highlighted: str


def worth_trying(query: str) -> bool:
    """Whether a query is short enough to be a name with slips in it; proposals for whole paragraphs cost too much."""
    return len(WORD.findall(query)) <= MOST_WORDS and len(squeeze(query)) <= MOST_LETTERS


def slips(length: int) -> int:
    """How many slips of the pen are believed in a text of so many letters."""
    return 2 if length >= LONG else 1


def word_fixes(query: str, options: Iterable[Mapping[str, Any]], correct: Container[str]) -> list[Fix]:
    """What is believable of the phrase suggester's options, in its order; `correct` words stay as they were typed."""
    typed = WORD.findall(fold(query))
    proposed = [_keeping(correct, typed, WORD.findall(fold(option["text"]))) for option in options]
    return [_shown(typed, " ".join(fixed)) for fixed in proposed if _believable(typed, fixed)]


def _keeping(correct: Container[str], typed: Sequence[str], fixed: Sequence[str]) -> list[str]:
    if len(typed) != len(fixed):
        return list(fixed)
    return [old if old in correct else new for old, new in zip(typed, fixed, strict=True)]


def _believable(typed: Sequence[str], fixed: Sequence[str]) -> bool:
    pairs = list(zip(typed, fixed, strict=False))
    if len(typed) != len(fixed) or all(_same_word(old, new) for old, new in pairs):
        return False
    return all(old == new or (_a_slip(old, new) and not _same_word(old, new)) for old, new in pairs)


def _same_word(old: str, new: str) -> bool:
    """Whether the new word only lost an ending: "jobs" is no slip of "job", nor "naturally" of "natural"."""
    return old == new or (old.startswith(new) and old[len(new) :] in ENDINGS)


def _a_slip(old: str, new: str) -> bool:
    if len(old) < SHORTEST or not old.isalpha():
        return False
    return bool(OSA.distance(old, new, score_cutoff=slips(len(old))) <= slips(len(old)))


def name_fixes(query: str, found: Iterable[Sequence[str]], correct: Container[str]) -> list[Fix]:
    """Whole names that are a slip or two away from the whole query; `found` holds the names of each hit."""
    key = squeeze(query)
    if len(key) < SHORTEST or not key.isalpha():
        return []
    typed = WORD.findall(fold(query))
    near = {name: OSA.distance(key, squeeze(name)) for names in found for name in names}
    close = sorted((away, name) for name, away in near.items() if 0 < away <= slips(len(key)))
    return [_shown(typed, name) for _, name in close if _close_by_words(typed, WORD.findall(fold(name)), correct)]


def _close_by_words(typed: Sequence[str], fixed: Sequence[str], correct: Container[str]) -> bool:
    """Word by word where there are as many words; split and joined words have only the whole to go by."""
    if len(typed) != len(fixed):
        return not all(word in correct for word in typed)
    return all(old == new or (old not in correct and _a_slip(old, new)) for old, new in zip(typed, fixed, strict=True))


def _shown(typed: Sequence[str], text: str) -> Fix:
    kept = set(typed)
    marked = SPOKEN.sub(lambda word: word[0] if fold(word[0]) in kept else f"<em>{word[0]}</em>", text)
    return Fix(text, marked)


def same_beginnings(query: str, fix: str) -> bool:
    """Whether no word changed its first letter, which people seldom miss."""
    typed, fixed = WORD.findall(fold(query)), WORD.findall(fold(fix))
    if len(typed) != len(fixed):
        return squeeze(query)[:1] == squeeze(fix)[:1]
    return all(old[0] == new[0] for old, new in zip(typed, fixed, strict=True))


def merged(fixes: Iterable[Fix]) -> list[Fix]:
    """The first few that differ by more than punctuation."""
    different: dict[str, Fix] = {}
    for fix in fixes:
        different.setdefault(squeeze(fix.text), fix)
    return list(different.values())[:MOST]
