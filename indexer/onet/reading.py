"""The files of a release become one checked set of facts, or every problem by file and line.

Files are read once, line by line. What a file has beyond what is known of it (a column, a scale) is noted and passed
over. What it lacks, or has in another form than stated, is a problem, and then nothing is taken from any file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.cells import FORMS
from indexer.onet.files import OnetError, lines
from indexer.onet.layout import ABILITY, EMPTY, LAYOUTS, NEWEST, OCCUPATION, OLDEST, SCALES, TIERS, TITLE_FILES
from indexer.problems import ContentError, Nearest, Problem, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from indexer.onet.files import Member, ReleaseFiles

MOST = 50  # problems of one file that are told
TAIL = 5  # occupations at the end that all other files have: more of them missing means that a file was cut
PLACE = re.compile("[1-9][0-9]{0,2}")
Row = tuple[int, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Occupation:
    """One O*NET-SOC occupation. `zone` is empty where O*NET gives none."""

    title: str
    description: str
    zone: str = ""


@dataclass(frozen=True, slots=True)
class OnetRelease:
    """What a release says, in its own order. Ratings are (importance, level) as written, by (code, element)."""

    number: str
    occupations: Mapping[str, Occupation]
    abilities: Mapping[str, tuple[str, str]]
    ratings: Mapping[tuple[str, str], tuple[str, str]]
    titles: tuple[tuple[str, str], ...]
    related: tuple[tuple[str, str, str, str], ...]
    notes: tuple[str, ...]


@dataclass(slots=True)
class Reading:
    """What has been found so far in all files."""

    files: ReleaseFiles
    on_bytes: Callable[[int], None]
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reached: dict[str, tuple[str, int]] = field(default_factory=dict)  # table → its last occupation, on which line
    covered: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # table → its occupations
    told: Counter[str] = field(default_factory=Counter)

    def tell(self, member: Member, line: int, what: str) -> None:
        """Take a problem down; of one file, only the first fifty are told."""
        self.told[member.shown] += 1
        if self.told[member.shown] <= MOST:
            self.problems.append(Problem(member.shown, line, what))
        elif self.told[member.shown] == MOST + 1:
            self.problems.append(Problem(member.shown, line, f"and more; the first {MOST} are listed"))


def read_release(files: ReleaseFiles, on_bytes: Callable[[int], None], number: str = "") -> OnetRelease:
    """Read all files; raise ContentError with every problem, or OnetError if it is no release that can be read."""
    release = release_number(files.release, number)
    missing = [table for table in LAYOUTS if table not in files.members]
    if absent := [LAYOUTS[table].stems[0] for table in missing if table not in TITLE_FILES]:
        raise OnetError(f"The release is not whole: no file {', '.join(absent)} (.csv or .txt). Nothing was changed.")
    if set(TITLE_FILES) <= set(missing):
        raise OnetError("The release is not whole: it has no job titles. Nothing was changed.")
    reading = Reading(files, on_bytes)
    for table in missing:
        one, other = (LAYOUTS[name].stems[0] for name in (table, *(set(TITLE_FILES) - {table})))
        reading.notes.append(f"no file {one} in this release; all job titles are from {other}")
    if release_pair(release) > NEWEST:
        reading.notes.append(f"release {release} is newer than those this program knows; look at the result")
    occupations = dict(_occupations(reading))
    abilities = dict(_abilities(reading))
    zones = dict(_zones(reading, occupations))
    ratings = _ratings(reading, occupations, abilities)
    related = tuple(_related(reading, occupations))
    titles = tuple(_titles(reading, occupations))
    _cut_files(reading, occupations)
    if reading.problems:
        raise ContentError(sorted(reading.problems))
    rated = {element for _, element in ratings}
    return OnetRelease(
        number=release,
        occupations={code: Occupation(*told, zones.get(code, "")) for code, told in occupations.items()},
        abilities={element: told for element, told in abilities.items() if element in rated},
        ratings=ratings,
        titles=titles,
        related=related,
        notes=tuple(reading.notes),
    )


def release_number(stated: str, given: str) -> str:
    """The release that is read; raise OnetError where it is unknown, contradicts itself or is too old."""
    if stated and given and stated != given:
        raise OnetError(f"The files say that they are O*NET {stated}, not {given}.")
    release = stated or given
    if not release:
        raise OnetError("Nothing says which release this is: no Read Me, no name like db_30_3_csv. Use --release 30.3.")
    if release_pair(release) < OLDEST:
        raise OnetError(f"O*NET {release} is older than {OLDEST[0]}.{OLDEST[1]}, the oldest release that is read.")
    return release


def release_pair(release: str) -> tuple[int, int]:
    """`30.3` as numbers that compare."""
    major, _, minor = release.partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        raise OnetError(f"{shown(release)} is no release number; one looks like 30.3.")
    return int(major), int(minor)


def _rows(reading: Reading, table: str) -> Iterator[Row]:
    """The rows of a table with our names of its columns, each with the line it starts on."""
    layout, member = LAYOUTS[table], reading.files.members[table]
    source = _readable(reading, member)
    line, header = next(source, (1, []))
    header = [" ".join(name.split()) for name in header]
    places = {ours: next((name for name in theirs if name in header), "") for ours, theirs in layout.columns.items()}
    if faults := list(_header_faults(table, header, places)):
        for what in faults:
            reading.tell(member, line, what)
        return
    known = {name for names in layout.columns.values() for name in names} | set(layout.others)
    reading.notes += [
        f"{member.shown}: unknown column {shown(name)} was passed over" for name in header if name not in known
    ]
    at = {ours: header.index(name) for ours, name in places.items() if name}
    before, line = len(reading.problems), 0
    for line, cells in source:
        if len(cells) != len(header):
            what = f"{len(cells)} cells where the header has {len(header)}" if any(cells) else "blank line"
            reading.tell(member, line, what)
            continue
        yield line, {ours: " ".join(cells[place].split()) for ours, place in at.items()}
    if not line and len(reading.problems) == before:
        reading.tell(member, 1, "no rows below the header")


def _readable(reading: Reading, member: Member) -> Iterator[tuple[int, list[str]]]:
    """The lines of a file up to where it cannot be read on."""
    try:
        yield from lines(member, reading.on_bytes)
    except ContentError as error:
        reading.problems += error.problems


def _header_faults(table: str, header: list[str], places: Mapping[str, str]) -> Iterator[str]:
    layout = LAYOUTS[table]
    for name in dict.fromkeys(header):
        if header.count(name) > 1:
            yield f"column {shown(name)} stands twice"
    for ours, place in places.items():
        if not place and ours not in layout.optional:
            newest, *older = layout.columns[ours]
            other = f", called {' or '.join(map(repr, older))} before" if older else ""
            yield f"missing column {newest!r}{other}"


def _occupations(reading: Reading) -> Iterator[tuple[str, tuple[str, str]]]:
    member, first = reading.files.members["occupations"], dict[str, int]()
    for line, row in _rows(reading, "occupations"):
        code = row["code"]
        if not OCCUPATION.fullmatch(code):
            reading.tell(member, line, f"{shown(code)} is no O*NET-SOC code; one looks like 11-1011.00")
        elif code in first:
            reading.tell(member, line, f"duplicate occupation {code}; first on line {first[code]}")
        elif not (row["title"] and row["description"]):
            reading.tell(member, line, f"occupation {code} has no {'description' if row['title'] else 'title'}")
        else:
            first[code] = line
            yield code, (row["title"], row["description"])


def _abilities(reading: Reading) -> Iterator[tuple[str, tuple[str, str]]]:
    """Names and official descriptions of the abilities, out of the whole content model."""
    member = reading.files.members["elements"]
    for line, row in _rows(reading, "elements"):
        if ABILITY.fullmatch(row["element"]):
            if row["name"]:
                yield row["element"], (row["name"], row["description"])
            else:
                reading.tell(member, line, f"element {row['element']} has no name")


def _known(reading: Reading, table: str, occupations: Mapping[str, object]) -> Iterator[Row]:
    """Rows whose occupation exists."""
    member, nearest = reading.files.members[table], Nearest(occupations)
    covered = reading.covered[table]
    for line, row in _rows(reading, table):
        code = row["code"]
        if code in occupations:
            if code not in covered:
                covered.add(code)
                reading.reached[table] = max(reading.reached.get(table, ("", 0)), (code, line))
            yield line, row
        elif occupations:
            reading.tell(member, line, f"unknown occupation {shown(code)}{nearest.hint(code)}")


def _zones(reading: Reading, occupations: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    member, first = reading.files.members["zones"], dict[str, int]()
    for line, row in _known(reading, "zones", occupations):
        if row["zone"] not in {"1", "2", "3", "4", "5"}:
            reading.tell(member, line, f"job zone {shown(row['zone'])}; valid: 1 to 5")
        elif row["code"] in first:
            reading.tell(member, line, f"duplicate occupation {row['code']}; first on line {first[row['code']]}")
        else:
            first[row["code"]] = line
            yield row["code"], row["zone"]


def _ratings(
    reading: Reading, occupations: Mapping[str, object], abilities: Mapping[str, object]
) -> dict[tuple[str, str], tuple[str, str]]:
    member, nearest = reading.files.members["ratings"], Nearest(abilities)
    found: dict[tuple[str, str], dict[str, tuple[str, int]]] = {}
    for line, row in _known(reading, "ratings", occupations):
        element, scale, value = row["element"], row["scale"], row["value"]
        if element not in abilities:
            reading.tell(member, line, f"unknown ability {shown(element)}{nearest.hint(element)}")
        elif scale not in SCALES:
            note = f"{member.shown}: rows of the unknown scale {shown(scale)} were passed over"
            reading.notes += [note] if note not in reading.notes else []
        elif not FORMS["number"][0].fullmatch(value) or not SCALES[scale][0] <= float(value) <= SCALES[scale][1]:
            low, high = SCALES[scale]
            reading.tell(member, line, f"{scale} is {shown(value)}; it must be a number from {low:g} to {high:g}")
        elif scale in (pair := found.setdefault((row["code"], element), {})):
            what = f"duplicate {scale} of {element} for {row['code']}; first on line {pair[scale][1]}"
            reading.tell(member, line, what)
        else:
            pair[scale] = (value, line)
    return dict(_pairs(reading, member, found))


def _pairs(
    reading: Reading, member: Member, found: Mapping[tuple[str, str], Mapping[str, tuple[str, int]]]
) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Ratings with both values. Every rated occupation must be rated for every ability that any is rated for."""
    by_code: defaultdict[str, int] = defaultdict(int)
    last: dict[str, int] = {}
    for (code, element), pair in found.items():
        by_code[code] += 1
        last[code] = max(line for _, line in pair.values())
        if len(pair) == len(SCALES):
            yield (code, element), (pair["IM"][0], pair["LV"][0])
        else:
            (scale,) = pair
            lacking = "LV" if scale == "IM" else "IM"
            reading.tell(member, last[code], f"{element} of {code} has no {lacking}; the file seems cut")
    usual = len({element for _, element in found})
    for code, count in by_code.items():
        if count < usual:
            reading.tell(member, last[code], f"{code} has {count} of {usual} abilities; the file seems cut")


def _related(reading: Reading, occupations: Mapping[str, object]) -> Iterator[tuple[str, str, str, str]]:
    member, nearest, tiers = reading.files.members["related"], Nearest(occupations), Nearest(TIERS)
    first: dict[tuple[str, str], int] = {}
    for line, row in _known(reading, "related", occupations):
        code, other, tier, rank = row["code"], row["related"], row["tier"], row["rank"]
        if other not in occupations:
            reading.tell(member, line, f"unknown occupation {shown(other)}{nearest.hint(other)}")
        elif other == code:
            reading.tell(member, line, f"{code} is related to itself")
        elif tier not in TIERS:
            reading.tell(member, line, f"unknown tier {shown(tier)}{tiers.hint(tier)}")
        elif not PLACE.fullmatch(rank):
            reading.tell(member, line, f"index {shown(rank)} is no place in a list; the first is 1")
        elif (known := first.setdefault((code, other), line)) != line:
            reading.tell(member, line, f"duplicate: {code} and {other}; first on line {known}")
        else:
            yield code, other, TIERS[tier], rank


def _titles(reading: Reading, occupations: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Reported titles first, then all others and their short forms; each once for an occupation, its own name never."""
    seen = {(code, title.casefold()) for code, (title, _) in occupations.items()}
    for table in TITLE_FILES:
        if table not in reading.files.members:
            continue
        member = reading.files.members[table]
        for line, row in _known(reading, table, occupations):
            if row["title"] in EMPTY:
                reading.tell(member, line, f"a title of {row['code']} is empty")
            for text in (row["title"], row.get("short", "")):
                key = (row["code"], text.casefold())
                if text not in EMPTY and key not in seen:
                    seen.add(key)
                    yield row["code"], text


def _cut_files(reading: Reading, occupations: Mapping[str, object]) -> None:
    """A file that was cut at the end of a line has no fault but its end: the other files go on where it stops."""
    for table, (reached, line) in reading.reached.items():
        others = [covered for other, covered in reading.covered.items() if other != table]
        tail = [code for code in occupations if code > reached and all(code in covered for covered in others)]
        if len(tail) > TAIL:
            what = f"ends at {reached}, but the other files go on to {max(tail)}; the file seems cut"
            reading.tell(reading.files.members[table], line, what)
