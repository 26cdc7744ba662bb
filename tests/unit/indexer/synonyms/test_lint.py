"""Errors and warnings in synonym rules that are syntactically valid, each with file and line."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.content.rows import Alias, Link
from indexer.synonyms import lint
from indexer.synonyms.lint import TermIndex, TermInfo, terms_of
from indexer.synonyms.rules import SynonymError, parse, rules_and_problems
from schema.synonyms import SynonymRule
from tests.support.small_graphs import EMPTY, entity

EVERYWHERE = TermInfo(occurs=True)
SOLUTION_A = frozenset({"solution:a"})
NAMES_A = TermInfo(occurs=True, exact_name_of=SOLUTION_A, containing_entities=SOLUTION_A)


def rules_of(*lines: str) -> list[SynonymRule]:
    rules, problems = parse("rules.txt", lines)
    assert problems == []
    return rules


def errors(*lines: str) -> list[str]:
    return [str(problem) for problem in lint.errors(rules_of(*lines))]


def warnings(known: dict[str, TermInfo], *lines: str, entities: int = 30) -> list[str]:
    rules = rules_of(*lines)
    terms = TermIndex(entities, {term: known.get(term, EVERYWHERE) for term in terms_of(rules)})
    return [str(problem).removeprefix("rules.txt:") for problem in lint.warnings(rules, terms)]


MANY = ", ".join(f"w{number}" for number in range(15))


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["pc, computer", "wfh => wfh, telework"], []),
        (["+++, plus"], ["1: '+++' has neither letters nor digits, so that no word remains"]),
        (["the => thee"], ["1: 'the' is a stop word; a rule for it would apply to very many queries"]),
        (["e-mail, e mail, mail"], ["1: 'e-mail' and 'e mail' are the same after analysis; keep only one"]),
        (["Résumé => resume"], ["1: both sides are the same after analysis; the rule changes nothing"]),
        (["a1, b1 => B1, A1"], ["1: both sides are the same after analysis; write 'a1, b1'"]),
        (["pc, computer", "Computer, PC"], ["2: repeats rules.txt:1"]),
        (
            ["tv, telly, box", "tv => tv, screen"],
            ["2: 'tv' is also in rules.txt:1, which hides this rule; merge the two rules"],
        ),
        (["tv, telly", "telly, box"], ["2: 'telly' is also in rules.txt:1; merge the two rules"]),
        (["tv => tv, telly", "tv, box => screen"], ["2: 'tv' is also in rules.txt:1; merge the two rules"]),
        (["car => auto", "auto => car"], ["1: rules form a cycle: car => auto => car", "2: rules form a cycle"]),
        (["a1 => b1", "b1 => c1", "c1 => a1"], [f"{n}: rules form a cycle" for n in (1, 2, 3)]),
        (["a1 => a1, b1", "b1 => b1, a1"], []),
        ([f"zork => {MANY}"], ["1: 'zork' would be replaced by 15 words; at most 14 are safe"]),
        ([f"zork zark => {MANY}"], []),
    ],
)  # fmt: skip
def test_reports_errors_with_their_lines(lines: list[str], found: list[str]) -> None:
    messages = [error.removeprefix("rules.txt:") for error in errors(*lines)]
    # A duplicate rule also repeats its terms, so the expected messages are a subset.
    assert len(messages) >= len(found)
    assert all(any(message.startswith(start) for message in messages) for start in found), messages
    assert bool(messages) == bool(found)


@pytest.mark.parametrize(
    ("known", "line", "found"),
    [
        ({}, "pc, computer", []),
        ({"zork": TermInfo()}, "pc => pc, zork", ["1: the graph does not contain 'zork': the rule has no effect"]),
        ({"zork": TermInfo()}, "pc => pc, zork, computer", ["1: the graph does not contain 'zork'"]),
        # A two-way rule often has a lay word that the graph does not contain.
        ({"zork": TermInfo()}, "zork, computer", []),
        (
            {"zork": TermInfo(), "zark": TermInfo()},
            "zork, zark",
            ["1: the graph does not contain 'zork', 'zark': the rule has no effect"],
        ),
        ({}, "to do, todo", ["1: 'to do' has only stop words; the rule applies only to queries without other words"]),
        (
            {"screen": TermInfo(occurs=True, containing_entities=frozenset(map(str, range(25))))},
            "screen => screen, display",
            ["1: 'screen' is a common word, in the names of 25 entities: every search for it returns more"],
        ),
        (
            {"tts": NAMES_A, "text reader": NAMES_A},
            "tts, text reader",
            ["1: all its terms are names only of solution:a; add them as aliases instead of a rule"],
        ),
        ({"tts": replace(NAMES_A, containing_entities=SOLUTION_A | {"product:b"})}, "tts, text reader", []),
        (
            {"tts": replace(NAMES_A, mentioned_by=frozenset({"product:b"})), "text reader": NAMES_A},
            "tts, text reader",
            [],
        ),
        ({}, "wheelchair, wheel chair => wheelchair, wheel chair, chair", []),
    ],
)
def test_reports_warnings(known: dict[str, TermInfo], line: str, found: list[str]) -> None:
    assert warnings(known, line) == found


ADVICE = ": who types it no longer finds it; write it on the right side, too"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("worn out => fatigue", [f"1: the rule drops 'worn out'{ADVICE}"]),
        ("worn out => worn out, fatigue", []),
        ("key boards, keyboards => keyboard, key pad", []),  # an ending or a space drops nothing
        ("essay, essays => essay, writing", []),
        ("tired, tiredness => tired, fatigue", []),  # the stemmer of the index makes the same word of both
        ("procrastination, procrastinating => procrastination, fatigue", []),
        ("eye tracker, eye tracking => eye tracker, keyboard", []),
        ("stay focused, staying focused => stay focused, fatigue", []),
        ("worn out, fatigue", []),
    ],
)
def test_warns_of_a_rule_that_drops_what_was_typed(line: str, found: list[str]) -> None:
    known = {
        term: TermInfo(occurs=True)
        for term in ("fatigue", "keyboard", "key pad", "essay", "writing", "worn out", "tired")
    }
    assert warnings(known, line) == found


@pytest.mark.parametrize(("words", "count"), [(14, 0), (15, 1)])
def test_a_term_that_no_query_can_have_is_an_error(words: int, count: int) -> None:
    term = " ".join(f"w{number}" for number in range(words))
    assert sum("never matches" in error for error in errors(f"{term} => {term}, b")) == count


def test_warns_of_the_name_of_an_unrelated_entity() -> None:
    lamp = TermInfo(occurs=True, exact_name_of=frozenset({"solution:lamp"}))
    stool = TermInfo(occurs=True, exact_name_of=frozenset({"solution:stool"}))
    (found,) = warnings({"lamp": lamp, "stool": stool}, "lamp => lamp, stool")
    assert found.startswith("1: 'lamp' is the name of solution:lamp, and the rule adds the names of other entities")
    related = replace(stool, containing_entities=frozenset({"solution:lamp"}))
    assert warnings({"lamp": lamp, "stool": related}, "lamp => lamp, stool") == []
    linked = replace(lamp, related=frozenset({"solution:stool"}))
    assert warnings({"lamp": linked, "stool": stool}, "lamp => lamp, stool") == []


def test_related_entities_are_linked_or_have_the_same_broader_one() -> None:
    links = tuple(
        Link(edge, source, target, "source", ())
        for edge, source, target in (
            ("broader", "limitation:blind", "limitation:sight"),
            ("broader", "limitation:low-vision", "limitation:sight"),
            ("limits", "limitation:blind", "ability:seeing"),
        )
    )
    names = {"limitation:blind": "Blind", "limitation:low-vision": "Low Vision", "limitation:sight": "Sight"}
    content = replace(EMPTY, entities=tuple(entity(id_, name) for id_, name in names.items()), links=links)
    terms = TermIndex.from_content(["blind", "sharp"], content).terms
    assert terms["blind"].related == set(names)
    assert terms["sharp"].related == frozenset()


def test_warns_of_two_one_way_rules_that_could_be_one() -> None:
    found = warnings({}, "a1 => a1, b1", "c1 => c1, d1", "b1 => b1, a1")
    assert found == ["3: this rule and rules.txt:1 add each other's terms; use a two-way rule?"]


def test_finds_terms_in_the_content() -> None:
    readers = entity("solution:a", "Screen Readers")._replace(short="Reads aloud.")
    lamp = entity("solution:b", "Lamp")._replace(short="A lamp for the screen.")
    aliases = (Alias("solution:a", "TTS", "abbreviation", ("s",)),)
    content = replace(EMPTY, entities=(readers, lamp), aliases=aliases)
    terms = ["screen reader", "screen", "tts", "aloud screen", "reading", "zork"]
    a, b = "solution:a", "solution:b"
    assert TermIndex.from_content(terms, content) == TermIndex(
        2,
        {
            "screen reader": TermInfo(occurs=True, exact_name_of=frozenset(), containing_entities=frozenset({a})),
            "screen": TermInfo(occurs=True, containing_entities=frozenset({a}), mentioned_by=frozenset({b})),
            "tts": TermInfo(occurs=True, exact_name_of=frozenset({a}), containing_entities=frozenset({a})),
            "aloud screen": TermInfo(),  # a phrase does not span two texts
            "reading": TermInfo(occurs=True, mentioned_by=frozenset({a})),
            "zork": TermInfo(),
        },
    )
    assert b not in TermIndex.from_content(["lamp for"], content).terms["lamp for"].containing_entities


GOOD = [
    "# how to write rules",
    "pc, computer",
    "wfh => wfh, telework",
    "tts, text to speech",
    "",
    "sofa, couch => sofa, couch, settee",
    "lift, elevator",
]
FAULTS = (
    lambda line: line + ",",
    lambda line: "," + line,
    lambda line: line.replace(", ", ",, ", 1),
    lambda line: line.replace(",", " ", 9).replace("=>", " "),
    lambda line: line + " => a => b",
    lambda line: line.replace(", ", " -> ", 1),
    lambda line: line.replace(", ", " = ", 1),
    lambda line: line + "\\",
    lambda line: line + ", x\u200by",
    lambda line: line + ", bell\a",
    lambda line: line + " # why not",
    lambda line: line + ", +++",
    lambda line: line + ", the",
    lambda line: line + ", lift, elevator, pc, sofa, wfh, tts",
    lambda line: line + ", " + ", ".join(f"w{number}" for number in range(20)),
    lambda line: line + ", caf\xe9, cafe",
    lambda _: "alone",
    lambda _: "=> nothing",
    lambda _: "this => that => these",
    lambda _: "equal => Equal",
)


@pytest.mark.parametrize("seed", range(50))
def test_rejects_fifty_invalid_files_with_their_lines(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - not a secret
    lines = list(GOOD)
    position = rng.choice([number for number, line in enumerate(lines) if line and not line.startswith("#")])
    add_fault = FAULTS[seed % len(FAULTS)]
    lines[position] = add_fault(lines[position])
    end = rng.choice(("\n", "\r\n", "\r"))
    (tmp_path / "rules.txt").write_bytes(end.join(lines).encode())
    with pytest.raises(SynonymError) as raised:
        lint.require_valid_rules(*rules_and_problems(tmp_path))
    assert any(problem.startswith(f"rules.txt:{position + 1}: ") for problem in raised.value.problems), (
        raised.value.problems
    )


def test_reports_invalid_utf8_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_bytes(b"pc, computer\ncaf\xe9, cafe\n")
    with pytest.raises(SynonymError, match=r"^rules\.txt:2: not UTF-8; save the file as UTF-8$"):
        lint.require_valid_rules(*rules_and_problems(tmp_path))


def test_reports_syntax_and_other_errors_together(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("alone\nthe, thee\n")
    with pytest.raises(SynonymError) as raised:
        lint.require_valid_rules(*rules_and_problems(tmp_path))
    assert [problem.partition(": ")[0] for problem in raised.value.problems] == ["rules.txt:1", "rules.txt:2"]
