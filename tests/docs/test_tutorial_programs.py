"""The programs of the tutorials run as they are printed, against a service over the shipped graph."""

import asyncio
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.fixture_graphs import listening
from tests.support.markdown import blocks
from tests.support.project import DOCS

PAGE = (DOCS / "tutorials/ask-from-programs.md").read_text("utf-8")
PROGRAMS = [block for block in blocks(PAGE) if block.language in ("python", "js")]
FIRST = "Anti-Glare Filters for Fluorescent Lights"
PRINTED = [FIRST, FIRST, FIRST, "Section 504"]  # by each program


@pytest.fixture(scope="module")
def service_url(node_url: str, real_service: httpx.AsyncClient) -> Iterator[str]:
    assert real_service  # publishes the shipped graph
    with listening(node_url, "akg-real", rate_limit=0, deadline_seconds=20.0) as url:
        yield url


@pytest.mark.parametrize("number", range(len(PRINTED)))
async def test_a_program_of_the_tutorial_prints_what_the_page_says(
    service_url: str, tmp_path: Path, number: int
) -> None:
    assert len(PROGRAMS) == len(PRINTED)
    block = PROGRAMS[number]
    runner = sys.executable if block.language == "python" else shutil.which("node")
    if runner is None:
        pytest.skip("no Node.js")
    program = tmp_path / ("program.py" if block.language == "python" else "program.mjs")
    program.write_text(block.text.replace("http://localhost:8080", service_url), "utf-8")
    process = await asyncio.create_subprocess_exec(runner, str(program), stdout=asyncio.subprocess.PIPE)
    output, _ = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0
    assert PRINTED[number] in output.decode()
