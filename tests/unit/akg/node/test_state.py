"""The folders of the node, and which processes are its own."""

import os
from pathlib import Path

import pytest

from akg.node.state import default_cache, default_root, shares_root


def test_settings_replace_the_default_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_root({}) == tmp_path / ".akg"
    assert default_root({"AKG_DATA": "elsewhere"}) == tmp_path / "elsewhere"
    assert default_cache({}) == Path.home() / ".cache" / "akg"
    assert default_cache({"XDG_CACHE_HOME": "/x"}) == Path("/x/akg")
    assert default_cache({"XDG_CACHE_HOME": "/x", "AKG_CACHE": "/y"}) == Path("/y")


def _process(proc: Path, name: str, namespace: str, root: Path) -> None:
    (proc / name / "ns").mkdir(parents=True)
    (proc / name / "ns" / "pid").symlink_to(namespace)
    (proc / name / "root").symlink_to(root)


def test_processes_of_containers_are_not_ours(tmp_path: Path) -> None:
    proc, image = tmp_path / "proc", tmp_path / "image"
    image.mkdir()
    _process(proc, "self", "pid:[1]", tmp_path)
    _process(proc, "11", "pid:[1]", tmp_path)
    _process(proc, "12", "pid:[2]", tmp_path)  # a container
    _process(proc, "13", "pid:[1]", image)  # a container with the pid namespace of the host
    assert [pid for pid in (11, 12, 13, 14) if shares_root(pid, proc)] == [11]
    assert shares_root(11, tmp_path / "none")  # a system without /proc
    assert shares_root(os.getpid())
