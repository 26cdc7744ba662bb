"""Requests corrections of a query and accepts or rejects them, by a dictionary of English words.

The phrase suggester of OpenSearch proposes words, a fuzzy search proposes whole names, which also finds words that were
split or joined ("fibro mialgia"). Each changed word must be close to the word that was typed. Numbers, ids, words of up
to three letters and correct words do not change; a rare word only in a name of several words ("carpel tunnel").
If a search finds nothing at all, names at a greater distance, or that change one of these words, are weak suggestions
("asma", "brian injury"): they never replace the query.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from jellyfish import match_rating_codex
from rapidfuzz import process
from rapidfuzz.distance import OSA, LCSseq

from api.search.names import ParsedName, parse_name
from api.search.query import ParsedQuery
from api.search.query_builder import HIT
from api.search.words.mentions import MAX_NAME_WORDS
from schema.english_words import Dictionary
from schema.exact_keys import LETTERS, NAME, letters_key, name_form
from schema.json_types import JsonObject
from schema.text import STOP_WORDS, fold, tokens

WRITTEN_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # with its apostrophe
MIN_LETTERS = 4  # of a word that may be corrected
MIN_WEAK_LETTERS = 3  # of a word that a weak suggestion may change: "lpw vision"
MIN_SOUNDS = 3  # that a weak suggestion must share: "poiu" (P) is not "pain"
VOWELS = frozenset("aeiouy")
ENDINGS = frozenset(("s", "es", "ly", "ing", "ed", "er"))
LONG_WORD = 8  # letters from which on a word may have two typos; "lasagna" is not a typo of "asana"
MAX_EDITS_BY_SOUND = 2  # between words that sound alike: "hereing", "hearing"
MAX_OFFERED = 3
MAX_COUNTED = 1_000  # entities that have a word
NEED_AND_SOLUTION_TYPES = ("disability", "limitation", "workrelatedfunction", "solution")
MAX_HIDDEN_WORDS = 2  # unknown words that are compared with names that are never shown
MAX_TRIED = 5  # corrections that are searched for
MAX_NAME_LETTERS = 60  # of a query that is compared with whole names; each ten letters cost 5 ms
MAX_WORDS, MAX_LETTERS = 12, 110  # of a query; few names are longer (at most 16 words, 111 letters)


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected query, and its text with the changed words in <em>.

    `only_name`: it counts only if it is a whole name. `is_weak`: it may be suggested, but replaces nothing. `is_name`:
    it was derived from a name of an entity.
    """

    query: ParsedQuery
    highlighted: str
    only_name: bool = False
    is_weak: bool = False
    is_name: bool = False


def is_correctable(query: ParsedQuery) -> bool:
    """Return whether a query is short enough to be a name with typos; proposals for whole paragraphs cost too much."""
    return len(query.words) <= MAX_WORDS and len(query.key) <= MAX_LETTERS


def max_edits(length: int) -> int:
    """Return how many typos a text of this length may have."""
    return 2 if length >= LONG_WORD else 1


def spelling_body(query: ParsedQuery) -> JsonObject:
    """Ask for whole corrected queries. Only words that no name has are touched, and none under four letters."""
    return {
        "size": 0,
        "suggest": {
            "text": query.phrase,
            "fixes": {
                "phrase": {
                    "field": "spelling.shingles",
                    "size": 3,
                    "gram_size": 3,
                    "max_errors": 4,
                    "confidence": 0.0,
                    "direct_generator": [
                        {
                            "field": "spelling",
                            "suggest_mode": "missing",
                            "min_word_length": 4,
                            "prefix_length": 0,
                            "size": 10,
                        }
                    ],
                    "highlight": {"pre_tag": "<em>", "post_tag": "</em>"},
                }
            },
        },
    }


def near_names_body(query: ParsedQuery) -> JsonObject | None:
    """Search whole names one edit away; None for a query that is too short, too long or has digits.

    Their forms and their letters are compared: by its form, "tick typhs" is two edits from "tick typhus". To look for
    two edits takes three times as long, and the phrase suggester finds those.
    """
    if not _is_like_a_name(query):
        return None
    near = [(NAME, NAME + query.form), (LETTERS, letters_key(query.text))]
    either = [
        {"fuzzy": {"keys": {"value": key, "fuzziness": 1, "prefix_length": len(prefix), "max_expansions": 100}}}
        for prefix, key in near
    ]
    return {"size": 20, **HIT, "query": {"dis_max": {"queries": either}}}


def far_names_body(query: ParsedQuery) -> JsonObject | None:
    """Search whole short names two edits away; a single word only in names of conditions, needs and solutions."""
    if not _is_like_a_name(query) or len(query.key) >= LONG_WORD:
        return None
    far = {"fuzziness": 2, "prefix_length": len(NAME) + 1, "max_expansions": 100}
    found: JsonObject = {"must": {"fuzzy": {"keys": {"value": NAME + query.form, **far}}}}
    if len(query.tokens) == 1:  # too many products and vendors have short names
        found["filter"] = {"terms": {"type": list(NEED_AND_SOLUTION_TYPES)}}
    return {"size": 10, **HIT, "query": {"bool": found}}


def _is_like_a_name(query: ParsedQuery) -> bool:
    return MIN_LETTERS <= len(query.key) <= MAX_NAME_LETTERS and query.key.isalpha()


def word_count_body(word: str) -> JsonObject:
    """Return the search that counts, up to a thousand, the entities whose names have a word as it is."""
    return {"size": 0, "track_total_hits": MAX_COUNTED, "query": {"term": {"spelling": word}}}


def word_corrections(query: ParsedQuery, options: Iterable[str], dictionary: Dictionary) -> list[Correction]:
    """Return the credible options of the phrase suggester, in its order; correct words stay as they were typed.

    Beside other words a rare one may be a typo, if the whole is a name.
    """
    corrections = []
    for option in options:
        proposed = tokens(option)
        surely = _keep_words(dictionary, query.tokens, proposed)
        perhaps = _keep_words(dictionary.common, query.tokens, proposed)
        typed = list(query.tokens)
        if surely != typed:
            corrections.append(_correction(query, " ".join(surely)))
        if len(query.tokens) > 1 and perhaps not in (surely, typed):
            corrections.append(_correction(query, " ".join(perhaps), only_name=True))
    return corrections


def _keep_words(correct: Container[str], typed: Sequence[str], proposed: Sequence[str]) -> list[str]:
    """Return the proposed words, but those as typed that are correct or no typo of what is proposed.

    "tinitis drivin me mad" is proposed as "tinnitus drive me mad": one word of it is right.
    """
    if len(typed) != len(proposed):
        return list(typed)
    alone = len(typed) == 1
    return [
        new if old not in correct and _is_typo(old, new, alone=alone) and not _same_word(old, new) else old
        for old, new in zip(typed, proposed, strict=True)
    ]


def _same_word(old: str, new: str) -> bool:
    """Return whether the new word only lost an ending: "jobs" is not a typo of "job", nor "naturally" of "natural"."""
    return old == new or (old.startswith(new) and old[len(new) :] in ENDINGS)


def _is_typo(old: str, new: str, *, alone: bool) -> bool:
    """Return whether a word may be a typo of another one, which is no stop word.

    Alone, a word of four letters is near too many words: "yolo" is not a typo of "solo", nor of "yale".
    """
    if new in STOP_WORDS:  # "doctors noet" is not "doctors not"
        return False
    edits = OSA.distance(old, new, score_cutoff=MAX_EDITS_BY_SOUND)
    if alone and len(old) <= MIN_LETTERS:
        return bool(edits == 1) and old.isalpha() and _sound_the_same(old, new)
    if len(old) < MIN_LETTERS or not old.isalpha():
        return False
    return bool(edits <= max_edits(len(old)) or (edits <= MAX_EDITS_BY_SOUND and _sound_the_same(old, new)))


def _sound_the_same(old: str, new: str) -> bool:
    return new.isalpha() and match_rating_codex(old) == match_rating_codex(new)


def _sound_alike(old: str, new: str) -> bool:
    """Return whether two words can be spoken, and sound the same but for sounds that one of them omits."""
    if len(old) < MIN_LETTERS or VOWELS.isdisjoint(old):
        return False
    codes = match_rating_codex(old), match_rating_codex(new)
    return LCSseq.similarity(*codes) == min(map(len, codes)) >= MIN_SOUNDS


def name_corrections(query: ParsedQuery, names: Iterable[Sequence[str]], dictionary: Dictionary) -> list[Correction]:
    """Return whole names that are a typo or two away from the whole query; `names` holds those of each hit."""
    return [
        _correction(query, name.text, is_name=True)
        for name in _near(query, names, max_edits(len(query.key)))
        if _close_by_words(query.tokens, name.tokens, dictionary)
        and not (name.text.isupper() and len(name.key) < MIN_LETTERS)  # "asma" is not "ASM"
    ]


def hidden_name_corrections(query: ParsedQuery, dictionary: Dictionary, hidden: Mapping[str, str]) -> list[Correction]:
    """Return the query with what is shown in place of words that are near a name that is never shown."""
    corrections = []
    for words in _may_be_hidden(query, dictionary):
        if shown := _near_hidden_name(name_form(words), hidden):
            first = query.tokens.index(words[0])
            before, behind = query.tokens[:first], [token for token in query.tokens[first:] if token not in words]
            corrections.append(_correction(query, " ".join([*before, shown, *behind]), is_name=True))
    return corrections


def _may_be_hidden(query: ParsedQuery, dictionary: Dictionary) -> list[tuple[str, ...]]:
    """Return the words that may be a name that is never shown, with typos: all keywords, and each unknown one."""
    unknown = [word for word in dict.fromkeys(query.keywords) if word not in dictionary and len(word) >= MIN_LETTERS]
    if not unknown or not _is_like_a_name(query):
        return []
    return list(dict.fromkeys([query.keywords, *((word,) for word in unknown[:MAX_HIDDEN_WORDS])]))


def _near_hidden_name(form: str, hidden: Mapping[str, str]) -> str | None:
    """Return what is shown for the hidden name that is nearest to a form, at most one or two edits away."""
    begins_alike = [name for name in hidden if name[:1] == form[:1]]
    found = process.extractOne(form, begins_alike, scorer=OSA.distance, score_cutoff=max_edits(len(form)))
    return hidden[found[0]] if found else None


def has_hidden_name(query: ParsedQuery, correction: Correction, hidden: Container[str]) -> bool:
    """Return whether words that a correction changes are a name that is never shown."""
    tokens = correction.query.tokens
    runs = [tokens]
    if not correction.is_name:  # a shown name may contain one that is not: "epileptic encephalopathy"
        starts = range(len(tokens))
        runs += [tokens[start:end] for start in starts for end in range(start + 1, start + 1 + MAX_NAME_WORDS)]
    return any(name_form(words) in hidden for words in runs if not set(words).issubset(query.tokens))


def _near(query: ParsedQuery, names: Iterable[Sequence[str]], most: int) -> list[ParsedName]:
    """Return names by the edits between their letters and those of the query; none for a query with digits."""
    if len(query.key) < MIN_LETTERS or not query.key.isalpha():
        return []
    parsed = {text: parse_name(text) for texts in names for text in texts}
    edits = {text: OSA.distance(query.key, name.key) for text, name in parsed.items()}
    return [parsed[text] for count, text in sorted((count, text) for text, count in edits.items()) if 0 < count <= most]


def _close_by_words(typed: Sequence[str], proposed: Sequence[str], dictionary: Dictionary) -> bool:
    """Compare word by word if there are as many words; split and joined words are compared only as a whole."""
    correct = dictionary.common if len(typed) > 1 else dictionary
    if len(typed) != len(proposed):
        return not all(word in correct for word in typed)
    pairs, alone = zip(typed, proposed, strict=True), len(typed) == 1
    return all(old == new or (old not in correct and _is_typo(old, new, alone=alone)) for old, new in pairs)


def weak_suggestions(
    query: ParsedQuery, names: Iterable[Sequence[str]], dictionary: Dictionary, known: Container[str]
) -> list[Correction]:
    """Return whole names that may be meant when a search finds nothing.

    One word alone must sound like the name. Of several one may change, even a correct one, but none that other names
    have (`known`). Abbreviations sound like anything and are never suggested.
    """
    if len(query.tokens) == 1 and query.tokens[0] in dictionary:
        return []
    return [
        _correction(query, name.text, is_weak=True)
        for name in _near(query, names, MAX_EDITS_BY_SOUND)
        if not name.text.isupper() and name.key[0] == query.key[0] and _may_be_meant(query.tokens, name.tokens, known)
    ]


def _may_be_meant(typed: Sequence[str], proposed: Sequence[str], known: Container[str]) -> bool:
    if len(typed) != len(proposed):
        return False
    changed = [(old, new) for old, new in zip(typed, proposed, strict=True) if old != new]
    if len(changed) != 1:
        return False
    old, new = changed[0]
    if old in known or _same_word(old, new) or old[0] != new[0] or not (old + new).isalpha():
        return False
    one_edit = len(typed) > 1 and OSA.distance(old, new) == 1
    return len(old) >= MIN_WEAK_LETTERS and (one_edit or _sound_alike(old, new))


def _correction(
    query: ParsedQuery, text: str, *, only_name: bool = False, is_weak: bool = False, is_name: bool = False
) -> Correction:
    typed = set(query.tokens)
    marked = WRITTEN_WORD.sub(lambda word: word[0] if fold(word[0]) in typed else f"<em>{word[0]}</em>", text)
    return Correction(ParsedQuery.parse(text), marked, only_name, is_weak, is_name)


def same_beginnings(query: ParsedQuery, corrected: ParsedQuery) -> bool:
    """Return whether fewer than half of the changed words changed their first letter, which people seldom miss.

    "carple tunel both rists" is "carpal tunnel both wrists".
    """
    if len(query.tokens) != len(corrected.tokens):
        return query.key[:1] == corrected.key[:1]
    changed = [(old, new) for old, new in zip(query.tokens, corrected.tokens, strict=True) if old != new]
    return 2 * sum(old[0] != new[0] for old, new in changed) < max(1, len(changed))


def edits(query: ParsedQuery, correction: Correction) -> int:
    """Return how many letters a correction changes."""
    return int(OSA.distance(query.key, correction.query.key))


def sounds_the_same(query: ParsedQuery, correction: Correction) -> bool:
    """Return whether each changed word sounds as it was typed."""
    pairs = zip(query.tokens, correction.query.tokens, strict=False)
    return all(old == new or _sound_the_same(old, new) for old, new in pairs)


def is_partial_correction(query: ParsedQuery, correction: Correction, others: Iterable[Correction]) -> bool:
    """Return whether another correction changes the same words and more: this one would be corrected again.

    The other must have all words of the query: "Cockayne Syndrime a" is not "Cockayne Syndrome".
    """
    unchanged = set(query.tokens).intersection(correction.query.tokens)
    return any(
        unchanged > set(query.tokens).intersection(other.query.tokens) and len(other.query.tokens) == len(query.tokens)
        for other in others
    )


def merged(corrections: Iterable[Correction]) -> list[Correction]:
    """Return the first few that differ by more than punctuation."""
    by_key: dict[str, Correction] = {}
    for correction in corrections:
        by_key.setdefault(correction.query.key, correction)
    return list(by_key.values())[:MAX_TRIED]
