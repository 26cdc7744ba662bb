"""Finds what runs of words in a query can stand for: entities by their names, sides of needs, and body parts."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from api.search.features import Feature
from api.search.names import HitNames, ParsedName, parse_name
from api.search.query import ParsedQuery
from api.search.ranking import RankedHit
from api.search.words.negation import negation_of, past_words
from schema.entity_kinds import NEED_TYPES
from schema.text import content_tokens, name_parts
from schema.word_forms import base_form

ROLES = {
    "disability": "condition",
    "limitation": "limitation",
    "workrelatedfunction": "work_function",
    "occupation": "occupation",
    "solution": "solution",
    "product": "product",
}
# How words can name an entity, the most certain first.
NAME, SIDE, OTHER_NAME, TITLE = "name", "side", "other name", "title"
SYNONYM_RULE, BODY_PART, SPELLING = "synonym rule", "body part", "spelling"
SCATTERED_WORDS = "words of another name"
CERTAINTY = (NAME, SIDE, OTHER_NAME, TITLE, SYNONYM_RULE, SCATTERED_WORDS, BODY_PART)
MAX_WORDS_BETWEEN = 1
OWN_WORK = frozenset(("job", "work", "shift", "shifts", "duties", "role", "position", "career"))  # "my nurse's job"
POSSESSIVES = ("'s", "\u2019s")

# What a hit has only for its needs or its description, so that no words of the query name it.
OF_NEEDS = Feature.NEED | Feature.PART_OF_NEED | Feature.FIRST_CHOICE | Feature.RELATED | Feature.MOST_OF_RELATED
NOT_NAMED = OF_NEEDS | Feature.DESCRIPTION

Places = tuple[int, int]  # the first token, and the one behind the last


class Candidate(NamedTuple):
    """An entity that tokens may name, and how."""

    places: Places
    matched_by: str
    hit: RankedHit
    side: str | None = None
    order: int = 0  # among what a body part can bring

    @property
    def id(self) -> str:
        """The id of the entity."""
        return str(self.hit.card["id"])


def candidates_by_places(query: ParsedQuery, hits: Iterable[RankedHit]) -> dict[Places, list[Candidate]]:
    """Return what each run of words can stand for. A body part alone says little beside anything else."""
    by_places: defaultdict[Places, list[Candidate]] = defaultdict(list)
    forms = {*query.runs, *query.rule_mentions}
    for hit in hits:
        if hit.features & ~NOT_NAMED and hit.card["type"] in ROLES:
            for candidate in _candidates(query, hit, _names(hit, forms)):
                if hit.card["type"] != "occupation" or not _is_possessive(query, candidate.places[1]):
                    by_places[candidate.places].append(candidate)
    said = {places for places, found in by_places.items() if any(one.matched_by != BODY_PART for one in found)}
    meant = {
        places: found
        for places, found in by_places.items()
        if not said or places in said or places[1] - places[0] > 1 or negation_of(query.tokens, *places, "body part")
    }
    return _without_combined(query, _with_sides_first(meant))


def _is_possessive(query: ParsedQuery, end: int) -> bool:
    """Return whether the word before a token has an ending for what is someone's: "doctor's note" names no job."""
    is_before_thing = end < len(query.tokens) and query.tokens[end] not in OWN_WORK
    return is_before_thing and query.text[slice(*query.offsets[end - 1])].endswith(POSSESSIVES)


def _with_sides_first(by_places: Mapping[Places, Sequence[Candidate]]) -> dict[Places, list[Candidate]]:
    """Return the candidates without a need whose side is named by some of the same words: "too cold office"."""
    sides = [one for found in by_places.values() for one in found if one.side]

    def is_less(one: Candidate) -> bool:
        start, end = one.places
        return one.matched_by not in {NAME, SIDE} and any(
            one.id == side.id and start < side.places[1] and side.places[0] < end for side in sides
        )

    kept = {places: [one for one in found if not is_less(one)] for places, found in by_places.items()}
    return {places: found for places, found in kept.items() if found}


def _without_combined(
    query: ParsedQuery, by_places: Mapping[Places, Sequence[Candidate]]
) -> dict[Places, list[Candidate]]:
    """Return the candidates without names of which the parts say more.

    "long covid fatigue" is a name of Long COVID: it is read as that and fatigue. "recovered from covid" is one, too: it
    is read as an infection that is past.
    """
    ids = {places: {one.id for one in found} for places, found in by_places.items()}
    needs = {places for places, found in by_places.items() if any(_is_named_need(one) for one in found)}

    def is_combined(one: Candidate) -> bool:
        start, end = one.places
        past = past_words(query.tokens[start:end])
        if past and (start + past, end) in ids:
            return True
        parts = (((start, place), (place, end)) for place in range(start + 1, end))
        return any(one.id in ids.get(part, ()) and rest in needs for pair in parts for part, rest in (pair, pair[::-1]))

    kept = {
        places: [one for one in found if not (_is_named_condition(one) and is_combined(one))]
        for places, found in by_places.items()
    }
    return {places: found for places, found in kept.items() if found}


def _is_named_condition(one: Candidate) -> bool:
    return one.matched_by in {OTHER_NAME, SCATTERED_WORDS} and one.hit.card["type"] == "disability"


def _is_named_need(one: Candidate) -> bool:
    return one.matched_by != BODY_PART and one.hit.card["type"] in NEED_TYPES


def _candidates(query: ParsedQuery, hit: RankedHit, names: Iterable[tuple[ParsedName, str]]) -> Iterator[Candidate]:
    """Yield what words of the query a hit can stand for."""
    runs = query.runs
    for name, kind in names:
        for form in name.forms:
            yield from (Candidate(places, kind, hit) for places in runs.get(form, ()))
            if match := query.rule_mentions.get(form):
                yield Candidate((match.start, match.end), SYNONYM_RULE, hit)
    if hit.match.kind == "keywords" and hit.match.text and (places := _near_words(query, parse_name(hit.match.text))):
        yield Candidate(places, SCATTERED_WORDS, hit)
    if hit.card["type"] in NEED_TYPES:
        for form, label in _named_sides(query, hit):
            yield from (Candidate(places, SIDE, hit, label) for places in runs.get(form, ()))
        for form, row in sorted(query.body_parts_by_form.items()):
            if (order := row.get(hit.card["id"])) is not None:
                yield from (Candidate(places, BODY_PART, hit, order=order) for places in runs[form])


def _names(hit: RankedHit, forms: Container[str]) -> Iterator[tuple[ParsedName, str]]:
    """Yield the names with one of these forms, and the parts of a need's name, with how they name the hit."""
    displayed = hit.card["name"]
    titles = hit.payload.get("titles", ())  # reported for many jobs: an alias says which is usually meant
    if hit.card["type"] in NEED_TYPES:
        yield from ((parse_name(part), NAME) for part in name_parts(displayed))
    for name in HitNames(hit.payload).with_form(forms):
        yield name, NAME if name.text == displayed else TITLE if name.text in titles else OTHER_NAME


def _named_sides(query: ParsedQuery, hit: RankedHit) -> Iterator[tuple[str, str]]:
    """Yield the forms in the query that name a side of a need, with the label of the side."""
    for form, sides in query.sides.items():
        labels = hit.payload.get("sides", {})
        yield from ((form, labels[one.side]) for one in sides if one.need == hit.card["id"] and one.side in labels)


def _near_words(query: ParsedQuery, name: ParsedName) -> Places | None:
    """Return the run of words that has all content words of a name, with few others between: "diabetes type 1"."""
    places = [place for place, token in enumerate(query.tokens) if base_form(token) in name.keywords]
    run = (places[0], places[-1] + 1) if places else (0, 0)
    return run if places and run[1] - run[0] <= len(name.keywords) + MAX_WORDS_BETWEEN else None


def precedence(query: ParsedQuery, places: Places, candidates: Sequence[Candidate]) -> tuple[int, int, int, int]:
    """Order runs of words: most content words first, then the longest, the most certain, the first."""
    words = query.tokens[slice(*places)]
    certainty = min(CERTAINTY.index(candidate.matched_by) for candidate in candidates)
    return -len(content_tokens(words)), -len(words), certainty, places[0]
