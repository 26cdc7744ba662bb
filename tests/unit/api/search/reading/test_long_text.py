"""A question that is longer than a query is read in pieces."""

from itertools import pairwise

import pytest

from api.search.guides.index import Guide
from api.search.query import MAX_QUERY_WORDS, ParsedQuery
from api.search.reading.long_text import MAX_PIECES, joined, split
from api.search.reading.model import Part, Reading

SENTENCE = "At the new place it is loud all day and I cannot follow what my team says to me. "


@pytest.mark.parametrize("text", ["", " ", "low vision", SENTENCE, SENTENCE * 4, "word " * 100, "word " * 500])
def test_the_pieces_are_the_text_in_order(text: str) -> None:
    pieces = split(ParsedQuery.parse(text))
    assert pieces[0].start == 0
    assert len(pieces) <= MAX_PIECES
    for piece, following in pairwise(pieces):
        assert piece.start + len(piece.query.text) == following.start
        assert not piece.query.unsearched_tokens
        assert len(piece.query.words) <= MAX_QUERY_WORDS
    read = "".join(piece.query.text for piece in pieces)
    assert text.startswith(read)
    assert (read == text) == (not pieces[-1].query.unsearched_tokens)


def test_a_piece_ends_with_a_sentence() -> None:
    assert all(piece.query.text.strip().endswith("me.") for piece in split(ParsedQuery.parse(SENTENCE * 4)))


def test_the_readings_of_the_pieces_are_joined() -> None:
    pieces = split(ParsedQuery.parse("word " * 60))
    part = Part("word", 0, 4, "condition", "name")
    other = Part("other", 5, 10, "condition", "name")
    first = Reading([part], unused=["one"])
    second = Reading([part, other], dropped=[(part, "past")], unused=["two"], setting="school")
    read = joined(pieces, [first, second])
    assert [(one.text, one.start) for one in read.parts] == [("word", 0), ("other", pieces[1].start + 5)]  # each once
    assert [one.end for one, _ in read.dropped] == [pieces[1].start + 4]
    assert (read.unused, read.setting, read.words_read) == (["one", "two"], "school", None)


def test_lines_and_words_stay_whole() -> None:
    lines = "\n".join(f"I have no trouble with number {number} of the list" for number in range(20))
    assert all(piece.query.text.endswith("\n") for piece in split(ParsedQuery.parse(lines))[:-1])
    long_words = "incomprehensibility-and-more " * 40  # 500 characters end inside one
    assert all(piece.query.text.endswith(" ") for piece in split(ParsedQuery.parse(long_words))[:-1])


def test_a_guide_to_a_crisis_between_two_pieces_is_kept() -> None:
    body = {"id": "crisis-help", "kind": "crisis", "title": "Help now"}
    pieces = split(ParsedQuery.parse("word " * 60))
    assert [guide.id for guide in joined(pieces, [Reading()] * 2, [Guide(body)]).guides] == ["crisis-help"]


def test_of_a_very_long_text_it_is_known_how_much_was_read() -> None:
    pieces = split(ParsedQuery.parse("word " * 500))
    assert joined(pieces, [Reading()] * len(pieces)).words_read == MAX_PIECES * MAX_QUERY_WORDS
