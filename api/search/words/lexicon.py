"""Words that shape a query: fillers, phrases that ask for a type ("vendors of lamps") or name a setting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from schema.entity_kinds import SettingName
from schema.setting_words import MAX_PHRASE_WORDS as MAX_SETTING_WORDS
from schema.setting_words import SETTING_PHRASES
from schema.text import FILLER_WORDS, STOP_WORDS, singularize

# Words that name something only alone: in a sentence, "leave" is a verb and "fits" are not seizures.
AMBIGUOUS_WORDS = frozenset(
    (
        "aids", "sad", "fit", "fits", "cart", "pots", "als", "led", "cat", "pad", "act", "leave", "lift", "free", "bus",
        "trigger", "freeze", "hears", "runs",
    )
)  # fmt: skip
# Those that are no list of needs by themselves, between commas: "sad, always tired" is not seasonal depression.
NOT_LISTED_WORDS = frozenset(("sad", "fit", "free", "freeze", "hears", "runs", "trigger"))
BEFORE_FOR = frozenset(("leave", "lift", "cart", "bus", "pad"))  # "leave for surgery" begins with a noun
# What somebody has who is not well in it: "hearing is fine" says that there is no hearing loss.
FACULTIES = {
    "hearing": ("hearing", "loss"),
    "vision": ("vision", "loss"),
    "sight": ("vision", "loss"),
    "eyesight": ("vision", "loss"),
    "speech": ("speech", "impairment"),
    "memory": ("memory", "loss"),
}
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
    **{noun: noun for noun in ("equipment", "software", "tech", "assistive technology", "assistive tech")},
}
SELL_VERBS = ("sell", "make", "supply", "offer", "stock", "distribute", "manufacture", "produce", "provide")
BUY_VERBS = ("buy", "purchase", "order", "get", "find")
CONNECTORS = frozenset(("for", "of", "with", "to", "that", "which", "who", "in", "by", "a", "an", "the", "any", "some"))


def _forms_of(verbs: str) -> frozenset[str]:
    """Return the verbs with their endings: "cause", "causes", "caused", "causing"."""
    stems = [(verb, verb.removesuffix("e")) for verb in verbs.split()]
    return frozenset(form for verb, stem in stems for form in (verb, f"{verb}s", f"{stem}ed", f"{stem}ing"))


# Verbs between a type hint and the rest of the query: "jobs that require typing", "conditions that cause fatigue".
REQUIREMENT_VERBS = _forms_of("require need involve demand use") | {"used"}
EFFECT_VERBS = _forms_of("cause affect limit include bring help support") | {"have", "has", "having"}
ALL_CONNECTORS = CONNECTORS | REQUIREMENT_VERBS | EFFECT_VERBS


def _with_s(word: str) -> str:
    """Return the plural of a noun, or the third person of a verb."""
    return PLURALS.get(word) or (f"{word[:-1]}ies" if word.endswith("y") else f"{word}s")


def _vendor_phrases() -> Iterator[str]:
    """Yield phrases that ask for vendors: "who sells", "companies that make", "where can I buy"."""
    verbs = [form for verb in SELL_VERBS for form in (verb, _with_s(verb))]
    firms = [form for noun in TYPE_NOUNS["vendor"] for form in (noun, _with_s(noun))]
    yield from (f"who {verb}" for verb in verbs)
    yield from (f"{firm} {verb.removesuffix('e')}ing" for firm in firms for verb in SELL_VERBS)
    yield from (f"{firm} {that} {verb}" for firm in firms for that in ("that", "which", "who") for verb in verbs)
    for may in ("can", "could", "do", "should", "would"):
        yield from (f"where {may} {one} {buy}" for one in ("i", "we", "you", "people") for buy in BUY_VERBS)
    yield from (f"where to {buy}" for buy in BUY_VERBS)


# Each phrase with the types it asks for and its label in sentences.
TYPE_PHRASES = {
    form: (TYPES_BY_NOUN.get(kind, (kind,)), _with_s(noun))
    for kind, nouns in TYPE_NOUNS.items()
    for noun in nouns
    for form in (noun, _with_s(noun))
} | dict.fromkeys(_vendor_phrases(), (("vendor",), "vendors"))
# Only at the beginning and before a connector, such as "with" or "that cause": "anxiety disorder" is a name.
PHRASES_BEFORE_CONNECTOR = {
    form: (("disability",), _with_s(noun))
    for noun in ("disorder", "disease", "illness", "syndrome")
    for form in (noun, _with_s(noun))
}
MAX_PHRASE_WORDS = max(len(phrase.split()) for phrase in TYPE_PHRASES)


# Words before a verb that say that somebody cannot do it well: "can't stand long", "it hurts to bend or kneel".
ABILITY_WORDS = frozenset(
    (
        "cant", "cannot", "couldnt", "wont", "unable", "able", "hard", "harder", "trouble", "difficult", "difficulty",
        "struggle", "struggles", "struggling", "dont", "doesnt", "never", "hurts", "hurt", "painful", "pain", "not",
        "no", "longer", "tired", "problem", "problems", "barely", "hardly", "only",
    )
)  # fmt: skip
NO_ABILITIES = frozenset(("handle", "deal", "take", "tolerate", "cope"))  # "can't handle heat"
VERB_ENDINGS = ("s", "es", "ed", "")
VOWELS = frozenset("aeiou")
MIN_VERB_LETTERS = 3
# Words around a job: "nurse with hearing loss", "works as a driver", "teacher, bad back".
BEFORE_JOB = frozenset(("a", "an", "the", "my", "our", "as", "another", "one"))
AFTER_JOB = frozenset(
    (
        "with", "who", "whos", "whose", "has", "having", "had", "missing", "allergic", "recovering", "living", "in",
        "on", "cant", "cannot", "couldnt", "unable", "losing", "lost", "suffers", "struggles", "struggling", "afraid",
    )
)  # fmt: skip
# Between a noun and what it is like: "my eyes are really bad" says the same as "bad eyes".
COPULAS = frozenset(("is", "are", "was", "were", "get", "gets", "feel", "feels"))
DEGREES = frozenset(("so", "too", "very", "really", "always", "often", "quite", "pretty", "getting"))
SAYS_JOB = frozenset(
    ("as", "am", "im", "is", "be", "being", "become", "works", "working", "for", "hired", "shes", "hes")
)


def gerunds(verb: str) -> Iterator[str]:
    """Yield the forms with -ing that a verb may have, some of which are no words: "sits" gives "sitting"."""
    for ending in VERB_ENDINGS:
        base = verb.removesuffix(ending) if ending else verb
        if len(base) >= MIN_VERB_LETTERS and (not ending or verb.endswith(ending)):
            yield f"{base}ing"
            yield f"{base.removesuffix('e')}ing"
            if base[-1] not in VOWELS and base[-2] in VOWELS:
                yield f"{base}{base[-1]}ing"


def ability_verbs(tokens: Sequence[str]) -> Iterator[int]:
    """Yield the places of verbs right after a word that says that somebody cannot do it well: "can't bend or kneel".

    After "no" a word without -ing is no verb: a house with "no lift" has no elevator.
    """
    last = -1
    for place, token in enumerate(tokens):
        before = [word for word in tokens[max(0, place - 2) : place] if word != "to"]
        says_so = bool(before) and (before[-1] in ABILITY_WORDS or (before[-1] in {"or", "and"} and last == place - 2))
        is_noun = bool(before) and before[-1] == "no" and not token.endswith("ing")
        if says_so and not is_noun and token not in FILLER_WORDS and token not in NO_ABILITIES:
            last = place
            yield place


def is_job_place(before: Sequence[str], after: Sequence[str], *, is_part: bool) -> bool:
    """Return whether a word stands where a job does, from the words before and after it up to commas.

    `is_part` is whether there are other words behind the commas.
    """
    if before and before[-1] not in BEFORE_JOB:
        return False
    says_job = len(before) > 1 and not SAYS_JOB.isdisjoint(before[-3:])
    return says_job or (is_part and not after) or (bool(after) and after[0] in AFTER_JOB)


def keywords(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens without fillers; if no others are left, without stop words; nothing if those were all.

    What is left of several tokens must not be single letters: "(a OR b) AND".
    """
    for fillers in (FILLER_WORDS, STOP_WORDS):
        rest = tuple(token for token in tokens if token not in fillers)
        if rest:
            return rest if len(rest) == len(tokens) or max(map(len, rest)) > 1 else ()
    return ()


def find_settings(tokens: Sequence[str]) -> list[tuple[SettingName, range]]:
    """Return the settings that phrases of the query name, with their places, the longest phrase first.

    A query that is such a phrase as a whole asks for what the phrase names: "504 plan".
    """
    tokens = tuple(map(singularize, tokens))
    settings: list[tuple[SettingName, range]] = []
    if tokens in SETTING_PHRASES:
        return settings
    for size in range(min(MAX_SETTING_WORDS, len(tokens) - 1), 0, -1):
        for start in range(len(tokens) - size + 1):
            places = range(start, start + size)
            setting = SETTING_PHRASES.get(tokens[start : start + size])
            if setting and all(set(places).isdisjoint(longer) for _, longer in settings):
                settings.append((setting, places))
    return settings


def find_setting(tokens: Sequence[str]) -> tuple[SettingName | None, range]:
    """Return the setting that the longest such phrase names, and its place."""
    return next(iter(find_settings(tokens)), (None, range(0)))


@dataclass(frozen=True)
class TypeHint:
    """A phrase that asks for some types, and the tokens of the query beside it (`remainder`).

    `connectors` are the tokens between the two: "that cause" in "conditions that cause fatigue".
    """

    phrase: tuple[str, ...]
    types: tuple[str, ...]
    label: str
    remainder: tuple[str, ...]
    connectors: tuple[str, ...] = ()

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        """The keywords of the remainder."""
        return keywords(self.remainder)


def detect_type_hint(tokens: Sequence[str]) -> TypeHint | None:
    """Return the longest type phrase at either end of the query, if anything is left beside it."""
    hints = []
    for size in range(1, min(MAX_PHRASE_WORDS, len(tokens) - 1) + 1):
        connectors = tuple(takewhile(ALL_CONNECTORS.__contains__, tokens[size:]))
        hints.append(_hint(tokens[:size], connectors, tokens[size + len(connectors) :]))
        hints.append(_hint(tokens[-size:], (), tokens[:-size]))
    return max(filter(None, hints), key=lambda hint: len(" ".join(hint.phrase)), default=None)


def _hint(phrase: Sequence[str], connectors: Sequence[str], remainder: Sequence[str]) -> TypeHint | None:
    words = " ".join(phrase)
    meaning = TYPE_PHRASES.get(words) or (PHRASES_BEFORE_CONNECTOR.get(words) if connectors else None)
    if not remainder or meaning is None:
        return None
    types, label = meaning
    return TypeHint(tuple(phrase), types, label, tuple(remainder), tuple(connectors))


def reads_joined(hint: TypeHint) -> bool:
    """Return whether related entities match too: "conditions with low vision", but not "condition low vision".

    "Jobs for people who can't stand" are not those that need standing. Several types are one step apart already.
    """
    if hint.types == ("occupation",):
        return not REQUIREMENT_VERBS.isdisjoint(hint.connectors)
    return hint.types == ("vendor",) or (bool(hint.connectors) and len(hint.types) == 1)
