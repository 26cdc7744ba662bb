"""The official conformance scenarios for MCP servers, on a running service."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.edge import edge
from tests.support.fixture_graphs import CHECKOUT
from tests.support.markdown import code, rows, section
from tests.support.node_js import MIN_VERSION, Node, find

FOLDER = CHECKOUT / "tests" / "contract" / "mcp"
TIMEOUT_SECONDS = 300
RESULT = re.compile(r"^[✓✗] ([\w-]+): ", re.MULTILINE)
PAGE = (CHECKOUT / "docs/reference/mcp.md").read_text("utf-8")
PASSING = {code(row["scenario"]) for row in rows(section(PAGE, "The protocol"))}


@pytest.fixture
def node() -> Node:
    found = find()
    if found is None:
        reason = f"no Node.js {'.'.join(map(str, MIN_VERSION))} or newer with npm"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture
def scenarios(node: Node) -> Path:
    installed = FOLDER / "node_modules" / ".package-lock.json"
    lock = FOLDER / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        run([*node.npm, "ci", "--no-progress"], FOLDER, node)
    return FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


def run(command: list[str], folder: Path, node: Node, *, check: bool = True) -> subprocess.CompletedProcess[str]:
    bin_folder = os.path.dirname(node.node[0])  # noqa: PTH120 - an entry of PATH
    environment = {**os.environ, "PATH": os.pathsep.join((bin_folder, os.environ["PATH"]))}
    return subprocess.run(  # noqa: S603 - this Node.js, pinned programs
        command, cwd=folder, env=environment, check=check, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )


@pytest.fixture(params=["direct", "edge"])
def endpoint(request: pytest.FixtureRequest, address: str, tmp_path: Path) -> Iterator[str]:
    """The service itself, and through nginx."""
    if request.param == "direct":
        yield address
        return
    with edge(address, tmp_path) as front:
        yield front.url


@pytest.mark.conformance
def test_every_scenario_that_needs_no_test_tools_passes(
    node: Node, scenarios: Path, endpoint: str, tmp_path: Path
) -> None:
    expected = FOLDER / "expected-failures.yml"
    command = [*node.node, str(scenarios), "server", "--url", f"{endpoint}/mcp", "--expected-failures", str(expected)]
    result = run(command, tmp_path, node, check=False)
    summary = result.stdout.partition("=== SUMMARY ===")[2]
    sys.stdout.write(summary)
    assert result.returncode == 0, result.stdout[-3_000:] + result.stderr[-1_000:]
    failing = set(re.findall(r"^  - ([\w-]+)", expected.read_text("utf-8"), re.MULTILINE))
    assert set(RESULT.findall(summary)) == PASSING | failing
    shutil.rmtree(tmp_path / "results", ignore_errors=True)
