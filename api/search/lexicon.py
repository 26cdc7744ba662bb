"""Words of a query: phrases that ask for a type ("vendors of …"), connectors, and which words are keywords. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schema.text import FILLER_WORDS, NON_CONTENT_WORDS, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Abbreviations that are plain words in lower case: "memory aids" does not mean AIDS.
AMBIGUOUS_ABBREVIATIONS = frozenset(("aids", "sad", "fit", "cart", "pots", "als", "led", "cat", "pad", "act"))

# Nouns at either end of a query that ask for a type.
TYPE_NOUNS = {
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
TYPES_BY_NOUN = {
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
SELL_VERBS = ("sell", "make", "supply", "offer", "stock", "distribute", "manufacture", "produce", "provide")
BUY_VERBS = ("buy", "purchase", "order", "get", "find")
CONNECTORS = frozenset(("for", "of", "with", "to", "that", "which", "who", "in", "by", "a", "an", "the", "any", "some"))


def _forms_of(verbs: str) -> frozenset[str]:
    """Return the verbs with their endings: "cause", "causes", "caused", "causing"."""
    stems = [(verb, verb.removesuffix("e")) for verb in verbs.split()]
    return frozenset(form for verb, stem in stems for form in (verb, f"{verb}s", f"{stem}ed", f"{stem}ing"))


# Verbs between a type word and the rest of the query: "jobs that require typing", "conditions that cause fatigue".
REQUIREMENT_VERBS = _forms_of("require need involve demand use") | {"used"}
EFFECT_VERBS = _forms_of("cause affect limit include bring help support") | {"have", "has", "having"}
ALL_CONNECTORS = CONNECTORS | REQUIREMENT_VERBS | EFFECT_VERBS


def _plural(noun: str) -> str:
    return PLURALS.get(noun) or (f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s")


def _third(verb: str) -> str:
    return f"{verb[:-1]}ies" if verb.endswith("y") else f"{verb}s"


def _vendor_phrases() -> Iterator[str]:
    """Yield phrases that ask for vendors: "who sells", "companies that make", "where can I buy"."""
    verbs = [form for verb in SELL_VERBS for form in (verb, _third(verb))]
    firms = [form for noun in TYPE_NOUNS["vendor"] for form in (noun, _plural(noun))]
    yield from (f"who {verb}" for verb in verbs)
    yield from (f"{firm} {verb.removesuffix('e')}ing" for firm in firms for verb in SELL_VERBS)
    yield from (f"{firm} {that} {verb}" for firm in firms for that in ("that", "which", "who") for verb in verbs)
    for may in ("can", "could", "do", "should", "would"):
        yield from (f"where {may} {one} {buy}" for one in ("i", "we", "you", "people") for buy in BUY_VERBS)
    yield from (f"where to {buy}" for buy in BUY_VERBS)


# Each phrase with the types it asks for and its label in sentences.
TYPE_PHRASES = {
    form: (TYPES_BY_NOUN.get(kind, (kind,)), _plural(noun))
    for kind, nouns in TYPE_NOUNS.items()
    for noun in nouns
    for form in (noun, _plural(noun))
} | dict.fromkeys(_vendor_phrases(), (("vendor",), "vendors"))
# Only at the beginning and before a connector, such as "with" or "that cause": "anxiety disorder" is a name.
PHRASES_BEFORE_CONNECTOR = {
    form: (("disability",), _plural(noun))
    for noun in ("disorder", "disease", "illness", "syndrome")
    for form in (noun, _plural(noun))
}
MAX_PHRASE_WORDS = max(len(phrase.split()) for phrase in TYPE_PHRASES)


def keywords(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens without fillers; if no others are left, without stop words; nothing if those were all.

    What is left of several tokens must not be single letters: "(a OR b) AND".
    """
    for fillers in (FILLER_WORDS, STOP_WORDS):
        rest = tuple(token for token in tokens if token not in fillers)
        if rest:
            return rest if len(rest) == len(tokens) or max(map(len, rest)) > 1 else ()
    return ()


def content_tokens(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens that say what a sentence is about."""
    return tuple(token for token in tokens if token not in NON_CONTENT_WORDS)
