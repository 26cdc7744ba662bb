"""Documents and their digests: what must be sent beside a release that has most of them, and what that has too many."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from indexer.encoding import DIGESTS, Base, Filling, Noted, count_digest_documents, encoded, kept_digests

A, B = ("type:a", {"doc": "entity", "name": "A"}), ("type:b", {"doc": "entity", "name": "B"})
OTHER_B = ("type:b", {"doc": "entity", "name": "B, said otherwise"})
CHANGES, OTHER_CHANGES = ("changes", {"changes": {"since": 1}}), ("changes", {"changes": {"since": 2}})


def base_of(*documents: tuple[str, dict[str, Any]]) -> Base:
    """What a release of these documents keeps, read as a build reads it."""
    noted = Noted(Filling(encoded(documents)))
    own = [one for one in noted.documents() if one.key.startswith(DIGESTS)]
    return Base("live", kept_digests((one.key, orjson.loads(one.lines.splitlines()[1])) for one in own))


@pytest.mark.parametrize(
    ("before", "after", "sent", "gone", "differs"),
    [
        ([A, B], [A, B], [], [], False),
        ([A, B], [B, A], [], [], False),
        ([A, B], [A, OTHER_B], ["type:b"], [], True),
        ([A], [A, B], ["type:b"], [], True),
        ([A, B], [A], [], ["type:b"], False),
        ([A, CHANGES], [A, OTHER_CHANGES], ["changes"], [], False),
        ([], [A, B], ["type:a", "type:b"], [], True),
    ],
)
def test_beside_a_base_only_what_differs_is_sent(
    before: list[tuple[str, dict[str, Any]]],
    after: list[tuple[str, dict[str, Any]]],
    sent: list[str],
    gone: list[str],
    *,
    differs: bool,
) -> None:
    base = base_of(*before)
    noted = Noted(Filling(encoded(after, base.digests), base))
    found = list(noted.documents())
    assert [one.key for one in found] == [*(key for key, _ in after), "digests/0"]
    assert [one.key for one in found if one.lines] == [*sent, "digests/0"]
    assert sorted(noted.gone) == gone
    assert noted.differs is differs
    assert noted.count == len(after) + 1


def test_digests_go_as_they_come_and_none_is_left_behind() -> None:
    many = [(f"type:{number}", {"doc": "entity"}) for number in range(5)]
    noted = Noted(Filling(encoded(many)))
    keys = [one.key for one in noted.documents(most=2)]
    assert keys == ["type:0", "type:1", "digests/0", "type:2", "type:3", "digests/1", "type:4", "digests/2"]
    kept = kept_digests((f"digests/{page}", {DIGESTS: {"lines": [("a", "1")]}}) for page in range(3))
    fewer = Noted(Filling(encoded(many[:2]), Base("live", kept)))
    list(fewer.documents(most=2))
    assert fewer.gone == {"a", "digests/1", "digests/2"}


def test_the_progress_bar_counts_them() -> None:
    assert [count_digest_documents(count) for count in (1, 20_000, 20_001)] == [1, 1, 2]
