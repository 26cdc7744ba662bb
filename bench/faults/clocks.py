"""A clock that can be moved, for single processes: libfaketime of the system's packages, where it is installed.

Only the time of day moves. The monotonic clock, by which deadlines and leases of one process are counted, goes on as
it does on a real machine whose clock is set.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PLACES = ("/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib64/faketime/libfaketime.so.1")
MISSING = "libfaketime is not installed (Debian: apt-get install libfaketime)"


def library() -> Path | None:
    """Where libfaketime is."""
    found = [path for pattern in PLACES for path in Path("/").glob(pattern.lstrip("/"))]
    return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Clock:
    """How far the clock of one process is set off, in a file that it looks at each time it asks."""

    file: Path
    preload: Path

    def set(self, seconds: float) -> None:
        """Set it off by so many seconds from now on."""
        draft = self.file.with_suffix(".new")
        draft.write_text(_offset(seconds) + "\n", "utf-8")
        draft.replace(self.file)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a process whose clock follows the file."""
        self.set(0.0)
        return {**self._always, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1"}

    def environment(self, seconds: float) -> dict[str, str]:
        """The environment of a process whose clock is set off for good."""
        return {**self._always, "FAKETIME": _offset(seconds)}

    @property
    def _always(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.preload), "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}


def _offset(seconds: float) -> str:
    return f"{seconds:+.0f}s" if seconds else "+0"


def at_another_time(folder: Path) -> Clock:
    """The clock of this trial; AssertionError where the machine has no way to move one."""
    preload = library()
    assert preload is not None, MISSING
    return Clock(folder / "clock", preload)
