"""Text as the index analyzers read it, to compare names and explain matches; stop words and filler words."""

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import process
from rapidfuzz.distance import Indel

from schema.spelling_variants import american

APOSTROPHES = str.maketrans("", "", "'\u2019\u2018\u02bc`\u00b4\u2032")
WORD = re.compile(r"[^\W_]+")
ENDINGS_WITH_E = ("xe", "ze", "che", "she", "sse", "oe")  # the plurals of "axe" and "box" end alike
OWN_PLURALS = frozenset(("blinds",))  # other things than many of their singulars: blind people need no window blinds
SHORT_WORD = 3  # letters; words up to this length keep their s: "ms", "als", "gas"


def fold(text: str) -> str:
    """Return the text in lower case without accents and apostrophes: "Crohn’s" and "crohns" are equal."""
    if text.isascii():  # most names; APOSTROPHES has two ASCII characters, and this is five times faster than a table
        return text.replace("'", "").replace("`", "").lower()
    decomposed = unicodedata.normalize("NFKD", text.translate(APOSTROPHES))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()


def tokens(text: str) -> tuple[str, ...]:
    """Return the folded words in American spelling."""
    return tuple(map(american, WORD.findall(fold(text))))


def to_american(text: str) -> str:
    """Return the text with American spellings, which are in lower case; all other words and signs stay as they are."""
    return WORD.sub(_american_word, text)


def _american_word(match: re.Match[str]) -> str:
    folded = fold(match[0])
    spelling = american(folded)
    return match[0] if spelling == folded else spelling


def name_key(text: str) -> str:
    """Return the folded letters and digits, to compare whole names: "sit/stand" and "sit-stand" are equal."""
    return "".join(tokens(text))


def stems(text: str) -> tuple[str, ...]:
    """Return the folded words without plural endings."""
    return tuple(map(singularize, tokens(text)))


def singularize(word: str) -> str:
    """Return a folded word without its plural ending: "boxes" and "box", "movies" and "movie" become equal."""
    if len(word) <= SHORT_WORD or word in OWN_PLURALS:
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("ie"):
        return f"{word[:-2]}y"
    return word[:-1] if word.endswith(ENDINGS_WITH_E) else word


def nearest(text: str, names: Sequence[str], cutoff: float = 0.5) -> str | None:
    """Return the name most similar to the text, ignoring case; None where no similarity (0 to 1) reaches the cutoff."""
    folded = [name.casefold() for name in names]
    found = process.extractOne(text.casefold(), folded, scorer=Indel.normalized_similarity, score_cutoff=cutoff)
    return names[found[2]] if found else None


def with_article(name: str) -> str:
    """Return the name with "a" or "an" before it."""
    return f"an {name}" if name[:1] in "aeiou" else f"a {name}"


def join_names(names: Sequence[str], limit: int | None = None) -> str:
    """Return names as a sentence lists them: "a, b and c". Beyond the limit, say how many more there are."""
    listed = list(names[:limit])
    if len(listed) < len(names):
        listed.append(f"{len(names) - len(listed)} more")
    *first, last = listed
    return f"{', '.join(first)} and {last}" if first else last


NAME_SEPARATORS = re.compile(r"/|, | and ")
# Words that mean nothing alone. They are left out of every query, so a synonym rule for one of them never matches.
STOP_WORDS = frozenset(
    (
        "a", "an", "the", "of", "for", "to", "in", "on", "at", "with", "and", "or", "is", "are", "be", "am",
        "was", "do", "does", "did", "when", "while", "it", "its", "that", "this", "these", "those", "i", "im",
        "me", "my", "we", "our", "us", "you", "your", "he", "his", "she", "her", "they", "their", "them",
        "who", "what", "which", "how", "where", "there", "from", "by", "as", "if", "so", "too", "very",
        "really", "just", "also", "because", "about", "into", "than", "then", "not", "no",
    )
)  # fmt: skip
# Words around what people look for, too: "headset for my employee" must not fail because no headset is called "my".
# The words below may be all that was meant ("work", "help"), so a query of nothing else is searched for them.
FILLER_WORDS = STOP_WORDS | frozenset(
    (
        "need", "needs", "needed", "needing", "want", "wants", "looking", "find", "get", "gets", "give",
        "gives", "given", "make", "makes", "have", "has", "had", "help", "helps", "helping", "use", "uses",
        "used", "using", "user", "users", "person", "persons", "people", "someone", "somebody", "employee",
        "employees", "worker", "workers", "staff", "colleague", "student", "students", "pupil", "pupils",
        "can", "could", "should", "would", "will", "work", "works", "working", "job", "trouble", "difficulty",
        "difficult", "hard", "cant", "cannot", "unable", "problem", "problems", "always", "often", "every",
        "keep", "keeps", "easily", "badly", "lot", "lots", "struggle", "struggles", "struggling", "able",
        "go", "goes", "going", "without",
    )
)  # fmt: skip
# Words that everyday sentences have besides: "hands go numb", "can't use my hands well".
NON_CONTENT_WORDS = FILLER_WORDS | frozenset(
    (
        "gone", "well", "bad", "easy", "much", "many", "all", "any", "some", "day", "days", "around", "up", "down",
        "out", "over", "off", "after", "before", "thing", "things", "something", "anything", "feel", "feels",
        "feeling", "member", "dont", "doesnt", "isnt", "never", "new", "hire", "being", "been", "like",
    )
)  # fmt: skip


def name_parts(name: str) -> list[str]:
    """Return the parts of a need's name that are names by themselves: "Pushing and Pulling", "Skin Rash/Sores"."""
    parts = [part.strip() for part in NAME_SEPARATORS.split(name)]
    return parts if len(parts) > 1 else []


def content_tokens(words: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens that say what a sentence is about."""
    return tuple(word for word in words if word not in NON_CONTENT_WORDS)
