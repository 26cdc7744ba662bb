"""Changes to the bytes of files, for tests of readers."""

import zipfile

from hypothesis import strategies as st

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
JUNK = st.sampled_from([b"", b"\0", b'"', b"\n", b"\r", b"|", b",", b"\xff", b":", b"=>", b"{", b"[" * 2_000])
CHANGES = st.lists(
    st.tuples(st.integers(min_value=0), st.integers(0, 40), JUNK | st.binary(max_size=20)), min_size=1, max_size=3
)
Changes = list[tuple[int, int, bytes]]


def changed(data: bytes, changes: Changes) -> bytes:
    """Return the data with some bytes replaced at each position, counted modulo the size."""
    for position, length, junk in changes:
        start = position % (len(data) + 1)
        data = data[:start] + junk + data[start + length :]
    return data
