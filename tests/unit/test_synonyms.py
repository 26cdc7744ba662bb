"""Solr synonym rules: what a line means, and every problem with its file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.synonyms import Rule, SynonymError, parse, read_rules, rules_version

if TYPE_CHECKING:
    from pathlib import Path

EMPTY_TERM = "an empty term; look for a stray comma or a missing side of the arrow"
TWICE = "a term stands twice in the same rule"


@pytest.mark.parametrize(
    ("line", "given", "read_as", "text"),
    [
        ("pc, computer", ("pc", "computer"), ("pc", "computer"), "pc, computer"),
        (
            "  pc ,computer,  desktop ",
            ("pc", "computer", "desktop"),
            ("pc", "computer", "desktop"),
            "pc, computer, desktop",
        ),
        ("wfh => telework", ("wfh",), ("telework",), "wfh => telework"),
        ("wfh=>work from home,telework", ("wfh",), ("work from home", "telework"), "wfh => work from home, telework"),
        ("tv, telly => television", ("tv", "telly"), ("television",), "tv, telly => television"),
        ("add => add, adhd", ("add",), ("add", "adhd"), "add => add, adhd"),
        ("c# , c sharp", ("c#", "c sharp"), ("c#", "c sharp"), "c#, c sharp"),
    ],
)
def test_a_line_becomes_a_rule(line: str, given: tuple[str, ...], read_as: tuple[str, ...], text: str) -> None:
    (rule,), problems = parse("rules.txt", [line])
    assert (rule, problems) == (Rule("rules.txt", 1, given, read_as), [])
    assert rule.text == text


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("alone", "'alone' stands alone; a rule needs at least two terms or an arrow"),
        ("a, ", EMPTY_TERM),
        (", a", EMPTY_TERM),
        ("a,, b", EMPTY_TERM),
        ("a =>", EMPTY_TERM),
        ("=> a", EMPTY_TERM),
        ("=>", EMPTY_TERM),
        ("a => b,", EMPTY_TERM),
        (",", EMPTY_TERM),
        ("a => b => c", "two arrows; write one rule per line"),
        ("a, b, a", TWICE),
        ("a, a => b", TWICE),
        ("a => b, b", TWICE),
    ],
)
def test_a_line_that_is_no_rule_is_told_with_its_place(line: str, problem: str) -> None:
    assert parse("spelling.txt", ["# manual", "", line]) == ([], [f"spelling.txt:3: {problem}"])


def test_blank_lines_and_comments_count_as_lines_and_as_nothing_else() -> None:
    lines = ["# how to write rules", "", "  # indented", "a, b", "   ", "c => d"]
    rules, problems = parse("rules.txt", lines)
    assert [(rule.line, rule.text) for rule in rules] == [(4, "a, b"), (6, "c => d")]
    assert problems == []


def test_one_bad_line_hides_no_other() -> None:
    rules, problems = parse("rules.txt", ["a", "b, c", "d =>"])
    assert [rule.text for rule in rules] == ["b, c"]
    assert [problem.partition(": ")[0] for problem in problems] == ["rules.txt:1", "rules.txt:3"]


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("c, d\n")
    (tmp_path / "a.txt").write_text("# first\na, b\n")
    (tmp_path / "notes.md").write_text("not a rule\n")
    assert read_rules(tmp_path) == (Rule("a.txt", 2, ("a", "b"), ("a", "b")), Rule("b.txt", 1, ("c", "d"), ("c", "d")))


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a, b\nlonely\n")
    (tmp_path / "b.txt").write_text("c => d\nA, B\nc =>d\n")
    with pytest.raises(SynonymError) as raised:
        read_rules(tmp_path)
    assert raised.value.problems == (
        "a.txt:2: 'lonely' stands alone; a rule needs at least two terms or an arrow",
        "b.txt:2: repeats a.txt:1",
        "b.txt:3: repeats b.txt:1",
    )
    assert str(raised.value) == "\n".join(raised.value.problems)


def test_a_folder_without_rules_has_none(tmp_path: Path) -> None:
    assert read_rules(tmp_path) == ()


def test_the_version_changes_exactly_when_what_the_engine_is_told_changes() -> None:
    one = Rule("a.txt", 1, ("a", "b"), ("a", "b"))
    two = Rule("a.txt", 2, ("c",), ("d",))
    versions = [rules_version(rules) for rules in ([], [one], [one, two], [two, one], [two])]
    assert len(set(versions)) == len(versions)
    assert all(len(version) == 12 and int(version, 16) >= 0 for version in versions)
    assert rules_version([Rule("z.txt", 9, ("a", "b"), ("a", "b"))]) == rules_version([one])
