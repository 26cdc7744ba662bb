"""Reads a question: chooses among what its words can stand for, drops what does not apply, and names unused words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from api.search.candidates import (
    APART,
    CERTAINTY,
    NAME,
    OTHER_NAME,
    ROLES,
    TITLE,
    Candidate,
    Places,
    candidates_by_places,
    precedence,
)
from api.search.guides import GuideMatch
from api.search.lexicon import find_setting
from api.search.negation import REASONS, is_listed_with, negation_of
from api.search.query import ParsedQuery
from api.search.ranking import RankedHit
from api.search.reading import GUIDE_ROLE, MAX_ALTERNATIVES, SETTING_ROLE, SIDE_ROLE, Part, Reading
from schema.text import STOP_WORDS


def read(query: ParsedQuery, hits: Iterable[RankedHit], guides: Sequence[GuideMatch] = ()) -> Reading:
    """Return the parts of a query. `hits` are those of its search, or at least all whose names it contains."""
    by_places = candidates_by_places(query, hits)
    setting, setting_places = find_setting(query.tokens)
    taken = set(setting_places)
    parts: list[tuple[Places, Part, bool]] = []
    for places in sorted(by_places, key=lambda places: precedence(query, places, by_places[places])):
        if taken.isdisjoint(range(*places)):
            taken.update(range(*places))
            parts.append((places, *_part(query, places, by_places[places])))
    guides = [match for match in guides if match.guide.is_crisis or not _is_within(match, parts)]
    for match in guides:
        places = (match.start, match.end)
        words = set(range(*places)) if not match.guide.is_crisis else set()  # its words keep their other meaning
        free = sorted(words - (taken - set(setting_places))) or (list(range(*places)) if not words else [])
        if free:
            taken |= words
            places = (free[0], free[-1] + 1)
            part = replace(_words(query, places, GUIDE_ROLE, NAME), guide=match.guide.id)
            parts.append((places, part, False))
    if setting:
        places = (setting_places.start, setting_places.stop)
        parts.append((places, replace(_words(query, places, SETTING_ROLE, NAME), setting=setting), False))
    parts.sort(key=lambda part: part[0])
    kept, dropped = _without_negated(query, _without_repeated(parts))
    sources = _sources(parts, by_places)
    taken.update(*(range(match.start, match.end) for match in guides))
    return Reading(kept, dropped, _unused(query, taken), setting, sources, [match.guide for match in guides])


def _sources(parts: Iterable[tuple[Places, Part, bool]], by_places: Mapping[Places, Sequence[Candidate]]) -> list[str]:
    """Return the sources of the entities that the parts show."""
    shown = [candidate.hit for places, _, _ in parts for candidate in by_places.get(places, ())]
    return [source for hit in shown for source in hit.payload["sources"]]


def _is_within(match: GuideMatch, parts: Iterable[tuple[Places, Part, bool]]) -> bool:
    """Return whether the words of a guide are only a part of another name: "special education" in a job title."""
    size = match.end - match.start
    return any(start <= match.start and match.end <= end and size < end - start for (start, end), _, _ in parts)


def _part(query: ParsedQuery, places: Places, candidates: Iterable[Candidate]) -> tuple[Part, bool]:
    """Return the part that words stand for, and whether they name a condition in one of its readings."""
    order = list(ROLES)
    ranked = sorted(
        candidates,
        key=lambda one: (
            CERTAINTY.index(one.matched_by),
            order.index(one.hit.card["type"]),
            "broader" in one.hit.payload,
            -one.hit.payload["prior"],
            one.hit.card["id"],
        ),
    )
    best = ranked[0]
    others = {one.hit.card["id"]: one.hit.card for one in ranked if one.hit.card["id"] != best.hit.card["id"]}
    role = SIDE_ROLE if best.side else ROLES[best.hit.card["type"]]
    part = replace(
        _words(query, places, role, OTHER_NAME if best.matched_by in (APART, TITLE) else best.matched_by),
        entity=best.hit.card,
        side=best.side,
        alternatives=list(others.values())[:MAX_ALTERNATIVES],
    )
    return part, any(one.hit.card["type"] == "disability" for one in ranked)


def _words(query: ParsedQuery, places: Places, role: str, matched_by: str) -> Part:
    start, end = query.offsets[places[0]][0], query.offsets[places[1] - 1][1]
    return Part(query.text[start:end], start, end, role, matched_by)


def _without_repeated(parts: Iterable[tuple[Places, Part, bool]]) -> list[tuple[Places, Part, bool]]:
    """Return the parts without later ones that stand for the same entity: "climb stairs" is Climbing twice."""
    first: dict[tuple[str | None, str, str], tuple[Places, Part, bool]] = {}
    for one in parts:
        part = one[1]
        named = part.entity["id"] if part.entity else part.guide or part.text
        first.setdefault((part.side, part.role, named), one)
    return list(first.values())


def _without_negated(
    query: ParsedQuery, parts: Sequence[tuple[Places, Part, bool]]
) -> tuple[list[Part], list[tuple[Part, str]]]:
    """Separate conditions that the question says somebody does not have, or no longer has."""
    kept: list[Part] = []
    dropped: list[tuple[Part, str]] = []
    before: tuple[int, str] | None = None  # where the last dropped part ends, and why it was dropped
    for (start, end), part, is_condition in parts:
        kind = negation_of(query.tokens, start, end, is_condition=is_condition)
        if is_condition and not kind and before and is_listed_with(query.tokens, before[0], start):
            kind = before[1]
        if kind:
            dropped.append((part, REASONS[kind]))
            before = (end, kind)
        else:
            kept.append(part)
    return kept, dropped


def _unused(query: ParsedQuery, taken: set[int]) -> list[str]:
    """Return the words that carried nothing: neither in a part, nor asking for a type, nor stop words."""
    hint = query.type_hint
    of_hint = {*hint.phrase, *hint.connectors} if hint else set()
    return [
        query.text[slice(*query.offsets[place])]
        for place, token in enumerate(query.tokens)
        if place not in taken and token not in STOP_WORDS and token not in of_hint
    ]
