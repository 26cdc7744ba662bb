"""The folders of the node."""

from pathlib import Path

import pytest

from akg.node.state import default_cache, default_root


def test_settings_replace_the_default_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_root({}) == tmp_path / ".akg"
    assert default_root({"AKG_DATA": "elsewhere"}) == tmp_path / "elsewhere"
    assert default_cache({}) == Path.home() / ".cache" / "akg"
    assert default_cache({"XDG_CACHE_HOME": "/x"}) == Path("/x/akg")
    assert default_cache({"XDG_CACHE_HOME": "/x", "AKG_CACHE": "/y"}) == Path("/y")
