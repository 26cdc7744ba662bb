"""What the graph knows of the terms of synonym rules: where they stand, and which entities they name. Pure.

Terms are compared as the engine reads them: without case, accents, apostrophes and punctuation. Endings are taken off
roughly and on both sides, so that a term counts as unknown only where no form of it stands anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.rows import Content
    from indexer.synonyms import Rule

APOSTROPHES = str.maketrans("", "", "'\u2019\u2018\u02bc`\u00b4\u2032")
WORD = re.compile(r"[^\W_]+")
ENDINGS = ("ing", "ies", "ed", "es", "s", "e", "y")
STEM = 3  # letters that an ending leaves behind at least


@dataclass(frozen=True, slots=True)
class Known:
    """What the graph knows of one term.

    `spoken`: its words stand side by side in some text. `named`: the entities that have it as a name or other name.
    `holders`: the entities in whose names it stands.
    """

    spoken: bool = False
    named: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Terms:
    """What is known of every term of the rules, in a graph of so many entities."""

    entities: int
    known: Mapping[str, Known]


def tokens(text: str) -> tuple[str, ...]:
    """The words that synonym rules see; none for a text of signs alone."""
    text = text.translate(APOSTROPHES)
    if not text.isascii():
        text = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return tuple(WORD.findall(text.casefold()))


def squeezed(text: str) -> str:
    """Letters and digits only, as whole names are compared."""
    return "".join(tokens(text))


def terms_of(rules: Iterable[Rule]) -> list[str]:
    """Every term of the rules, each once."""
    return list(dict.fromkeys(term for rule in rules for term in (*rule.given, *rule.read_as)))


def terms_in_tables(terms: Sequence[str], content: Content) -> Terms:
    """Look the terms up in the names, other names and summaries of the tables."""
    names = {entity.id: [entity.name] for entity in content.entities}
    for alias in content.aliases:
        names[alias.entity].append(alias.text)
    whole: defaultdict[str, set[str]] = defaultdict(set)
    for key, texts in names.items():
        for text in texts:
            whole[squeezed(text)].add(key)
    stems = _Stems()
    called = _Text(stems, ((key, text) for key, texts in names.items() for text in texts))
    said = _Text(
        stems,
        (
            (entity.id, text)
            for entity in content.entities
            for text in (entity.short, entity.plain, entity.facts.get("category", ""))
        ),
    )
    return Terms(
        len(names),
        {
            term: Known(
                called.holds(term) or said.holds(term),
                frozenset(whole.get(squeezed(term), ())),
                called.owners(term),
            )
            for term in terms
        },
    )


class _Stems(dict[str, str]):
    """Words without their endings, worked out once each: "devices", "device" and "devicing" are one."""

    def __missing__(self, word: str) -> str:
        stem = word
        for ending in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= STEM:
                stem = word[: -len(ending)]
                break
        if len(stem) > STEM and stem[-1] == stem[-2]:  # "running"
            stem = stem[:-1]
        self[word] = stem
        return stem


class _Text:
    """Many texts in one long one, so that a phrase is found by one look, and whose text it stands in."""

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
        self._whole = "\n".join(parts)

    def _stemmed(self, text: str) -> str:
        return f" {' '.join([self._stems[word] for word in tokens(text)])} "

    def holds(self, term: str) -> bool:
        """Whether the words of the term stand side by side in some text."""
        return self._stemmed(term) in self._whole

    def owners(self, term: str) -> frozenset[str]:
        """Whose texts hold the term."""
        found, wanted, place = set(), self._stemmed(term), -1
        while (place := self._whole.find(wanted, place + 1)) >= 0:
            found.add(self._owners[bisect_right(self._starts, place) - 1])
        return frozenset(found)
