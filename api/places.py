"""Entities of any type by whatever they are called: id, key, slug, name or other name. One engine request for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api import lookups, queries, results
from api.errors import InvalidError, MovedError
from api.naming import LONGEST_ID, listed, unnamed
from api.words import fold, squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from api.engine import Engine
    from api.release import Answer, Release
    from api.vocabulary import Vocabulary

Body = dict[str, Any]
# The tiers of search in which the whole text is a name, best first, and what an answer calls them.
MATCHED_BY = {
    queries.ID: "id",
    queries.NAME: "name",
    queries.ALIAS: "alias",
    queries.NAME_FORM: "name",
    queries.ALIAS_FORM: "alias",
    queries.SYNONYM: "synonym",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A text as a parameter gave it, with the type that it begins with, if any, and what is left of it."""

    given: str
    type: str
    text: str

    @staticmethod
    def of(vocabulary: Vocabulary, given: str) -> Asked:
        """Read `type:` off the text."""
        kind, colon, rest = given.strip().partition(":")
        return Asked(given, kind, rest.strip()) if colon and kind in vocabulary.types else Asked(given, "", given)

    def is_id_of(self, card: Mapping[str, Any]) -> bool:
        """Whether it was given as `type:key` or `type:slug` of this entity."""
        wanted = f"{self.type}:{fold(self.text)}"
        return bool(self.type) and wanted in (fold(card["id"]), f"{card['type']}:{card['slug']}")

    def is_own_name(self, card: Mapping[str, Any]) -> bool:
        """Whether it is the slug or the name by which this entity is shown."""
        return fold(self.text) == card["slug"] or squeeze(self.text) == squeeze(card["name"])

    def ids(self, vocabulary: Vocabulary) -> list[str]:
        """The ids that it may be."""
        return [f"{kind}:{self.text}"[:LONGEST_ID] for kind in ([self.type] if self.type else vocabulary.types)]


@dataclass(frozen=True, slots=True)
class Place:
    """The entity that a text names. `reach` is what the index says of its surroundings; `namesakes` are the others."""

    given: str
    card: Body
    matched_by: str
    reach: str
    sources: Sequence[str]
    namesakes: Sequence[Body]


async def find_places(
    engine: Engine, vocabulary: Vocabulary, given: Mapping[str, str], link: Callable[[Mapping[str, str]], str]
) -> tuple[dict[str, Place], Release]:
    """The entity that each text names, by the parameter that gave it.

    Raises MovedError for a retired id, at the `link` that asks for its heir, and InvalidError for texts that name
    nothing; that error costs one engine request more.
    """
    asked = {name: Asked.of(vocabulary, text) for name, text in given.items()}
    retired = dict.fromkeys(one for ask in asked.values() for one in ask.ids(vocabulary))
    bodies = [lookups.named_body(ask.text, *filter(None, [ask.type])) for ask in asked.values()]
    *named, moved = await engine.search_all([*bodies, lookups.moved_body(*retired)])
    found = {name: _place(ask, answer) for (name, ask), answer in zip(asked.items(), named, strict=True)}
    places = {name: place for name, place in found.items() if place is not None}
    lost = {name: ask for name, ask in asked.items() if name not in places}
    heirs = {hit["_id"]: hit["_source"]["moved_to"] for hit in moved.body["hits"]["hits"]}
    for name, ask in lost.items():
        for old in ask.ids(vocabulary):
            if old in heirs:
                location = link({**given, name: heirs[old]})
                raise MovedError(f"{old} is now {heirs[old]}.", location=location, moved_to=heirs[old])
    if lost:
        raise await _unknown(engine, lost, moved.release)
    return places, moved.release


def named(answer: Answer) -> Body | None:
    """The card of the first hit, if the whole text is a name of it."""
    hits = answer.body["hits"]["hits"]
    return results.card(hits[0]) if hits and _tier(hits[0]) else None


def _place(ask: Asked, answer: Answer) -> Place | None:
    """The first hit that is called so, with those that are called so just as well.

    A full id is no other one's name, and an entity's own slug or name goes before what others are called too.
    """

    def behind(one: tuple[str | None, Mapping[str, Any]]) -> tuple[bool, bool]:
        tier, hit = one
        card = results.card(hit)
        return not ask.is_id_of(card), tier is None or not ask.is_own_name(card)

    tiers = sorted(((_tier(hit), hit) for hit in answer.body["hits"]["hits"]), key=behind)
    if not tiers:
        return None
    best, hit = tiers[0]
    card = results.card(hit)
    if ask.is_id_of(card):
        tiers, best = tiers[:1], queries.ID
    if best is None:
        return None
    return Place(
        ask.given,
        card,
        _matched_by(ask, card, best),
        hit["fields"]["reach"][0],
        hit["fields"].get("sources", ()),
        [results.card(other) for tier, other in tiers[1:] if tier == best],
    )


def _tier(hit: Mapping[str, Any]) -> str | None:
    matched = queries.tiers_of(hit)
    return next((tier for tier in MATCHED_BY if tier in matched), None)


def _matched_by(ask: Asked, card: Mapping[str, Any], tier: str | None) -> str:
    if tier == queries.ID and fold(ask.text) == card["slug"] and fold(ask.given.strip()) != card["id"]:
        return "slug"
    if tier == queries.ALIAS and ask.is_own_name(card):  # narrower conditions are found by their names as by others
        return "slug" if fold(ask.text) == card["slug"] else "name"
    return MATCHED_BY[tier or queries.ID]


async def _unknown(engine: Engine, lost: Mapping[str, Asked], release: Release) -> InvalidError:
    bodies = [lookups.nearest_named_body(ask.text, ask.type) for ask in lost.values()]
    answers = await engine.search_all(bodies, release)
    problems = [
        _problem(name, ask, results.cards(answer)) for (name, ask), answer in zip(lost.items(), answers, strict=True)
    ]
    return InvalidError(problems)


def _problem(name: str, ask: Asked, nearest: Sequence[Body]) -> Body:
    what = f"no {ask.type}" if ask.type else "nothing"
    told = f"{what} is called {ask.text[:LONGEST_ID]!r}; nearest: {listed(card['id'] for card in nearest)}"
    return unnamed(("query", name), told, "unknown_entity", ask.given, nearest)
