"""Paths through a token graph, the rules of a build, and the history for undo."""

from typing import Any

import pytest

from indexer.synonyms.publish import (
    MAX_EVENTS,
    MAX_VARIANTS,
    MAX_VERSIONS,
    Event,
    History,
    effective_rules,
    event_of,
    rules_metadata,
    token_paths,
    with_live_release,
)
from indexer.synonyms.rules import difference
from schema.synonyms import SynonymRule, rule_lines, rules_from, rules_version

OLD = SynonymRule("a.txt", 1, ("pc", "computer"), ("pc", "computer"))
NEW = SynonymRule("a.txt", 2, ("wfh",), ("wfh", "telework"))
MOVED = SynonymRule("b.txt", 9, ("pc", "computer"), ("pc", "computer"))


def token(text: str, position: int, length: int = 1) -> dict[str, Any]:
    return {"token": text, "position": position, "positionLength": length}


@pytest.mark.parametrize(
    ("tokens", "paths"),
    [
        ([], []),
        ([token("pc", 0), token("help", 1)], ["pc help"]),
        ([token("pc", 0), token("computer", 0), token("help", 1)], ["pc help", "computer help"]),
        (
            [token("tts", 0, 3), token("text", 0), token("to", 1), token("speech", 2), token("app", 3)],
            ["tts app", "text to speech app"],
        ),
        ([token("a", 0), token("b", 5)], ["a b"]),
    ],
)
def test_returns_every_path_through_a_token_graph(tokens: list[dict[str, Any]], paths: list[str]) -> None:
    assert token_paths(tokens) == paths


def test_limits_the_number_of_paths() -> None:
    assert len(token_paths([token(f"w{path}", position) for position in range(8) for path in range(8)])) == MAX_VARIANTS


def test_difference_ignores_file_and_line() -> None:
    assert not difference([OLD], [MOVED])
    assert difference([OLD], [MOVED, NEW]).added == (NEW,)
    assert difference([OLD, NEW], [MOVED]).removed == (NEW,)


def test_reads_the_rules_that_a_release_stores() -> None:
    assert rules_from(rule_lines([OLD, NEW])) == (OLD, NEW)


def live(rules: list[SynonymRule], replaced: list[str]) -> dict[str, Any]:
    return {
        "rules": rule_lines(rules),
        "synonyms_version": rules_version(rules),
        "released": "2026-01-01T00:00:00Z",
        "replaced": replaced,
    }


@pytest.mark.parametrize(
    ("meta", "files", "effective"),
    [
        (None, [OLD], [OLD]),
        (live([OLD], []), [OLD], [OLD]),
        (live([OLD], []), [OLD, NEW], [OLD, NEW]),  # an edit
        (live([OLD], [rules_version([OLD, NEW])]), [OLD, NEW], [OLD]),  # undone, but still in the files
        (live([OLD, NEW], [rules_version([OLD])]), [OLD], [OLD, NEW]),  # applied, but not in older files
    ],
)
def test_a_build_never_publishes_undone_or_replaced_rules(
    meta: dict[str, Any] | None, files: list[SynonymRule], effective: list[SynonymRule]
) -> None:
    assert list(effective_rules(files, meta)) == effective


def test_the_metadata_has_the_difference_from_the_rules_before() -> None:
    assert rules_metadata(None, [OLD]) == {"replaced": [], "rules_since": None}
    old_version = rules_version([NEW])
    assert rules_metadata(live([OLD], [old_version, rules_version([OLD, NEW])]), [OLD, NEW]) == {
        "replaced": [old_version],
        "rules_since": {
            "synonyms_version": rules_version([OLD]),
            "released": "2026-01-01T00:00:00Z",
            "added": ["wfh => wfh, telework"],
            "removed": [],
        },
    }


def event(what: str, version: str) -> Event:
    return Event("2026-01-01T00:00:00Z", what, version, f"index-{version}", "1", 0, 0)  # type: ignore[arg-type]


def history(*steps: str) -> History:
    result = History()
    for step in steps:
        what, version = step.split()
        result = result.with_event(event(what, version), [OLD])
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
    assert result.before() == ((before, (OLD,)) if before else None)


def test_drops_the_oldest_events_and_versions() -> None:
    result = history(*(f"apply v{number}" for number in range(MAX_EVENTS + 10)))
    assert len(result.events) == MAX_EVENTS
    assert list(result.versions) == [f"v{MAX_EVENTS + 9 - age}" for age in range(MAX_VERSIONS)]


def test_adds_a_change_that_was_not_stored() -> None:
    meta = {
        "synonyms_version": "v2",
        "released": "2026-01-02T00:00:00Z",
        "data_version": "1",
        "rules": rule_lines([OLD]),
    }
    result = with_live_release(history("published v1"), "index-v2", meta)
    assert result.events[-1] == event_of("published", "index-v2", meta, added=0, removed=0)
    assert with_live_release(result, "index-v2", meta) is result
    assert with_live_release(History(), None, None) == History()
