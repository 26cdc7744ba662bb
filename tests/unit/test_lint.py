"""Synonym rules of the right form that are wrong all the same, or doubtful: each told with its file and line."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from api import asking
from indexer import lint
from indexer.rows import Alias, Content, Entity
from indexer.synonyms import SynonymError, parse, rules_and_problems
from indexer.terms import Known, Terms, terms_in_tables, terms_of, tokens

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.synonyms import Rule

EVERYWHERE = Known(spoken=True)


def rules_of(*lines: str) -> list[Rule]:
    rules, problems = parse("rules.txt", lines)
    assert problems == []
    return rules


def errors(*lines: str) -> list[str]:
    return [str(one) for one in lint.errors(rules_of(*lines))]


def warnings(known: dict[str, Known], *lines: str, entities: int = 30) -> list[str]:
    rules = rules_of(*lines)
    terms = Terms(entities, {term: known.get(term, EVERYWHERE) for term in terms_of(rules)})
    return [str(one).removeprefix("rules.txt:") for one in lint.warnings(rules, terms)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Crohn’s Disease", ("crohns", "disease")),
        ("text-to-speech", ("text", "to", "speech")),
        ("Café", ("cafe",)),
        ("C#", ("c",)),
        ("+++ — …", ()),
    ],
)
def test_terms_are_compared_as_the_engine_reads_them(text: str, words: tuple[str, ...]) -> None:
    assert tokens(text) == words


MANY = ", ".join(f"w{number}" for number in range(15))


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["pc, computer", "wfh => wfh, telework"], []),
        (["+++, plus"], ["1: '+++' has neither letters nor digits: nothing is left of it for the engine"]),
        (["the => thee"], ["1: 'the' is a stop word; such words stand in every other query and say nothing"]),
        (["e-mail, e mail, mail"], ["1: 'e-mail' and 'e mail' are the same to the engine; keep one"]),
        (["Résumé => resume"], ["1: both sides are the same to the engine; the rule would change nothing"]),
        (["a1, b1 => B1, A1"], ["1: both sides are the same to the engine; write 'a1, b1'"]),
        (["pc, computer", "Computer, PC"], ["2: says the same as rules.txt:1"]),
        (["tv, telly", "telly, box"], ["2: 'telly' stands in two equal groups, also in rules.txt:1; make them one"]),
        (
            ["tv => tv, telly", "tv, box => screen"],
            ["2: 'tv' is given in two rules, also in rules.txt:1; make them one rule"],
        ),
        (["car => auto", "auto => car"], ["1: goes round in a circle: car => auto => car", "2: goes round"]),
        (["a1 => b1", "b1 => c1", "c1 => a1"], [f"{n}: goes round in a circle" for n in (1, 2, 3)]),
        (["a1 => a1, b1", "b1 => b1, a1"], []),
        ([f"zork => {MANY}"], ["1: 'zork' would be read as 15 words; up to 14 are safe"]),
        ([f"zork zark => {MANY}"], []),
    ],
)  # fmt: skip
def test_what_stops_a_build_is_told_with_its_line(lines: list[str], found: list[str]) -> None:
    told = [one.removeprefix("rules.txt:") for one in errors(*lines)]
    # A rule that repeats another also gives its terms twice; only what is expected first is compared.
    assert len(told) >= len(found)
    assert all(any(one.startswith(start) for one in told) for start in found), told
    assert bool(told) == bool(found)


@pytest.mark.parametrize(
    ("known", "line", "found"),
    [
        ({}, "pc, computer", []),
        ({"zork": Known()}, "pc => pc, zork", ["1: 'zork' stands nowhere in the graph: the rule finds nothing"]),
        ({"zork": Known()}, "pc => pc, zork, computer", ["1: 'zork' stands nowhere in the graph and finds nothing"]),
        ({"zork": Known()}, "zork, computer", []),  # the lay word of a two-way rule is often not the graph's own
        (
            {"zork": Known(), "zark": Known()},
            "zork, zark",
            ["1: 'zork', 'zark' stands nowhere in the graph: the rule finds nothing"],
        ),
        ({}, "to do, todo", ["1: 'to do' is nothing but stop words; the rule speaks only where it is all of a query"]),
        (
            {"screen": Known(spoken=True, holders=frozenset(map(str, range(25))))},
            "screen => screen, display",
            ["1: 'screen' is a common word, in the names of 25 entities: every search for it widens"],
        ),
        (
            {one: Known(True, frozenset({"solution:a"}), frozenset({"solution:a"})) for one in ("tts", "text reader")},  # noqa: FBT003
            "tts, text reader",
            ["1: all its terms are names of solution:a and of nothing else; as other names they need no rule"],
        ),
        (
            {one: Known(True, frozenset({"solution:a"}), frozenset({"solution:a", "product:b"})) for one in ("tts",)},  # noqa: FBT003
            "tts, text reader",
            [],
        ),
        ({}, "wheelchair, wheel chair => wheelchair, wheel chair, chair", []),
    ],
)
def test_what_an_editor_should_look_at_is_told_apart(known: dict[str, Known], line: str, found: list[str]) -> None:
    assert warnings(known, line) == found


def test_two_one_way_rules_that_read_both_ways_are_noticed() -> None:
    found = warnings({}, "a1 => a1, b1", "c1 => c1, d1", "b1 => b1, a1")
    assert found == ["3: with rules.txt:1, reads both ways; is it one two-way rule?"]


def test_the_tables_tell_where_terms_stand() -> None:
    def entity(key: str, name: str, short: str) -> Entity:
        return Entity(f"solution:{key}", "solution", key, name, short, "", "", ("s",))

    content = Content(
        sources=(),
        entities=(entity("a", "Screen Readers", "Reads aloud."), entity("b", "Lamp", "A lamp for the screen.")),
        aliases=(Alias("solution:a", "TTS", "abbreviation", ("s",)),),
        links=(), recommendations=(), ratings=(), related_occupations=(), redirects={}, version="1",
    )  # fmt: skip
    terms = ["screen reader", "screen", "tts", "aloud screen", "reading", "zork"]
    a, b = "solution:a", "solution:b"
    assert terms_in_tables(terms, content) == Terms(
        2,
        {
            "screen reader": Known(spoken=True, named=frozenset(), holders=frozenset({a})),
            "screen": Known(spoken=True, named=frozenset(), holders=frozenset({a})),
            "tts": Known(spoken=True, named=frozenset({a}), holders=frozenset({a})),
            "aloud screen": Known(),  # no phrase reaches from one text into the next
            "reading": Known(spoken=True),
            "zork": Known(),
        },
    )
    assert b not in terms_in_tables(["lamp for"], content).known["lamp for"].holders


def test_stop_words_are_those_that_the_service_leaves_out() -> None:
    assert lint.STOP == asking.STOP


GOOD = [
    "# how to write rules",
    "pc, computer",
    "wfh => wfh, telework",
    "tts, text to speech",
    "",
    "sofa, couch => sofa, couch, settee",
    "lift, elevator",
]
BROKEN = (
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
def test_fifty_broken_files_are_refused_each_with_its_line(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a sample, no secret
    lines = list(GOOD)
    place = chance.choice([number for number, line in enumerate(lines) if line and not line.startswith("#")])
    breaking = BROKEN[seed % len(BROKEN)]
    lines[place] = breaking(lines[place])
    end = chance.choice(("\n", "\r\n", "\r"))
    (tmp_path / "rules.txt").write_bytes(end.join(lines).encode())
    with pytest.raises(SynonymError) as raised:
        lint.sound(*rules_and_problems(tmp_path))
    assert any(one.startswith(f"rules.txt:{place + 1}: ") for one in raised.value.problems), raised.value.problems


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_bytes(b"pc, computer\ncaf\xe9, cafe\n")
    with pytest.raises(SynonymError, match=r"^rules\.txt:2: not UTF-8$"):
        lint.sound(*rules_and_problems(tmp_path))


def test_form_and_sense_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("alone\nthe, thee\n")
    with pytest.raises(SynonymError) as raised:
        lint.sound(*rules_and_problems(tmp_path))
    assert [one.partition(": ")[0] for one in raised.value.problems] == ["rules.txt:1", "rules.txt:2"]
