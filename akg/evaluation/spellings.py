"""Compares what names in British spelling find with what the same names in American spelling find."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from akg.evaluation.search_eval import EntityName, run_queries
from api.service import GraphService
from schema.spelling_variants import british
from schema.text import WORD, fold, to_american

MAX_RANK = 5  # of the entity
MIN_SHARE = 1.0  # index and queries have the same spelling, so a lost name is a mistake of the lists


@dataclass(frozen=True, slots=True)
class SpelledName:
    """A name or alias of an entity in American and in British spelling."""

    entity: str
    american: str
    british: str


@dataclass(frozen=True, slots=True)
class SpellingScores:
    """How many American spellings find their entity, and the names whose British spelling then does not."""

    found: int
    lost: Sequence[SpelledName]

    @property
    def share(self) -> float:
        """The share of British spellings that find the entity, of the names whose American spelling does."""
        return 1 - len(self.lost) / self.found if self.found else 1.0


def spelled_names(names: Iterable[EntityName]) -> list[SpelledName]:
    """Return the names and aliases that have a British spelling, once for each one."""
    spelled = (
        SpelledName(name.entity, american, spelling)
        for name in names
        if name.kind in ("name", "alias")
        for american in (to_american(name.text),)
        for spelling in british_texts(american)
    )
    return list(dict.fromkeys(spelled))


def british_texts(text: str) -> list[str]:
    """Return the British spellings of a text in American spelling; of a word with several, each is in one of them."""
    spellings = {word: british(fold(word)) for word in WORD.findall(text)}

    def spell(place: int) -> str:  # a word with fewer spellings has its last one, or stays as it is
        return WORD.sub(lambda match: [match[0], *spellings[match[0]]][: place + 2][-1], text)

    return list(dict.fromkeys(spell(place) for place in range(max(map(len, spellings.values()), default=0))))


async def compare_spellings(
    service: GraphService, names: Sequence[SpelledName], on_query: Callable[[], object]
) -> SpellingScores:
    """Search for each name in both spellings. Call `on_query` after each search."""
    american, spelled = [
        [[hit["id"] for hit in hits] for hits in await run_queries(service, texts, on_query, MAX_RANK)]
        for texts in ([name.american for name in names], [name.british for name in names])
    ]
    return score_spellings(names, american, spelled)


def score_spellings(
    names: Sequence[SpelledName], american: Sequence[Collection[str]], spelled: Sequence[Collection[str]]
) -> SpellingScores:
    """Compare the ids that each name finds in American spelling with those that it finds in British spelling."""
    pages = [
        (name, after) for name, before, after in zip(names, american, spelled, strict=True) if name.entity in before
    ]
    return SpellingScores(len(pages), [name for name, after in pages if name.entity not in after])
