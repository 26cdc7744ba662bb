"""Small O*NET releases in each format, read and imported."""

import zipfile
from pathlib import Path

import pytest

from indexer.imports.store import Manifest, read_tables, store_tables
from indexer.onet.archive import OnetError, open_release
from indexer.onet.merge import KIND, OnetTables, from_tables, source_row, to_tables
from indexer.onet.reader import OnetRelease, read_release
from tests.support.project import ROOT

SAMPLES = ROOT / "tests" / "data" / "onet"
TEXT, CSV, NEWER = (SAMPLES / name for name in ("db_29_3_text", "db_30_3_csv", "db_31_0_csv"))


def read(source: Path, number: str = "") -> OnetRelease:
    with open_release(source) as files:
        return read_release(files, lambda _: None, number)


def error_message(source: Path, number: str = "") -> str:
    with pytest.raises(OnetError) as raised:
        read(source, number)
    return str(raised.value)


def zipped(folder: Path, archive: Path, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(archive, "w", method) as zip_file:
        for path in sorted(folder.iterdir()):
            zip_file.write(path, f"{folder.name}/{path.name}")
    return archive


def import_sample(folder: Path, sample: str, made: str = "2026-11-21T10:00:00Z") -> Manifest:
    release = read(SAMPLES / sample)
    source = source_row(release, made[:10])
    title = f"O*NET {release.number}"
    manifest = Manifest(name="onet", kind=KIND, title=title, made=made, origin=sample, source=source)
    return store_tables(folder, manifest, to_tables(release))


def sample_tables(folder: Path, sample: str) -> OnetTables:
    manifest = import_sample(folder, sample)
    return from_tables(manifest.source, read_tables(folder, manifest))
