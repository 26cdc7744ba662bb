"""The tables of `tests/data/world` as bytes, to check altered copies of them."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import orjson

from indexer.content.table_checks import check_files
from schema.vocabulary import read_vocabulary
from tests.support.project import CONTENT, MAPPINGS, WORLD

FILES = {path.name: path.read_bytes() for path in sorted(WORLD.iterdir())}
VOCABULARY = read_vocabulary(MAPPINGS)
# by a name of the error: a file, a text that it contains once, its replacement, and every resulting problem
Errors = dict[str, tuple[str, str, str | bytes, *tuple[str, ...]]]


def problems(changes: Mapping[str, bytes], files: Mapping[str, bytes] = FILES) -> list[str]:
    """Check the files with these changes; return the sorted problems without the folder name."""
    checked = check_files("world", {**files, **changes}, VOCABULARY)
    return [str(problem).removeprefix("world/") for problem in sorted(checked.problems)]


def copy_world(folder: Path) -> Path:
    """Copy the tables to a new folder, and return it."""
    return Path(shutil.copytree(WORLD, folder))


def copy_world_with_findings(folder: Path, findings: str) -> Path:
    """Copy the tables to a new folder, with a table of market findings as the shipped content has, and return it."""
    copy_world(folder)
    package = orjson.loads(FILES["datapackage.json"])
    shipped = orjson.loads((CONTENT / "datapackage.json").read_bytes())
    package["resources"] += [table for table in shipped["resources"] if table["path"] == "market.csv"]
    (folder / "datapackage.json").write_bytes(orjson.dumps(package))
    (folder / "market.csv").write_text(findings)
    return folder


def world_with(tables: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files with further tables, described as in the shipped content."""
    package = orjson.loads(FILES["datapackage.json"])
    shipped = orjson.loads((CONTENT / "datapackage.json").read_bytes())
    package["resources"] += [table for table in shipped["resources"] if table["path"] in tables]
    added = {name: text.encode() for name, text in tables.items()}
    return {**FILES, "datapackage.json": orjson.dumps(package), **added}


def replaced(file: str, old: str, new: str | bytes) -> bytes:
    """Return the file with a replacement of a text that it contains once."""
    data = FILES[file]
    assert data.count(old.encode()) == 1, f"{old!r} must be in {file}"
    return data.replace(old.encode(), new.encode() if isinstance(new, str) else new)
