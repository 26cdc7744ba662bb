"""When a name counts as found."""

from __future__ import annotations

import pytest

from akg.evaluation.search_eval import EntityName, is_first_or_tied

TARGET, TWIN, OTHER = ("me", {"teacher", "tutor"}), ("twin", {"teacher"}), ("other", {"headteacher"})


@pytest.mark.parametrize(
    ("hits", "first"),
    [
        ([TARGET, OTHER], True),
        ([TWIN, TARGET], True),  # after an entity of the same name
        ([TWIN, TWIN, TARGET], True),
        ([OTHER, TARGET], False),
        ([TWIN, OTHER, TARGET], False),  # the tie ends before the entity
        ([TWIN, OTHER], False),
        ([TWIN, TWIN], True),  # all hits of the page tie
        ([], False),
    ],
)
def test_an_entity_is_first_or_tied(hits: list[tuple[str, set[str]]], *, first: bool) -> None:
    assert is_first_or_tied(EntityName("me", "name", "Teacher"), hits) is first
