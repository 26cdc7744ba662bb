"""The summaries in the graph are original, short and plain."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from statistics import fmean

import pytest

from indexer.content.rows import Content, Entity
from tests.support.project import ROOT
from tests.support.reading_grade import grade, sentences, words

SUMMARIZED_TYPES = ("disability", "limitation", "workrelatedfunction", "solution")  # summaries written by editors
MIN_PLAIN_LENGTH, MAX_PLAIN_LENGTH = 150, 480  # characters
SENTENCE_COUNTS = (2, 3)
MAX_GRADE = 9.0  # Flesch-Kincaid, on average; syllables are counted by hyphenation points
MAX_SHARED_TRIGRAMS = 0.35  # share of the three-word sequences of two texts
DEMEANING = re.compile(
    r"\b(suffer(s|ing)? from|victims?|wheelchair-bound|confined to|normal people|the disabled|handicapped|afflicted)\b",
    re.IGNORECASE,
)
ONET = ROOT.parent / "shared" / "onet-30.3"


@pytest.fixture(scope="module")
def entities(content: Content) -> list[Entity]:
    return [
        entity
        for entity in content.entities
        if entity.type in SUMMARIZED_TYPES and entity.facts.get("kind") != "narrower"
    ]


def trigrams(text: str) -> set[tuple[str, ...]]:
    folded = [word.casefold() for word in words(text)]
    return set(zip(folded, folded[1:], folded[2:], strict=False))


def test_every_main_entity_has_a_plain_summary_of_two_or_three_sentences(entities: list[Entity]) -> None:
    assert [entity.id for entity in entities if not MIN_PLAIN_LENGTH <= len(entity.plain) <= MAX_PLAIN_LENGTH] == []
    assert [entity.id for entity in entities if len(sentences(entity.plain)) not in SENTENCE_COUNTS] == []
    assert [
        entity.id for entity in entities if len(sentences(entity.short)) != 1 or not entity.short.endswith(".")
    ] == []


def test_summaries_contain_no_demeaning_words(entities: list[Entity]) -> None:
    assert [
        (entity.id, word[0]) for entity in entities if (word := DEMEANING.search(f"{entity.short} {entity.plain}"))
    ] == []


def test_summaries_are_easy_to_read(entities: list[Entity]) -> None:
    assert fmean(grade(entity.plain) for entity in entities) <= MAX_GRADE
    assert [entity.id for entity in entities if grade(entity.plain) > MAX_GRADE + 5] == []


def test_summaries_differ_from_each_other(entities: list[Entity]) -> None:
    texts = [(entity.id, trigrams(entity.plain)) for entity in entities]
    near = [
        (first, second)
        for (first, a), (second, b) in combinations(texts, 2)
        if len(a & b) > MAX_SHARED_TRIGRAMS * min(len(a), len(b))
    ]
    assert near == []
    openings = Counter(tuple(words(entity.plain)[:4]) for entity in entities)
    assert [opening for opening, count in openings.items() if count > len(entities) * 0.01] == []


def test_the_plain_summary_does_not_repeat_the_short_one(entities: list[Entity]) -> None:
    assert [entity.id for entity in entities if entity.short.rstrip(".") in entity.plain] == []


def test_no_sentence_is_copied_from_onet(content: Content) -> None:
    if not ONET.is_dir():
        pytest.skip("the official files of O*NET 30.3 are not next to this checkout")
    official = set(_onet_sentences())
    for entity in content.entities:
        written = {sentence.casefold() for text in (entity.short, entity.plain) for sentence in sentences(text)}
        assert written & official == set(), entity.id


def _onet_sentences() -> Iterator[str]:
    for name in ("occupation_data.csv", "content_model_reference.csv"):
        with (ONET / name).open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.DictReader(lines):
                for cell in row.values():
                    yield from (sentence.casefold() for sentence in sentences(cell or ""))
