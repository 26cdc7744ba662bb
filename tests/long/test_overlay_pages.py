"""The lesson and the page on overlays: their commands run in the order of the pages, on the shipped graph."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch
from typer.testing import CliRunner

from akg.cli import app
from indexer.overlays.tables import OWN_TABLES, SOURCE, TABLES
from indexer.release.releases import Releases
from tests.support.fixture_graphs import listening
from tests.support.markdown import blocks, rows, section
from tests.support.project import DOCS, ROOT

ALIAS = "akg-overlay-pages"
LESSON = (DOCS / "tutorials" / "add-your-products.md").read_text("utf-8")
PAGE = (DOCS / "how-to" / "use-overlays.md").read_text("utf-8")
ORIGIN = "http://localhost:8080"
FILE = re.compile(r"end of `([^`]+)`:$")
PROBLEMS = re.compile(r"\d+ problems?$")  # ends the output of a check that exits with 1


@dataclass(slots=True)
class Reader:
    """Does what a page says, in a copy of what it needs of the checkout."""

    folder: Path
    service: str
    releases: Releases
    environ: dict[str, str]
    output: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, Any] = field(default_factory=dict)

    def follow(self, page: str) -> None:
        """Run each block; a `csv` block is added to the file that the line before it names."""
        lines = page.splitlines()
        last = ""
        for block in blocks(page):
            if block.language == "sh":
                for line in block.text.splitlines():
                    last = self.run(line)
            elif block.language == "csv":
                named = FILE.search(lines[block.line - 3])
                assert named, f"line {block.line}: no line before names the file"
                with (self.folder / named[1]).open("a", encoding="utf-8") as table:
                    table.write(f"{block.text}\n")
            elif block.language == "text":
                assert last.strip() == block.text.strip()

    def run(self, line: str) -> str:
        """Run a line of a block; return what a command of this program prints."""
        words = shlex.split(line)
        match words:
            case ["akg", *arguments]:
                found = CliRunner().invoke(app, arguments, env=self.environ)
                expected = 1 if PROBLEMS.search(found.stdout.strip()) else 0  # the page shows this output
                assert found.exit_code == expected, f"{line}\n{found.output}"
                self.output[line] = found.output
                return found.stdout
            case ["export", assignment]:
                name, _, value = assignment.partition("=")
                self.environ[name] = value
            case ["unset", name]:
                self.environ[name] = ""
            case ["curl", url]:
                response = httpx.get(url.replace(ORIGIN, self.service), timeout=60)
                self.bodies[url.removeprefix(ORIGIN)] = {"status": response.status_code, **response.json()}
            case ["cp" | "rm" | "sed", *_]:
                subprocess.run(words, check=True, cwd=self.folder)  # noqa: S603 - the commands of the page
            case _:
                raise AssertionError(f"{line}: the test runs no such command")
        return ""

    @property
    def data_version(self) -> str:
        """The data version of the live release."""
        meta = self.releases.live_metadata()
        assert meta is not None
        return str(meta["data_version"])


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory, node_url: str, client: OpenSearch) -> Iterator[Reader]:
    folder = tmp_path_factory.mktemp("reader")
    shutil.copytree(DOCS / "examples", folder / "docs" / "examples")
    environ = {"AKG_OPENSEARCH_URL": node_url, "AKG_ALIAS": ALIAS, "AKG_DATA": str(folder / "data"), "AKG_OVERLAYS": ""}
    built = CliRunner().invoke(app, ["index", "build"], env=environ)
    assert built.exit_code == 0, built.output
    with listening(node_url, ALIAS) as service, chdir(folder):
        yield Reader(folder, service, Releases(client, ALIAS), environ)
    client.indices.delete(index=f"{ALIAS}-*")


def test_the_lesson_succeeds(reader: Reader) -> None:
    before = reader.data_version
    reader.follow(LESSON)
    search, smartpen, hidden = (
        body for path, body in reader.bodies.items() if path.startswith(("/search", "/product/"))
    )
    assert search["results"][0]["id"] == "product:loan-smartpen"
    assert "Loan Pool of Example University" in {source["title"] for source in smartpen["sources"]}
    assert hidden["status"] == 404
    preview = reader.output["akg overlay preview my-overlay"]
    for line in ("+ 40-Cell Braille Display to Borrow", "~ Peer Notetaker", "- Livescribe Sky smartpen"):
        assert line in preview
    assert reader.data_version == before
    assert not (reader.folder / "my-overlay").exists()


def test_every_command_of_the_page_works(reader: Reader) -> None:
    before = reader.data_version
    reader.follow(PAGE)
    assert "Wrote" in reader.output["akg overlay new my-overlay"]
    assert "No problems" in reader.output["akg overlay check docs/examples/loan-pool"]
    assert reader.data_version == before


def test_the_page_lists_every_table_once() -> None:
    named = [name for row in rows(section(PAGE, "Write one")) for name in re.findall(r"`(\w+)`", row["use"])]
    assert sorted(named) == sorted({*TABLES, *OWN_TABLES} - {SOURCE})


def test_the_example_is_a_loan_pool_of_20_devices() -> None:
    products = (ROOT / "docs/examples/loan-pool/products.csv").read_text("utf-8").splitlines()
    assert len(products) == 2 + 20  # a comment and the header
