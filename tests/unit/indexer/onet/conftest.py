"""A copy of a small O*NET release, to damage."""

import shutil
from pathlib import Path

import pytest

from tests.support.onet_samples import CSV


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CSV, tmp_path / CSV.name))
