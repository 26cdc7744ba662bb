"""A cycle of a hierarchy is found exactly if there is one."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from indexer.content.hierarchy_checks import Step, cycle_problems
from indexer.content.problems import Location
from tests.support.fuzzing import fuzzed


def cycles(steps: Iterable[Step]) -> list[str]:
    rows = ((step, Location("broader.csv", line)) for line, step in enumerate(steps, 2))
    return list(map(str, cycle_problems(rows)))


@fuzzed(50)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=14))
def test_finds_a_cycle_exactly_if_an_entity_is_above_itself(pairs: list[Step]) -> None:
    steps = {step for step in pairs if step[0] != step[1]}
    above = set(steps)
    for middle in "abcdef":
        above |= {(low, high) for low in "abcdef" for high in "abcdef" if {(low, middle), (middle, high)} <= above}
    loops = {frozenset(b for b in "abcdef" if {(a, b), (b, a)} <= above) for a in "abcdef" if (a, a) in above}
    assert len(cycles(sorted(steps))) == len(loops)
