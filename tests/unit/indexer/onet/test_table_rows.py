"""Reading the rows of O*NET files within limits."""

from pathlib import Path

import pytest

from indexer.content.problems import ContentError
from tests.support.onet_samples import read


def test_rejects_a_line_that_is_too_long(copy: Path) -> None:
    with (copy / "job_zones.csv").open("ab") as file:
        file.write(b" " * 1_000_001)
    with pytest.raises(ContentError, match=r"job_zones\.csv:5: the line has more than 1,000,000 bytes"):
        read(copy)
