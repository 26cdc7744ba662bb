"""The history of live rules, and to which version undo goes back."""

from __future__ import annotations

import pytest

from indexer.synonyms.publish import MAX_EVENTS, MAX_VERSIONS, Event, History, event_of, with_live_release
from schema.synonyms import SynonymRule, rule_lines

A = SynonymRule("a.txt", 1, ("pc", "computer"), ("pc", "computer"))


def event(what: str, version: str) -> Event:
    return Event("2026-01-01T00:00:00Z", what, version, f"index-{version}", "1", 0, 0)  # type: ignore[arg-type]


def history(*steps: str) -> History:
    """Build a history from steps like `apply v2`."""
    result = History()
    for step in steps:
        what, version = step.split()
        result = result.with_event(event(what, version), [A])
    return result


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
def test_each_undo_goes_one_step_back(steps: list[str], stack: list[str], before: str | None) -> None:
    result = history(*steps)
    assert result.stack == stack
    assert result.before() == ((before, (A,)) if before else None)


def test_drops_the_oldest_events_and_versions() -> None:
    result = history(*(f"apply v{number}" for number in range(MAX_EVENTS + 10)))
    assert len(result.events) == MAX_EVENTS
    assert list(result.versions or ()) == [f"v{MAX_EVENTS + 9 - age}" for age in range(MAX_VERSIONS)]


def test_adds_a_change_that_was_not_stored() -> None:
    meta = {"synonyms_version": "v2", "released": "2026-01-02T00:00:00Z", "data_version": "1", "rules": rule_lines([A])}
    result = with_live_release(history("published v1"), "index-v2", meta)
    assert result.events[-1] == event_of("published", "index-v2", meta, added=0, removed=0)
    assert with_live_release(result, "index-v2", meta) is result
    assert with_live_release(History(), None, None) == History()
