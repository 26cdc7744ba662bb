"""A search query, parsed once: its tokens, keywords, candidate names, type hint and variants by synonym rules.

Everything below a route takes a `ParsedQuery` and never parses the text again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, islice, product
from typing import Literal, NamedTuple

from api.engine.release import Release
from api.parameters import MAX_QUERY_LENGTH, trim_id
from api.search.type_hints import AMBIGUOUS_ABBREVIATIONS, TypeHint, content_tokens, detect_type_hint, keywords
from schema.synonyms import RuleMatch, SynonymMatcher
from schema.text import FILLER_WORDS, NON_CONTENT_WORDS, SHORT_WORD, STOP_WORDS, WORD, fold, singularize, tokens

MAX_QUERY_WORDS = 40  # with 224 single letters OpenSearch passed its limit of clauses
MAX_VARIANTS = 64  # of a query; each rule multiplies them
MAX_RULE_WORDS = 14  # of a longer query, synonym rules could make more than the 1,024 clauses of OpenSearch
FIRST_IDEOGRAPH = "\u2e80"  # from here on scripts write words without spaces between them
MAX_NAME_WORDS = 6  # the longest name that people type inside a sentence
MAX_CANDIDATES = 120  # names of each length; of 60 words at once
MAX_COMBINED_WORDS = 7  # content words that are combined: the first
MAX_COMBINATIONS = 60  # of two or of three content words

Role = Literal["keyword", "filler", "stop word", "type", "connector", "mention", "synonym"]


@dataclass(frozen=True)
class QueryVariant:
    """The tokens of a query, some of them rewritten by rules. `replaced` pairs each typed term with its replacement."""

    tokens: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...] = ()

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The tokens without plural endings."""
        return tuple(map(singularize, self.tokens))

    @cached_property
    def keyword_stems(self) -> tuple[str, ...]:
        """The keywords without plural endings."""
        return tuple(map(singularize, keywords(self.tokens)))


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the query text and its role.

    `candidates` are what it may stand for: the keys of names ("mention"), types ("type"), or what synonym rules
    replace it with ("synonym"). Spans of these roles overlap those of single words.
    """

    text: str
    start: int
    end: int
    role: Role
    candidates: tuple[str, ...] = ()


class _Run(NamedTuple):
    """Tokens side by side that may be a name, and the keys of that name."""

    start: int
    end: int
    keys: tuple[str, ...]


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
    keywords: tuple[str, ...]  # the tokens without fillers
    is_id: bool  # it can only be an id: "occupation:11-1011.00"
    type_hint: TypeHint | None  # "vendors of …"
    mentions: Mapping[int, tuple[str, ...]]  # keys of possible names, by their number of tokens
    keyword_sets: Mapping[int, tuple[str, ...]]  # content words that a name may have in any order, by their number
    variants: tuple[QueryVariant, ...]  # as typed, and as synonym rules rewrite it
    rules: tuple[RuleMatch, ...] = ()  # synonym rules that match; known with the release of a response

    @classmethod
    def parse(cls, raw: str) -> "ParsedQuery":
        """Parse a query as it was typed. Any text is a query."""
        text = truncate_query(raw)
        folded, located = _locate_tokens(text)
        tokens = tuple(token for token, _, _ in located)
        stems = tuple(map(singularize, tokens))
        return cls(
            raw=raw,
            text=text,
            words=tuple(WORD.findall(text)),
            folded=folded,
            tokens=tokens,
            offsets=tuple((start, end) for _, start, end in located),
            stems=stems,
            key="".join(tokens),
            keywords=keywords(tokens),
            is_id=_is_id(text),
            type_hint=None if ":" in text else detect_type_hint(tokens),  # "occupation:11-1011.00" is an id
            mentions=_candidate_names(_candidate_runs(tokens, stems, folded)),
            keyword_sets=keyword_combinations(tokens),
            variants=(QueryVariant(tokens),),
        )

    def with_rules(self, synonyms: SynonymMatcher) -> "ParsedQuery":
        """Return the query with the synonym rules of a release that match it."""
        matches = tuple(synonyms.matches(self.tokens))
        return replace(self, rules=matches, variants=query_variants(self.tokens, matches)) if matches else self

    @property
    def spans(self) -> tuple[Span, ...]:
        """The parts of the text, each with its role. Derived when read: with them, parsing would take 40 % longer."""
        return tuple(_spans(self))

    @property
    def id_text(self) -> str:
        """The text as an id."""
        return trim_id(self.text)

    @property
    def folded_id(self) -> str:
        """The text as an id, folded."""
        return fold(self.id_text)

    @property
    def trimmed(self) -> str:
        """The text as sentences quote it."""
        return self.text.strip()

    @property
    def has_spaces(self) -> bool:
        """Whether there is a space between words: "AD/HD" has none."""
        return any(map(str.isspace, self.trimmed))

    @property
    def is_single_word(self) -> bool:
        """Whether this is a single plain word."""
        return self.text.isascii() and WORD.fullmatch(self.trimmed) is not None


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
    located = [(word[0], sources[word.start()], sources[word.end() - 1] + 1) for word in WORD.finditer(folded)]
    return folded, located


def _is_id(text: str) -> bool:
    """Whether this can only be the id of a code: occupation:11-1011.00, ability:1.A.3.a.1."""
    _, colon, key = text.partition(":")
    return bool(colon) and not any(word.isalpha() and len(word) > 1 for word in WORD.findall(key))


def _candidate_runs(tokens: tuple[str, ...], stems: tuple[str, ...], folded: str) -> Iterator[_Run]:
    """Yield every run of tokens that may be a name, the longest first; fillers alone are not a name."""
    abbreviations = _joined_abbreviations(folded)
    for length in range(min(MAX_NAME_WORDS, len(tokens)), 0, -1):
        for start in range(len(tokens) - length + 1):
            run = tokens[start : start + length]
            named = not NON_CONTENT_WORDS.issuperset(run) and not AMBIGUOUS_ABBREVIATIONS.issuperset(run)
            if named and (length > 1 or run[0] not in abbreviations):
                yield _Run(start, start + length, _name_keys(run, stems[start + length - 1]))


def _name_keys(run: tuple[str, ...], last_stem: str) -> tuple[str, ...]:
    """Return a run as a name may be written: as typed, in the singular, or in the plural ("patient lift")."""
    typed, singular = "".join(run), "".join((*run[:-1], last_stem))
    takes_plural = typed == singular and len(run) > 1 and len(run[-1]) >= SHORT_WORD and run[-1] not in FILLER_WORDS
    return tuple(dict.fromkeys((typed, f"{typed}s" if takes_plural else singular)))


def _joined_abbreviations(folded: str) -> frozenset[str]:
    """Return the short parts of words that are written as one: "AD/HD" mentions neither AD nor HD."""
    chunks = [WORD.findall(chunk) for chunk in folded.split()]
    return frozenset(word for chunk in chunks if len(chunk) > 1 for word in chunk if len(word) <= SHORT_WORD)


def _candidate_names(runs: Iterable[_Run]) -> dict[int, tuple[str, ...]]:
    """Return the keys of possible names by their number of tokens."""
    by_length: dict[int, dict[str, None]] = {}
    for run in runs:
        by_length.setdefault(run.end - run.start, {}).update(dict.fromkeys(run.keys))
    return {length: tuple(keys)[:MAX_CANDIDATES] for length, keys in by_length.items()}


def keyword_combinations(tokens: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Return all sets of two or three content words, by their number: a name may have them in another order."""
    words = list(dict.fromkeys(content_tokens(tokens)))[:MAX_COMBINED_WORDS]
    sets = {size: tuple(map(" ".join, combinations(words, size)))[:MAX_COMBINATIONS] for size in (3, 2)}
    return {size: some for size, some in sets.items() if some}


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


def _spans(query: ParsedQuery) -> Iterator[Span]:
    """Yield a span for each word, then for the type phrase, each run that may be a name, and what rules rewrite."""
    hint, text, offsets = query.type_hint, query.text, query.offsets
    first = len(hint.phrase) if hint else 0
    connectors = range(first, first + len(hint.connectors)) if hint else range(0)
    for place, token in enumerate(query.tokens):
        role = "connector" if place in connectors else _role(token, query.keywords)
        yield _span(text, offsets[place : place + 1], role)
    if hint:
        yield _span(text, offsets[-first:] if hint.is_last else offsets[:first], "type", hint.types)
    for run in _candidate_runs(query.tokens, query.stems, query.folded):
        yield _span(text, offsets[run.start : run.end], "mention", run.keys)
    for match in query.rules:
        yield _span(text, offsets[match.start : match.end], "synonym", match.rule.replacements)


def _role(token: str, searched: Sequence[str]) -> Role:
    if token in searched:
        return "keyword"
    return "stop word" if token in STOP_WORDS else "filler"


def _span(text: str, offsets: Sequence[tuple[int, int]], role: Role, candidates: Sequence[str] = ()) -> Span:
    start, end = offsets[0][0], offsets[-1][1]
    return Span(text[start:end], start, end, role, tuple(candidates))


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search: the query, the types and the setting to search in, the page, and switches."""

    query: ParsedQuery
    scope: tuple[str, ...] = ()
    limit: int = 20
    offset: int = 0
    synonyms: bool = True
    spelling: bool = True
    facets: bool = field(default=True, kw_only=True)
    setting: str | None = field(default=None, kw_only=True)

    @property
    def expands_synonyms(self) -> bool:
        """Whether synonym rules apply, unless the caller or the length of the query turns them off."""
        return self.synonyms and len(self.query.words) <= MAX_RULE_WORDS

    def with_rules(self, release: Release) -> "SearchRequest":
        """Return the request with the synonym rules of a release that match its query."""
        if not self.expands_synonyms:
            return self
        return replace(self, query=self.query.with_rules(release.synonyms))
