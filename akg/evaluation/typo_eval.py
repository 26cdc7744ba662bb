"""Puts random typos into names and measures how many names search still finds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.search.query import ParsedQuery, SearchRequest
from schema.text import WORD, name_key

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Sequence

    from akg.evaluation.search_eval import EntityName
    from api.service import GraphService

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MIN_WORD_LENGTH = 6  # letters of a word that gets a typo
MAX_WORDS = 4  # words of a name that gets typos
MAX_RANK = 3  # of the entity


@dataclass(frozen=True, slots=True)
class TypoCase:
    """How to edit names, how many to sample, and the share that search must still find."""

    label: str
    samples: int
    min_share: float
    words: int = 1
    first_letter: bool = False


CASES = (
    TypoCase("one edit", 2000, 0.99),
    TypoCase("two edits", 600, 0.95, words=2),
    TypoCase("first letter", 600, 0.80, first_letter=True),
)


async def lost_names(
    service: GraphService,
    names: Sequence[EntityName],
    case: TypoCase,
    rng: random.Random,
    on_query: Callable[[], object],
) -> list[tuple[str, str]]:
    """Search for a sample of names with typos; return the names that were not found, each with its typos."""
    entities = entities_by_name(names)
    lost = []
    for _ in range(case.samples):
        name, text = draw(names, rng, first_letter=case.first_letter, words=case.words)
        if not await is_recovered(service, entities[name_key(name.text)], text):
            lost.append((name.text, text))
        on_query()
    return lost


async def is_recovered(service: GraphService, entities: set[str], text: str) -> bool:
    """Whether a text, or a query suggested for it, has one of the entities among its first MAX_RANK results."""

    async def search(query: str) -> tuple[bool, list[str]]:
        body = (await service.search(SearchRequest(ParsedQuery.parse(query), limit=MAX_RANK), [])).body
        is_hit = not entities.isdisjoint(hit["id"] for hit in body["results"])
        return is_hit, [suggestion["query"] for suggestion in body["did_you_mean"]]

    is_hit, suggestions = await search(text)
    for query in () if is_hit else suggestions:
        is_hit, _ = await search(query)
        if is_hit:
            break
    return is_hit


def entities_by_name(names: Iterable[EntityName]) -> dict[str, set[str]]:
    """Return the entities of each name key: two dozen occupations are called "Associate Professor"."""
    entities: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        entities[name_key(name.text)].add(name.entity)
    return entities


def draw(
    names: Sequence[EntityName], rng: random.Random, *, first_letter: bool = False, words: int = 1
) -> tuple[EntityName, str]:
    """Return a random name and its text with typos."""
    while True:
        name = rng.choice(names)
        text = with_typos(name.text, rng, first_letter=first_letter, words=words)
        if text is not None:
            return name, text


def with_typos(text: str, rng: random.Random, *, first_letter: bool = False, words: int = 1) -> str | None:
    """Edit so many words of six letters or more once each; None if the text has too few of them."""
    spans = [match.span() for match in WORD.finditer(text) if len(match[0]) >= MIN_WORD_LENGTH and match[0].isalpha()]
    if len(spans) < words or len(WORD.findall(text)) > MAX_WORDS:
        return None
    for begin, end in sorted(rng.sample(spans, words), reverse=True):
        text = text[:begin] + _edit(text[begin:end], rng, first_letter=first_letter) + text[end:]
    return text


def _edit(word: str, rng: random.Random, *, first_letter: bool) -> str:
    """Edit a word until its name key changes: swapping two equal letters changes nothing."""
    while True:
        edited = _edit_once(word, rng, first_letter=first_letter)
        if name_key(edited) != name_key(word):
            return edited


def _edit_once(word: str, rng: random.Random, *, first_letter: bool) -> str:
    letter = rng.choice([letter for letter in LETTERS if letter != word[0].lower()])
    if first_letter:
        return letter + word[1:]
    index = rng.randrange(1, len(word) - 1)
    kind = rng.choice(("insert", "delete", "replace", "swap"))
    if kind == "insert":
        return word[:index] + letter + word[index:]
    if kind == "delete":
        return word[:index] + word[index + 1 :]
    if kind == "swap":
        return word[:index] + word[index + 1] + word[index] + word[index + 2 :]
    return word[:index] + letter + word[index + 1 :]
