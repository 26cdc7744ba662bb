"""Finds entities that a query names and does not mean: "not deaf", and pieces of a guide's name ("light duty")."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from api.search.query import ParsedQuery
from api.search.words.negation import WORDS as NEGATION_WORDS
from api.search.words.negation import Subject, is_listed_with, negation_of

SUBJECTS: dict[str, Subject] = {"disability": "condition", "solution": "thing", "product": "thing"}


class NamedEntity(NamedTuple):
    """An entity with the forms of the name that a query has."""

    id: str
    kind: str
    forms: frozenset[str]


def may_have_unmeant(query: ParsedQuery) -> bool:
    """Return whether the query has words of a negation or the name of a guide; most have neither."""
    return bool(query.guide_names) or not NEGATION_WORDS.isdisjoint(query.tokens)


def unmeant_ids(query: ParsedQuery, named: Collection[NamedEntity]) -> Iterator[str]:
    """Yield the ids of those whose name does not apply wherever it stands in the query."""
    runs = query.runs
    conditions = {form for one in named if one.kind == "disability" for form in one.forms}
    negated = set(_negated(query, [run for form in conditions for run in runs.get(form, ())]))
    for one in named:
        places = [run for form in one.forms for run in runs.get(form, ())]
        is_condition = not conditions.isdisjoint(one.forms)  # "deaf" is a limitation and a condition
        subject = "condition" if is_condition else SUBJECTS.get(one.kind, "need")
        if places and all(run in negated or _is_unmeant(query, *run, one, subject) for run in places):
            yield one.id


def _negated(query: ParsedQuery, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the places of conditions that are negated, and of those that "or" joins to them: "no asthma or lupus"."""
    ends: list[int] = []
    for start, end in sorted(places):
        is_listed = any(is_listed_with(query.tokens, last, start) for last in ends)
        if is_listed or negation_of(query.tokens, start, end, "condition"):
            ends.append(end)
            yield start, end


def _is_unmeant(query: ParsedQuery, start: int, end: int, one: NamedEntity, subject: Subject) -> bool:
    words = query.tokens[start:end]
    if any(name.has_as_piece(words, start, end, ids={one.id}, kind=one.kind) for name in query.guide_names):
        return True
    return negation_of(query.tokens, start, end, subject) is not None
