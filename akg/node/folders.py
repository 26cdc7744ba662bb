"""Where everything lives: the cache that all checkouts share, and the folder of one node."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def default_root(environ: Mapping[str, str] | None = None) -> Path:
    """`AKG_DATA`, else `.akg` here: each checkout has its own node."""
    environ = os.environ if environ is None else environ
    return Path(environ.get("AKG_DATA") or ".akg").expanduser().absolute()


def default_cache(environ: Mapping[str, str] | None = None) -> Path:
    """`AKG_CACHE`, else `akg` in the user's cache folder."""
    environ = os.environ if environ is None else environ
    if named := environ.get("AKG_CACHE"):
        return Path(named).expanduser().absolute()
    base = environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "akg"


@dataclass(frozen=True, slots=True)
class Folders:
    """The parts of one node's folder. `root` must be absolute."""

    root: Path

    @property
    def state(self) -> Path:
        """What runs here, while it runs."""
        return self.root / "node.json"

    @property
    def lock(self) -> Path:
        """Held while a start is under way."""
        return self.root / "node.lock"

    @property
    def config(self) -> Path:
        """Written anew at each start."""
        return self.root / "opensearch" / "config"

    @property
    def options(self) -> Path:
        """The Java command line; its path also tells this node's process from every other."""
        return self.config / "jvm.options"

    @property
    def data(self) -> Path:
        """The indices: the only part that is worth keeping."""
        return self.root / "opensearch" / "data"

    @property
    def logs(self) -> Path:
        """The engine's log, what it printed, and the ports it opened."""
        return self.root / "opensearch" / "logs"

    @property
    def snapshots(self) -> Path:
        """The only place where a snapshot repository may be registered."""
        return self.root / "opensearch" / "snapshots"

    @property
    def scratch(self) -> Path:
        """Java's temporary folder; emptied at each start."""
        return self.root / "opensearch" / "tmp"

    @property
    def log(self) -> Path:
        """The engine's own log of the current run."""
        return self.logs / "akg.log"

    @property
    def previous_log(self) -> Path:
        """The log of the run before, in case that is the one that failed."""
        return self.logs / "akg-previous.log"

    @property
    def printed(self) -> Path:
        """What Java and the engine wrote to standard output and error in the current run."""
        return self.logs / "console.log"

    @property
    def ports(self) -> tuple[Path, Path]:
        """Where the engine writes the addresses it opened: HTTP, then transport."""
        return self.logs / "http.ports", self.logs / "transport.ports"
