"""Finds synonym rules that contradict each other: repeated rules and terms, and cycles."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexer.content.problems import Problem
from schema.synonyms import SynonymRule
from schema.text import tokens

Words = tuple[str, ...]


def repeated_rules(rules: Iterable[SynonymRule]) -> Iterator[Problem]:
    """Find rules that equal an earlier one."""
    seen: dict[tuple[frozenset[Words], frozenset[Words]], SynonymRule] = {}
    for rule in rules:
        key = frozenset(map(tokens, rule.terms)), frozenset(map(tokens, rule.replacements))
        first = seen.setdefault(key, rule)
        if first is not rule:
            yield Problem(rule.file, rule.line, f"repeats {first.file}:{first.line}")


def repeated_terms(rules: Iterable[SynonymRule]) -> Iterator[Problem]:
    """Find terms that an earlier rule has, too."""
    seen: dict[Words, SynonymRule] = {}
    for rule in rules:
        for term in rule.terms:
            first = seen.setdefault(tokens(term), rule)
            if first is rule:
                continue
            is_hidden = set(map(tokens, rule.terms)) <= set(map(tokens, first.terms))
            advice = ", which hides this rule; merge the two rules" if is_hidden else "; merge the two rules"
            yield Problem(rule.file, rule.line, f"{term!r} is also in {first.file}:{first.line}{advice}")


def cycles(rules: Sequence[SynonymRule]) -> Iterator[Problem]:
    """Find cycles of one-way rules: none of their terms finds itself any more."""
    graph: defaultdict[Words, dict[Words, SynonymRule]] = defaultdict(dict)
    for rule in rules:
        replacements = [tokens(term) for term in rule.replacements]
        for term in map(tokens, rule.terms):
            if term not in replacements:
                graph[term] |= dict.fromkeys(replacements, rule)
    for start in graph:
        if path := _shortest_cycle(start, graph):
            rule = graph[start][path[0]]
            terms = " => ".join(" ".join(words) for words in (start, *path))
            yield Problem(rule.file, rule.line, f"rules form a cycle: {terms}")


def _shortest_cycle(start: Words, graph: Mapping[Words, Mapping[Words, SynonymRule]]) -> list[Words]:
    """Return the shortest path from a term back to itself, without its start; empty if there is none."""
    previous: dict[Words, Words] = {}
    queue = deque([start])
    while queue:
        term = queue.popleft()
        for replacement in graph.get(term, ()):
            if replacement not in previous:
                previous[replacement] = term
                queue.append(replacement)
    if start not in previous:
        return []
    path = [start]
    while (term := previous[path[0]]) != start:
        path.insert(0, term)
    return path
