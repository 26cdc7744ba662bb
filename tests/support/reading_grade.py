"""The Flesch-Kincaid grade of a text; pyphen counts the syllables."""

import re

import pyphen  # type: ignore[import-untyped]

HYPHENATION = pyphen.Pyphen(lang="en_US")


def sentences(text: str) -> list[str]:
    return list(filter(None, re.split(r"(?<=[.!?])\s+(?=[A-Z\"'(])", text.strip())))


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z]+(?:'[a-z]+)?", text)


def grade(text: str) -> float:
    text_words = words(text)
    syllables = sum(len(HYPHENATION.positions(word)) + 1 for word in text_words)
    return 0.39 * len(text_words) / len(sentences(text)) + 11.8 * syllables / len(text_words) - 15.59
