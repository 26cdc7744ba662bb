"""Reads a question: chooses among what its words can stand for, drops what does not apply, and names unused words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from api.search.guides.index import GuideMatch, guide_names
from api.search.guides.names import GuideName
from api.search.query import ParsedQuery
from api.search.ranking import RankedHit
from api.search.reading.candidates import (
    BODY_PART,
    CERTAINTY,
    NAME,
    OTHER_NAME,
    ROLES,
    SCATTERED_WORDS,
    TITLE,
    Candidate,
    Places,
    candidates_by_places,
    precedence,
)
from api.search.reading.model import GUIDE_ROLE, MAX_ALTERNATIVES, SETTING_ROLE, SIDE_ROLE, Part, Reading
from api.search.words.lexicon import find_settings
from api.search.words.negation import REASONS, Subject, is_listed_with, negation_of
from schema.exact_keys import name_form
from schema.text import STOP_WORDS, content_tokens

OTHER_JOBS = frozenset(("other_job", "not_meant"))
NEED_ROLES = frozenset(("condition", "limitation", "work_function", SIDE_ROLE))


class LocatedPart(NamedTuple):
    """A part with its tokens, and as what negations before it count."""

    places: Places
    part: Part
    subject: Subject = "need"
    ids: frozenset[str] = frozenset()  # of all that its words can stand for


def read(query: ParsedQuery, hits: Iterable[RankedHit], guides: Sequence[GuideMatch] = ()) -> Reading:
    """Return the parts of a query. `hits` are those of its search, or at least all whose names it contains."""
    by_places = candidates_by_places(query, hits)
    settings = find_settings(query.tokens)
    entities = _entity_parts(query, by_places, [places for _, places in settings])
    guides = [match for match in guides if match.guide.is_crisis or not _is_within(match, entities)]
    if not any(_is_need_or_thing(one) for one in entities):
        entities = [one for one in entities if not _is_last_word(query, one)]
    names = guide_names(guides)
    entities = [one for one in entities if not any(_is_piece_of_guide(query, one, name) for name in names)]
    settings = [(name, places) for name, places in settings if not _is_part_of_name(places, entities)]
    parts = _without_repeated([*entities, *_guide_parts(query, guides, entities), *_setting_parts(query, settings)])
    kept, dropped = _without_negated(query, parts)
    taken = {place for one in parts for place in range(*one.places)}
    taken.update(*(range(match.start, match.end) for match in guides))
    setting = settings[0][0] if settings else None
    sources = _sources(entities, by_places)
    return Reading(kept, dropped, _unused(query, taken), setting, sources, [match.guide for match in guides])


def _entity_parts(
    query: ParsedQuery, by_places: Mapping[Places, Sequence[Candidate]], settings: Sequence[range]
) -> list[LocatedPart]:
    """Return the entities that the words name, each word once, most content words first.

    A name may have all words of a setting: "missing school" is an absence, and says where.
    """
    taken: set[int] = set()
    parts: list[LocatedPart] = []
    for places in sorted(by_places, key=lambda places: precedence(query, places, by_places[places])):
        words = set(range(*places))
        in_the_way = {place for setting in settings if not words.issuperset(setting) for place in setting}
        is_setting = any(len(setting) == 1 and words == set(setting) for setting in settings)
        if not is_setting and words.isdisjoint(taken | in_the_way):
            taken |= words
            parts.append(_part(query, places, by_places[places]))
    return parts


def _is_part_of_name(setting: range, entities: Iterable[LocatedPart]) -> bool:
    """Return whether a single word for a setting is only a part of a name: "exam chair"."""
    return len(setting) == 1 and any(start <= setting.start < end for (start, end), *_ in entities)


def _is_last_word(query: ParsedQuery, placed: LocatedPart) -> bool:
    """Return whether a part is a job for its place only: a cleaner in "blind cleaner", and none in "screen cleaner"."""
    form = name_form(query.tokens[slice(*placed.places)])
    return placed.part.role == "occupation" and form in query.last_words and form not in query.job_forms


def _is_need_or_thing(placed: LocatedPart) -> bool:
    """Return whether a part is a need, or a solution by a name of several words: "standing desk electrician"."""
    start, end = placed.places
    return placed.part.role in NEED_ROLES or (placed.part.role == "solution" and end - start > 1)


def _is_within(match: GuideMatch, parts: Iterable[LocatedPart]) -> bool:
    """Return whether the words of a guide are only a part of another name: "special education" in a job title."""
    size = match.end - match.start
    return any(start <= match.start and match.end <= end and size < end - start for (start, end), *_ in parts)


def _is_piece_of_guide(query: ParsedQuery, placed: LocatedPart, name: GuideName) -> bool:
    """Return whether a part is only a piece of a guide's name."""
    kind = "disability" if placed.subject == "condition" else placed.part.entity["type"] if placed.part.entity else ""
    start, end = placed.places
    return name.has_as_piece(query.tokens[start:end], start, end, ids=placed.ids, kind=kind)


def _guide_parts(
    query: ParsedQuery, guides: Iterable[GuideMatch], entities: Iterable[LocatedPart]
) -> Iterator[LocatedPart]:
    """Yield the words of each guide that name no entity, or all of them. Those of a crisis keep their other meaning."""
    taken = {place for one in entities for place in range(*one.places)}
    for match in guides:
        places = (match.start, match.end)
        if not match.guide.is_crisis:
            free = [place for place in range(*places) if place not in taken]
            content = [place for place in free if content_tokens(query.tokens[place : place + 1])]
            places = (content[0], content[-1] + 1) if content else places
            taken.update(range(match.start, match.end))
        if places[0] < places[1]:  # a crisis may be named after the words that are read
            yield LocatedPart(places, replace(_words(query, places, GUIDE_ROLE, NAME), guide=match.guide.id))


def _setting_parts(query: ParsedQuery, settings: Iterable[tuple[str, range]]) -> Iterator[LocatedPart]:
    for setting, words in settings:
        places = (words.start, words.stop)
        yield LocatedPart(places, replace(_words(query, places, SETTING_ROLE, NAME), setting=setting))


def _sources(parts: Iterable[LocatedPart], by_places: Mapping[Places, Sequence[Candidate]]) -> list[str]:
    """Return the sources of the entities that the parts show."""
    shown = [candidate.hit for one in parts for candidate in by_places[one.places]]
    return [source for hit in shown for source in hit.payload["sources"]]


def _part(query: ParsedQuery, places: Places, candidates: Iterable[Candidate]) -> LocatedPart:
    """Return the part that words stand for, with what else they can mean."""
    order = list(ROLES)
    ranked = sorted(
        candidates,
        key=lambda one: (
            one.hit.match.kind in OTHER_JOBS,  # the list begins with the job that is read
            CERTAINTY.index(one.matched_by),
            one.order,
            order.index(one.hit.card["type"]),
            "broader" in one.hit.payload,
            -one.hit.payload["prior"],
            one.id,
        ),
    )
    best = ranked[0]
    others = {one.id: one.hit.card for one in ranked if one.id != best.id}
    role = SIDE_ROLE if best.side else ROLES[best.hit.card["type"]]
    part = replace(
        _words(query, places, role, OTHER_NAME if best.matched_by in (SCATTERED_WORDS, TITLE) else best.matched_by),
        entity=best.hit.card,
        side=best.side,
        alternatives=list(others.values())[:MAX_ALTERNATIVES],
    )
    return LocatedPart(places, part, _subject(ranked), frozenset((best.id, *others)))


def _subject(candidates: Sequence[Candidate]) -> Subject:
    """Return as what words are negated: a condition in one of their readings, a body part, a thing, or a need."""
    if any(one.hit.card["type"] == "disability" and one.matched_by != BODY_PART for one in candidates):
        return "condition"
    if candidates[0].matched_by == BODY_PART:
        return "body part"
    return "thing" if candidates[0].hit.card["type"] in {"solution", "product"} else "need"


def _words(query: ParsedQuery, places: Places, role: str, matched_by: str) -> Part:
    start, end = query.offsets[places[0]][0], query.offsets[places[1] - 1][1]
    return Part(query.text[start:end], start, end, role, matched_by)


def _without_repeated(parts: Iterable[LocatedPart]) -> list[LocatedPart]:
    """Return the parts in the order of their words, without later ones of the same entity: "climb stairs" is one."""
    first: dict[tuple[str, str, str | None], LocatedPart] = {}
    for one in sorted(parts, key=lambda one: one.places):
        first.setdefault(one.part.meaning, one)
    return list(first.values())


def _without_negated(query: ParsedQuery, parts: Iterable[LocatedPart]) -> tuple[list[Part], list[tuple[Part, str]]]:
    """Separate what the question says does not apply, or no longer."""
    kept: list[Part] = []
    dropped: list[tuple[Part, str]] = []
    before: tuple[int, str] | None = None  # where the last dropped part ends, and why it was dropped
    for (start, end), part, subject, _ in parts:
        kind = negation_of(query.tokens, start, end, subject) if part.entity else None
        if subject == "condition" and not kind and before and is_listed_with(query.tokens, before[0], start):
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
