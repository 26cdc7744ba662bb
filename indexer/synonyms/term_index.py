"""Finds the terms of synonym rules in the content: in which texts they occur, and which entities they name.

Terms are compared as the index analyzers do: without case, accents, apostrophes and punctuation. A rough stemmer
shortens both sides, so that a term counts as unknown only if no form of it occurs anywhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schema.text import name_key, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.content.rows import Content
    from schema.synonyms import SynonymRule

ENDINGS = ("ing", "ies", "ed", "es", "s", "e", "y")
MIN_STEM_LENGTH = 3


@dataclass(frozen=True, slots=True)
class TermInfo:
    """What the content has of one term.

    `occurs`: some text has its words in a row. `exact_name_of`: entities with this name or alias.
    `containing_entities`: entities with a name that contains it.
    """

    occurs: bool = False
    exact_name_of: frozenset[str] = frozenset()
    containing_entities: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TermIndex:
    """Every term of the rules, and the number of entities in the content."""

    entities: int
    terms: Mapping[str, TermInfo]

    @staticmethod
    def from_content(terms: Sequence[str], content: Content) -> TermIndex:
        """Find the terms in names, aliases and summaries."""
        names = {entity.id: [entity.name] for entity in content.entities}
        for alias in content.aliases:
            names[alias.entity].append(alias.text)
        by_key: defaultdict[str, set[str]] = defaultdict(set)
        for entity_id, texts in names.items():
            for text in texts:
                by_key[name_key(text)].add(entity_id)
        stems = _Stems()
        in_names = _Texts(stems, ((entity_id, text) for entity_id, texts in names.items() for text in texts))
        summaries = _Texts(
            stems,
            (
                (entity.id, text)
                for entity in content.entities
                for text in (entity.short, entity.plain, entity.facts.get("category", ""))
            ),
        )
        return TermIndex(
            len(names),
            {
                term: TermInfo(
                    in_names.contains(term) or summaries.contains(term),
                    frozenset(by_key.get(name_key(term), ())),
                    in_names.owners(term),
                )
                for term in terms
            },
        )


def terms_of(rules: Iterable[SynonymRule]) -> list[str]:
    """Return every term of the rules without repetition."""
    return list(dict.fromkeys(term for rule in rules for term in (*rule.terms, *rule.replacements)))


class _Stems(dict[str, str]):
    """Cache of words without endings: "devices", "device" and "devicing" have the same stem."""

    def __missing__(self, word: str) -> str:
        stem = word
        for ending in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_LENGTH:
                stem = word[: -len(ending)]
                break
        if len(stem) > MIN_STEM_LENGTH and stem[-1] == stem[-2]:  # "running"
            stem = stem[:-1]
        self[word] = stem
        return stem


class _Texts:
    """Many texts of entities joined into one, so that a substring search finds a phrase and its entities."""

    def __init__(self, stems: _Stems, texts: Iterable[tuple[str, str]]) -> None:
        self._stems = stems
        self._owners: list[str] = []
        self._starts: list[int] = []
        parts, length = [], 0
        for owner, text in texts:
            part = self._stemmed(text)
            self._owners.append(owner)
            self._starts.append(length)
            parts.append(part)
            length += len(part) + 1
        self._joined = "\n".join(parts)

    def _stemmed(self, text: str) -> str:
        return f" {' '.join([self._stems[word] for word in tokens(text)])} "

    def contains(self, term: str) -> bool:
        """Return whether some text has the words of the term in a row."""
        return self._stemmed(term) in self._joined

    def owners(self, term: str) -> frozenset[str]:
        """Return the entities whose texts contain the term."""
        owners, phrase, start = set(), self._stemmed(term), -1
        while (start := self._joined.find(phrase, start + 1)) >= 0:
            owners.add(self._owners[bisect_right(self._starts, start) - 1])
        return frozenset(owners)
