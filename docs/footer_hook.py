"""MkDocs hook: puts the version and its release date into the footer of every page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:  # noqa: ANN401 - the configuration of MkDocs
    """Add the version and its date to the copyright line."""
    changelog = Path(config["docs_dir"]) / "CHANGELOG.md"
    version = tomllib.loads((Path(config["config_file_path"]).parent / "pyproject.toml").read_text("utf-8"))["project"][
        "version"
    ]
    released = re.search(rf"^## \[{re.escape(version)}\] - (\S+)$", changelog.read_text("utf-8"), re.MULTILINE)
    if released is None:
        raise SystemExit(f"CHANGELOG.md has no heading with a date for version {version}: ## [{version}] - YYYY-MM-DD")
    config["copyright"] = f"Version {version}, released {released[1]}. {config['copyright']}"
    return config
