"""What a query's words are before the engine sees them: fillers, mentions, and a type asked for at either end. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from api.once import once
from api.words import SHORT, WORD, fold, parts, words

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        "keep", "keeps", "easily", "badly", "lot", "lots", "struggle", "struggles", "struggling", "able",
        "go", "goes", "going",
    )
)  # fmt: skip
FILLERS = STOP | LIGHT
# Words that may be left out of everyday sentences besides: "hands go numb", "can't use my hands well".
PALE = frozenset(
    (
        "gone", "well", "bad", "easy", "really", "much",
        "many", "all", "any", "some", "day", "days", "around", "up", "down", "out", "over", "off", "after", "before",
        "thing", "things", "something", "anything", "feel", "feels", "feeling", "member", "dont", "doesnt", "isnt",
        "never", "new", "hire", "being", "been", "would", "like",
    )
)  # fmt: skip
NOT_TELLING = FILLERS | PALE
GISTS = 60  # of up to two or three words of a query
MOST_GIST_WORDS = 7  # telling words; of more, the first count
# Short forms that are plain words in lower case: "memory aids" does not ask for AIDS.
AMBIGUOUS = frozenset(("aids", "sad", "fit", "cart", "pots", "als", "led", "cat", "pad", "act"))
MOST_WORDS = 40  # tokens of a query; with 224 single letters the engine passed its limit of clauses
FIRST_IDEOGRAPH = "\u2e80"  # from here on scripts write words without spaces between them
LONGEST_MENTION = 6  # words; the longest name that people type inside a question
MOST_MENTIONS = 120  # of 60 words typed at once

# Type words at either end of a query, with the types they stand for, in the singular.
SCOPE_NOUNS = {
    "disability": ("disability", "condition", "diagnosis", "disorder name"),
    "limitation": ("limitation", "functional limitation"),
    "workrelatedfunction": ("work function", "work related function"),
    "solution": (
        "solution", "accommodation", "accommodation solution", "adjustment", "workplace adjustment",
        "workplace accommodation", "reasonable adjustment", "reasonable accommodation", "assistive technology",
        "service", "technology", "assistive tech", "tech",
    ),
    "product": ("product",),
    "vendor": (
        "vendor", "maker", "manufacturer", "supplier", "seller", "dealer", "distributor", "retailer", "company",
        "brand",
    ),
    "occupation": ("occupation", "job", "career", "profession"),
    "ability": ("ability",),
    "thing": ("device", "equipment", "software", "app", "tool", "gadget"),
}  # fmt: skip
TYPES = {
    "solution": ("solution", "disability", "limitation"),  # "adjustments for autism"
    "thing": ("solution", "product"),
}
PLURALS = {
    "diagnosis": "diagnoses",
    "illness": "illnesses",
    "equipment": "equipment",
    "software": "software",
    "tech": "tech",
} | {
    "assistive technology": "assistive technology",
    "assistive tech": "assistive tech",
}
SELLING = ("sell", "make", "supply", "offer", "stock", "distribute", "manufacture", "produce", "provide")
BUYING = ("buy", "purchase", "order", "get", "find")
JOINERS = frozenset(("for", "of", "with", "to", "that", "which", "who", "in", "by", "a", "an", "the", "any", "some"))


def _forms_of(verbs: str) -> frozenset[str]:
    """Verbs with their endings: "cause", "causes", "caused", "causing"."""
    stems = [(verb, verb.removesuffix("e")) for verb in verbs.split()]
    return frozenset(form for verb, stem in stems for form in (verb, f"{verb}s", f"{stem}ed", f"{stem}ing"))


# Verbs between a type word and the rest: those that ask something of people ("jobs that require typing"), and others.
ASKING = _forms_of("require need involve demand use") | {"used"}
JOINING = JOINERS | ASKING | _forms_of("cause affect limit include bring help support") | {"have", "has", "having"}


def _plural(noun: str) -> str:
    return PLURALS.get(noun) or (f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s")


def _third(verb: str) -> str:
    return f"{verb[:-1]}ies" if verb.endswith("y") else f"{verb}s"


def _said_of_vendors() -> Iterator[str]:
    """Whole sentences that ask for firms: "who sells", "companies that make", "where can I buy"."""
    verbs = [form for verb in SELLING for form in (verb, _third(verb))]
    firms = [form for noun in SCOPE_NOUNS["vendor"] for form in (noun, _plural(noun))]
    yield from (f"who {verb}" for verb in verbs)
    yield from (f"{firm} {verb.removesuffix('e')}ing" for firm in firms for verb in SELLING)
    yield from (f"{firm} {that} {verb}" for firm in firms for that in ("that", "which", "who") for verb in verbs)
    for may in ("can", "could", "do", "should", "would"):
        yield from (f"where {may} {one} {buy}" for one in ("i", "we", "you", "people") for buy in BUYING)
    yield from (f"where to {buy}" for buy in BUYING)


# Each type word with the types it stands for and what it asks for.
HINTS = {
    form: (TYPES.get(kind, (kind,)), _plural(noun))
    for kind, nouns in SCOPE_NOUNS.items()
    for noun in nouns
    for form in (noun, _plural(noun))
} | dict.fromkeys(_said_of_vendors(), (("vendor",), "vendors"))
# At the beginning only, and with a word such as "with" or "that cause" after it: "anxiety disorder" is a name.
BEFORE_JOINERS = {
    form: (("disability",), _plural(noun))
    for noun in ("disorder", "disease", "illness", "syndrome")
    for form in (noun, _plural(noun))
}
LONGEST_HINT = max(len(phrase.split()) for phrase in HINTS)


@dataclass(frozen=True, slots=True)
class Hint:
    """A type word that was taken off the query: `given` as typed, the types, what is left, and what it asks for."""

    given: str
    types: tuple[str, ...]
    rest: str
    wanted: str
    joins: bool = False
    asks: bool = False


@once
def content_words(text: str) -> str:
    """The query without fillers; where nothing else is left, without stop words; empty if those were all.

    Single letters alone are no more than stop words: "(a OR b) AND".
    """
    typed = parts(text)
    for fillers in (FILLERS, STOP):
        kept = [word for word in typed if word not in fillers]
        if kept:
            return " ".join(kept) if len(kept) == len(typed) or max(map(len, kept)) > 1 else ""
    return ""


def bounded(text: str) -> str:
    """The beginning of the query that is looked at: up to MOST_WORDS words, or letters of a script without spaces."""
    seen = 0
    for word in WORD.finditer(text):
        seen += 1 if word[0].isascii() or not any(letter > FIRST_IDEOGRAPH for letter in word[0]) else len(word[0])
        if seen > MOST_WORDS:
            return text[: word.start() + (MOST_WORDS if word.start() == 0 else 0)]
    return text


@once
def mentions(text: str) -> dict[int, list[str]]:
    """Every run of words that may be a name, squeezed, by its number of words; runs of fillers alone are none."""
    typed, glued = parts(text), _glued(text)
    found: dict[int, list[str]] = {}
    for length in range(min(LONGEST_MENTION, len(typed)), 0, -1):
        runs = [typed[start : start + length] for start in range(len(typed) - length + 1)]
        named = [run for run in runs if not NOT_TELLING.issuperset(run) and not AMBIGUOUS.issuperset(run)]
        named = [run for run in named if length > 1 or run[0] not in glued]
        forms = dict.fromkeys(form for run in named for form in _forms(run))
        if forms:
            found[length] = list(forms)[:MOST_MENTIONS]
    return found


def _forms(run: tuple[str, ...]) -> tuple[str, ...]:
    """A run as it may be a name: as typed, without its plural ending, or with one ("patient lift": Patient Lifts)."""
    typed, one = "".join(run), "".join([*run[:-1], *words(run[-1])])
    in_one = typed == one and len(run) > 1 and len(run[-1]) >= SHORT and run[-1] not in FILLERS
    return (typed, one, f"{typed}s") if in_one else (typed, one)


def _glued(text: str) -> set[str]:
    """Short parts of what was written as one: "AD/HD" speaks of neither AD nor HD."""
    chunks = [WORD.findall(chunk) for chunk in fold(text).split()]
    return {word for joined in chunks if len(joined) > 1 for word in joined if len(word) <= SHORT}


@once
def telling(text: str) -> list[str]:
    """The words that tell what a sentence is about."""
    return [word for word in parts(text) if word not in NOT_TELLING]


def gists(text: str) -> dict[int, list[str]]:
    """Every two or three of the telling words, which may be the telling words of one name, by their number."""
    some_words = list(dict.fromkeys(telling(text)))[:MOST_GIST_WORDS]
    found = {size: [" ".join(some) for some in combinations(some_words, size)][:GISTS] for size in (3, 2)}
    return {size: some for size, some in found.items() if some}


def is_code(text: str) -> bool:
    """Whether this can be nothing but the id of a code: occupation:11-1011.00, ability:1.A.3.a.1."""
    _, colon, key = text.partition(":")
    return bool(colon) and not any(word.isalpha() and len(word) > 1 for word in WORD.findall(key))


@once
def hint(text: str) -> Hint | None:
    """The type word at either end of the query, if one stands there and something else is left."""
    if ":" in text:  # an id, such as occupation:11-1011.00
        return None
    typed = parts(text)
    found = []
    for size in range(1, min(LONGEST_HINT, len(typed) - 1) + 1):
        for given, joining, rest in ((typed[:size], *_joined(typed[size:])), (typed[-size:], (), typed[:-size])):
            phrase = " ".join(given)
            asked = HINTS.get(phrase) or (BEFORE_JOINERS.get(phrase) if joining else None)
            if rest and asked:
                types, wanted = asked
                asks = not ASKING.isdisjoint(joining)
                found.append(Hint(phrase, types, " ".join(rest), wanted, joins=bool(joining), asks=asks))
    return max(found, key=lambda one: len(one.given), default=None)


def _joined(rest: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that join a type word to what follows, and what follows."""
    size = next((place for place, word in enumerate(rest) if word not in JOINING), len(rest))
    return rest[:size], rest[size:]
