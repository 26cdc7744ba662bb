"""Cycles in the hierarchy: one problem for each, whatever their number."""

import time
from collections.abc import Iterable

from indexer.content.hierarchy_checks import Step, cycle_problems
from indexer.content.problems import Location

MAX_SECONDS = 20.0  # a tenth of a second; a search that starts anew for each cycle takes a minute


def cycles(steps: Iterable[Step]) -> list[str]:
    rows = ((step, Location("broader.csv", line)) for line, step in enumerate(steps, 2))
    return list(map(str, cycle_problems(rows)))


def test_a_hierarchy_without_cycles_has_no_problem() -> None:
    assert cycles([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]) == []


def test_reports_a_cycle_at_its_last_row() -> None:
    assert cycles([("c", "a"), ("a", "b"), ("x", "a"), ("b", "c"), ("c", "y")]) == [
        "broader.csv:5: cycle in broader: b → c → a → b"
    ]


def test_cycles_that_share_an_entity_are_one_problem() -> None:
    assert cycles([("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]) == ["broader.csv:5: cycle in broader: c → b → c"]


def test_shortens_a_long_cycle() -> None:
    names = [f"n{number}" for number in range(500)]
    (problem,) = cycles(zip(names, [*names[1:], names[0]], strict=True))
    shown = " → ".join(["n499", *names[:10]])
    assert problem == f"broader.csv:501: cycle in broader: {shown} → (489 more) → n499"


def test_lists_the_first_of_many_cycles_and_counts_the_others() -> None:
    pairs = [(f"a{number}", f"b{number}") for number in range(5_000)]
    start = time.monotonic()
    problems = cycles(step for narrower, broader in pairs for step in ((narrower, broader), (broader, narrower)))
    assert time.monotonic() - start < MAX_SECONDS
    assert problems[0] == "broader.csv:3: cycle in broader: b0 → a0 → b0"
    assert problems[50] == "broader.csv:103: 4,950 more cycles in broader follow; only the first 50 are listed"
    assert len(problems) == 51
