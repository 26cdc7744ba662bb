"""Checks names and texts of conditions: people read nothing frightening, hurtful, or left over from a code book."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from indexer.content.csv_table import Table
from indexer.content.problems import Location, Problem, fold, quote

CONDITION = "disability:"
NOT_SHOWN = frozenset(("hidden", "near"))
FRIGHTENING = re.compile(r"\b(fatal|lethal|death|puppet\w*)\b", re.IGNORECASE)
# Headings of code books are no names: "hemorrhage without mention of perforation".
REMNANT = re.compile(r"\b(with(out)? mention|involving|cellulitis and abscess)\b|\bCa\b")
LONE_LETTER = re.compile(r"\s[a-z]$")
WORD = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True, slots=True)
class ShownName:
    """A name of a condition: its display name (an empty kind) or an alias."""

    location: Location
    condition: str
    text: str
    kind: str = ""

    @property
    def is_shown(self) -> bool:
        """Whether people read it."""
        return self.kind not in NOT_SHOWN


def name_problems(tables: Mapping[str, Table]) -> Iterator[Problem]:
    """Yield the problems of all names and texts of conditions."""
    names = list(_names(tables))
    for name in names:
        if name.is_shown and (pattern := _shown_error(name)):
            yield Problem(*name.location, pattern)
    yield from _hidden_words(tables, names)
    yield from _shared_names(names, _slugs(tables.get("disabilities")))


def _names(tables: Mapping[str, Table]) -> Iterator[ShownName]:
    for stem in ("disabilities", "narrower_conditions"):
        if table := tables.get(stem):
            for line, (slug, name) in zip(table.lines, table.rows("slug", "name"), strict=True):
                yield ShownName(Location(table.file, line), slug, name)
    for stem, column in (("aliases", "entity"), ("condition_names", "disability")):
        if table := tables.get(stem):
            for line, (entity, text, kind) in zip(table.lines, table.rows(column, "text", "kind"), strict=True):
                if stem == "condition_names" or entity.startswith(CONDITION):
                    yield ShownName(Location(table.file, line), entity.removeprefix(CONDITION), text, kind)


def _shown_error(name: ShownName) -> str:
    what = f"alias {quote(name.text)}" if name.kind else f"name {quote(name.text)}"
    remedy = "give it the kind hidden" if name.kind else "show another name, and this one with the kind hidden"
    if found := FRIGHTENING.search(name.text):
        return f"{what} shows {found[0]!r}; {remedy}"
    if found := REMNANT.search(name.text):
        return f"{what} is a heading of a code book ({found[0]!r}); give it the kind near"
    if not name.kind and LONE_LETTER.search(name.text):
        return f"{what} ends in a lone lower-case letter; write a capital"
    return ""


def _hidden_words(tables: Mapping[str, Table], names: list[ShownName]) -> Iterator[Problem]:
    """Report texts with a word of a hidden name of the condition that is in no shown name, whatever the entity."""
    shown = {word for name in names if name.is_shown for word in _words(name.text)}
    for stem in ("solutions", "limitations", "workrelatedfunctions"):
        shown |= {word for name in (tables[stem].column("name") if stem in tables else ()) for word in _words(name)}
    hidden: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        if name.kind == "hidden":
            hidden[name.condition] |= _words(name.text) - shown
    for stem in ("disabilities", "narrower_conditions"):
        if table := tables.get(stem):
            for line, (slug, *texts) in zip(table.lines, table.rows("slug", "short", "plain"), strict=True):
                for word in sorted(hidden.get(slug, set()) & _words(" ".join(texts))):
                    yield Problem(table.file, line, f"the text shows {word!r}, a word of a hidden name")


def _words(text: str) -> set[str]:
    return set(WORD.findall(fold(text)))


def _slugs(table: Table | None) -> frozenset[str]:
    return frozenset(table.column("slug")) if table else frozenset()


def _shared_names(names: list[ShownName], main: frozenset[str]) -> Iterator[Problem]:
    """Report a shown name that two main conditions have: a person who types it would get either."""
    first: dict[str, ShownName] = {}
    for name in names:
        if name.is_shown and name.condition in main:
            known = first.setdefault(fold(name.text), name)
            if known.condition != name.condition:
                where = f"{known.location.file}:{known.location.line}"
                message = (
                    f"name {quote(name.text)} is one of {quote(known.condition)} too, in {where}; keep one of them"
                )
                yield Problem(*name.location, message)
