"""Documents become bulk requests, in order and bounded in size."""

from __future__ import annotations

import pytest

from indexer.release.bulk import MAX_BATCH_DOCUMENTS, EncodedDocument, batches, encode_documents

DOCUMENTS = list(encode_documents([("a", {"doc": "x"}), ('b"', {"text": "é\n\u2028"}), ("c", {"doc": "long" * 9})]))
LINES = [
    b'{"index":{"_id":"a"}}\n{"doc":"x"}\n',
    '{"index":{"_id":"b\\""}}\n{"text":"é\\n\u2028"}\n'.encode(),
    b'{"index":{"_id":"c"}}\n{"doc":"%b"}\n' % (b"long" * 9),
]


@pytest.mark.parametrize(
    ("max_bytes", "parts"),
    [
        (1000, [[0, 1, 2]]),
        (len(LINES[0] + LINES[1]), [[0, 1], [2]]),
        (len(LINES[0]), [[0], [1], [2]]),
        (1, [[0], [1], [2]]),
    ],
)
def test_a_batch_has_at_most_the_maximum_but_at_least_one_document(max_bytes: int, parts: list[list[int]]) -> None:
    result = list(batches(DOCUMENTS, max_bytes))
    assert [batch.lines for batch in result] == [b"".join(LINES[number] for number in part) for part in parts]
    assert [batch.documents for batch in result] == [len(part) for part in parts]


def test_no_documents_give_no_batch() -> None:
    assert list(batches([])) == []


def test_counts_unchanged_documents_for_the_progress() -> None:
    unchanged = [EncodedDocument(str(number), "", b"") for number in range(MAX_BATCH_DOCUMENTS + 1)]
    result = list(batches([DOCUMENTS[0], *unchanged]))
    assert [(batch.documents, batch.lines) for batch in result] == [(MAX_BATCH_DOCUMENTS, LINES[0]), (2, b"")]
