"""What the workbench works out without an engine: readings of a token graph, and which rules a build takes."""

from __future__ import annotations

from typing import Any

import pytest

from indexer.synonyms import Rule, difference, rule_lines, rules_from, rules_version
from indexer.workbench import MOST_READINGS, carried, following, readings

OLD = Rule("a.txt", 1, ("pc", "computer"), ("pc", "computer"))
NEW = Rule("a.txt", 2, ("wfh",), ("wfh", "telework"))
MOVED = Rule("b.txt", 9, ("pc", "computer"), ("pc", "computer"))


def token(text: str, position: int, length: int = 1) -> dict[str, Any]:
    return {"token": text, "position": position, "positionLength": length}


@pytest.mark.parametrize(
    ("tokens", "found"),
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
def test_every_way_through_a_graph_of_tokens_is_read(tokens: list[dict[str, Any]], found: list[str]) -> None:
    assert readings(tokens) == found


def test_readings_are_bounded() -> None:
    assert len(readings([token(f"w{way}", place) for place in range(8) for way in range(8)])) == MOST_READINGS


def test_where_a_rule_stands_makes_no_difference() -> None:
    assert not difference([OLD], [MOVED])
    assert difference([OLD], [MOVED, NEW]).added == (NEW,)
    assert difference([OLD, NEW], [MOVED]).removed == (NEW,)


def test_a_release_keeps_its_rules_whole() -> None:
    assert rules_from(rule_lines([OLD, NEW])) == (OLD, NEW)


def live(rules: list[Rule], replaced: list[str]) -> dict[str, Any]:
    return {
        "rules": rule_lines(rules),
        "synonyms_version": rules_version(rules),
        "released": "2026-01-01T00:00:00Z",
        "replaced": replaced,
    }


@pytest.mark.parametrize(
    ("meta", "files", "taken"),
    [
        (None, [OLD], [OLD]),
        (live([OLD], []), [OLD], [OLD]),
        (live([OLD], []), [OLD, NEW], [OLD, NEW]),  # an edit
        (live([OLD], [rules_version([OLD, NEW])]), [OLD, NEW], [OLD]),  # undone: the files still hold it
        (live([OLD, NEW], [rules_version([OLD])]), [OLD], [OLD, NEW]),  # applied: a build from older files
    ],
)
def test_a_build_never_brings_back_what_was_taken_off(
    meta: dict[str, Any] | None, files: list[Rule], taken: list[Rule]
) -> None:
    assert list(carried(files, meta)) == taken


def test_a_release_says_how_its_rules_differ_from_those_before() -> None:
    assert following(None, [OLD]) == {"replaced": [], "rules_since": None}
    gone = rules_version([NEW])
    assert following(live([OLD], [gone, rules_version([OLD, NEW])]), [OLD, NEW]) == {
        "replaced": [gone],
        "rules_since": {
            "synonyms_version": rules_version([OLD]),
            "released": "2026-01-01T00:00:00Z",
            "added": ["wfh => wfh, telework"],
            "removed": [],
        },
    }
