"""What a query's words are before the engine sees them: fillers, mentions, and a type asked for at either end. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from api.words import WORD, fold, words

# Words that people wrap around what they look for, so that "headset for my employee" must not fail because no headset
# is called "my": those that mean nothing alone, and those that may be all that was meant ("work", "help").
STOP = frozenset(
    (
        "a", "an", "the", "of", "for", "to", "in", "on", "at", "with", "and", "or", "is", "are", "be", "am",
        "was", "do", "does", "did", "when", "while", "it", "its", "that", "this", "these", "those", "i", "im",
        "me", "my", "we", "our", "us", "you", "your", "he", "his", "she", "her", "they", "their", "them",
        "who", "what", "which", "how", "where", "there", "from", "by", "as", "if", "so", "too", "very",
        "really", "just", "also", "because", "about", "into", "than", "then", "not", "no",
    )
)  # fmt: skip
LIGHT = frozenset(
    (
        "need", "needs", "needed", "needing", "want", "wants", "looking", "find", "get", "gets", "give",
        "gives", "given", "make", "makes", "have", "has", "had", "help", "helps", "helping", "use", "uses",
        "used", "using", "user", "users", "person", "persons", "people", "someone", "somebody", "employee",
        "employees", "worker", "workers", "staff", "colleague", "student", "students", "pupil", "pupils",
        "can", "could", "should", "would", "will", "work", "works", "working", "job", "trouble", "difficulty",
        "difficult", "hard", "cant", "cannot", "unable", "problem", "problems", "always", "often", "every",
        "keep", "keeps",
    )
)  # fmt: skip
FILLERS = STOP | LIGHT
# Short forms that are plain words in lower case: "memory aids" does not ask for AIDS.
AMBIGUOUS = frozenset(("aids", "sad", "fit", "cart", "pots", "als", "led", "cat", "pad", "act"))
MOST_WORDS = 40  # tokens of a query; with 224 single letters the engine passed its limit of clauses
FIRST_IDEOGRAPH = "\u2e80"  # from here on scripts write words without spaces between them
LONGEST_MENTION = 6  # words; the longest name that people type inside a question
MOST_MENTIONS = 120  # of 60 words typed at once

# Type words at either end of a query, with the types they stand for.
SCOPE_WORDS = {
    "disability": ("disability", "disabilities", "condition", "conditions", "diagnosis", "disorder name"),
    "limitation": ("limitation", "limitations", "functional limitation", "functional limitations"),
    "workrelatedfunction": ("work function", "work functions", "work related function", "work related functions"),
    "solution": (
        "solution", "solutions", "accommodation", "accommodations", "accommodation solutions", "adjustment",
        "adjustments", "workplace adjustments", "workplace accommodations", "reasonable adjustments",
        "reasonable accommodations", "reasonable accommodation", "assistive technology", "service", "services",
    ),
    "product": ("product", "products"),
    "vendor": (
        "vendor", "vendors", "maker", "makers", "manufacturer", "manufacturers", "supplier", "suppliers", "seller",
        "sellers", "company", "companies", "brand", "brands", "who sells", "who makes", "where to buy",
    ),
    "occupation": ("occupation", "occupations", "job", "jobs", "career", "careers", "profession", "professions"),
    "ability": ("ability", "abilities"),
}  # fmt: skip
THINGS = ("device", "devices", "equipment", "software", "app", "apps", "tool", "tools", "gadget", "gadgets")
HINTS = {
    **{phrase: (type_name,) for type_name, phrases in SCOPE_WORDS.items() for phrase in phrases},
    **dict.fromkeys(SCOPE_WORDS["solution"], ("solution", "disability", "limitation")),  # "adjustments for autism"
    **dict.fromkeys(THINGS, ("solution", "product")),
}
JOINERS = ("for", "of", "with", "to", "that", "who", "in")


@dataclass(frozen=True, slots=True)
class Hint:
    """A type word that was taken off the query: `given` as typed, the types it stands for, and what is left."""

    given: str
    types: tuple[str, ...]
    rest: str


def content_words(text: str) -> str:
    """The query without fillers; where nothing else is left, without stop words; empty if those were all."""
    typed = WORD.findall(fold(text))
    for fillers in (FILLERS, STOP):
        kept = [word for word in typed if word not in fillers]
        if kept:
            return " ".join(kept)
    return ""


def bounded(text: str) -> str:
    """The beginning of the query that is looked at: up to MOST_WORDS words, or letters of a script without spaces."""
    seen = 0
    for word in WORD.finditer(text):
        seen += 1 if word[0].isascii() or not any(letter > FIRST_IDEOGRAPH for letter in word[0]) else len(word[0])
        if seen > MOST_WORDS:
            return text[: word.start() + (MOST_WORDS if word.start() == 0 else 0)]
    return text


def mentions(text: str) -> dict[int, list[str]]:
    """Every run of words that may be a name, squeezed, by its number of words; runs of fillers alone are none."""
    typed = WORD.findall(fold(text))
    found: dict[int, list[str]] = {}
    for length in range(min(LONGEST_MENTION, len(typed)), 0, -1):
        runs = [typed[start : start + length] for start in range(len(typed) - length + 1)]
        named = [run for run in runs if not FILLERS.issuperset(run) and not AMBIGUOUS.issuperset(run)]
        forms = dict.fromkeys(form for run in named for form in ("".join(run), "".join([*run[:-1], *words(run[-1])])))
        if forms:
            found[length] = list(forms)[:MOST_MENTIONS]
    return found


def hint(text: str) -> Hint | None:
    """The type word at either end of the query, if one stands there and something else is left."""
    if ":" in text:  # an id, such as occupation:11-1011.00
        return None
    typed = WORD.findall(fold(text))
    for phrase in sorted(HINTS, key=len, reverse=True):
        rest = _without(typed, phrase.split())
        if rest:
            return Hint(phrase, HINTS[phrase], " ".join(rest))
    return None


def _without(typed: list[str], parts: list[str]) -> list[str]:
    if typed[: len(parts)] == parts:
        rest = typed[len(parts) :]
        while rest and rest[0] in JOINERS:
            rest = rest[1:]
        return rest
    if typed[-len(parts) :] == parts:
        return typed[: -len(parts)]
    return []
