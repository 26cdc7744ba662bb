"""Finds what words of a query may be names: runs of words, verbs for abilities, words that stand where a job does.

A name is looked up by its form, so that one request finds all that a query mentions.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from api.search.words.lexicon import (
    ABILITY_WORDS,
    AMBIGUOUS_WORDS,
    BEFORE_FOR,
    COPULAS,
    DEGREES,
    FACULTIES,
    NOT_LISTED_WORDS,
    ability_verbs,
    gerunds,
    is_job_place,
    keywords,
)
from api.search.words.negation import is_well
from schema.exact_keys import cased_form, name_form
from schema.text import NON_CONTENT_WORDS, SHORT_WORD, WORD, content_tokens
from schema.word_forms import content_bases
from schema.wording import DETERMINERS

FOR = "for"
# What follows "for" in "standing for hours"; such words name no need.
DURATIONS = frozenset(
    (
        *("long", "longer", "time", "times", "period", "periods", "extended", "prolonged", "more", "two", "hour"),
        *("hours", "minute", "minutes", "second", "seconds", "day", "days", "week", "weeks", "month", "months", "year"),
        *("years", "shift", "shifts", "while", "bit", "ages", "moment"),
    )
)
MAX_NAME_WORDS = 6  # the longest name that people type inside a sentence
LONG_QUERY = 14  # words; in longer ones, names of up to MAX_WORDS_OF_LONG are looked up: each run is in seven clauses
MAX_WORDS_OF_LONG = 3
MAX_COMBINED_WORDS = 12  # content words that are combined: the first
# Content words of which three may be a name, and of which two: "blind cashier counts the till at closing time" is no
# "time blindness".
NEAR_WORDS = {3: 6, 2: 4}


def candidate_runs(tokens: tuple[str, ...], folded: str) -> Iterator[tuple[int, int]]:
    """Yield every run of tokens that may be a name, from start to end, the longest first; fillers are not a name."""
    abbreviations = _joined_abbreviations(folded)
    longest = MAX_NAME_WORDS if len(tokens) <= LONG_QUERY else MAX_WORDS_OF_LONG
    for length in range(min(longest, len(tokens)), 0, -1):
        for start in range(len(tokens) - length + 1):
            run = tokens[start : start + length]
            named = not NON_CONTENT_WORDS.issuperset(run) and not AMBIGUOUS_WORDS.issuperset(run)
            named = named and DETERMINERS.isdisjoint((run[0], run[-1]))  # the run without it has the same form
            if named and (length > 1 or run[0] not in abbreviations):
                yield start, start + length


def find_runs(
    text: str, tokens: tuple[str, ...], offsets: Sequence[tuple[int, int]], folded: str
) -> dict[str, list[tuple[int, int]]]:
    """Return the forms of possible names, the longest first, with all places: the first token, and behind the last.

    Words in capitals have another form as they are: "DOORS" is a syndrome.
    """
    runs: dict[str, list[tuple[int, int]]] = {}
    for form, start, end in _located_forms(text, tokens, offsets, folded):
        runs.setdefault(form, []).append((start, end))
    return runs


def _located_forms(
    text: str, tokens: tuple[str, ...], offsets: Sequence[tuple[int, int]], folded: str
) -> Iterator[tuple[str, int, int]]:
    for start, end in candidate_runs(tokens, folded):
        yield name_form(tokens[start:end]), start, end
        typed = [text[first:last] for first, last in offsets[start:end]]
        if not text.isupper() and (cased := cased_form(typed, tokens[start:end])):
            yield cased, start, end
    for place, form in ability_forms(tokens):
        yield form, place, place + 1
    for start, end in predicates(tokens):
        yield name_form((tokens[end - 1], tokens[start])), start, end
    for place in clear_words(text, offsets):
        yield name_form(tokens[place : place + 1]), place, place + 1
        yield tokens[place].upper(), place, place + 1  # the form of a name in capitals


def predicates(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of a noun and what it is said to be: "eyes are really bad", which names bad eyes."""
    for place in range(1, len(tokens) - 1):
        rest = [word for word in range(place + 1, min(place + 3, len(tokens))) if tokens[word] not in DEGREES]
        if tokens[place] in COPULAS and rest and tokens[place - 1] not in NON_CONTENT_WORDS:
            yield place - 1, rest[0] + 1


def ability_forms(tokens: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the place of each verb that somebody cannot do, or does well, with forms of the ability: "standing".

    Faculties that are well too: "hearing is fine" names hearing loss, which the reading then drops.
    """
    well = [place for place in range(len(tokens)) if is_well(tokens, place + 1)]
    able = [place for place in well if place and tokens[place - 1] == "can"]
    for place in dict.fromkeys((*ability_verbs(tokens), *able)):
        for gerund in dict.fromkeys(gerunds(tokens[place])):
            yield place, name_form((gerund,))
    yield from ((place, name_form(FACULTIES[tokens[place]])) for place in well if tokens[place] in FACULTIES)


def clear_words(text: str, offsets: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the places of ambiguous words that are names there: alone between commas, in capitals, before "for"."""
    words = [text[start:end] for start, end in offsets]
    for start, end in segments(text, offsets):
        for place in range(start, end):
            word = words[place].lower()
            is_listed = end - start == 1 and word not in NOT_LISTED_WORDS
            is_noun = place == start and word in BEFORE_FOR and words[place + 1 : place + 2] == ["for"]
            if word in AMBIGUOUS_WORDS and (is_listed or is_noun or (words[place].isupper() and not text.isupper())):
                yield place


def segments(text: str, offsets: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the first token between two commas, and the one behind the last."""
    pauses = [place + 1 for place, (_, end) in enumerate(offsets) if text[end : end + 1] in {",", ";", ":"}]
    yield from pairwise(dict.fromkeys((0, *pauses, len(offsets))))


def job_forms(text: str, tokens: tuple[str, ...], offsets: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the forms of words that stand where a job does: "nurse with hearing loss"."""
    forms = []
    for start, end in segments(text, offsets):
        for place in range(start, end):
            before, after = tokens[start:place], tokens[place + 1 : end]
            if (
                is_job_place(before, after, is_part=end - start < len(tokens))
                and tokens[place] not in NON_CONTENT_WORDS
            ):
                forms.append(name_form(tokens[place : place + 1]))
    return tuple(forms)


def _joined_abbreviations(folded: str) -> frozenset[str]:
    """Return the short parts of words that are written as one: "AD/HD" mentions neither AD nor HD."""
    chunks = [WORD.findall(chunk) for chunk in folded.split()]
    return frozenset(word for chunk in chunks if len(chunk) > 1 for word in chunk if len(word) <= SHORT_WORD)


def last_words(text: str, tokens: tuple[str, ...], offsets: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the forms of words at the end of several others, which are a job if these name a need: "deaf cashier"."""
    ends = [(start, end) for start, end in segments(text, offsets) if len(content_tokens(tokens[start:end])) > 1]
    return tuple(name_form(tokens[end - 1 : end]) for _, end in ends if tokens[end - 1] not in NON_CONTENT_WORDS)


def keyword_combinations(tokens: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return all sets of three or two content words near each other: a name may have them in any order and form."""
    words = content_bases(tokens)[:MAX_COMBINED_WORDS]
    return tuple(
        (first, *others)
        for size, near in NEAR_WORDS.items()
        for place, first in enumerate(words)
        for others in combinations(words[place + 1 : place + near], size - 1)
    )


def thing_before_for(tokens: Sequence[str]) -> Sequence[str]:
    """Return the words before "for" if they can be a thing for a need: not those of "cannot stand for long"."""
    if FOR not in tokens[1:-1]:
        return ()
    place = tokens.index(FOR, 1)
    if not ABILITY_WORDS.isdisjoint(tokens[:place]) or DURATIONS.issuperset(keywords(tokens[place + 1 :])):
        return ()
    return tokens[:place]
