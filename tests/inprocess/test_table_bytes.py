"""Whatever bytes a table holds, reading it tells of them and does not fail."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.checks import PACKAGE, examine
from indexer.vocabulary import read_vocabulary

ROOT = Path(__file__).parents[2]
VOCABULARY = read_vocabulary(ROOT / "mappings")
WORLD = {path.name: path.read_bytes() for path in sorted((ROOT / "tests" / "data" / "world").iterdir())}
JUNK = st.one_of(st.binary(max_size=60), st.text('",|\n\r\0 a:-é', max_size=40).map(str.encode))


@settings(max_examples=30, deadline=None, database=None)
@given(
    file=st.sampled_from([name for name in WORLD if name != PACKAGE]),
    start=st.integers(0, 400),
    junk=JUNK,
    end=st.integers(0, 400),
)
def test_no_bytes_in_a_table_raise(file: str, start: int, junk: bytes, end: int) -> None:
    broken = WORLD[file][:start] + junk + WORLD[file][end:]
    for problem in examine("world", WORLD | {file: broken}, VOCABULARY).problems:
        assert str(problem).isprintable()
