"""The pins file: every problem with its line, and what a row becomes."""

from datetime import date
from pathlib import Path

import pytest

from indexer.synonyms.pins import COLUMNS, expired_pins, parse, pins_and_problems, unknown_ids
from indexer.synonyms.publish import History, effective_pins, event_of, live_difference
from indexer.synonyms.rules import difference
from schema.pins import Pin, pin_lines, pins_from
from schema.synonyms import rules_version
from tests.support.project import MAPPINGS

HEADER = "\t".join(COLUMNS)
PIN = Pin("pins.tsv", 2, "Sit-stand desks", "solution:a", ("product:b", "product:c"), "a launch", date(2027, 3, 31))
OTHER = Pin("pins.tsv", 3, "lamp", "", ("product:b",), "sold out")


def test_reads_rows_and_skips_comments() -> None:
    lines = ["# a manual", HEADER, "Sit-stand desks\tsolution:a\tproduct:b product:c\ta launch\t2027-03-31", ""]
    pins, problems = parse("pins.tsv", lines)
    assert problems == []
    assert [(pin.query, pin.first, pin.left_out, pin.until) for pin in pins] == [
        ("Sit-stand desks", "solution:a", ("product:b", "product:c"), date(2027, 3, 31))
    ]
    assert pins[0].form == Pin("", 0, "sit stand desk", "", (), "").form


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("lamp\tsolution:a", "2 cells; a row has query, first, leave_out, reason, until"),
        ("--\tsolution:a\t\twhy\t", "neither letters nor digits"),
        ("lamp\t\t\twhy\t", "the pin has no effect"),
        ("lamp\tsolution:a solution:b\t\twhy\t", "more than one id"),
        ("lamp\tsolution:a\t\t\t", "the reason is empty"),
        ("lamp\t\tproduct:b product:b\twhy\t", "left out twice"),
        ("lamp\tproduct:b\tproduct:b\twhy\t", "is first and left out"),
        ("lamp\tsolution:a\t\twhy\tin spring", "'in spring' is not a date; write it as 2027-03-31"),
    ],
)
def test_names_the_problem_of_a_row(row: str, problem: str) -> None:
    pins, problems = parse("pins.tsv", [HEADER, row])
    assert pins == []
    assert [str(one).startswith("pins.tsv:2: ") and problem in str(one) for one in problems] == [True]


def test_two_rows_for_one_query_are_a_problem() -> None:
    _, problems = parse("pins.tsv", [HEADER, "sit-stand desks\ta\t\twhy\t", "Sit stand desk\tb\t\twhy\t"])
    assert list(map(str, problems)) == [
        "pins.tsv:3: 'Sit stand desk' is the same query as 'sit-stand desks' in line 2; keep one row"
    ]


@pytest.mark.parametrize("content", [b"query\tfirst\n", b"", b"\xff\n"])
def test_a_file_without_the_columns_has_no_pins(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pins.tsv").write_bytes(content)
    pins, (problem,) = pins_and_problems(tmp_path)
    assert pins == ()
    assert problem.startswith("pins.tsv:1: ")


def test_no_file_has_no_pins(tmp_path: Path) -> None:
    assert pins_and_problems(tmp_path) == ((), [])


def test_the_shipped_file_has_no_pins() -> None:
    assert pins_and_problems(MAPPINGS) == ((), [])
    assert (MAPPINGS / "pins.tsv").exists()


def test_an_unknown_id_has_the_nearest_one() -> None:
    assert list(map(str, unknown_ids([PIN], ["solution:a", "product:b", "product:cc"]))) == [
        "pins.tsv:2: there is no entity 'product:c'; nearest: 'product:cc'"
    ]


@pytest.mark.parametrize(("today", "count"), [(date(2027, 3, 31), 0), (date(2027, 4, 1), 1)])
def test_a_pin_applies_on_its_last_day(today: date, count: int) -> None:
    assert len(expired_pins([PIN, OTHER], today)) == count


def test_pins_are_part_of_the_version_and_of_the_metadata() -> None:
    assert len({rules_version([]), rules_version([], [PIN]), rules_version([], [PIN, OTHER])}) == 3
    assert pins_from(pin_lines([PIN, OTHER])) == (PIN, OTHER)


def test_undone_pins_are_not_published_by_a_build() -> None:
    meta = {"rules": [], "pins": pin_lines([OTHER]), "replaced": [rules_version([], [PIN])]}
    assert effective_pins([], meta, [PIN]) == (OTHER,)
    assert effective_pins([], meta, [PIN, OTHER]) == (PIN, OTHER)
    change = live_difference(meta, [], [PIN])
    assert (change.all_added, change.all_removed) == ((PIN,), (OTHER,))
    assert not difference([], [], [PIN], [PIN])


def test_the_history_has_the_pins_of_each_version() -> None:
    meta = {"released": "2026-01-01T00:00:00Z", "synonyms_version": "v1", "data_version": "1"}
    history = History().with_event(event_of("apply", "index", meta, added=1, removed=0), [], [PIN])
    history = history.with_event(event_of("apply", "index", {**meta, "synonyms_version": "v2"}, added=0, removed=1), [])
    assert (history.pins_of("v1"), history.pins_of("v2")) == ((PIN,), ())
    assert history.before() == ("v1", ())
