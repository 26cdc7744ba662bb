"""Measure search on the live release: the judgments, every name there is, and slips of the pen. Reads only."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api import listing, queries, results
from api.quality import DEPTH, score
from api.words import WORD, squeeze

if TYPE_CHECKING:
    import random
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from api.answers import Answers
    from api.engine import Engine
    from api.quality import Judgment, Outcome

BATCH = 50
IN_FLIGHT = 4  # queries; the engine and this process share the time of the wire
PAGE = 1000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
EDITED_FROM = 6  # letters of a word that a slip is tried in
MOST_WORDS = 4  # words of a name that a slip is tried in
FIRST = 3  # places in which the entity must be


@dataclass(frozen=True, slots=True)
class Name:
    """One text that must find its entity: `kind` is id, slug, name or alias."""

    entity: str
    kind: str
    text: str


async def judged(answers: Answers, judgments: Iterable[Judgment], on_query: Callable[[], object]) -> list[Outcome]:
    """Run every judged query as a caller would."""
    judgments = list(judgments)
    found = await asked(answers, [judgment.query for judgment in judgments], on_query)
    return [score(one, [hit["id"] for hit in hits]) for one, hits in zip(judgments, found, strict=True)]


async def asked(answers: Answers, texts: Iterable[str], on_query: Callable[[], object]) -> list[list[dict[str, Any]]]:
    """The first hits of each query, as a caller would see them; IN_FLIGHT are under way at a time."""
    places = asyncio.Semaphore(IN_FLIGHT)

    async def ask(text: str) -> list[dict[str, Any]]:
        async with places:
            reply = await answers.search(queries.Search(text, limit=DEPTH, facets=True), [])
        on_query()
        found: list[dict[str, Any]] = reply.body["results"]
        return found

    return list(await asyncio.gather(*(ask(text) for text in texts)))


async def names(engine: Engine) -> AsyncIterator[Name]:
    """Every id, slug, name and alias of the live release."""
    release = await engine.look()
    for kind, total in release.counts["types"].items():
        for offset in range(0, total, PAGE):
            answer = await engine.search(listing.list_body(kind, PAGE, offset))
            for hit in answer.body["hits"]["hits"]:
                shown = results.card(hit)
                yield Name(shown["id"], "id", shown["id"])
                yield Name(shown["id"], "slug", shown["slug"])
                yield Name(shown["id"], "name", shown["name"])
                for alias in hit["fields"].get("alias_list", ()):
                    yield Name(shown["id"], "alias", alias)


async def missed(engine: Engine, wanted: Sequence[Name], on_query: Callable[[], object]) -> list[Name]:
    """Texts that do not find their entity first, nor tie with one that carries the very same text."""
    found = []
    for start in range(0, len(wanted), BATCH):
        batch = wanted[start : start + BATCH]
        asks = [queries.Search(one.text, limit=DEPTH, facets=False) for one in batch]
        answers = await engine.search_all([queries.search_body(ask) for ask in asks])
        for one, answer in zip(batch, answers, strict=True):
            if not _first_or_tied(one, [_texts(hit) for hit in answer.body["hits"]["hits"]]):
                found.append(one)
            on_query()
    return found


def _texts(hit: Mapping[str, Any]) -> tuple[str, set[str]]:
    shown = results.card(hit)
    aliases = hit["fields"].get("alias_list", ())
    texts = {squeeze(text) for text in (shown["name"], shown["slug"], *aliases)}
    return shown["id"], texts


def _first_or_tied(one: Name, hits: Sequence[tuple[str, set[str]]]) -> bool:
    for entity, texts in hits:
        if entity == one.entity:
            return True
        if squeeze(one.text) not in texts:
            return False
    return bool(hits)  # everything on the page carries the very same text


def slipped(text: str, chance: random.Random, *, first_letter: bool = False, words: int = 1) -> str | None:
    """The text with one random edit in each of so many words of six letters or more; None where there are none."""
    spans = [match.span() for match in WORD.finditer(text) if len(match[0]) >= EDITED_FROM and match[0].isalpha()]
    if len(spans) < words or len(WORD.findall(text)) > MOST_WORDS:
        return None
    for begin, end in sorted(chance.sample(spans, words), reverse=True):
        text = text[:begin] + _edit(text[begin:end], chance, first_letter=first_letter) + text[end:]
    return text


def draw(
    wanted: Sequence[Name], chance: random.Random, *, first_letter: bool = False, words: int = 1
) -> tuple[Name, str]:
    """A random name, and the same with slips in it."""
    while True:
        one = chance.choice(wanted)
        text = slipped(one.text, chance, first_letter=first_letter, words=words)
        if text is not None:
            return one, text


def owners(wanted: Iterable[Name]) -> dict[str, set[str]]:
    """The entities that carry each name, by the name squeezed: two dozen occupations are "Associate Professor"."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in wanted:
        found[squeeze(one.text)].add(one.entity)
    return found


def _edit(word: str, chance: random.Random, *, first_letter: bool) -> str:
    """One edit that changes the word as it is searched: swapping equal letters would be none."""
    while True:
        edited = _edited(word, chance, first_letter=first_letter)
        if squeeze(edited) != squeeze(word):
            return edited


def _edited(word: str, chance: random.Random, *, first_letter: bool) -> str:
    other = chance.choice([letter for letter in LETTERS if letter != word[0].lower()])
    if first_letter:
        return other + word[1:]
    place = chance.randrange(1, len(word) - 1)
    kind = chance.choice(("insert", "delete", "replace", "swap"))
    if kind == "insert":
        return word[:place] + other + word[place:]
    if kind == "delete":
        return word[:place] + word[place + 1 :]
    if kind == "swap":
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + other + word[place + 1 :]


async def recovered(answers: Answers, meant: set[str], text: str) -> bool:
    """Whether a slipped text still leads to what was meant: in the first three results, or by what a suggestion finds.

    `meant` holds every entity that carries the name.
    """
    reply = await answers.search(queries.Search(text, limit=FIRST), [])
    if not meant.isdisjoint(hit["id"] for hit in reply.body["results"]):
        return True
    for suggestion in reply.body["did_you_mean"]:
        offered = await answers.search(queries.Search(suggestion["query"], limit=FIRST), [])
        if not meant.isdisjoint(hit["id"] for hit in offered.body["results"]):
            return True
    return False
