"""The licences that the package, NOTICE and the content state."""

import csv
import tomllib

from api.explorer.static_files import LIBRARIES
from tests.support.project import CONTENT, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOTICE = " ".join((ROOT / "NOTICE").read_text("utf-8").split())
CONTENT_LICENCE = " ".join((CONTENT / "LICENSE.md").read_text("utf-8").replace("> ", "").split())


def test_the_package_states_both_licences_and_contains_their_files() -> None:
    assert PROJECT["license"] == "Apache-2.0 AND CC-BY-4.0"
    assert PROJECT["license-files"] == ["LICENSE", "NOTICE", "content/LICENSE.md"]
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])


def test_the_notice_names_the_holder_and_every_package_whose_files_are_served() -> None:
    assert "Copyright 2026 the maintainers and editors of the Accommodation Knowledge Graph" in NOTICE
    packages = {package.replace("_", "-") for package, _ in LIBRARIES.values()}
    assert {package for package in packages if package not in NOTICE} == set()


def test_notice_and_content_licence_have_the_onet_attribution() -> None:
    with (CONTENT / "sources.csv").open(encoding="utf-8", newline="") as file:
        (onet,) = (row for row in csv.DictReader(file) if row["id"].startswith("onet-"))
    assert onet["attribution"] in NOTICE
    assert onet["attribution"] in CONTENT_LICENCE
    assert onet["licence_url"] in CONTENT_LICENCE
