"""The folder or archive of a release is opened, and its files are read line by line; only this file here reads disk.

Nothing is unpacked. What an archive may hold (a damaged member, a password, a claim of terabytes) ends in OnetError.
"""

from __future__ import annotations

import csv
import zipfile
import zlib
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from indexer.onet.layout import LAYOUTS, SUFFIXES, release_in, stem_of
from indexer.problems import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

LARGEST = 400_000_000  # bytes of one unpacked file; the largest that is read has 10 MB
INSIDE = ("*", "*/*", "*/*/*")  # how deep below the named folder files are looked for
README = "read_me"
README_BYTES = 4_000
ENCRYPTED = 0x1


class OnetError(Exception):
    """What was given is not a release of O*NET that can be read; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a release. `shown` is its name in messages; `size` counts bytes unpacked."""

    shown: str
    suffix: str
    size: int
    open: Callable[[], IO[bytes]]


@dataclass(frozen=True, slots=True)
class ReleaseFiles:
    """The files that matter, by our name of the table, and the release number that the Read Me or a name states."""

    members: Mapping[str, Member]
    release: str


@contextmanager
def opened(source: Path) -> Iterator[ReleaseFiles]:
    """The files of a folder or zip archive; raise OnetError where it is neither, or has two files for one table."""
    if source.is_dir():
        yield _files(source, _in_folder(source))
    elif not source.exists():
        raise OnetError(f"{source} does not exist.")
    else:
        try:
            with zipfile.ZipFile(source) as archive:
                yield _files(source, _in_archive(archive))
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise OnetError(f"{source.name} is not a whole zip archive: {error}. Nothing was changed.") from error


def lines(member: Member, on_bytes: Callable[[int], None]) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with the line each starts on; raise ContentError or OnetError where it cannot be read on."""
    with member.open() as raw:
        if member.suffix == ".txt":
            yield from _tabbed(member, raw, on_bytes)
        else:
            yield from _quoted(member, raw, on_bytes)


def _tabbed(member: Member, raw: IO[bytes], on_bytes: Callable[[int], None]) -> Iterator[tuple[int, list[str]]]:
    for number, line in _whole_lines(member, raw, on_bytes):
        yield number, line.rstrip("\r\n").split(SUFFIXES[".txt"])


def _quoted(member: Member, raw: IO[bytes], on_bytes: Callable[[int], None]) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((line for _, line in _whole_lines(member, raw, on_bytes)), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ContentError([Problem(member.shown, start, f"not readable as CSV: {error}")]) from None
        yield start, cells


def _whole_lines(member: Member, raw: IO[bytes], on_bytes: Callable[[int], None]) -> Iterator[tuple[int, str]]:
    number, line = 0, b"\n"
    try:
        for number, line in enumerate(raw, 1):
            on_bytes(len(line))
            yield number, _decoded(member, number, line)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise OnetError(f"{member.shown} is damaged after line {number}: {error}. Nothing was changed.") from error
    if not line.endswith(b"\n"):
        raise ContentError([Problem(member.shown, number, "the last line has no end; the file seems cut")])


def _decoded(member: Member, number: int, line: bytes) -> str:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        what = f"byte 0x{line[error.start]:02X} is not UTF-8"
        raise ContentError([Problem(member.shown, number, what)]) from None
    if "\0" in text:
        raise ContentError([Problem(member.shown, number, "has a NUL byte")])
    return text


def _in_folder(folder: Path) -> list[Member]:
    found = []
    for path in sorted(path for pattern in INSIDE for path in folder.glob(pattern)):
        if path.is_file():
            place = path.relative_to(folder)
            shown = f"{folder.resolve().name}/{place.as_posix()}"
            found.append(Member(shown, path.suffix.lower(), path.stat().st_size, partial(_open_file, path)))
    return found


def _open_file(path: Path) -> IO[bytes]:
    return path.open("rb")


def _in_archive(archive: zipfile.ZipFile) -> list[Member]:
    def opening(info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
        def open_member() -> IO[bytes]:
            if info.flag_bits & ENCRYPTED:
                raise OnetError(f"{info.filename} is locked with a password; O*NET's own archives are not.")
            return archive.open(info)

        return open_member

    return [
        Member(info.filename, PurePosixPath(info.filename).suffix.lower(), info.file_size, opening(info))
        for info in archive.infolist()
        if not info.is_dir()
    ]


def _files(source: Path, members: list[Member]) -> ReleaseFiles:
    by_stem: defaultdict[str, list[Member]] = defaultdict(list)
    for member in members:
        by_stem[stem_of(PurePosixPath(member.shown).name)].append(member)
    taken = {}
    for table, layout in LAYOUTS.items():
        found = [one for stem in layout.stems for one in by_stem[stem] if one.suffix in SUFFIXES]
        if len(found) > 1:
            raise OnetError(f"Two files for one table: {', '.join(one.shown for one in found)}. Keep one of them.")
        if found and found[0].size > LARGEST:
            raise OnetError(f"{found[0].shown} has {found[0].size:,} bytes; more than {LARGEST:,} are not read.")
        if found:
            taken[table] = found[0]
    if not taken:
        excel = any(one.suffix == ".xlsx" for one in members)
        hint = " It holds the Excel layout; take the text or csv files." if excel else ""
        raise OnetError(f"{source.name} holds no files of an O*NET release in text or csv layout.{hint}")
    stated = [release_in(_beginning(one)) for one in by_stem[README]]
    names = [release_in(one.shown) for one in members] + [release_in(source.resolve().name)]
    return ReleaseFiles(taken, next(filter(None, (*stated, *names)), ""))


def _beginning(member: Member) -> str:
    with member.open() as raw:
        return raw.read(README_BYTES).decode(errors="replace")
