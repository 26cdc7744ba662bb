"""A search query, parsed once: its tokens, keywords, candidate names, type hint and variants by synonym rules.

Everything below a route takes a `ParsedQuery` and never parses the text again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import islice, product

from api.engine.release import NamedSide, Release
from api.parameters import MAX_QUERY_LENGTH, trim_id
from api.search.guides.names import GuideName
from api.search.words.lexicon import TypeHint, ability_verbs, detect_type_hint, find_setting, keywords
from api.search.words.mentions import (
    find_runs,
    job_forms,
    keyword_combinations,
    last_words,
    thing_before_for,
)
from schema.entity_kinds import SettingName
from schema.exact_keys import BODY_PART, MAX_KEY_LENGTH, name_form, sign_key
from schema.spelling_variants import american
from schema.synonyms import MAX_RULE_WORDS, RuleMatch, SynonymMatcher
from schema.text import WORD, fold, singularize, tokens

MAX_QUERY_WORDS = 40  # with 224 single letters OpenSearch passed its limit of clauses
MAX_MENTIONS = 200  # forms of names
HALF = 0.5  # of the keywords
MAX_VARIANTS = 64  # of a query; each rule multiplies them
FIRST_IDEOGRAPH = "\u2e80"  # from here on scripts write words without spaces between them


@dataclass(frozen=True)
class QueryVariant:
    """The tokens of a query, some of them rewritten by rules. `replaced` pairs each typed term with its replacement."""

    tokens: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...] = ()

    @cached_property
    def form(self) -> str:
        """The form of a name with these tokens."""
        return name_form(self.tokens)

    @cached_property
    def keyword_stems(self) -> tuple[str, ...]:
        """The keywords without plural endings."""
        return tuple(map(singularize, keywords(self.tokens)))

    @cached_property
    def thing_stems(self) -> tuple[str, ...]:
        """The stems of what the query requests: "mouse" in "mouse for shaky hands"."""
        return tuple(map(singularize, keywords(thing_before_for(self.tokens))))


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A search query and everything that is derived from its text."""

    raw: str  # as sent; echoed in the response
    text: str  # what is searched, see `truncate_query`
    words: tuple[str, ...]  # as typed; limits of length count these
    folded: str
    tokens: tuple[str, ...]  # folded words
    offsets: tuple[tuple[int, int], ...]  # of each token in the text
    stems: tuple[str, ...]  # the tokens without plural endings
    key: str  # letters and digits only, to compare whole names
    form: str  # the same without plural endings, to find whole names
    keywords: tuple[str, ...]  # the tokens without fillers
    is_id: bool  # it can only be an id: "occupation:11-1011.00"
    type_hint: TypeHint | None  # "vendors of …"
    setting: SettingName | None  # "at school"; the words are not among the keywords
    setting_text: str  # these words
    runs: Mapping[str, Sequence[tuple[int, int]]]  # forms of possible names in the query, with all their places
    mentions: Mapping[str, tuple[str, ...]]  # the first MAX_MENTIONS of them with their tokens, longest first
    job_forms: tuple[str, ...]  # forms of single words that stand where a job does
    last_words: tuple[str, ...]  # forms of words that are a job if those before them name a need: "deaf cashier"
    keyword_sets: tuple[tuple[str, ...], ...]  # base forms of content words that a name may have in any order
    variants: tuple[QueryVariant, ...]  # as typed, and as synonym rules rewrite it
    capitals: frozenset[str]  # the tokens in capitals, none if several words are all in capitals
    says_inability: bool  # it says what somebody cannot do: "cannot stand for a long time"
    is_case_sensitive: bool = True  # whether abbreviations that are common words must be in capitals
    rules: tuple[RuleMatch, ...] = ()  # synonym rules that match; known with a release
    rule_mentions: Mapping[str, RuleMatch] = field(default_factory=dict)  # forms of names that rules add to the query
    sides: Mapping[str, Sequence[NamedSide]] = field(default_factory=dict)  # by form; known with a release
    # Body parts, events and signs in the query, by key, with what each can bring and its place; known with a release.
    body_parts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    guide_names: tuple[GuideName, ...] = ()  # whole names of guides; known with a release
    pinned: str = ""  # the id that the operator shows first for this query; known with a release

    @classmethod
    def parse(cls, raw: str) -> "ParsedQuery":
        """Parse a query as it was typed. Any text is a query."""
        text = truncate_query(raw)
        folded, located = _locate_tokens(text)
        tokens = tuple(token for token, _, _ in located)
        offsets = tuple((start, end) for _, start, end in located)
        setting, phrase = find_setting(tokens)
        runs = find_runs(text, tokens, offsets, folded)
        rest = tuple(token for place, token in enumerate(tokens) if place not in phrase)
        return cls(
            raw=raw,
            text=text,
            words=tuple(WORD.findall(text)),
            folded=folded,
            tokens=tokens,
            offsets=offsets,
            stems=tuple(map(singularize, tokens)),
            key="".join(tokens)[:MAX_KEY_LENGTH],
            form=name_form(tokens),
            keywords=keywords(rest) or keywords(tokens),
            is_id=_is_id(text),
            type_hint=None if ":" in text else detect_type_hint(rest),  # "occupation:11-1011.00" is an id
            setting=setting,
            setting_text=" ".join(tokens[place] for place in phrase),
            runs=runs,
            mentions={form: tokens[slice(*places[0])] for form, places in islice(runs.items(), MAX_MENTIONS)},
            job_forms=job_forms(text, tokens, offsets),
            last_words=last_words(text, tokens, offsets),
            keyword_sets=keyword_combinations(tokens),
            variants=(QueryVariant(tokens),),
            capitals=_capitals(text, tokens, offsets),
            says_inability=any(True for _ in ability_verbs(tokens)),
        )

    def with_release(self, release: Release, *, synonyms: bool = True) -> "ParsedQuery":
        """Return the query with the rules of a release that match it, and the sides and body parts that it names."""
        query = self.with_sides(release.side_words).with_body_parts(release.body_parts)
        return query.with_rules(release.synonyms) if synonyms else query

    def with_sides(self, words: Mapping[str, Sequence[NamedSide]]) -> "ParsedQuery":
        """Return the query with the sides of needs that it names as a whole or in part; `words` are by their form."""
        sides = {form: words[form] for form in dict.fromkeys((self.form, *self.mentions)) if form in words}
        return self if sides == self.sides else replace(self, sides=sides)

    def with_body_parts(self, places: Mapping[str, Mapping[str, int]]) -> "ParsedQuery":
        """Return the query with the body parts, events and signs in it; `places` are by their key."""
        keys = (*(BODY_PART + form for form in self.mentions), *map(sign_key, self.keyword_sets))
        found = {key: places[key] for key in keys if key in places}
        return self if found == self.body_parts else replace(self, body_parts=found)

    def with_rules(self, synonyms: SynonymMatcher) -> "ParsedQuery":
        """Return the query with the synonym rules of a release that match it."""
        matches = tuple(synonyms.matches(self.tokens))
        if not matches:
            return self
        added = {name_form(tokens(term)): match for match in matches for term in match.rule.replacements}
        mentions = {form: match for form, match in added.items() if form not in self.mentions}
        variants = query_variants(self.tokens, matches)
        return replace(self, rules=matches, variants=variants, rule_mentions=mentions)

    def ignoring_case(self) -> "ParsedQuery":
        """Return the query with abbreviations in any case."""
        return replace(self, is_case_sensitive=False)

    @property
    def body_parts_by_form(self) -> dict[str, Mapping[str, int]]:
        """The `body_parts` that are no signs, by the form of their words."""
        parts = ((key, row) for key, row in self.body_parts.items() if key.startswith(BODY_PART))
        return {key.removeprefix(BODY_PART): row for key, row in parts}

    def keyword_share(self, form: str) -> float:
        """Return the share of the keywords that a mention has; repeated words count again."""
        match = self.rule_mentions.get(form)
        words = self.tokens[match.start : match.end] if match else self.mentions[form]
        topic = self.topic
        return sum(word in topic for word in words) / max(1, len(topic))

    @property
    def topic(self) -> tuple[str, ...]:
        """The keywords, beside a type hint only those of the rest."""
        return self.type_hint.keywords if self.type_hint and self.type_hint.keywords else self.keywords

    @property
    def is_guide(self) -> bool:
        """Whether all that it asks for is a guide: its name has every keyword."""
        places = {place for name in self.guide_names for place in range(name.start, name.end)}
        return bool(places) and all(
            place in places or word not in self.keywords for place, word in enumerate(self.tokens)
        )

    @property
    def phrase(self) -> str:
        """The folded words, as OpenSearch searches them."""
        return " ".join(self.tokens)

    @property
    def typed_last(self) -> tuple[str, ...]:
        """The tokens, the last one as it was typed: "haem" is a word, in American spelling "heme"."""
        return (*self.tokens[:-1], *WORD.findall(self.folded)[-1:])

    @property
    def unsearched_tokens(self) -> tuple[str, ...]:
        """The words of a long text behind those that are searched."""
        return tokens(self.raw[len(self.text) :])

    @property
    def id_text(self) -> str:
        """The text as an id."""
        return trim_id(self.text)

    @property
    def folded_id(self) -> str:
        """The text as an id, folded."""
        return fold(self.id_text)

    @property
    def thing(self) -> str:
        """The words for what the query requests: "mouse" in "mouse for shaky hands"."""
        return " ".join(keywords(thing_before_for(self.tokens)))

    @property
    def trimmed(self) -> str:
        """The text as sentences quote it."""
        return self.text.strip()

    @property
    def has_spaces(self) -> bool:
        """Whether there is a space between words: "AD/HD" has none."""
        return len(self.text.split()) > 1


def truncate_query(raw: str) -> str:
    """Return the part of a query that is searched.

    At most MAX_QUERY_LENGTH characters and MAX_QUERY_WORDS words, or as many letters of a script without spaces.
    """
    text = raw[:MAX_QUERY_LENGTH]
    size = 0
    for word in WORD.finditer(text):
        before = size
        ideographs = not word[0].isascii() and any(letter > FIRST_IDEOGRAPH for letter in word[0])
        size += len(word[0]) if ideographs else 1
        if size > MAX_QUERY_WORDS:
            return text[: word.start() + (0 if before else MAX_QUERY_WORDS)]
    return text


def _locate_tokens(text: str) -> tuple[str, list[tuple[str, int, int]]]:
    """Return the folded text and its words, each with the offsets of what it was folded from."""
    parts = [fold(character) for character in text]
    sources = [offset for offset, part in enumerate(parts) for _ in part]
    folded = "".join(parts)
    located = [
        (american(word[0]), sources[word.start()], sources[word.end() - 1] + 1) for word in WORD.finditer(folded)
    ]
    return folded, located


def _capitals(text: str, tokens: Sequence[str], offsets: Sequence[tuple[int, int]]) -> frozenset[str]:
    """Return the words in capitals, which say more than case only beside other words or alone."""
    if len(tokens) > 1 and text.isupper():
        return frozenset()
    pairs = zip(tokens, offsets, strict=True)
    return frozenset(token for token, (start, end) in pairs if text[start:end].isupper())


def _is_id(text: str) -> bool:
    """Whether this can only be the id of a code: occupation:11-1011.00, ability:1.A.3.a.1."""
    _, colon, key = text.partition(":")
    return bool(colon) and not any(word.isalpha() and len(word) > 1 for word in WORD.findall(key))


def query_variants(typed: tuple[str, ...], matches: Sequence[RuleMatch]) -> tuple[QueryVariant, ...]:
    """Return the query as typed and as rules rewrite it, those with the fewest replacements first."""
    choices: list[list[QueryVariant]] = []
    end = 0
    for match in matches:
        choices += [[QueryVariant(typed[end : match.start])], _replacements(match, typed[match.start : match.end])]
        end = match.end
    choices.append([QueryVariant(typed[end:])])
    variants = [
        QueryVariant(
            tuple(token for part in parts for token in part.tokens),
            tuple(pair for part in parts for pair in part.replaced),
        )
        for parts in islice(product(*choices), MAX_VARIANTS)
    ]
    return tuple(sorted(variants, key=lambda variant: len(variant.replaced)))


def _replacements(match: RuleMatch, typed: tuple[str, ...]) -> list[QueryVariant]:
    """Return the term as typed, then each of its replacements."""
    terms = [(term, tokens(term)) for term in match.rule.replacements]
    return [QueryVariant(typed), *(QueryVariant(read, ((match.term, term),)) for term, read in terms if read != typed)]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search: the query, the types and the setting to search in, the page, and switches."""

    query: ParsedQuery
    scope: tuple[str, ...] = ()
    limit: int = 20
    offset: int = 0
    synonyms: bool = True
    spelling: bool = True
    _: KW_ONLY
    facets: bool = True
    setting: SettingName | None = None
    loose: bool = False  # whether hits that only match loosely are shown
    left_out: tuple[str, ...] = ()  # ids that the operator leaves out

    @property
    def meant_setting(self) -> SettingName | None:
        """The setting that the request names, else the one in the words of the query."""
        return self.setting or self.query.setting

    @property
    def expands_synonyms(self) -> bool:
        """Whether synonym rules apply, unless the caller or the length of the query turns them off."""
        return self.synonyms and len(self.query.words) <= MAX_RULE_WORDS

    def with_release(self, release: Release) -> "SearchRequest":
        """Return the request with the sides and body parts that its query names, and the rules that match it."""
        return replace(self, query=self.query.with_release(release, synonyms=self.expands_synonyms))

    def with_pin(self, release: Release, today: date) -> "SearchRequest":
        """Return the request with the operator's pin for its query, if a release has one that is not expired."""
        pin = release.pin_for(self.query.form, today)
        first, left_out = (pin.first, pin.left_out) if pin else ("", ())
        if (first, left_out) == (self.query.pinned, self.left_out):
            return self
        return replace(self, query=replace(self.query, pinned=first), left_out=left_out)
