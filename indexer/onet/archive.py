"""Opens the folder or zip archive of an O*NET release and finds its files.

A release (29.x to 31.x) is text (`Job Titles.txt`: tabs, no quotes) or csv (`job_titles.csv`: commas, quotes). Both
have the same columns, except that csv repeats titles and names for readers. Files and columns that were renamed have
all their names here, newest first, so no other module depends on the release. Nothing is extracted from an archive.
A damaged member, a password or a file of terabytes raises OnetError.
"""

import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from indexer.content.zip_members import ARCHIVE_ERRORS, error_text, expanded_limit, file_members
from schema.errors import AkgError

CODE = "O*NET-SOC Code"
STATISTICS = (
    *("N", "Standard Error", "Lower CI Bound", "Upper CI Bound", "Recommend Suppress", "Not Relevant"),
    *("Date", "Domain Source"),
)
RELEASE_TITLE = re.compile(r"O\*NET(?:®)? (\d+\.\d+) Database", re.IGNORECASE)
RELEASE_IN_NAME = re.compile(r"db_(\d+)_(\d+)(?:_|\b)", re.IGNORECASE)
SUFFIXES = (".csv", ".txt")
MAX_FILE_BYTES = 400_000_000  # uncompressed; the largest file of a release has 10 MB
SEARCH_PATTERNS = ("*", "*/*", "*/*/*")  # levels below the folder to search
MAX_README_BYTES = 4_000
ENCRYPTED_FLAG = 0x1


@dataclass(frozen=True, slots=True)
class Layout:
    """One file of a release.

    `columns` maps our column names to those of O*NET, `optional` ones may be missing, `ignored` ones are not read.
    """

    stems: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    ignored: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


LAYOUTS: Mapping[str, Layout] = {
    "occupations": Layout(
        ("occupation_data",), {"code": (CODE,), "title": ("Title",), "description": ("Description",)}
    ),
    "elements": Layout(
        ("content_model_reference",),
        {"element": ("Element ID",), "name": ("Element Name",), "description": ("Description",)},
    ),
    "zones": Layout(("job_zones",), {"code": (CODE,), "zone": ("Job Zone",)}, ("Title", "Date", "Domain Source")),
    "ratings": Layout(
        ("abilities",),
        {"code": (CODE,), "element": ("Element ID",), "scale": ("Scale ID",), "value": ("Data Value",)},
        ("Title", "Element Name", "Scale Name", *STATISTICS),
    ),
    "related": Layout(
        ("related_occupations",),
        {
            "code": (CODE,),
            "related": ("Related O*NET-SOC Code",),
            "tier": ("Relatedness Tier",),
            "rank": ("Index",),
        },
        ("Title", "Related Title"),
    ),
    "reported": Layout(
        ("sample_of_reported_titles",),
        {"code": (CODE,), "title": ("Reported Job Title",)},
        ("Title", "Shown in My Next Move"),
    ),
    # Alternate Titles before 30.3.
    "titles": Layout(
        ("job_titles", "alternate_titles"),
        {"code": (CODE,), "title": ("Job Title", "Alternate Title"), "short": ("Short Title",)},
        ("Title", "Source(s)"),
        ("short",),
    ),
}


def table_stem(name: str) -> str:
    """Return the name of a file in both formats: `job_titles` for `Job Titles.txt` and `job_titles.csv`."""
    return re.sub(r"[\s_]+", "_", name.rpartition(".")[0].casefold())


def find_release(text: str) -> str:
    """Return the release number in a Read Me, folder name or file name, or an empty string."""
    if match := RELEASE_TITLE.search(text):
        return match[1]
    return f"{match[1]}.{match[2]}" if (match := RELEASE_IN_NAME.search(text)) else ""


class OnetError(AkgError):
    """The source is not a readable O*NET release. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a release. `name` is for messages; `size` is in uncompressed bytes."""

    name: str
    suffix: str
    size: int
    open: Callable[[], IO[bytes]]


@dataclass(frozen=True, slots=True)
class ReleaseFiles:
    """The files by table, and the release number in the Read Me or a file name, if any."""

    members: Mapping[str, Member]
    release: str


@contextmanager
def open_release(source: Path) -> Iterator[ReleaseFiles]:
    """Open a folder or zip archive; raise OnetError if it is neither or has two files for one table."""
    if source.is_dir():
        try:
            members = _folder_members(source)
        except OSError as error:
            raise OnetError(f"{source} cannot be read: {error_text(error)}. Nothing was changed.") from error
        yield _select_files(source, members)
    elif not source.exists():
        raise OnetError(f"{source} does not exist.")
    else:
        with _open_archive(source) as archive:
            files = _select_files(source, _archive_members(archive))
            limit = expanded_limit(source.stat().st_size)
            if sum(member.size for member in files.members.values()) > limit:
                raise OnetError(f"{source.name} has more than {limit:,} bytes uncompressed. Nothing was changed.")
            yield files


def _open_archive(source: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(source)
    except OSError as error:
        raise OnetError(f"{source} cannot be read: {error_text(error)}. Nothing was changed.") from error
    except ARCHIVE_ERRORS as error:
        message = f"{source.name} is not a valid zip archive: {error_text(error)}. Nothing was changed."
        raise OnetError(message) from error


def _folder_members(folder: Path) -> list[Member]:
    def open_file(path: Path) -> IO[bytes]:
        return path.open("rb")

    members = []
    for path in sorted(path for pattern in SEARCH_PATTERNS for path in folder.glob(pattern)):
        if path.is_file():
            name = f"{folder.resolve().name}/{path.relative_to(folder).as_posix()}"
            members.append(Member(name, path.suffix.lower(), path.stat().st_size, partial(open_file, path)))
    return members


def _archive_members(archive: zipfile.ZipFile) -> list[Member]:
    def open_info(info: zipfile.ZipInfo) -> IO[bytes]:
        if info.flag_bits & ENCRYPTED_FLAG:
            raise OnetError(f"{info.filename} is encrypted; official O*NET archives are not.")
        return archive.open(info)

    return [
        Member(info.filename, PurePosixPath(info.filename).suffix.lower(), info.file_size, partial(open_info, info))
        for info in file_members(archive)
    ]


def _select_files(source: Path, members: list[Member]) -> ReleaseFiles:
    by_stem: defaultdict[str, list[Member]] = defaultdict(list)
    for member in members:
        by_stem[table_stem(PurePosixPath(member.name).name)].append(member)
    files = {}
    for table, layout in LAYOUTS.items():
        matching = [member for stem in layout.stems for member in by_stem[stem] if member.suffix in SUFFIXES]
        if len(matching) > 1:
            names = ", ".join(member.name for member in matching)
            raise OnetError(f"Two files for one table: {names}. Keep one of them.")
        for member in matching:
            if member.size > MAX_FILE_BYTES:
                raise OnetError(f"{member.name} has {member.size:,} bytes; the maximum is {MAX_FILE_BYTES:,}.")
            files[table] = member
    if not files:
        excel = any(member.suffix == ".xlsx" for member in members)
        hint = " It contains Excel files; use the text or csv release." if excel else ""
        raise OnetError(f"{source.name} contains no O*NET files in text or csv format.{hint}")
    texts = [*map(_read_start, by_stem["read_me"]), *(member.name for member in members), source.resolve().name]
    return ReleaseFiles(files, next(filter(None, map(find_release, texts)), ""))


def _read_start(member: Member) -> str:
    with open_member(member) as raw:
        try:
            return raw.read(MAX_README_BYTES).decode(errors="replace")
        except ARCHIVE_ERRORS as error:
            raise OnetError(f"{member.name} is damaged: {error_text(error)}. Nothing was changed.") from error


def open_member(member: Member) -> IO[bytes]:
    """Open a file of a release; raise OnetError if it cannot be read."""
    try:
        return member.open()
    except ARCHIVE_ERRORS as error:
        raise OnetError(f"{member.name} cannot be read: {error_text(error)}. Nothing was changed.") from error
