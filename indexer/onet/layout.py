"""File and column names of O*NET releases 29.x to 31.x. Pure.

A release is text (`Job Titles.txt`: tabs, no quotes) or csv (`job_titles.csv`: commas, quotes). Both have the same
columns, except that csv repeats titles and names for readers. Files and columns that were renamed have all their names
here, newest first, so no other module depends on the release.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST_RELEASE, NEWEST_RELEASE = (29, 0), (31, 99)  # older releases are rejected, newer ones get a note
CODE = "O*NET-SOC Code"
STATISTICS = (
    *("N", "Standard Error", "Lower CI Bound", "Upper CI Bound", "Recommend Suppress", "Not Relevant"),
    *("Date", "Domain Source"),
)
EMPTY_CELLS = ("", "n/a")  # how the text files write an empty cell
TIERS = {"Primary-Short": "primary-short", "Primary-Long": "primary-long", "Supplemental": "supplemental"}
SCALES = {"IM": (1.0, 5.0), "LV": (0.0, 7.0)}
OCCUPATION_CODE = re.compile(r"\d{2}-\d{4}\.\d{2}")
ABILITY_ID = re.compile(r"1\.A\.\d\.[a-z]\.\d{1,2}")
RELEASE_TITLE = re.compile(r"O\*NET(?:®)? (\d+\.\d+) Database", re.IGNORECASE)
RELEASE_IN_NAME = re.compile(r"db_(\d+)_(\d+)(?:_|\b)", re.IGNORECASE)
SUFFIXES = (".csv", ".txt")
Rows = tuple[tuple[str, ...], ...]


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
TITLE_FILES = ("reported", "titles")  # at least one is required


def table_stem(name: str) -> str:
    """Return the name of a file in both formats: `job_titles` for `Job Titles.txt` and `job_titles.csv`."""
    return re.sub(r"[\s_]+", "_", name.rpartition(".")[0].casefold())


def find_release(text: str) -> str:
    """Return the release number in a Read Me, folder name or file name, or an empty string."""
    if match := RELEASE_TITLE.search(text):
        return match[1]
    return f"{match[1]}.{match[2]}" if (match := RELEASE_IN_NAME.search(text)) else ""


def attribution(release: str) -> str:
    """Return the attribution that must be shown with facts of this release."""
    return (
        f"This service includes information from the O*NET {release} Database by the U.S. Department of Labor, "
        "Employment and Training Administration (USDOL/ETA). Used under the CC BY 4.0 license. O*NET® is a trademark "
        "of USDOL/ETA. Accommodation Knowledge Graph has modified all or some of this information. USDOL/ETA has not "
        "approved, endorsed, or tested these modifications."
    )
