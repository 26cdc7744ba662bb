"""Names, docstrings, comments, messages, keys, mappings and pages use the words of the field, not private ones."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.project import DOCS, PACKAGES, ROOT, Module, modules

# Words that once named things here and that no reader could look up.
PRIVATE = re.compile(
    r"\b(doors?|desks?|heirs?|heirlooms?|kin|akin|lanes?|goods|told|telling|asked|whoever"
    r"|speaks? for|spoke for|stands? behind|stood behind|stands? above|handed down|gives? way"
    r"|given again|given once|taken back|put back|work(?:s|ed)? out|who asks)\b",
    re.IGNORECASE,
)
# Ordinary uses of the same words: things in workplaces, and how a product is described.
ORDINARY = re.compile(
    r"(?:standing|sit[-/]stand|stand-up|adjustable|at (?:a|the|my|her|his|their)|help|lap) desks?"
    r"|desk (?:lamp|clamp|chair|job|magnifier)s?|doors? (?:opener|handle|knob|bell)s?"
    r"|(?-i:DOORS)|opening doors|\"doors\""  # a syndrome, and what it is not
    r"|durable medical goods|my boss told me"
    r"|\Atold\Z"  # a verb form that queries have
    r"|doors\|business",  # a pattern for pages of vendors that closed
    re.IGNORECASE,
)
WORD_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Its strings are names in documents of older releases.
PREVIOUS_NAMES = "api/engine/older_format.py"
TEMPLATES = [*sorted((ROOT / "api/explorer").rglob("*.html")), *sorted((ROOT / "api/explorer").rglob("static/*.js"))]
TABLES = [*sorted((ROOT / "mappings").glob("*.json")), ROOT / "Makefile"]
# The changelog uses the words of their time.
PAGES = [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "content/README.md"))]


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that a module defines or uses, as words: `page_size` is "page size"."""
    for node in ast.walk(tree):
        name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
        name = name or (getattr(node, "name", None) if not isinstance(node, ast.alias) else None)
        if isinstance(name, str):
            yield getattr(node, "lineno", 0), " ".join(WORD_PARTS.findall(name))


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string: docstrings and messages as they are, keys as words: `heir_keys` is "heir keys"."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value.replace("_", " ")


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""


def comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def private_words(module: Module, *, with_strings: bool) -> list[str]:
    """Lines of a module that use a private word, as `path:line: word`. Without strings, which are data in tests."""
    texts = [*identifiers(module.tree), *comments(module.source)]
    texts += strings(module.tree) if with_strings else docstrings(module.tree)
    return [
        f"{module.path}:{line}: {found.group()}"
        for line, text in texts
        for found in PRIVATE.finditer(ORDINARY.sub("", text))
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_program_uses_words_of_the_field(package: str) -> None:
    found = [
        line
        for module in modules(package)
        for line in private_words(module, with_strings=module.path != PREVIOUS_NAMES)
    ]
    assert found == []


def test_tests_and_benchmarks_use_words_of_the_field() -> None:
    found = [line for module in modules("tests", "bench") for line in private_words(module, with_strings=False)]
    assert [line for line in found if not line.startswith("tests/docs/test_language.py")] == []


@pytest.mark.parametrize("path", [*TEMPLATES, *TABLES, *PAGES], ids=lambda path: path.name)
def test_pages_and_tables_use_words_of_the_field(path: Path) -> None:
    text = ORDINARY.sub("", path.read_text("utf-8")).replace("_", " ")
    assert PRIVATE.findall(text) == []
