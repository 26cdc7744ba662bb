"""Code rules that import-linter cannot check: files, clock, environment, writes, lengths and names."""

import ast
import io
import re
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from tests.support.project import PACKAGES, ROOT, Module, modules

PROGRAM = modules(*PACKAGES)
TESTS = modules("tests", "bench")
LIBRARY = [module for module in PROGRAM if module.package != "akg"]  # `akg` has no such restrictions

# Packages that may read or write files; all others receive the contents as arguments.
DISK_PACKAGES = {
    *("schema", "api.explorer", "api.telemetry"),
    *("indexer.content", "indexer.imports", "indexer.market", "indexer.onet", "indexer.overlays", "indexer.synonyms"),
    "indexer.release",  # /proc, to see whether the holder of the writer lease is running
}
# Packages that may read the clock or random numbers; all others receive them as arguments.
CLOCK_PACKAGES = {"api", "api.engine", "api.http", "indexer.release"}
BLANKET_HANDLERS = {
    "api.http": 1,  # an unexpected error becomes a plain 500
    "api.mcp": 1,  # the same for MCP: the library would log the arguments
    "indexer.market": 1,  # one page of the web must not end the visits of all others
    "indexer.release": 2,  # a future raises the error of its thread where its result is read
}
DISK_CALLS = {
    *("open", "read_text", "read_bytes", "write_text", "write_bytes"),
    *("iterdir", "glob", "rglob", "mkdir", "unlink"),
}
CLOCK_MODULES = {"time", "random", "secrets", "uuid"}
CLOCK_CALLS = {"now", "utcnow", "today"}
ENVIRONMENT = {"environ", "getenv", "environb"}
ENGINE_READS = {"search", "msearch", "mget", "get_mapping", "close"}
USAGE_CALLS = {"bulk", "exists", "create", "delete", "get_alias", "put_mapping"}

# Below the transports a text is parsed only if it is new: a corrected query, or an unknown id that may be a name.
DOMAIN_PACKAGES = {"api.search", "api.graph", "api.recommend"}
NEW_TEXTS = {
    "api/search/fallback/spelling.py": "corrected queries",
    "api/search/fallback/attempts.py": "queries with fewer words",
    "api/search/reading/long_text.py": "pieces of a long question",
    "api/graph/entities.py": "unknown ids",
    "api/recommend/request_seeds.py": "ids that parts of a question name",
    "api/recommend/service.py": "ids of the needs of a job",
}
PARSER = re.compile(r"(ParsedQuery|EntityReference|ConnectionsRequest|RecommendQuery)\.parse\(")
QUERY_TEXT = re.compile(r"\b(query|correction)\.(raw|text|trimmed|folded)\b")
TEXT_FUNCTION = re.compile(r"(fold|tokens|name_key|singularize|parse_name|WORD\.\w+)\(|[\w.]+\.split\(")

# Contracts of import-linter list what they restrict, because it has no "all but these".
OPENSEARCH_MODULES = {"api.engine", "api.telemetry", "indexer.release", "indexer.snapshots", "indexer.synonyms"}
IMPURE_PACKAGES = {
    *("api.engine", "api.http", "api.limits", "api.telemetry", "api.rest", "api.mcp", "api.explorer"),
    *("indexer.content", "indexer.imports", "indexer.market", "indexer.onet", "indexer.overlays", "indexer.release"),
    "indexer.snapshots",
    "indexer.synonyms",
}

WITH_CONNECTIONS = ("tests/engine/", "tests/contract/", "tests/service/")
PROCESSES_AND_APPLICATIONS = ("subprocess", "multiprocessing", "api.app", "tests.support.fixture_graphs")
BRANCHES = (ast.If, ast.IfExp, ast.BoolOp, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match, ast.comprehension)
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_FOLDER_MODULES = 350, 40, 18


def package_of(module: Module) -> str:
    return module.path.rpartition("/")[0].replace("/", ".")


def imports(tree: ast.AST) -> set[str]:
    """Return the top packages of all absolute imports, except those for type checkers only."""
    return {name.partition(".")[0] for name in imported_names(runtime_nodes(tree))}


def runtime_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes except those for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from runtime_nodes(node)


def calls(tree: ast.AST) -> set[str]:
    """Return the last names of all calls, except methods of OpenSearch's `indices`, which also has `open`."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {function.id for function in functions if isinstance(function, ast.Name)}
    methods = [function for function in functions if isinstance(function, ast.Attribute)]
    return names | {method.attr for method in methods if not ast.unparse(method.value).endswith(".indices")}


def client_calls(package: str) -> set[str]:
    return {
        node.func.attr
        for module in PROGRAM
        if package_of(module) == package
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value).startswith("self._client")
    }


def test_the_service_only_reads_from_opensearch() -> None:
    assert client_calls("api.engine") <= ENGINE_READS


def test_the_service_writes_only_usage_counts() -> None:
    assert client_calls("api.telemetry") == USAGE_CALLS
    writers = {package_of(module) for module in PROGRAM if module.package == "api" and "bulk" in calls(module.tree)}
    assert writers == {"api.telemetry"}


def test_only_listed_packages_access_files() -> None:
    assert {package_of(module) for module in LIBRARY if calls(module.tree) & DISK_CALLS} <= DISK_PACKAGES


def test_time_and_random_numbers_are_passed_in() -> None:
    reading = {
        package_of(module)
        for module in LIBRARY
        if imports(module.tree) & CLOCK_MODULES or calls(module.tree) & CLOCK_CALLS
    }
    assert reading <= CLOCK_PACKAGES


def test_only_the_command_reads_the_environment() -> None:
    reading = [
        module.path
        for module in LIBRARY
        if ENVIRONMENT & {node.attr for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)}
    ]
    assert reading == []


def test_importing_a_module_has_no_effect() -> None:
    statements = [
        f"{module.path}:{node.lineno}: {ast.unparse(node)}"
        for module in LIBRARY
        for node in module.tree.body
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    ]
    assert statements == []


def test_contracts_forget_no_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    restricted = {contract["id"]: set(contract.get("source_modules", ())) for contract in settings["contracts"]}
    parts = {"/".join(module.path.split("/")[:2]) for module in PROGRAM if module.package in {"api", "indexer"}}
    names = {part.removesuffix(".py").replace("/", ".") for part in parts if not part.endswith("__init__.py")}
    assert restricted["engine-access"] - {"schema"} == names - OPENSEARCH_MODULES
    folders = {part.replace("/", ".") for part in parts if not part.endswith(".py")}
    assert restricted["pure"] & folders == folders - IMPURE_PACKAGES


def test_a_query_is_parsed_once() -> None:
    domain = [module for module in PROGRAM if ".".join(module.path.split("/")[:2]) in DOMAIN_PACKAGES]
    parsed = {module.path for module in domain for call in calls_outside_parse(module.tree) if PARSER.match(call)}
    assert parsed == NEW_TEXTS.keys()
    split = [
        f"{module.path}: {call}"
        for module in domain
        if not module.path.endswith("search/query.py")
        for call in calls_outside_parse(module.tree)
        if QUERY_TEXT.search(call) and TEXT_FUNCTION.match(call)
    ]
    assert split == []


def calls_outside_parse(tree: ast.AST) -> Iterator[str]:
    """Yield the source of every call that is not in a function named `parse`."""
    inside = {
        node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name == "parse"
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node not in inside:
            yield ast.unparse(node)


def test_every_module_has_a_docstring() -> None:
    assert [module.path for module in (*PROGRAM, *TESTS) if not module.docstring] == []


def test_no_module_has_a_vague_name() -> None:
    parts = [part for module in (*PROGRAM, *TESTS) for part in module.path.removesuffix(".py").split("/")]
    assert set(parts) & VAGUE_NAMES == set()


def test_exceptions_are_caught_by_name() -> None:
    blanket = Counter(
        package_of(module)
        for module in (*PROGRAM, *TESTS)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler) and is_blanket(node)
    )
    assert blanket == BLANKET_HANDLERS


def is_blanket(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler catches every exception. BaseException is allowed if the handler raises again."""
    if isinstance(handler.type, ast.Name) and handler.type.id == "BaseException":
        return not isinstance(handler.body[-1], ast.Raise)
    return handler.type is None or "Exception" in ast.unparse(handler.type).strip("()").split(", ")


def test_no_code_is_marked_as_unfinished() -> None:
    comments = [
        f"{module.path}: {token.string}"
        for module in (*PROGRAM, *TESTS)
        if UNFINISHED.search(module.source)
        for token in tokenize.generate_tokens(io.StringIO(module.source).readline)
        if token.type == tokenize.COMMENT and UNFINISHED.search(token.string)
    ]
    assert comments == []


def test_files_are_short() -> None:
    lengths = {module.path: len(module.source.splitlines()) for module in PROGRAM}
    assert {path: length for path, length in lengths.items() if length > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    long = {
        f"{module.path}:{node.name}": length
        for module in PROGRAM
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) >= MAX_FUNCTION_LINES
    }
    assert long == {}


def test_folders_are_small() -> None:
    sizes = Counter(package_of(module) for module in PROGRAM if not module.path.endswith("__init__.py"))
    assert {package: size for package, size in sizes.items() if size > MAX_FOLDER_MODULES} == {}


@pytest.mark.parametrize("folder", ["mappings", "content"])
def test_data_folders_contain_no_code(folder: str) -> None:
    assert list((ROOT / folder).rglob("*.py")) == []


def test_no_test_imports_another_test() -> None:
    crossing = [
        f"{module.path}: {name}"
        for module in TESTS
        for name in imported_names(ast.walk(module.tree))
        if name.startswith(("tests.", ".")) and not name.startswith("tests.support.")
    ]
    assert crossing == []


def test_unit_tests_start_no_process_and_serve_no_application() -> None:
    started = [
        f"{module.path}: {name}"
        for module in TESTS
        if module.path.startswith("tests/unit/")
        for name in imported_names(ast.walk(module.tree))
        if name.startswith(PROCESSES_AND_APPLICATIONS)
    ]
    assert started == []


def imported_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield every imported module or name in full, with a dot in front if the import is relative."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("import tests.unit.api, json", ["tests.unit.api", "json"]),
        ("from tests import unit, support", ["tests.unit", "tests.support"]),
        ("from tests.support.project import ROOT", ["tests.support.project.ROOT"]),
        ("from ..engine import test_release", ["..engine.test_release"]),
    ],
)
def test_every_form_of_an_import_is_recognized(statement: str, names: list[str]) -> None:
    assert list(imported_names(ast.walk(ast.parse(statement)))) == names


def mirrored(module: Module) -> str:
    folder, _, name = module.path.rpartition("/")
    return f"tests/unit/{folder}/test_{name}"


def test_every_unit_test_is_named_after_its_module() -> None:
    tests = {module.path for module in TESTS if module.path.startswith("tests/unit/")}
    assert {path for path in tests - set(map(mirrored, PROGRAM)) if not path.endswith("/conftest.py")} == set()


def test_every_module_that_decides_something_has_tests_named_after_it() -> None:
    """Unit tests mirror the module. Tests that need OpenSearch or a connection name the module or its package."""
    paths = {module.path for module in TESTS}
    names = {path.rpartition("/test_")[2].removesuffix(".py") for path in paths if path.startswith(WITH_CONNECTIONS)}
    words = names.union(*(name.split("_") for name in names))
    untested = {
        module.path
        for module in PROGRAM
        if has_branch(module) and mirrored(module) not in paths
        if not words.intersection(module.path.removesuffix(".py").split("/")[1:])
    }
    assert untested == set()


def has_branch(module: Module) -> bool:
    """Return whether a function of the module has a branch or loop; declarations and delegation have none."""
    functions = (node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return any(isinstance(node, BRANCHES) for function in functions for node in ast.walk(function))


def test_files_of_fixtures_have_nothing_else() -> None:
    """What tests call is in tests/support; beside fixtures, a conftest has only hooks of pytest."""
    others = [
        f"{module.path}:{node.name}"
        for module in TESTS
        if module.path.endswith("/conftest.py")
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if not any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list)
        if not node.name.startswith("pytest_")
    ]
    assert others == []
