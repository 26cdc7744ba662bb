"""Reads a question that is longer than a query: in pieces that end where a sentence or a clause does."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from api.search.guides.index import Guide
from api.search.query import ParsedQuery
from api.search.reading.model import Part, Reading

MAX_PIECES = 4  # of a question: at most 160 words
CLAUSE_END = re.compile(r"[.!?;,]\s|\n")
WORD_END = re.compile(r"\s")


class Piece(NamedTuple):
    """A part of a text that is short enough for a query, and where it begins."""

    start: int
    query: ParsedQuery


def split(query: ParsedQuery) -> list[Piece]:
    """Return the pieces of a text; the last one may have a rest that is not read."""
    pieces: list[Piece] = []
    start = 0
    while start < len(query.raw) and len(pieces) < MAX_PIECES:
        piece = ParsedQuery.parse(query.raw[start:])
        if piece.unsearched_tokens and len(pieces) < MAX_PIECES - 1:
            piece = ParsedQuery.parse(piece.text[: _last_end(piece.text)])
        pieces.append(Piece(start, piece))
        start += len(piece.text)
    return pieces or [Piece(0, query)]


def _last_end(text: str) -> int:
    """Return where the last clause in the second half of a text ends, else its last whole word."""
    for pattern in (CLAUSE_END, WORD_END):
        ends = [found.end() for found in pattern.finditer(text)]
        if ends and ends[-1] > len(text) // 2:
            return ends[-1]
    return len(text)


def joined(pieces: Sequence[Piece], readings: Sequence[Reading], crisis: Iterable[Guide] = ()) -> Reading:
    """Return the readings of the pieces of a text as one: each entity once, a guide to a crisis first."""
    guides = {guide.id: guide for guide in (*crisis, *(guide for reading in readings for guide in reading.guides))}
    first: dict[tuple[str, str, str | None], Part] = {}
    for piece, one in zip(pieces, readings, strict=True):
        for part in one.parts:
            first.setdefault(part.meaning, _moved(part, piece))
    return Reading(
        parts=list(first.values()),
        dropped=[
            (_moved(part, piece), reason)
            for piece, one in zip(pieces, readings, strict=True)
            for part, reason in one.dropped
        ],
        unused=[word for one in readings for word in one.unused],
        setting=next((one.setting for one in readings if one.setting), None),
        sources=[source for one in readings for source in one.sources],
        guides=sorted(guides.values(), key=lambda guide: not guide.is_crisis),
        similar=[found for one in readings for found in one.similar],
        words_read=sum(len(piece.query.words) for piece in pieces) if pieces[-1].query.unsearched_tokens else None,
    )


def _moved(part: Part, piece: Piece) -> Part:
    return replace(part, start=part.start + piece.start, end=part.end + piece.start)
