"""How the files of O*NET releases 29.x to 31.x are called and what stands in their columns. Pure.

A release comes as text (`Job Titles.txt`: tabs, nothing quoted) or as csv (`job_titles.csv`: commas, quotes). The
columns are the same in both, except that csv repeats titles and names for the reader. What was renamed between releases
stands here with all its names, newest first, so no other file needs to know which release it reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST, NEWEST = (29, 0), (31, 99)  # older releases are refused, newer ones are tried with a word about it
CODE = "O*NET-SOC Code"
STATISTICS = (
    *("N", "Standard Error", "Lower CI Bound", "Upper CI Bound", "Recommend Suppress", "Not Relevant"),
    *("Date", "Domain Source"),
)
EMPTY = ("", "n/a")  # how the text files write an empty cell
TIERS = {"Primary-Short": "primary-short", "Primary-Long": "primary-long", "Supplemental": "supplemental"}
SCALES = {"IM": (1.0, 5.0), "LV": (0.0, 7.0)}
OCCUPATION = re.compile(r"\d{2}-\d{4}\.\d{2}")
ABILITY = re.compile(r"1\.A\.\d\.[a-z]\.\d{1,2}")
RELEASE = re.compile(r"O\*NET(?:®)? (\d+\.\d+) Database", re.IGNORECASE)
NAMED = re.compile(r"db_(\d+)_(\d+)(?:_|\b)", re.IGNORECASE)
SUFFIXES = {".csv": ",", ".txt": "\t"}


@dataclass(frozen=True, slots=True)
class Layout:
    """One file of a release.

    `columns` maps our names to theirs, `optional` are those of ours that may be missing, `others` are passed over.
    """

    stems: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    others: tuple[str, ...] = ()
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
    # Called Alternate Titles before 30.3.
    "titles": Layout(
        ("job_titles", "alternate_titles"),
        {"code": (CODE,), "title": ("Job Title", "Alternate Title"), "short": ("Short Title",)},
        ("Title", "Source(s)"),
        ("short",),
    ),
}
TITLE_FILES = ("reported", "titles")  # one of the two is enough


def stem_of(name: str) -> str:
    """`Job Titles.txt` and `job_titles.csv` are one: `job_titles`."""
    return re.sub(r"[\s_]+", "_", name.rpartition(".")[0].casefold())


def release_in(text: str) -> str:
    """The release number that a Read Me, a folder name or a file name states, or nothing."""
    if found := RELEASE.search(text):
        return found[1]
    return f"{found[1]}.{found[2]}" if (found := NAMED.search(text)) else ""


def attribution(release: str) -> str:
    """The sentence that must be shown with facts of this release."""
    return (
        f"This service includes information from the O*NET {release} Database by the U.S. Department of Labor, "
        "Employment and Training Administration (USDOL/ETA). Used under the CC BY 4.0 license. O*NET® is a trademark "
        "of USDOL/ETA. Accommodation Knowledge Graph has modified all or some of this information. USDOL/ETA has not "
        "approved, endorsed, or tested these modifications."
    )
