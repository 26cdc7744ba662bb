"""Overlays for tests: tables as texts, with a source by default."""

from pathlib import Path

SOURCE = (
    "id,title,publisher,url,licence,licence_url,attribution\n"
    "campus,Campus Loans,Campus University,https://example.org/,CC BY 4.0,,From the campus.\n"
)


def write_overlay(folder: Path, source: str = SOURCE, **tables: str) -> Path:
    """Write the tables, by name without `.csv`, into a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"source": source, **tables}.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    return folder
