"""The bill of materials that `make audit` writes lists exactly what is shipped."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.support.project import ROOT

if TYPE_CHECKING:
    from pathlib import Path

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
