"""Paths of the shared cache and of the folder of one node."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def default_root(environ: Mapping[str, str] | None = None) -> Path:
    """Return `AKG_DATA`, else `.akg` in the working directory: each checkout has its own node."""
    environ = os.environ if environ is None else environ
    return Path(environ.get("AKG_DATA") or ".akg").expanduser().absolute()


def default_cache(environ: Mapping[str, str] | None = None) -> Path:
    """Return `AKG_CACHE`, else `akg` in the user's cache folder."""
    environ = os.environ if environ is None else environ
    if cache := environ.get("AKG_CACHE"):
        return Path(cache).expanduser().absolute()
    base = environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "akg"


@dataclass(frozen=True, slots=True)
class Folders:
    """Paths in the folder of a node. `root` must be absolute."""

    root: Path

    @property
    def state(self) -> Path:
        """State file of the running node."""
        return self.root / "node.json"

    @property
    def lock(self) -> Path:
        """Lock file of a start in progress."""
        return self.root / "node.lock"

    @property
    def config(self) -> Path:
        """Configuration, rewritten at each start."""
        return self.root / "opensearch" / "config"

    @property
    def options(self) -> Path:
        """Java command line; its path also identifies the process of this node."""
        return self.config / "jvm.options"

    @property
    def data(self) -> Path:
        """Indices: the only part worth a backup."""
        return self.root / "opensearch" / "data"

    @property
    def logs(self) -> Path:
        """Log, console output and port files."""
        return self.root / "opensearch" / "logs"

    @property
    def snapshots(self) -> Path:
        """The only folder where a snapshot repository may be registered."""
        return self.root / "opensearch" / "snapshots"

    @property
    def scratch(self) -> Path:
        """Temporary folder of Java, emptied at each start."""
        return self.root / "opensearch" / "tmp"

    @property
    def log(self) -> Path:
        """Log of the current run."""
        return self.logs / "akg.log"

    @property
    def previous_log(self) -> Path:
        """Log of the previous run."""
        return self.logs / "akg-previous.log"

    @property
    def printed(self) -> Path:
        """Standard output and standard error of the current run."""
        return self.logs / "console.log"

    @property
    def ports(self) -> tuple[Path, Path]:
        """Files with the addresses that OpenSearch opened: HTTP, then transport."""
        return self.logs / "http.ports", self.logs / "transport.ports"
