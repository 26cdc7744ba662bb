"""The lock files pin all installed packages, and the bill of materials lists exactly the shipped ones."""

import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.project import ROOT

RUN, TEST, CONFORMANCE = "requirements.lock", "requirements-test.lock", "requirements-conformance.lock"
DOCS, BENCH, INSTALL = "requirements-docs.lock", "requirements-bench.lock", "requirements-uv.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
RECIPE = re.search(r"cyclonedx-py (requirements .+?) -o \S+", (ROOT / "Makefile").read_text("utf-8"))


def pins(name: str) -> list[tuple[Requirement, list[str]]]:
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    lines = [re.split(r"\s+(?=--)", line.strip()) for line in text.splitlines()]
    return [(Requirement(text), hashes) for text, *hashes in lines if text and not text.startswith("#")]


def versions(name: str) -> dict[str, set[str]]:
    by_package: defaultdict[str, set[str]] = defaultdict(set)
    for requirement, _ in pins(name):
        by_package[canonicalize_name(requirement.name)].add(str(requirement.specifier).removeprefix("=="))
    return by_package


@pytest.mark.parametrize("name", [RUN, TEST, CONFORMANCE, DOCS, BENCH, INSTALL])
def test_every_requirement_has_one_version_and_hashes(name: str) -> None:
    for requirement, hashes in pins(name):
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert requirement.url is None
        assert hashes, requirement
        assert [option for option in hashes if not HASH.fullmatch(option.strip())] == []


@pytest.mark.parametrize("name", [RUN, TEST, CONFORMANCE, DOCS, BENCH, INSTALL])
def test_lock_files_name_no_package_index(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert re.findall(r"https?:|--(?:extra-)?index-url|--find-links|-i ", text) == []


@pytest.mark.parametrize(
    ("name", "requirements"),
    [
        (RUN, [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["build"]]),
        (TEST, [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["build"]]),
        (TEST, PROJECT["dependency-groups"]["test"]),
        (RUN, PROJECT["build-system"]["requires"]),
        (CONFORMANCE, PROJECT["dependency-groups"]["conformance"]),
        (DOCS, PROJECT["dependency-groups"]["docs"]),
        (BENCH, PROJECT["dependency-groups"]["bench"]),
        (INSTALL, PROJECT["dependency-groups"]["install"]),
    ],
    ids=["run", "run for tests", "tests", "building", "conformance", "docs", "bench", "installing"],
)
def test_every_dependency_is_locked(name: str, requirements: list[str]) -> None:
    locked = versions(name)
    for requirement in map(Requirement, requirements):
        pinned = locked.get(canonicalize_name(requirement.name), set())
        assert pinned, f"{requirement.name} is not in {name}"
        assert [version for version in pinned if not requirement.specifier.contains(version, prereleases=True)] == []


def test_the_tests_run_on_the_shipped_versions() -> None:
    shipped, tested = versions(RUN), versions(TEST)
    assert {name: tested.get(name) for name in shipped} == shipped


def test_the_bill_of_materials_lists_every_locked_package_with_hashes(tmp_path: Path) -> None:
    assert RECIPE
    target = tmp_path / "sbom.json"
    command = [sys.executable, "-m", "cyclonedx_py", *RECIPE[1].split(), "-o", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)  # noqa: S603 - the command of the Makefile
    found = json.loads(target.read_text("utf-8"))
    assert found["bomFormat"] == "CycloneDX"
    assert found["metadata"]["component"]["name"] == "accommodation-knowledge-graph"
    listed = {f"{component['name']}=={component['version']}" for component in found["components"]}
    assert listed == set(re.findall(r"^\S+==\S+", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE))
    assert all(
        reference["hashes"] for component in found["components"] for reference in component["externalReferences"]
    )
