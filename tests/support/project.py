"""Folders of the project, and its modules as syntax trees."""

import ast
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MAPPINGS = ROOT / "mappings"
CONTENT = ROOT / "content"
WORLD = ROOT / "tests" / "data" / "world"
PACKAGES = ("schema", "api", "indexer", "akg")


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file. `path` is relative to the project, with slashes."""

    path: str
    source: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The top folder."""
        return self.path.partition("/")[0]

    @property
    def docstring(self) -> str:
        """The module's docstring."""
        return ast.get_docstring(self.tree) or ""


def modules(*folders: str) -> list[Module]:
    """Return every Python file under these folders of the project."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text("utf-8")
            found.append(Module(path.relative_to(ROOT).as_posix(), text, ast.parse(text)))
    return found
