"""Reads a question that is longer than a query: in pieces that end where a sentence or a clause does."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from api.search.query import ParsedQuery
from api.search.reading.model import Part, Reading

MAX_PIECES = 4  # of a question: about 160 words
CLAUSE_END = re.compile(r"[.!?;:,\n]\s")


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
        if piece.rest and len(pieces) < MAX_PIECES - 1:
            ends = [found.end() for found in CLAUSE_END.finditer(piece.text)]
            end = ends[-1] if ends and ends[-1] > len(piece.text) // 2 else len(piece.text)
            piece = ParsedQuery.parse(piece.text[:end])
        pieces.append(Piece(start, piece))
        start += len(piece.text)
    return pieces or [Piece(0, query)]


def joined(pieces: Sequence[Piece], readings: Sequence[Reading]) -> Reading:
    """Return the readings of the pieces of a text as one; a guide to a crisis stays first."""
    guides = {guide.id: guide for reading in readings for guide in reading.guides}
    return Reading(
        parts=[_moved(part, piece) for piece, one in zip(pieces, readings, strict=True) for part in one.parts],
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
        words_read=sum(len(piece.query.words) for piece in pieces) if pieces[-1].query.rest else None,
    )


def _moved(part: Part, piece: Piece) -> Part:
    return replace(part, start=part.start + piece.start, end=part.end + piece.start)
