"""The tables of `tests/data/world` as bytes, to check altered copies of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.content.table_checks import check_files
from schema.vocabulary import read_vocabulary
from tests.support.project import MAPPINGS, ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

WORLD = ROOT / "tests" / "data" / "world"
FILES = {path.name: path.read_bytes() for path in sorted(WORLD.iterdir())}
VOCABULARY = read_vocabulary(MAPPINGS)


def problems(changes: Mapping[str, bytes], files: Mapping[str, bytes] = FILES) -> list[str]:
    """Check the files with these changes; return the sorted problems without the folder name."""
    checked = check_files("world", {**files, **changes}, VOCABULARY)
    return [str(problem).removeprefix("world/") for problem in sorted(checked.problems)]
