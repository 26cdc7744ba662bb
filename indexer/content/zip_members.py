"""Reads members of zip archives, and says what is wrong with a damaged one."""

import io
import lzma
import struct
import zipfile
import zlib

# What `zipfile` and its decompressors raise for damaged, encrypted or unsupported archives. OSError is both that of a
# disk and that of bzip2; ValueError covers names that cannot be decoded and offsets before the start of the file.
ARCHIVE_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, NotImplementedError, RuntimeError, ValueError, OverflowError, MemoryError),
)
PIECE_BYTES = 4_096  # of compressed data at a time; even bzip2 expands so little to less than 100 MB

MAX_EXPANSION = 50  # the shipped content compresses to 1/5 to 1/18, repetitions of one letter to 1/1,000
MIN_EXPANDED_BYTES = 10_000_000  # accepted whatever the compressed size; as rows, it needs less than 256 MB


def expanded_limit(compressed_bytes: int) -> int:
    """Return the number of bytes to which compressed data of this size may expand."""
    return max(MIN_EXPANDED_BYTES, MAX_EXPANSION * compressed_bytes)


def file_members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the members that are files; a damaged archive can have empty names, at which `ZipInfo.is_dir` fails."""
    return [info for info in archive.infolist() if not info.filename.endswith("/")]


def member_bytes(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the content of a member, at most its stated size; raise one of ARCHIVE_ERRORS if it is damaged.

    `ZipFile.read` first decompresses up to 2 GB and then compares the size with the stated one.
    """
    data = io.BytesIO()
    with archive.open(member) as file:
        while piece := file.read(PIECE_BYTES):
            data.write(piece)
    return data.getvalue()


def error_text(error: BaseException) -> str:
    """Return what an error says: the reason of the operating system without file name, or the type of a silent one."""
    reason = error.strerror if isinstance(error, OSError) else ""
    return reason or str(error) or type(error).__name__
