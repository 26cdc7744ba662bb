"""The lock files pin everything that is installed, by hash and from no named place."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.project import ROOT

if TYPE_CHECKING:
    from pathlib import Path


RUN, TEST, CONFORMANCE = "requirements.lock", "requirements-test.lock", "requirements-conformance.lock"
DOCS, BENCH, INSTALL = "requirements-docs.lock", "requirements-bench.lock", "requirements-uv.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Pin:
    """One locked package: the exact version, and the hashes of every file that may be installed for it."""

    requirement: Requirement
    hashes: tuple[str, ...]

    @property
    def version(self) -> str:
        """Without the `==`."""
        return str(self.requirement.specifier).removeprefix("==")


def pins(name: str) -> list[Pin]:
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    pins = []
    for line in text.splitlines():
        requirement, *options = re.split(r"\s+(?=--)", line.strip())
        if requirement and not requirement.startswith("#"):
            pins.append(Pin(Requirement(requirement), tuple(options)))
    return pins


def by_name(name: str) -> dict[str, list[Pin]]:
    by_package: dict[str, list[Pin]] = {}
    for pin in pins(name):
        by_package.setdefault(canonicalize_name(pin.requirement.name), []).append(pin)
    return by_package


@pytest.mark.parametrize("name", [RUN, TEST, CONFORMANCE, DOCS, BENCH, INSTALL])
def test_every_requirement_is_one_version_with_its_hashes(name: str) -> None:
    for pin in pins(name):
        assert re.fullmatch(r"==[^*,]+", str(pin.requirement.specifier)), pin.requirement
        assert pin.requirement.url is None
        assert pin.hashes, pin.requirement
        assert [option for option in pin.hashes if not HASH.fullmatch(option.strip())] == []


@pytest.mark.parametrize("name", [RUN, TEST, CONFORMANCE, DOCS, BENCH, INSTALL])
def test_no_place_to_install_from_is_named(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert re.findall(r"https?:|--(?:extra-)?index-url|--find-links|-i ", text) == []


@pytest.mark.parametrize(
    ("name", "wanted"),
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
def test_what_the_project_asks_for_is_locked(name: str, wanted: list[str]) -> None:
    locked = by_name(name)
    for text in wanted:
        requirement = Requirement(text)
        pins = locked.get(canonicalize_name(requirement.name), [])
        assert pins, f"{requirement.name} is not in {name}"
        assert [pin.version for pin in pins if not requirement.specifier.contains(pin.version, prereleases=True)] == []


def test_the_tests_run_on_the_versions_that_are_shipped() -> None:
    shipped, tested = by_name(RUN), by_name(TEST)
    differing = {
        name: [pin.version for pin in tested.get(name, [])]
        for name, pins in shipped.items()
        if {pin.version for pin in pins} != {pin.version for pin in tested.get(name, [])}
    }
    assert differing == {}


RECIPE = re.search(r"cyclonedx-py (requirements .+?) -o \S+", (ROOT / "Makefile").read_text("utf-8"))


def test_every_locked_package_is_listed_with_its_version_and_hashes(tmp_path: Path) -> None:
    assert RECIPE
    target = tmp_path / "sbom.json"
    command = [sys.executable, "-m", "cyclonedx_py", *RECIPE[1].split(), "-o", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)  # noqa: S603 - the Makefile's own words
    found = json.loads(target.read_text("utf-8"))
    assert (found["bomFormat"], found["metadata"]["component"]["name"]) == (
        "CycloneDX",
        "accommodation-knowledge-graph",
    )
    listed = {f"{one['name']}=={one['version']}" for one in found["components"]}
    assert listed == set(re.findall(r"^\S+==\S+", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE))
    assert all(reference["hashes"] for one in found["components"] for reference in one["externalReferences"])
