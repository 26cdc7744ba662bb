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
# It is for servers without TLS: the client takes the wrong host for the name in the certificate, and sends nothing.
ONLY_WITHOUT_TLS = "  - dns-rebinding-protection\n"
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


def run(
    command: list[str], folder: Path, node: Node, *, check: bool = True, certificate: str = ""
) -> subprocess.CompletedProcess[str]:
    bin_folder = os.path.dirname(node.node[0])  # noqa: PTH120 - an entry of PATH
    path = os.pathsep.join((bin_folder, os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "NODE_EXTRA_CA_CERTS": certificate}
    return subprocess.run(  # noqa: S603 - this Node.js, pinned programs
        command, cwd=folder, env=environment, check=check, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )


@pytest.fixture(params=["direct", "edge", "edge with TLS"])
def endpoint(request: pytest.FixtureRequest, address: str, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The URL of the service itself, and of nginx without and with TLS, with its certificate."""
    if request.param == "direct":
        yield address, ""
        return
    with edge(address, tmp_path) as front:
        yield (front.url, "") if request.param == "edge" else (front.tls_url, str(front.folder / "trial.pem"))


@pytest.mark.conformance
def test_every_scenario_that_needs_no_test_tools_passes(
    node: Node, scenarios: Path, endpoint: tuple[str, str], tmp_path: Path
) -> None:
    expected = tmp_path / "expected-failures.yml"
    url, certificate = endpoint
    listed = (FOLDER / "expected-failures.yml").read_text("utf-8").rstrip("\n")
    expected.write_text(f"{listed}\n{ONLY_WITHOUT_TLS * bool(certificate)}", "utf-8")
    command = [*node.node, str(scenarios), "server", "--url", f"{url}/mcp", "--expected-failures", str(expected)]
    result = run(command, tmp_path, node, check=False, certificate=certificate)
    summary = result.stdout.partition("=== SUMMARY ===")[2]
    sys.stdout.write(summary)
    assert result.returncode == 0, result.stdout[-3_000:] + result.stderr[-1_000:]
    failing = set(re.findall(r"^  - ([\w-]+)", expected.read_text("utf-8"), re.MULTILINE))
    assert set(RESULT.findall(summary)) == PASSING | failing
    shutil.rmtree(tmp_path / "results", ignore_errors=True)
