"""Hostile bytes in the tables of the content are read or reported."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.content.datapackage_schema import PACKAGE
from tests.support.fuzzing import fuzzed
from tests.support.world_files import FILES, problems

JUNK = st.one_of(st.binary(max_size=60), st.text('",|\n\r\0 a:-é', max_size=40).map(str.encode))


@fuzzed(30)
@given(
    file=st.sampled_from([name for name in FILES if name != PACKAGE]),
    start=st.integers(0, 400),
    junk=JUNK,
    end=st.integers(0, 400),
)
def test_no_bytes_in_a_table_raise(file: str, start: int, junk: bytes, end: int) -> None:
    for problem in problems({file: FILES[file][:start] + junk + FILES[file][end:]}):
        assert problem.isprintable()
