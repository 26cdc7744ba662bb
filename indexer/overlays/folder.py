"""Reads the files of overlay folders. The only module that reads overlays from disk."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.content.csv_table import BYTE_ORDER_MARK
from indexer.content.loader import VERSION_DIGITS
from indexer.content.problems import ContentError, Problem


class OverlayError(ContentError):
    """An overlay is invalid; `problems` holds every reason."""

    def __init__(self, folder: Path, problems: Sequence[Problem]) -> None:
        super().__init__(sorted(problems))
        self.folder = folder

    def __str__(self) -> str:
        remedy = "correct it, or take it out of AKG_OVERLAYS"
        return f"{super().__str__()}\nThe overlay {self.folder} cannot be used: {remedy}."


@dataclass(frozen=True, slots=True)
class OverlayFiles:
    """The tables of one overlay, by file name."""

    folder: Path
    files: Mapping[str, bytes]

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name


def read_overlay_files(folder: Path) -> OverlayFiles:
    """Return the tables of a folder; raise OverlayError if one cannot be read.

    Spreadsheet programs save tables with a byte order mark and with carriage returns, which are dropped.
    """
    files = {}
    try:
        for path in sorted(folder.iterdir()):
            if path.suffix.lower() == ".csv" and not path.name.startswith("."):
                files[path.name] = path.read_bytes().removeprefix(BYTE_ORDER_MARK).replace(b"\r\n", b"\n")
    except OSError as error:
        path = Path(error.filename or folder)
        raise OverlayError(folder, [Problem(str(path), 1, f"cannot be read: {error.strerror}")]) from None
    return OverlayFiles(folder, files)


def version_with_overlays(version: str, overlays: Sequence[OverlayFiles]) -> str:
    """Return the data version with these overlays: it depends on their order and on every byte of their tables."""
    if not overlays:
        return version
    number, _, digest_below = version.partition("+")
    digest = hashlib.sha256(digest_below.encode())
    for overlay in overlays:
        digest.update(b"\noverlay\n")
        for name, data in overlay.files.items():
            digest.update(f"{name}\n{len(data)}\n".encode())
            digest.update(data)
    return f"{number}+{digest.hexdigest()[:VERSION_DIGITS]}"
