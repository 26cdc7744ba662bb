"""Hostile bytes in a file of synonyms are rules or problems."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.synonyms.rules import parse, rules_and_problems
from tests.support.fuzzing import fuzzed


@fuzzed(50)
@given(
    st.lists(st.sampled_from([b"a", b"b c", b", ", b"=>", b" => ", b"#", b"\n", b"\r", b"\\"]) | st.binary(max_size=4))
)
def test_any_bytes_are_rules_or_problems(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]) -> None:
    folder = tmp_path_factory.getbasetemp() / "synonyms"
    folder.mkdir(exist_ok=True)
    (folder / "rules.txt").write_bytes(b"".join(pieces))
    rules, problems = rules_and_problems(folder)
    assert all(re.fullmatch(r"rules\.txt:[1-9]\d*: .+", problem) and problem.isprintable() for problem in problems)
    texts = [rule.text for rule in rules]
    reparsed, _ = parse("rules.txt", texts)
    assert [rule.text for rule in reparsed] == texts
