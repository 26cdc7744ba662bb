"""Documents become the lines of bulk requests, in order and none too large."""

from __future__ import annotations

import pytest

from indexer.bulk import MOST_DOCUMENTS, batches
from indexer.encoding import Encoded, encoded

DOCUMENTS = list(encoded([("a", {"doc": "x"}), ('b"', {"text": "é\n\u2028"}), ("c", {"doc": "long" * 9})]))
LINES = [
    b'{"index":{"_id":"a"}}\n{"doc":"x"}\n',
    '{"index":{"_id":"b\\""}}\n{"text":"é\\n\u2028"}\n'.encode(),
    b'{"index":{"_id":"c"}}\n{"doc":"%b"}\n' % (b"long" * 9),
]


@pytest.mark.parametrize(
    ("most", "parts"),
    [
        (1000, [[0, 1, 2]]),
        (len(LINES[0] + LINES[1]), [[0, 1], [2]]),
        (len(LINES[0]), [[0], [1], [2]]),
        (1, [[0], [1], [2]]),
    ],
)
def test_a_batch_holds_as_much_as_it_may_but_at_least_one(most: int, parts: list[list[int]]) -> None:
    found = list(batches(DOCUMENTS, most))
    assert [batch.lines for batch in found] == [b"".join(LINES[number] for number in part) for part in parts]
    assert [batch.documents for batch in found] == [len(part) for part in parts]


def test_of_nothing_there_is_no_batch() -> None:
    assert list(batches([])) == []


def test_what_need_not_be_sent_is_counted_and_shows_progress() -> None:
    kept = [Encoded(str(number), "", b"") for number in range(MOST_DOCUMENTS + 1)]
    found = list(batches([DOCUMENTS[0], *kept]))
    assert [(batch.documents, batch.lines) for batch in found] == [(MOST_DOCUMENTS, LINES[0]), (2, b"")]
