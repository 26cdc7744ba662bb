"""What is wrong with synonym rules beyond their form, and what is doubtful: each with its file and line. Pure.

An error stops a build; a warning is for the editor to judge.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.problems import Problem
from indexer.synonyms import SynonymError
from indexer.terms import Known, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from indexer.synonyms import Rule
    from indexer.terms import Terms

Words = tuple[str, ...]

# Words that search leaves out: a rule for them never speaks. The service keeps the same list; a test compares the two.
STOP = frozenset(
    (
        "a", "an", "the", "of", "for", "to", "in", "on", "at", "with", "and", "or", "is", "are", "be", "am",
        "was", "do", "does", "did", "when", "while", "it", "its", "that", "this", "these", "those", "i", "im",
        "me", "my", "we", "our", "us", "you", "your", "he", "his", "she", "her", "they", "their", "them",
        "who", "what", "which", "how", "where", "there", "from", "by", "as", "if", "so", "too", "very",
        "really", "just", "also", "because", "about", "into", "than", "then", "not", "no",
    )
)  # fmt: skip
# Words that one typed word may be read as. With 16 in each of 14 places the engine answers; with 20 it passes its
# limit of 1,024 clauses and the search fails.
MOST_READINGS = 14
COMMON_SHARE = 100  # one in so many entities has the word in a name: expanding it changes very many searches
COMMON_LEAST = 20  # entities; in a small graph every word is common
UNKNOWN = Known()


def sound(rules: Sequence[Rule], problems: Sequence[str]) -> tuple[Rule, ...]:
    """The rules, where neither their reader nor `errors` found fault; else SynonymError with everything at once."""
    found = [*problems, *map(str, errors(rules))]
    if found:
        raise SynonymError(found)
    return tuple(rules)


def errors(rules: Sequence[Rule]) -> list[Problem]:
    """What stops a build, in rules that have the right form; in the order of files and lines."""
    found = [
        *_about(rules, _empty),
        *_about(rules, _stop_words),
        *_about(rules, _alike),
        *_about(rules, _no_change),
        *_about(rules, _too_many),
        *_repeats(rules),
        *_given_twice(rules),
        *_cycles(rules),
    ]
    return sorted(set(found))


def warnings(rules: Sequence[Rule], terms: Terms) -> list[Problem]:
    """What an editor should look at; in the order of files and lines."""
    found = [
        *_about(rules, _stop_phrases),
        *_about(rules, lambda rule: _nowhere(rule, terms)),
        *_about(rules, lambda rule: _common(rule, terms)),
        *_about(rules, lambda rule: _one_entity(rule, terms)),
        *_crosswise(rules),
    ]
    return sorted(set(found))


def _about(rules: Iterable[Rule], look: Callable[[Rule], Iterator[str]]) -> Iterator[Problem]:
    for rule in rules:
        for what in look(rule):
            yield Problem(rule.file, rule.line, what)


def _sides(rule: Rule) -> tuple[tuple[str, ...], ...]:
    return (rule.given,) if rule.two_way else (rule.given, rule.read_as)


def _terms(rule: Rule) -> list[str]:
    return list(dict.fromkeys(term for side in _sides(rule) for term in side))


def _added(rule: Rule) -> list[str]:
    """The terms that the rule reads into a query; in a two-way rule, all of them."""
    given = {tokens(term) for term in rule.given}
    return [term for term in rule.read_as if rule.two_way or tokens(term) not in given]


def _empty(rule: Rule) -> Iterator[str]:
    for term in _terms(rule):
        if not tokens(term):
            yield f"{term!r} has neither letters nor digits: nothing is left of it for the engine"


def _stop_words(rule: Rule) -> Iterator[str]:
    for term in _terms(rule):
        if len(tokens(term)) == 1 and STOP.issuperset(tokens(term)):
            yield f"{term!r} is a stop word; such words stand in every other query and say nothing"


def _stop_phrases(rule: Rule) -> Iterator[str]:
    for term in rule.given:
        if len(tokens(term)) > 1 and STOP.issuperset(tokens(term)):
            yield f"{term!r} is nothing but stop words; the rule speaks only where it is all of a query"


def _alike(rule: Rule) -> Iterator[str]:
    for side in _sides(rule):
        first: dict[Words, str] = {}
        for term in side:
            known = first.setdefault(tokens(term), term)
            if known is not term and tokens(term):
                yield f"{known!r} and {term!r} are the same to the engine; keep one"


def _no_change(rule: Rule) -> Iterator[str]:
    given, read_as = ({tokens(term) for term in side} for side in (rule.given, rule.read_as))
    if not rule.two_way and given == read_as:
        same = f"write {', '.join(rule.given)!r}" if len(given) > 1 else "the rule would change nothing"
        yield f"both sides are the same to the engine; {same}"


def _nowhere(rule: Rule, terms: Terms) -> Iterator[str]:
    added = _added(rule)
    missing = [term for term in added if not _known(terms, term).spoken]
    if added and missing == added:
        yield f"{_listed(missing)} stands nowhere in the graph: the rule finds nothing"
    elif missing and not rule.two_way:  # in a two-way rule, one of the terms is often not the graph's own
        yield f"{_listed(missing)} stands nowhere in the graph and finds nothing"


def _common(rule: Rule, terms: Terms) -> Iterator[str]:
    limit = max(COMMON_LEAST, terms.entities // COMMON_SHARE)
    for term in rule.given:
        number = len(_known(terms, term).holders)
        if len(tokens(term)) == 1 and number >= limit:
            yield f"{term!r} is a common word, in the names of {number} entities: every search for it widens"


def _one_entity(rule: Rule, terms: Terms) -> Iterator[str]:
    known = [_known(terms, term) for term in _terms(rule)]
    shared = frozenset.intersection(*(one.named for one in known))
    if len(shared) == 1 and all(one.holders <= shared for one in known):
        yield f"all its terms are names of {next(iter(shared))} and of nothing else; as other names they need no rule"


def _too_many(rule: Rule) -> Iterator[str]:
    readings = sum(len(tokens(term)) for term in rule.read_as)
    shortest = min(rule.given, key=lambda term: len(tokens(term)))
    most = MOST_READINGS * max(1, len(tokens(shortest)))
    if readings > most:
        yield (
            f"{shortest!r} would be read as {readings} words; up to {most} are safe, "
            "more could pass the engine's limit of clauses and fail the search"
        )


def _repeats(rules: Iterable[Rule]) -> Iterator[Problem]:
    first: dict[tuple[frozenset[Words], frozenset[Words]], Rule] = {}
    for rule in rules:
        key = frozenset(map(tokens, rule.given)), frozenset(map(tokens, rule.read_as))
        known = first.setdefault(key, rule)
        if known is not rule:
            yield Problem(rule.file, rule.line, f"says the same as {known.file}:{known.line}")


def _given_twice(rules: Iterable[Rule]) -> Iterator[Problem]:
    first: dict[Words, Rule] = {}
    for rule in rules:
        for term in rule.given:
            known = first.setdefault(tokens(term), rule)
            if known is not rule:
                kind = "stands in two equal groups" if known.two_way and rule.two_way else "is given in two rules"
                yield Problem(
                    rule.file, rule.line, f"{term!r} {kind}, also in {known.file}:{known.line}; make them one rule"
                )


def _cycles(rules: Sequence[Rule]) -> Iterator[Problem]:
    """Terms that one-way rules send round in a circle: none of them finds itself any more."""
    leads: defaultdict[Words, dict[Words, Rule]] = defaultdict(dict)
    for rule in rules:
        read_as = [tokens(term) for term in rule.read_as]
        for given in map(tokens, rule.given):
            if given not in read_as:
                leads[given] |= dict.fromkeys(read_as, rule)
    for start in leads:
        path = _way_back(start, leads)
        if path:
            rule = leads[start][path[0]]
            shown = " => ".join(" ".join(one) for one in (start, *path))
            yield Problem(rule.file, rule.line, f"goes round in a circle: {shown}")


def _way_back(start: Words, leads: Mapping[Words, Mapping[Words, Rule]]) -> list[Words]:
    """The shortest way from a term back to itself, without its beginning; empty where there is none."""
    came_from: dict[Words, Words] = {}
    waiting = [start]
    while waiting:
        here = waiting.pop(0)
        for there in leads.get(here, ()):
            if there not in came_from:
                came_from[there] = here
                waiting.append(there)
    if start not in came_from:
        return []
    path = [start]
    while (before := came_from[path[0]]) != start:
        path.insert(0, before)
    return path


def _crosswise(rules: Iterable[Rule]) -> Iterator[Problem]:
    """Two one-way rules that together say what one two-way rule would."""
    by_given: dict[Words, Rule] = {}
    for rule in rules:
        if rule.two_way:
            continue
        for term in _added(rule):
            other = by_given.get(tokens(term))
            if other is not None and any(tokens(back) in map(tokens, rule.given) for back in _added(other)):
                yield Problem(
                    rule.file, rule.line, f"with {other.file}:{other.line}, reads both ways; is it one two-way rule?"
                )
        by_given |= {tokens(term): rule for term in rule.given}


def _known(terms: Terms, term: str) -> Known:
    return terms.known.get(term, UNKNOWN)


def _listed(terms: Sequence[str]) -> str:
    return ", ".join(map(repr, terms))
