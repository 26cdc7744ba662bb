"""Synonym rules as a release stores them, and which of them match a query."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schema.pins import Pin
from schema.text import to_american, tokens

ARROW = "=>"
MAX_RULE_WORDS = 14  # of a longer query, synonym rules could make more than the 1,024 clauses of OpenSearch


@dataclass(frozen=True, slots=True)
class SynonymRule:
    """One line of a rule file. In a two-way rule (`a, b`) the replacements equal the terms; in `a => b` they do not."""

    file: str
    line: int
    terms: tuple[str, ...]
    replacements: tuple[str, ...]

    @property
    def two_way(self) -> bool:
        """Whether each term is replaced by all the others."""
        return self.terms == self.replacements

    @property
    def text(self) -> str:
        """The rule in Solr format, as OpenSearch takes it."""
        if self.two_way:
            return ", ".join(self.terms)
        return f"{', '.join(self.terms)} {ARROW} {', '.join(self.replacements)}"


def filter_rules(rules: Iterable[SynonymRule]) -> list[str]:
    """Return the rules for the token filter of OpenSearch, in American spelling as all indexed words are."""
    return [to_american(rule.text) for rule in rules]


def rules_version(rules: Iterable[SynonymRule], pins: Iterable[Pin] = ()) -> str:
    """Return 12 hex digits that change exactly when the rules change for OpenSearch, or the effect of the pins."""
    digest = hashlib.sha256("\n".join([*(rule.text for rule in rules), *(pin.text for pin in pins)]).encode())
    return digest.hexdigest()[:12]


def rule_lines(rules: Iterable[SynonymRule]) -> list[dict[str, Any]]:
    """Return the rules as a release stores them in its `_meta`."""
    return [
        {
            "text": rule.text,
            "given": list(rule.terms),
            "read_as": list(rule.replacements),
            "file": rule.file,
            "line": rule.line,
        }
        for rule in rules
    ]


def rules_from(lines: Iterable[Mapping[str, Any]]) -> tuple[SynonymRule, ...]:
    """Return the rules that a release stores."""
    return tuple(
        SynonymRule(line["file"], line.get("line", 0), tuple(line["given"]), tuple(line["read_as"])) for line in lines
    )


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """A rule and the tokens of the query, from `start` up to `end`, that its `term` matches."""

    rule: SynonymRule
    term: str
    start: int
    end: int


class SynonymMatcher:
    """Finds the rules that match a query."""

    def __init__(self, rules: Iterable[SynonymRule]) -> None:
        self._by_tokens = {tokens(term): (rule, term) for rule in rules for term in rule.terms}
        self._longest = max(map(len, self._by_tokens), default=0)

    def matches(self, words: Sequence[str]) -> list[RuleMatch]:
        """Return the matches from left to right: at each token the rule with the longest term, as OpenSearch does."""
        words = tuple(words)
        matches: list[RuleMatch] = []
        start = 0
        while start < len(words):
            ends = range(min(start + self._longest, len(words)), start, -1)
            end = next((end for end in ends if words[start:end] in self._by_tokens), start)
            if end > start:
                matches.append(RuleMatch(*self._by_tokens[words[start:end]], start, end))
            start = max(end, start + 1)
        return matches
