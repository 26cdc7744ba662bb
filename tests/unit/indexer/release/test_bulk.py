"""Encoded documents, bulk requests of bounded size, and what an incremental build sends of its base."""

from typing import Any

import orjson
import pytest

from indexer.release.bulk import (
    MAX_BATCH_DOCUMENTS,
    BaseRelease,
    DigestTracker,
    EncodedDocument,
    IndexInput,
    batches,
    count_digest_documents,
    encode_documents,
    read_digests,
)
from schema.document_ids import DIGESTS

DOCUMENTS = list(encode_documents([("a", {"doc": "x"}), ('b"', {"text": "é\n\u2028"}), ("c", {"doc": "long" * 9})]))
LINES = [
    b'{"index":{"_id":"a"}}\n{"doc":"x"}\n',
    '{"index":{"_id":"b\\""}}\n{"text":"é\\n\u2028"}\n'.encode(),
    b'{"index":{"_id":"c"}}\n{"doc":"%b"}\n' % (b"long" * 9),
]
A, B = ("type:a", {"doc": "entity", "name": "A"}), ("type:b", {"doc": "entity", "name": "B"})
CHANGED_B = ("type:b", {"doc": "entity", "name": "B, renamed"})
CHANGES, NEW_CHANGES = ("changes", {"changes": {"since": 1}}), ("changes", {"changes": {"since": 2}})


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


def base_release(*documents: tuple[str, dict[str, Any]]) -> BaseRelease:
    tracker = DigestTracker(IndexInput(encode_documents(documents)))
    digests = [document for document in tracker.documents() if document.key.startswith(DIGESTS)]
    stored = ((document.key, orjson.loads(document.lines.splitlines()[1])) for document in digests)
    return BaseRelease("live", read_digests(stored))


@pytest.mark.parametrize(
    ("before", "after", "sent", "stale", "has_changes"),
    [
        ([A, B], [A, B], [], [], False),
        ([A, B], [B, A], [], [], False),
        ([A, B], [A, CHANGED_B], ["type:b"], [], True),
        ([A], [A, B], ["type:b"], [], True),
        ([A, B], [A], [], ["type:b"], False),
        ([A, CHANGES], [A, NEW_CHANGES], ["changes"], [], False),
        ([], [A, B], ["type:a", "type:b"], [], True),
    ],
)
def test_sends_only_what_differs_from_the_base(
    before: list[tuple[str, dict[str, Any]]],
    after: list[tuple[str, dict[str, Any]]],
    sent: list[str],
    stale: list[str],
    *,
    has_changes: bool,
) -> None:
    base = base_release(*before)
    tracker = DigestTracker(IndexInput(encode_documents(after, base.digests), base))
    documents = list(tracker.documents())
    assert [document.key for document in documents] == [*(key for key, _ in after), "digests/0"]
    assert [document.key for document in documents if document.lines] == [*sent, "digests/0"]
    assert sorted(tracker.stale_ids) == stale
    assert tracker.has_changes is has_changes
    assert tracker.count == len(after) + 1


def test_digests_follow_their_documents_and_surplus_ones_are_stale() -> None:
    entities = [(f"type:{number}", {"doc": "entity"}) for number in range(5)]
    tracker = DigestTracker(IndexInput(encode_documents(entities)))
    keys = [document.key for document in tracker.documents(per_document=2)]
    assert keys == ["type:0", "type:1", "digests/0", "type:2", "type:3", "digests/1", "type:4", "digests/2"]
    digests = read_digests((f"digests/{number}", {DIGESTS: {"lines": [("a", "1")]}}) for number in range(3))
    tracker = DigestTracker(IndexInput(encode_documents(entities[:2]), BaseRelease("live", digests)))
    list(tracker.documents(per_document=2))
    assert tracker.stale_ids == {"a", "digests/1", "digests/2"}


def test_counts_the_documents_for_digests() -> None:
    assert [count_digest_documents(count) for count in (1, 20_000, 20_001)] == [1, 1, 2]
