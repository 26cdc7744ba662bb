"""The commands of the pages run on a real node, in the order of each page, or name what exists."""

import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir
from itertools import dropwhile
from pathlib import Path

import pytest
import typer.main
from opensearchpy import OpenSearch

from akg.cli import app
from tests.support.fixture_graphs import WORLD
from tests.support.generated_docs import walk
from tests.support.markdown import blocks
from tests.support.onet_samples import NEWER, zipped
from tests.support.operator_session import OperatorSession, open_session
from tests.support.project import DOCS, ROOT

# The pages whose `akg` commands run here, all on one release of the fixture graph.
RUN = (
    "tutorials/tune-a-synonym.md",
    "how-to/publish-a-release.md",
    "how-to/edit-the-content.md",
    "how-to/measure-quality.md",
    "how-to/runbook.md",
    "how-to/download-the-data.md",
    "how-to/import-data.md",
)
# They need the web, start a process that runs on, or are run by tests of their own.
ONLY_NAMED = ("akg market", "akg node", "akg serve", "akg exporter", "akg dashboards")
OTHER_PROGRAMS = (
    *("curl", "make", "promtool", "prometheus", "nginx", "npx", "node", "docker", "kubectl", "openssl"),
    *("cat", "cd", "cp", "export", "mkdir", "printf", "rm", "sed", "unset"),
)
MAKE_TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
ALIAS = "akg-runbook"
CLIENTS = "connect-an-assistant.md"  # commands of programs by others; test_mcp.py checks their address
PAGES = sorted(path for kind in ("tutorials", "how-to") for path in (DOCS / kind).glob("*.md") if path.name != CLIENTS)


def lines(page: Path) -> list[list[str]]:
    """Return the command lines of a page, without settings before them."""
    found = [block.text.replace("\\\n", " ") for block in blocks(page.read_text("utf-8")) if block.language == "sh"]
    words = [shlex.split(line) for text in found for line in text.splitlines() if line]
    rest = [list(dropwhile(lambda word: re.match(r"[A-Z_]+=", word), line)) for line in words]
    return [line for line in rest if line]


@pytest.fixture
def operator(tmp_path: Path, client: OpenSearch, node_url: str) -> Iterator[OperatorSession]:
    yield open_session(tmp_path, client, node_url, ALIAS)
    client.indices.delete(index=f"{ALIAS}-*")


@pytest.mark.parametrize("name", RUN)
def test_the_commands_of_a_page_work(operator: OperatorSession, client: OpenSearch, name: str) -> None:
    environ = {
        "AKG_SNAPSHOT_REPOSITORY": ALIAS,
        "AKG_SNAPSHOT_LOCATION": ALIAS,
        "AKG_MAX_LOSS": "1",
        "AKG_CONTENT": str(_changed_content(operator.folder)),
    }
    operator.run("index", "build", environ=environ)
    (operator.folder / "mappings/relevance").mkdir(exist_ok=True)
    shutil.copy(operator.judgments, operator.folder / "mappings/relevance/judgments.tsv")
    zipped(NEWER, operator.folder / "db_31_0_csv.zip")
    operator.run("snapshot", "create", environ=environ)
    operator.run("export", str(operator.folder / "graph-files"), environ=environ)
    with chdir(operator.folder):
        for program, *words in lines(DOCS / name):
            line = " ".join([program, *words])
            if program != "akg" or line.startswith(ONLY_NAMED):
                continue
            if words[:2] == ["synonyms", "lint"]:  # the page lets the reader write these two files
                operator.rules.write_text(operator.rules.read_text() + "flexplace => flexplace, telework\n")
                (operator.folder / "queries.txt").write_text("flexplace\n")
            operator.run(*words, environ=environ)
    client.snapshot.delete(repository=ALIAS, snapshot="*")
    client.snapshot.delete_repository(repository=ALIAS)


def _changed_content(folder: Path) -> Path:
    changed = Path(shutil.copytree(WORLD, folder / "changed"))
    vendors = changed / "vendors.csv"
    vendors.write_text(vendors.read_text("utf-8").replace("Makes tools", "Makes good tools"), "utf-8")
    return changed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_commands_options_and_targets_that_exist(page: Path) -> None:
    known = dict(walk(typer.main.get_command(app), "akg"))
    for program, *words in lines(page):
        if program == "akg":
            name = next(name for size in (3, 2, 1) if (name := " ".join(["akg", *words][:size])) in known)
            options = {option for param in known[name].params for option in param.opts}
            assert {word for word in words if word.startswith("--")} <= options, words
        elif program == "make":
            assert set(words) <= {*MAKE_TARGETS}, words
        elif program.startswith(("deploy/", ".venv/")):
            assert program.startswith(".venv/") or (ROOT / program).exists()
        else:
            assert program in OTHER_PROGRAMS, program
    named = re.findall(r"`(akg [a-z]+(?: [a-z]+)?)", page.read_text("utf-8"))
    prefixes = {" ".join(name.split()[:size]) for name in known for size in (2, 3)}
    assert [name for name in named if name not in prefixes and " ".join(name.split()[:2]) not in known] == []
