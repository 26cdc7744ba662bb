"""The pages on the code agree with the tree: packages, paths and tests. So do tests cited elsewhere."""

import re

import pytest

from tests.support.markdown import sections
from tests.support.project import DOCS, PACKAGES, ROOT

PAGE = DOCS / "explanation/architecture.md"
CODE_MAP = DOCS / "reference/code-map.md"
TEXT = PAGE.read_text("utf-8")
PROMISES = [DOCS / "reference" / name for name in ("specification.md", "write-guarantees.md")]
SECTIONS = {section.title: section.text for section in sections(TEXT)}
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
PATH = re.compile(r"`((?:schema|api|indexer|akg|tests|mappings|content)/[\w./*<>-]+)`")


def test_the_package_map_has_a_row_for_every_package() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \|", SECTIONS["Package map"], re.MULTILINE)
    packages = [path.parent for name in PACKAGES for path in (ROOT / name).rglob("__init__.py")]
    assert sorted(rows) == sorted(path.relative_to(ROOT).as_posix().replace("/", ".") for path in packages)


def test_the_package_map_names_files_that_exist() -> None:
    missing = []
    for package, files in re.findall(r"^\| `([\w.]+)` \|[^|]*\|([^|]*)\|$", SECTIONS["Package map"], re.MULTILINE):
        folder = ROOT / package.replace(".", "/")
        missing += [f"{package}: {name}" for name in re.findall(r"`([^`]+)`", files) if not (folder / name).exists()]
    assert missing == []


def test_every_path_on_the_page_exists() -> None:
    paths = set(PATH.findall(TEXT + CODE_MAP.read_text("utf-8")))
    assert [path for path in sorted(paths) if not any(ROOT.glob(path.rstrip("/")))] == []


@pytest.mark.parametrize(
    "text",
    [SECTIONS["Invariants"], *(page.read_text("utf-8") for page in PROMISES)],
    ids=["page", "interface", "commands"],
)
def test_every_promise_names_tests_that_exist(text: str) -> None:
    lines = text.splitlines()
    heads = {number - 1 for number, line in enumerate(lines) if line.startswith("|---")}
    rows = [line for number, line in enumerate(lines) if line.startswith("| ") and number not in heads]
    assert len(rows) > 10
    assert [row for row in rows if not TEST.search(row)] == []
    missing = [
        f"{path}::{name}"
        for path, name in TEST.findall(text)
        if not re.search(rf"(?m)^(?:async )?def {name}\(", (ROOT / path).read_text("utf-8"))
    ]
    assert missing == []
