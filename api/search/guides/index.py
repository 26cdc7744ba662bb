"""Guides to process words, such as "504 plan": read once for a release, and matched by the names that people type.

They are no entities: they stand beside results, and no query of entities finds them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.search.guides.names import GuideName
from api.search.query import ParsedQuery
from schema.document_ids import CRISIS_GUIDE, GUIDE
from schema.exact_keys import name_form
from schema.json_types import JsonObject
from schema.text import FILLER_WORDS, content_tokens, singularize, tokens
from schema.word_forms import base_form

MAX_GUIDES = 500  # of a release
MAX_SHOWN = 3  # beside the results of a search
MIN_CRISIS_LETTERS = 4  # of a word of a crisis that may have a typo
MAX_BETWEEN = 2  # other words between the words of a name
MIN_APART = 2  # content words of a name that may stand apart
MIN_TYPO_LETTERS, MIN_TWO_TYPOS_LETTERS = 5, 8  # of a word that may have one typo, or two
MAX_TYPOS = 2
MAX_DISTANCE = 3  # edits; two typos, or another ending: "company" and "companies"
# One word for whom people ask at work, so that each name counts for all: "tell HR about my epilepsy".
EMPLOYER_WORDS = frozenset(("boss", "employer", "hr", "manager", "supervisor", "company"))
# Words that say where somebody asks are no fillers here: a service dog at work is another guide than at school.
FILLERS = FILLER_WORDS - {"student", "students", "employee", "employees", "work", "job"}
COUNTRIES = {"US": "the United States"}
SOURCES = ("editorial",)


@dataclass(frozen=True)
class Guide:
    """A guide as its document has it."""

    body: JsonObject

    @property
    def id(self) -> str:
        """Its id, the last part of its address."""
        return str(self.body["id"])

    @property
    def entities(self) -> Sequence[str]:
        """The ids of the entities that it is about."""
        entities: Sequence[str] = self.body["entities"]
        return entities

    @property
    def is_crisis(self) -> bool:
        """Whether it says whom to call in a crisis."""
        return bool(self.body["kind"] == CRISIS_GUIDE)

    def brief(self) -> JsonObject:
        """Return it as it stands beside results: its first sentence, or all of its text in a crisis."""
        text = str(self.body["text"])
        first, _, _ = text.partition(". ")
        summary = text if self.is_crisis else f"{first.removesuffix('.')}."
        return self._card() | {"summary": summary}

    def full(self) -> JsonObject:
        """Return it with its text, names and entities."""
        shown = {name: self.body[name] for name in ("text", "checked", "names", "entities")}
        return self.brief() | shown

    def _card(self) -> JsonObject:
        country = COUNTRIES.get(self.body["country"], self.body["country"])
        return {
            **{name: self.body[name] for name in ("id", "title", "kind", "country", "links")},
            "url": f"/guides/{self.id}",
            "about": f"Information about {country}, not legal advice.",
        }


class GuideMatch(NamedTuple):
    """A guide that words of a query name: the place of the first token, and of the one behind the last.

    `name` is the name that these words are, if no others are between; empty for one of a crisis beside other words,
    which have their own meaning.
    """

    guide: Guide
    start: int
    end: int
    name: str = ""


def guide_names(matches: Iterable[GuideMatch]) -> tuple[GuideName, ...]:
    """Return the whole names of guides among the matches."""
    named = [match for match in matches if match.name]
    return tuple(
        GuideName(match.name, match.start, match.end, frozenset(match.guide.entities), match.guide.is_crisis)
        for match in named
    )


@dataclass(frozen=True)
class GuideIndex:
    """All guides of a release by id, in the order of their titles."""

    guides: Mapping[str, Guide]

    @cached_property
    def _names(self) -> Sequence[tuple[tuple[str, ...], Guide]]:
        """The words of each name that people type, with its guide."""
        return [(tokens(name), guide) for guide in self.guides.values() for name in guide.body["names"]]

    @cached_property
    def _by_form(self) -> Mapping[str, tuple[Guide, str]]:
        """The guide of each form of a name, with the name."""
        return {
            name_form(list(map(_stem, tokens(name)))): (guide, name)
            for guide in self.guides.values()
            for name in (*guide.body["names"], guide.body["title"], guide.id.replace("-", " "))
        }

    @cached_property
    def _places_by_letter(self) -> Mapping[str, Mapping[str, Sequence[tuple[tuple[str, ...], int, Guide]]]]:
        """By first letter, then by word, if long enough for a typo: the names with the word, its place, and guides."""
        found: defaultdict[str, defaultdict[str, list[tuple[tuple[str, ...], int, Guide]]]]
        found = defaultdict(lambda: defaultdict(list))
        for name, guide in self._names:
            for place, word in enumerate(name):
                if len(word) >= _least_letters(guide):
                    found[word[0]][word].append((name, place, guide))
        return found

    @cached_property
    def _longest(self) -> int:
        """The number of words of the longest name."""
        return max((len(name) for name, _ in self._names), default=0)

    def match(self, query: ParsedQuery, *, unknown: AbstractSet[str]) -> list[GuideMatch]:
        """Return the guides that a query names: one for a crisis first, then by the words of the name.

        Only `unknown` words, which are in no dictionary, can be misspelled ones of names.
        """
        found = list(self._exact(query))
        if unknown:
            found += self._misspelled(query, unknown)
        found += self._crisis_in_unread_text(query)
        found.sort(key=lambda match: (not match.guide.is_crisis, *_size(query, match)))
        apart = sorted(self._by_separate_words(query, unknown), key=lambda match: _size(query, match))
        shown: dict[str, GuideMatch] = {}
        taken: set[int] = set()
        for match in (*found, *apart):
            words = set(range(match.start, match.end))
            if match.guide.id not in shown and (match.guide.is_crisis or taken.isdisjoint(words)):
                shown[match.guide.id] = match
                taken |= words
        return list(islice(shown.values(), MAX_SHOWN))

    def _exact(self, query: ParsedQuery) -> Iterator[GuideMatch]:
        for start, end, guide, name in self._named_runs(query.tokens):
            others = (*query.tokens[:start], *query.tokens[end:])
            yield GuideMatch(guide, start, end, "" if guide.is_crisis and content_tokens(others) else name)

    def _named_runs(self, words: Sequence[str]) -> Iterator[tuple[int, int, Guide, str]]:
        """Yield the places of runs of words that are a name, with its guide."""
        stems = list(map(_stem, words))
        for start in range(len(stems)):
            for end in range(start + 1, min(start + self._longest, len(stems)) + 1):
                if named := self._by_form.get(name_form(stems[start:end])):
                    yield start, end, *named

    @cached_property
    def _bases(self) -> Sequence[tuple[frozenset[str], Guide]]:
        """The base forms of the content words of each name that has several."""
        bases = [
            (frozenset(map(_base, (word for word in name if word not in FILLERS))), guide)
            for name, guide in self._names
            if not guide.is_crisis  # "kill switch that I can reach by myself" is none
        ]
        return [(words, guide) for words, guide in bases if len(words) >= MIN_APART]

    @cached_property
    def _bases_by_word(self) -> Mapping[str, Sequence[int]]:
        """The places in `_bases` of the names with each word, of the words of a name only the rarest."""
        counts = Counter(word for words, _ in self._bases for word in words)
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, (words, _) in enumerate(self._bases):
            found[min(words, key=lambda word: (counts[word], word))].append(place)
        return found

    def _by_separate_words(self, query: ParsedQuery, unknown: AbstractSet[str]) -> Iterator[GuideMatch]:
        """Yield guides with all content words of a name in the query: "boss denied my request for telework"."""
        typed = [self._corrected(token) if token in unknown else token for token in query.tokens]
        bases = list(map(_base, typed))
        for number in sorted({number for base in bases for number in self._bases_by_word.get(base, ())}):
            words, guide = self._bases[number]
            if words.issubset(bases):
                places = [place for place, base in enumerate(bases) if base in words]
                if places[-1] - places[0] < len(words) + MAX_BETWEEN:
                    yield GuideMatch(guide, places[0], places[-1] + 1)

    @cached_property
    def _words_by_letter(self) -> Mapping[str, Sequence[str]]:
        """The words of all names that may have a typo, by their first letter."""
        return {letter: sorted(places) for letter, places in self._places_by_letter.items()}

    def _corrected(self, token: str) -> str:
        """Return the word of a name that an unknown word is a typo of, or the word itself."""
        return next(iter(_near(self._words_by_letter.get(token[0], ()), token, MIN_TYPO_LETTERS)), token)

    def _crisis_in_unread_text(self, query: ParsedQuery) -> Iterator[GuideMatch]:
        """Yield guides for a crisis named behind the words of a long text that are searched."""
        for _, _, guide, _ in self._named_runs(query.unsearched_tokens):
            if guide.is_crisis:
                yield GuideMatch(guide, 0, 0)

    def _misspelled(self, query: ParsedQuery, unknown: AbstractSet[str]) -> Iterator[GuideMatch]:
        """Yield guides with a name that has a misspelled word. Comparing all names with all words would take 100 ms."""
        for place, token in enumerate(query.tokens):
            by_word = self._places_by_letter.get(token[0], {}) if token in unknown else {}
            near = _near(list(by_word), token, MIN_CRISIS_LETTERS)
            for name, place_in_name, guide in (found for word in near for found in by_word[word]):
                start, end = place - place_in_name, place - place_in_name + len(name)
                if start >= 0 and end <= len(query.tokens):
                    least, pairs = _least_letters(guide), zip(name, query.tokens[start:end], strict=True)
                    if all(_is_like(word, typed, least if typed in unknown else None) for word, typed in pairs):
                        yield GuideMatch(guide, start, end)


def _least_letters(guide: Guide) -> int:
    return MIN_CRISIS_LETTERS if guide.is_crisis else MIN_TYPO_LETTERS


def _stem(word: str) -> str:
    """Return a word without its plural ending; all words for an employer are one."""
    return "employer" if word in EMPLOYER_WORDS else singularize(word)


def _base(word: str) -> str:
    return "employer" if word in EMPLOYER_WORDS else base_form(word)


def _size(query: ParsedQuery, match: GuideMatch) -> tuple[int, int, int]:
    words = query.tokens[match.start : match.end]
    return -len(content_tokens(words)), -len(words), match.start


def _near(words: Sequence[str], typed: str, least: int) -> list[str]:
    """Return the words that a word may be a typo of, the nearest first."""
    found = process.extract(typed, words, scorer=OSA.distance, score_cutoff=MAX_DISTANCE, limit=None)
    return [word for word, _, _ in found if _is_like(word, typed, least)]


def _is_like(word: str, typed: str, least: int | None) -> bool:
    """Return whether a word is as typed, or with one typo, or two in a long word; the first letter is right.

    Only words of at least `least` letters may have typos; none if it is None.
    """
    if abs(len(word) - len(typed)) > MAX_TYPOS:  # an ending for the plural has no more letters, either
        return False
    if singularize(word) == singularize(typed):
        return True
    if least is None or len(word) < least or word[0] != typed[0]:
        return False
    allowed = MAX_TYPOS if len(word) >= MIN_TWO_TYPOS_LETTERS else 1
    return OSA.distance(word, typed, score_cutoff=allowed) <= allowed


class GuideCache:
    """Reads the guides of the live release, which are cached until another release is live; one per service."""

    def __init__(self, engine: SearchEngine) -> None:
        self._engine = engine
        self._index = ""
        self._cached = GuideIndex({})

    async def read(self, release: Release) -> GuideIndex:
        """Return the guides of a release; one request if they are not cached. Older releases have none."""
        if self._index != release.index:
            response = await self._engine.search(guides_body(), release)
            guides = [Guide(hit.document["guide"]) for hit in response.hits]
            guides.sort(key=lambda guide: str(guide.body["title"]).casefold())
            self._index, self._cached = release.index, GuideIndex({guide.id: guide for guide in guides})
        return self._cached


def guides_body() -> JsonObject:
    """All guides with their documents."""
    query = {"bool": {"filter": [{"term": {"doc": GUIDE}}]}}
    return {"size": MAX_GUIDES, "_source": ["guide"], "track_total_hits": False, "query": query}
