"""Which rules were live when, and which an undo goes back to."""

from __future__ import annotations

import pytest

from indexer.history import MOST_EVENTS, MOST_VERSIONS, Event, History, caught_up, event_of
from indexer.synonyms import Rule, rule_lines

A = Rule("a.txt", 1, ("pc", "computer"), ("pc", "computer"))


def event(what: str, version: str) -> Event:
    return Event("2026-01-01T00:00:00Z", what, version, f"index-{version}", "1", 0, 0)  # type: ignore[arg-type]


def history(*steps: str) -> History:
    """Steps as `apply v2`."""
    found = History()
    for step in steps:
        what, version = step.split()
        found = found.with_event(event(what, version), [A])
    return found


@pytest.mark.parametrize(
    ("steps", "stack", "before"),
    [
        ([], [], None),
        (["published v1"], ["v1"], None),
        (["published v1", "apply v2"], ["v1", "v2"], "v1"),
        (["published v1", "apply v2", "apply v3"], ["v1", "v2", "v3"], "v2"),
        (["published v1", "apply v2", "undo v1"], ["v1"], None),
        (["published v1", "apply v2", "apply v3", "undo v2"], ["v1", "v2"], "v1"),
        (["published v1", "apply v2", "apply v3", "undo v2", "undo v1"], ["v1"], None),
        (["published v1", "apply v2", "undo v1", "apply v2"], ["v1", "v2"], "v1"),
        (["published v1", "apply v2", "published v1"], ["v1", "v2", "v1"], "v2"),  # a rollback
        (["published v1", "published v1", "apply v2"], ["v1", "v2"], "v1"),
    ],
)
def test_an_undo_goes_one_step_back_each_time(steps: list[str], stack: list[str], before: str | None) -> None:
    found = history(*steps)
    assert found.stack == stack
    assert found.before() == ((before, (A,)) if before else None)


def test_only_so_much_is_kept() -> None:
    found = history(*(f"apply v{number}" for number in range(MOST_EVENTS + 10)))
    assert len(found.events) == MOST_EVENTS
    assert list(found.versions or ()) == [f"v{MOST_EVENTS + 9 - back}" for back in range(MOST_VERSIONS)]


def test_a_change_that_nobody_wrote_down_is_noticed() -> None:
    meta = {"synonyms_version": "v2", "released": "2026-01-02T00:00:00Z", "data_version": "1", "rules": rule_lines([A])}
    found = caught_up(history("published v1"), "index-v2", meta)
    assert found.events[-1] == event_of("published", "index-v2", meta, added=0, removed=0)
    assert caught_up(found, "index-v2", meta) is found
    assert caught_up(History(), None, None) == History()
