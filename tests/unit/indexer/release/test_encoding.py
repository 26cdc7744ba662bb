"""Encoded documents and digests: what an incremental build sends, and which ids of its base are stale."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from indexer.release.bulk import (
    BaseRelease,
    DigestTracker,
    IndexInput,
    count_digest_documents,
    encode_documents,
    read_digests,
)
from schema.document_ids import DIGESTS

A, B = ("type:a", {"doc": "entity", "name": "A"}), ("type:b", {"doc": "entity", "name": "B"})
CHANGED_B = ("type:b", {"doc": "entity", "name": "B, renamed"})
CHANGES, NEW_CHANGES = ("changes", {"changes": {"since": 1}}), ("changes", {"changes": {"since": 2}})


def base_release(*documents: tuple[str, dict[str, Any]]) -> BaseRelease:
    """Return a release of these documents, as a build reads it."""
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
