"""Lints synonym rules beyond their syntax: errors stop a build, warnings are for the editor to judge.

For the warnings, terms are compared with the content as the index analyzers do: without case, accents, apostrophes
and punctuation. A rough stemmer shortens both sides, so that a term counts as unknown only if no form of it occurs
anywhere.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate

from indexer.content.problems import Problem
from indexer.content.rows import Content
from indexer.synonyms.rule_conflicts import Words, cycles, repeated_rules, repeated_terms
from indexer.synonyms.rules import SynonymError
from schema.synonyms import MAX_RULE_WORDS, SynonymRule
from schema.text import STOP_WORDS, name_key, stems, tokens

Check = Callable[[SynonymRule], Iterator[str]]  # yields messages


ENDINGS = ("ing", "ies", "ed", "es", "s", "e", "y")
# Of "tiredness", "procrastination", "adaptive" and "tracker": the stemmer of the index removes them, too.
DERIVED_ENDINGS = ("ness", "ion", "ive", "er")
MIN_STEM_LENGTH = 3
# Replacement words per word of a term. With 16 for each of 14 words OpenSearch responds; with 20 the search exceeds
# the limit of 1,024 clauses and fails.
MAX_REPLACEMENT_WORDS = 14
COMMON_SHARE = 100  # a term is common if one in a hundred entities has it in a name: expanding it affects many searches
RELATING_EDGES = ("broader", "has_limitation")
MIN_COMMON = 20  # entities; in a small graph every term would be common


@dataclass(frozen=True, slots=True)
class TermInfo:
    """What the content has of one term.

    `occurs`: some text has its words in a row. `exact_name_of`: entities with this name or alias.
    `containing_entities`: entities with a name that contains it. `mentioned_by`: entities with a summary that does.
    `related`: entities that are linked with one of `exact_name_of` by RELATING_EDGES, or with the same entity as one.
    """

    occurs: bool = False
    exact_name_of: frozenset[str] = frozenset()
    containing_entities: frozenset[str] = frozenset()
    mentioned_by: frozenset[str] = frozenset()
    related: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TermIndex:
    """Every term of the rules, and the number of entities in the content."""

    entities: int
    terms: Mapping[str, TermInfo]

    @staticmethod
    def from_content(terms: Sequence[str], content: Content) -> "TermIndex":
        """Find the terms in names, aliases and summaries."""
        names = {entity.id: [entity.name] for entity in content.entities}
        for alias in content.aliases:
            names[alias.entity].append(alias.text)
        by_key: defaultdict[str, set[str]] = defaultdict(set)
        for entity_id, texts in names.items():
            for text in texts:
                by_key[name_key(text)].add(entity_id)
        stem = cache(_stem)
        in_names = _Texts(stem, ((entity_id, text) for entity_id, texts in names.items() for text in texts))
        summaries = _Texts(
            stem,
            (
                (entity.id, text)
                for entity in content.entities
                for text in (entity.short, entity.plain, entity.facts.get("category", ""))
            ),
        )
        related = _Related(content)
        infos = {}
        for term in terms:
            named = frozenset(by_key.get(name_key(term), ()))
            owners, mentioned_by = in_names.owners(term), summaries.owners(term)
            infos[term] = TermInfo(bool(owners or mentioned_by), named, owners, mentioned_by, related.of(named))
        return TermIndex(len(names), infos)


def terms_of(rules: Iterable[SynonymRule]) -> list[str]:
    """Return every term of the rules without repetition."""
    return list(dict.fromkeys(term for rule in rules for term in (*rule.terms, *rule.replacements)))


def _stem(word: str) -> str:
    """Return a word without its ending: "devices", "device" and "devicing" have the same stem."""
    endings = (ending for ending in ENDINGS if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_LENGTH)
    stem = word.removesuffix(next(endings, ""))
    is_doubled = len(stem) > MIN_STEM_LENGTH and stem[-1] == stem[-2]  # "running"
    return stem[:-1] if is_doubled else stem


class _Texts:
    """Many texts of entities joined into one, so that a substring search finds a phrase and its entities."""

    def __init__(self, stem: Callable[[str], str], texts: Iterable[tuple[str, str]]) -> None:
        self._stem = stem
        stemmed = [(owner, self._stemmed(text)) for owner, text in texts]
        self._owners = [owner for owner, _ in stemmed]
        self._starts = list(accumulate((len(text) + 1 for _, text in stemmed), initial=0))
        self._joined = "\n".join(text for _, text in stemmed)

    def _stemmed(self, text: str) -> str:
        return f" {' '.join(map(self._stem, tokens(text)))} "

    def owners(self, term: str) -> frozenset[str]:
        """Return the entities whose texts contain the term."""
        owners, phrase, start = set(), self._stemmed(term), -1
        while (start := self._joined.find(phrase, start + 1)) >= 0:
            owners.add(self._owners[bisect_right(self._starts, start) - 1])
        return frozenset(owners)


class _Related:
    """The entities within two links of others: a broader one, its other narrower ones, and limitations of both."""

    def __init__(self, content: Content) -> None:
        self._neighbors: defaultdict[str, set[str]] = defaultdict(set)
        for link in content.links:
            if link.edge in RELATING_EDGES:
                self._neighbors[link.source].add(link.target)
                self._neighbors[link.target].add(link.source)

    def of(self, ids: Iterable[str]) -> frozenset[str]:
        """Return the entities within two links of some of these."""
        near = {neighbor for id_ in ids for neighbor in self._neighbors[id_]}
        return frozenset(near.union(*(self._neighbors[id_] for id_ in near)))


def require_valid_rules(rules: Sequence[SynonymRule], problems: Sequence[str]) -> tuple[SynonymRule, ...]:
    """Return the rules. Raise SynonymError with the problems of the parser and all errors, if there are any."""
    messages = [*problems, *map(str, errors(rules))]
    if messages:
        raise SynonymError(messages)
    return tuple(rules)


def errors(rules: Sequence[SynonymRule]) -> list[Problem]:
    """Return what stops a build, in the order of files and lines."""
    checks = (_unusable_terms, _equal_terms, _no_change, _too_many, _too_long)
    return sorted({*_per_rule(rules, checks), *repeated_rules(rules), *repeated_terms(rules), *cycles(rules)})


def warnings(rules: Sequence[SynonymRule], index: TermIndex) -> list[Problem]:
    """Return what an editor should check, in the order of files and lines."""
    by_content = (_unknown_terms, _common_terms, _names_of_one_entity, _names_of_unrelated)
    checks = (partial(check, index) for check in by_content)
    return sorted({*_per_rule(rules, (_stop_phrases, _dropped_terms, *checks)), *_mutual_rules(rules)})


def _per_rule(rules: Iterable[SynonymRule], checks: Sequence[Check]) -> Iterator[Problem]:
    for rule in rules:
        for check in checks:
            yield from (Problem(rule.file, rule.line, message) for message in check(rule))


def _sides(rule: SynonymRule) -> tuple[tuple[str, ...], ...]:
    return (rule.terms,) if rule.two_way else (rule.terms, rule.replacements)


def _added_terms(rule: SynonymRule) -> list[str]:
    """Return the terms that the rule adds to a query; for a two-way rule, all of them."""
    terms = {tokens(term) for term in rule.terms}
    return [term for term in rule.replacements if rule.two_way or tokens(term) not in terms]


def _unusable_terms(rule: SynonymRule) -> Iterator[str]:
    for term in terms_of([rule]):
        if not tokens(term):
            yield f"{term!r} has neither letters nor digits, so that no word remains"
        elif len(tokens(term)) == 1 and STOP_WORDS.issuperset(tokens(term)):
            yield f"{term!r} is a stop word; a rule for it would apply to very many queries"


def _stop_phrases(rule: SynonymRule) -> Iterator[str]:
    for term in rule.terms:
        if len(tokens(term)) > 1 and STOP_WORDS.issuperset(tokens(term)):
            yield f"{term!r} has only stop words; the rule applies only to queries without other words"


def _equal_terms(rule: SynonymRule) -> Iterator[str]:
    for side in _sides(rule):
        seen: dict[Words, str] = {}
        for term in side:
            first = seen.setdefault(tokens(term), term)
            if first is not term and tokens(term):
                yield f"{first!r} and {term!r} are the same after analysis; keep only one"


def _no_change(rule: SynonymRule) -> Iterator[str]:
    terms, replacements = ({tokens(term) for term in side} for side in (rule.terms, rule.replacements))
    if not rule.two_way and terms == replacements:
        advice = f"write {', '.join(rule.terms)!r}" if len(terms) > 1 else "the rule changes nothing"
        yield f"both sides are the same after analysis; {advice}"


def _unknown_terms(index: TermIndex, rule: SynonymRule) -> Iterator[str]:
    added = _added_terms(rule)
    unknown = [term for term in added if not index.terms[term].occurs]
    names = ", ".join(map(repr, unknown))
    if added and unknown == added:
        yield f"the graph does not contain {names}: the rule has no effect"
    elif unknown and not rule.two_way:  # a two-way rule often has a lay word that the graph does not contain
        yield f"the graph does not contain {names}"


def _common_terms(index: TermIndex, rule: SynonymRule) -> Iterator[str]:
    limit = max(MIN_COMMON, index.entities // COMMON_SHARE)
    for term in rule.terms:
        count = len(index.terms[term].containing_entities)
        if len(tokens(term)) == 1 and count >= limit:
            yield f"{term!r} is a common word, in the names of {count} entities: every search for it returns more"


def _names_of_one_entity(index: TermIndex, rule: SynonymRule) -> Iterator[str]:
    infos = [index.terms[term] for term in terms_of([rule])]
    shared = frozenset.intersection(*(info.exact_name_of for info in infos))
    if len(shared) == 1 and all(info.containing_entities | info.mentioned_by <= shared for info in infos):
        yield f"all its terms are names only of {next(iter(shared))}; add them as aliases instead of a rule"


def _too_many(rule: SynonymRule) -> Iterator[str]:
    words = sum(len(tokens(term)) for term in rule.replacements)
    shortest = min(rule.terms, key=lambda term: len(tokens(term)))
    maximum = MAX_REPLACEMENT_WORDS * max(1, len(tokens(shortest)))
    if words > maximum:
        yield (
            f"{shortest!r} would be replaced by {words} words; at most {maximum} are safe, "
            "more can exceed OpenSearch's limit of clauses and fail the search"
        )


def _too_long(rule: SynonymRule) -> Iterator[str]:
    for term in rule.terms:
        if (words := len(tokens(term))) > MAX_RULE_WORDS:
            yield (
                f"{term!r} has {words} words and never matches: rules apply to queries of up to "
                f"{MAX_RULE_WORDS} words; shorten it"
            )


def _dropped_terms(rule: SynonymRule) -> Iterator[str]:
    """Find terms that no replacement has, up to endings, so that a search for them no longer finds their own names."""
    kept = {form for term in rule.replacements for form in _joined(term)}
    dropped = [term for term in rule.terms if kept.isdisjoint(_joined(term))]
    if dropped and not rule.two_way:
        names = ", ".join(map(repr, dropped))
        yield f"the rule drops {names}: who types it no longer finds it; write it on the right side, too"


def _joined(term: str) -> set[str]:
    """Return the stems of a term without spaces: "key boards" is not lost where "keyboard" is found."""
    return {"".join(map(_root, tokens(term))), "".join(stems(term))}


def _root(word: str) -> str:
    """Return a word without all its endings: "staying" and "stay", "tiredness" and "tired" have the same root."""
    derived = (ending for ending in DERIVED_ENDINGS if word.endswith(ending))
    shorter = word.removesuffix(next(derived, ""))
    shorter = _stem(shorter if len(shorter) >= MIN_STEM_LENGTH else word)
    return word if shorter == word else _root(shorter)


def _names_of_unrelated(index: TermIndex, rule: SynonymRule) -> Iterator[str]:
    """Find a term that is the name of an entity, where the rule adds only names of unrelated entities."""
    added = [index.terms[term] for term in _added_terms(rule)]
    if rule.two_way or not added or not all(info.exact_name_of for info in added):
        return
    reached = frozenset().union(*(info.containing_entities | info.exact_name_of for info in added))
    for term in rule.terms:
        named = index.terms[term].exact_name_of
        if named and (named | index.terms[term].related).isdisjoint(reached):
            yield (
                f"{term!r} is the name of {', '.join(sorted(named))}, and the rule adds the names of other entities; "
                "remove the term, or add an alias"
            )


def _mutual_rules(rules: Iterable[SynonymRule]) -> Iterator[Problem]:
    """Find pairs of one-way rules that could be a two-way rule."""
    by_term: dict[Words, SynonymRule] = {}
    for rule in rules:
        if rule.two_way:
            continue
        for term in _added_terms(rule):
            reverse = by_term.get(tokens(term))
            if reverse and any(tokens(added) in map(tokens, rule.terms) for added in _added_terms(reverse)):
                message = f"this rule and {reverse.file}:{reverse.line} add each other's terms; use a two-way rule?"
                yield Problem(rule.file, rule.line, message)
        by_term |= {tokens(term): rule for term in rule.terms}
