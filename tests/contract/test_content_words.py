"""The sentences of the graph: our own, short, plain, and one by one."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

import pyphen  # type: ignore[import-untyped]
import pytest

from indexer.sources import read
from indexer.vocabulary import read_vocabulary
from tests.contract.project import CONTENT, MAPPINGS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.rows import Content, Entity

WRITTEN = ("disability", "limitation", "workrelatedfunction", "solution")  # one by one, in two lengths
PLAIN = (150, 480)  # characters
SENTENCES = (2, 3)
GRADE = 9.0  # Flesch-Kincaid, on average; syllables are counted by hyphenation points
ALIKE = 0.35  # of the three-word runs of two texts
UNKIND = re.compile(
    r"\b(suffer(s|ing)? from|victims?|wheelchair-bound|confined to|normal people|the disabled|handicapped|afflicted)\b",
    re.IGNORECASE,
)
ONET = ROOT.parent / "shared" / "onet-30.3"
LETTERS = pyphen.Pyphen(lang="en_US")


@pytest.fixture(scope="module")
def content() -> Content:
    return read(CONTENT, read_vocabulary(MAPPINGS))


@pytest.fixture(scope="module")
def written(content: Content) -> list[Entity]:
    return [one for one in content.entities if one.type in WRITTEN and one.facts.get("kind") != "narrower"]


def sentences(text: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.!?])\s+(?=[A-Z\"'(])", text.strip()) if one]


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z]+(?:'[a-z]+)?", text)


def runs(text: str) -> set[tuple[str, ...]]:
    told = [word.casefold() for word in words(text)]
    return set(zip(told, told[1:], told[2:], strict=False))


def grade(text: str) -> float:
    told = words(text)
    syllables = sum(len(LETTERS.positions(word)) + 1 for word in told)
    return 0.39 * len(told) / len(sentences(text)) + 11.8 * syllables / len(told) - 15.59


def test_every_main_entity_has_a_plain_summary_of_two_or_three_sentences(written: list[Entity]) -> None:
    least, most = PLAIN
    assert [one.id for one in written if not least <= len(one.plain) <= most] == []
    assert [one.id for one in written if len(sentences(one.plain)) not in SENTENCES] == []
    assert [one.id for one in written if len(sentences(one.short)) != 1 or not one.short.endswith(".")] == []


def test_words_are_kind(written: list[Entity]) -> None:
    assert [(one.id, found[0]) for one in written if (found := UNKIND.search(f"{one.short} {one.plain}"))] == []


def test_words_are_easy(written: list[Entity]) -> None:
    assert fmean(grade(one.plain) for one in written) <= GRADE
    assert [one.id for one in written if grade(one.plain) > GRADE + 5] == []


def test_no_two_texts_are_alike(written: list[Entity]) -> None:
    told = [(one.id, runs(one.plain)) for one in written]
    near = [
        (first, second)
        for (first, ours), (second, theirs) in combinations(told, 2)
        if len(ours & theirs) > ALIKE * min(len(ours), len(theirs))
    ]
    assert near == []
    openings = Counter(tuple(words(one.plain)[:4]) for one in written)
    assert [opening for opening, count in openings.items() if count > len(written) * 0.01] == []


def test_no_text_repeats_the_short_one(written: list[Entity]) -> None:
    assert [one.id for one in written if one.short.rstrip(".") in one.plain] == []


def test_no_sentence_is_copied_from_onet(content: Content) -> None:
    if not ONET.is_dir():
        pytest.skip("O*NET's own sentences are not at hand: no folder shared/onet-30.3 beside the checkout")
    theirs = set(_onet_sentences())
    ours = {one.id: {*sentences(one.short), *sentences(one.plain)} for one in content.entities}
    assert {key for key, told in ours.items() if {one.casefold() for one in told} & theirs} == set()


def _onet_sentences() -> Iterator[str]:
    for name in ("occupation_data.csv", "content_model_reference.csv"):
        with (ONET / name).open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.DictReader(lines):
                for cell in row.values():
                    yield from (one.casefold() for one in sentences(cell or ""))
