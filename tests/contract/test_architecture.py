"""How the program is cut: who imports what, who touches the engine, the disk, the clock, and how long code gets."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import TYPE_CHECKING

import pytest

from tests.contract.project import PACKAGES, ROOT, Module, modules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROGRAM = modules(*PACKAGES)
TESTS = modules("tests")
OWN = [module for module in PROGRAM if module.package != "akg"]
BY_PATH = {module.path: module for module in PROGRAM}

# `api` and `indexer` meet in mappings/, in the index and in these tests, nowhere else.
MAY_IMPORT = {"api": {"api"}, "indexer": {"indexer"}, "akg": {"akg", "api", "indexer"}}
ASK_THE_ENGINE = {
    *(f"api/{name}.py" for name in ("connection", "direct", "engine", "usage_store")),
    *(
        f"indexer/{name}.py"
        for name in (
            "bulk",
            "condition",
            "control",
            "copying",
            "filling",
            "history",
            "lock",
            "release",
            "snapshots",
            "verify",
        )
    ),
}
ENGINE_READS = {"search", "msearch", "mget", "get_mapping", "close"}  # all that the service ever calls

PURE = {
    "api/asking.py",
    "api/behind.py",
    "api/once.py",
    "api/goods.py",
    "api/rules.py",
    "api/scoping.py",
    "api/citing.py",
    "api/mcp_prompts.py",
    "api/chains.py",
    "api/lookups.py",
    "api/breaker.py",
    "api/turns.py",
    "api/clients.py",
    "api/gcra.py",
    *(f"api/explorer/{name}.py" for name in ("calls", "charts", "indexing", "preference", "shapes", "wording")),
    "api/exact.py",
    "api/fitting.py",
    "api/listing.py",
    "api/inflated.py",
    "api/inheriting.py",
    "api/narrower.py",
    "api/parted.py",
    "api/prepared.py",
    "api/usage.py",
    "api/naming.py",
    "api/narrowing.py",
    "api/paths.py",
    "api/ranges.py",
    "api/explaining.py",
    "api/recall.py",
    "api/seed_queries.py",
    "api/telling.py",
    "akg/answers_ahead.py",
    "api/slip_queries.py",
    "api/spelling.py",
    "api/comparison.py",
    "api/release.py",
    "indexer/changes.py",
    "indexer/ledger.py",
    "akg/advice.py",
    "indexer/lint.py",
    "indexer/terms.py",
    "api/tool_inputs.py",
    "api/tool_text.py",
    "api/tool_words.py",
    "indexer/exported.py",
    "indexer/context.py",
    "indexer/datapackage.py",
    "indexer/deflated.py",
    "indexer/export.py",
    "indexer/export_tables.py",
    "indexer/packing.py",
    "indexer/reach.py",
    *(f"indexer/{name}.py" for name in ("guidance", "heirs", "kin", "other_names", "placing", "prior", "products")),
    "indexer/records.py",
    *(f"indexer/{name}.py" for name in ("school", "seeds", "trial")),
    *(f"api/{name}.py" for name in ("openapi", "queries", "ranking", "reading", "results", "words")),
    *(
        f"indexer/{name}.py"
        for name in ("cells", "checks", "coverage", "directory", "documents", "encoding", "graph", "needs")
    ),
    *(f"indexer/{name}.py" for name in ("making", "plan", "problems", "related", "rows", "schema", "shapes", "tables")),
    *(f"indexer/market/{name}.py" for name in ("addresses", "due", "pages", "rules")),
    *(f"indexer/onet/{name}.py" for name in ("join", "layout", "tables", "wording")),
}
IMPURE_MODULES = {
    *("os", "pathlib", "time", "random", "secrets", "uuid", "socket", "subprocess", "shutil", "tempfile", "glob"),
    *("http", "httpx", "requests", "aiohttp", "opensearchpy", "psutil", "logging", "threading", "asyncio"),
}
# Calls that read or write files, whatever object they are called on.
DISK = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "glob", "rglob", "mkdir", "unlink"}
READS_DISK = {  # and in which functions; everything else there is handed what they read
    "api/explorer/files.py": {"static_file", "own_names"},
    "api/quality.py": {"read_judgments"},
    "api/usage_store.py": {"usage_body"},
    "api/vocabulary.py": {"read_vocabulary"},
    "indexer/imports.py": {"alone", "imports_in", "tables_of", "keep", "remove", "_write", "_clear"},
    "indexer/export_files.py": {"_in_folder"},
    "indexer/market/journal.py": {"journal", "rewrite", "_read"},
    "indexer/onet/files.py": {"lines", "_in_folder", "_in_archive", "_open_file", "_beginning"},
    "indexer/sources.py": {"_files"},
    "indexer/synonyms.py": {"rules_and_problems"},
    "indexer/vocabulary.py": {"read_vocabulary"},
}
READS_CLOCK = {
    "api/app.py",  # hands the clock to what needs it, and chance to what hides clients
    "api/connection.py",  # how long a node that failed is left alone, and chance for who begins with which
    "api/engine.py",  # deadlines and the pause before a retry
    "api/server.py",  # when to end
    "indexer/lock.py",  # when a lease ends
}
CLOCK = {"time", "random", "secrets", "uuid"}
NOW = {"now", "utcnow", "today"}

VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"}
CATCH_EVERYTHING = {
    "api/boundary.py": "the last line of defence: whatever it is, the caller gets a plain 500",
    "indexer/processes.py": "an error of another process is raised again where its items are read",
    "api/mcp.py": "the same for MCP, where the package would log the trace with what was sent",
}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

LONGEST_FILE, LONGEST_FUNCTION = 350, 40
LONG_FILES = {
    "api/models.py": "declarations only: every shape that callers send or get, in one place",
}
LONG_FUNCTIONS: dict[str, str] = {}


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """Top names of absolute imports."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def at_runtime(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from at_runtime(node)


def called(tree: ast.AST) -> set[str]:
    """Last names of everything that is called; but for the engine's own `indices`, which are opened and closed too."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {function.id for function in functions if isinstance(function, ast.Name)}
    methods = [function for function in functions if isinstance(function, ast.Attribute)]
    return names | {one.attr for one in methods if not ast.unparse(one.value).endswith(".indices")}


def paths(found: Iterable[Module]) -> set[str]:
    return {module.path for module in found}


def test_packages_import_only_what_lies_below_them() -> None:
    ours = {*PACKAGES, "tests"}
    crossing = {module.path: imported(ast.walk(module.tree)) & ours - MAY_IMPORT[module.package] for module in PROGRAM}
    assert {path: names for path, names in crossing.items() if names} == {}


def test_few_files_talk_to_the_engine() -> None:
    assert paths(module for module in OWN if "opensearchpy" in imported(ast.walk(module.tree))) == ASK_THE_ENGINE


def test_the_service_never_writes_to_the_engine() -> None:
    calls = {
        node.func.attr
        for node in ast.walk(BY_PATH["api/engine.py"].tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value).startswith("self._client")
    }
    assert calls == ENGINE_READS


def test_the_service_writes_to_the_usage_indices_alone() -> None:
    tree = BY_PATH["api/usage_store.py"].tree
    calls = {
        (node.func.attr, next((ast.unparse(one.value) for one in node.keywords if one.arg == "index"), None))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value).startswith("self._client")
    }
    assert calls == {
        ("bulk", "index"),
        ("exists", "index"),
        ("create", "index"),  # both of the name that `_index_of` makes
        ("delete", "old"),  # what `expired` recognised as a month of usage
        ("get_alias", "f'{self._prefix}-*'"),
        ("close", None),
    }


def test_files_that_say_they_are_pure_are_held_to_it() -> None:
    promising = paths(module for module in PROGRAM if re.search(r"\bPure\b(?! but)", module.promise))
    assert promising <= PURE
    assert paths(PROGRAM) >= PURE


@pytest.mark.parametrize("path", sorted(PURE))
def test_pure_files_touch_nothing_outside(path: str) -> None:
    tree = BY_PATH[path].tree
    assert imported(at_runtime(tree)) & IMPURE_MODULES == set()
    assert called(tree) & (DISK | NOW) == set()


def test_few_functions_read_from_disk() -> None:
    reading = {
        module.path: {
            node.name for node in module.tree.body if isinstance(node, ast.FunctionDef) and called(node) & DISK
        }
        for module in OWN
        if called(module.tree) & DISK
    }
    assert reading == READS_DISK


def test_time_and_chance_are_passed_in() -> None:
    reading = paths(one for one in OWN if imported(at_runtime(one.tree)) & CLOCK or called(one.tree) & NOW)
    assert reading == READS_CLOCK


def test_only_the_command_reads_the_environment() -> None:
    def reads(module: Module) -> bool:
        names = {node.attr for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)}
        return bool(names & {"environ", "getenv", "environb"})

    assert paths(module for module in OWN if reads(module)) == set()


def test_importing_does_nothing() -> None:
    statements = [
        f"{module.path}:{node.lineno}: {ast.unparse(node)}"
        for module in OWN
        for node in module.tree.body
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    ]
    assert statements == []


def test_every_file_says_what_it_promises() -> None:
    assert [module.path for module in (*PROGRAM, *TESTS) if not module.promise] == []


def test_no_file_is_named_after_nothing() -> None:
    folders = [part for module in (*PROGRAM, *TESTS) for part in module.path.removesuffix(".py").split("/")]
    assert set(folders) & VAGUE_NAMES == set()


def test_errors_are_caught_by_name() -> None:
    blanket = [
        module.path
        for module in (*PROGRAM, *TESTS)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler) and _catches_everything(node)
    ]
    assert sorted(blanket) == sorted(CATCH_EVERYTHING)


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    """A handler of BaseException that ends by raising again only clears up, and may stand."""
    if isinstance(handler.type, ast.Name) and handler.type.id == "BaseException":
        return not isinstance(handler.body[-1], ast.Raise)
    return handler.type is None or "Exception" in ast.unparse(handler.type).strip("()").split(", ")


def test_nothing_is_left_for_later() -> None:
    suspects = [module for module in (*PROGRAM, *TESTS) if UNFINISHED.search(module.text)]
    comments = [
        f"{module.path}: {token.string}"
        for module in suspects
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline)
        if token.type == tokenize.COMMENT and UNFINISHED.search(token.string)
    ]
    assert comments == []


def test_files_are_short() -> None:
    lengths = {module.path: len(module.text.splitlines()) for module in PROGRAM}
    assert {path: length for path, length in lengths.items() if length >= LONGEST_FILE}.keys() == LONG_FILES.keys()


def test_functions_are_short() -> None:
    long = set()
    for module in PROGRAM:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length >= LONGEST_FUNCTION:
                    long.add(f"{module.path}:{node.name}")
    assert long == LONG_FUNCTIONS.keys()


def test_the_mappings_hold_no_code() -> None:
    assert list((ROOT / "mappings").rglob("*.py")) == []
