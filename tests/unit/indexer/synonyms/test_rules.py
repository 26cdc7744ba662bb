"""Parsing of Solr synonym rules: the meaning of a line, and problems with file and line."""

from pathlib import Path

import pytest

from indexer.synonyms.rules import SynonymError, parse, rules_and_problems
from schema.synonyms import SynonymRule, rules_version

EMPTY_TERM = "an empty term; remove a stray comma or complete the side of the arrow"
REPEATED_TERM = "the rule repeats a term"


@pytest.mark.parametrize(
    ("line", "terms", "replacements", "text"),
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
def test_parses_a_rule(line: str, terms: tuple[str, ...], replacements: tuple[str, ...], text: str) -> None:
    (rule,), problems = parse("rules.txt", [line])
    assert (rule, problems) == (SynonymRule("rules.txt", 1, terms, replacements), [])
    assert rule.text == text


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("alone", "'alone' is the only term; a rule needs at least two terms or an arrow"),
        ("a, b #c", "a '#' before a term or after a rule; put a comment on a line of its own"),
        ("a, #c", "a '#' before a term or after a rule; put a comment on a line of its own"),
        ("a => #", "a '#' before a term or after a rule; put a comment on a line of its own"),
        ("a, ", EMPTY_TERM),
        (", a", EMPTY_TERM),
        ("a,, b", EMPTY_TERM),
        ("a =>", EMPTY_TERM),
        ("=> a", EMPTY_TERM),
        ("=>", EMPTY_TERM),
        ("a => b,", EMPTY_TERM),
        (",", EMPTY_TERM),
        ("a => b => c", "two arrows; write one rule per line"),
        ("a, b, a", REPEATED_TERM),
        ("a, a => b", REPEATED_TERM),
        ("a => b, b", REPEATED_TERM),
    ],
)
def test_reports_an_invalid_line_with_its_number(line: str, problem: str) -> None:
    assert parse("spelling.txt", ["# manual", "", line]) == ([], [f"spelling.txt:3: {problem}"])


def test_skips_but_counts_blank_lines_and_comments() -> None:
    lines = ["# how to write rules", "", "  # indented", "a, b", "   ", "c => d"]
    rules, problems = parse("rules.txt", lines)
    assert [(rule.line, rule.text) for rule in rules] == [(4, "a, b"), (6, "c => d")]
    assert problems == []


def test_reports_every_invalid_line() -> None:
    rules, problems = parse("rules.txt", ["a", "b, c", "d =>"])
    assert [rule.text for rule in rules] == ["b, c"]
    assert [problem.partition(": ")[0] for problem in problems] == ["rules.txt:1", "rules.txt:3"]


def test_reads_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("c, d\n")
    (tmp_path / "a.txt").write_text("# first\na, b\n")
    (tmp_path / "notes.md").write_text("not a rule\n")
    rules = (SynonymRule("a.txt", 2, ("a", "b"), ("a", "b")), SynonymRule("b.txt", 1, ("c", "d"), ("c", "d")))
    assert rules_and_problems(tmp_path) == (rules, [])


def test_reports_the_problems_of_all_files_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a, b\nlonely\n")
    (tmp_path / "b.txt").write_text("c => d\nA, B\nc =>d\n")
    _, problems = rules_and_problems(tmp_path)
    assert problems == [
        "a.txt:2: 'lonely' is the only term; a rule needs at least two terms or an arrow",
        "b.txt:2: repeats a.txt:1",
        "b.txt:3: repeats b.txt:1",
    ]
    assert str(SynonymError(problems)) == "\n".join(problems)


def test_reads_a_folder_without_rules(tmp_path: Path) -> None:
    assert rules_and_problems(tmp_path) == ((), [])


def test_reports_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    (tmp_path / "b.txt").write_text("c, d\n")
    rules, problems = rules_and_problems(tmp_path)
    assert [rule.text for rule in rules] == ["c, d"]
    assert problems == ["a.txt:1: cannot be read: Is a directory"]


def test_the_version_changes_only_with_the_text_of_the_rules() -> None:
    first = SynonymRule("a.txt", 1, ("a", "b"), ("a", "b"))
    second = SynonymRule("a.txt", 2, ("c",), ("d",))
    versions = [rules_version(rules) for rules in ([], [first], [first, second], [second, first], [second])]
    assert len(set(versions)) == len(versions)
    assert all(len(version) == 12 and int(version, 16) >= 0 for version in versions)
    assert rules_version([SynonymRule("z.txt", 9, ("a", "b"), ("a", "b"))]) == rules_version([first])
