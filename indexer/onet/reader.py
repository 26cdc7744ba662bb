"""Reads and validates a release: returns its facts, or raises every problem by file and line.

Files are read once, line by line. Unknown columns and scales are ignored with a note. Missing or malformed data is a
problem, and then nothing is imported.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from indexer.content.cell_checks import FORMATS
from indexer.content.problems import ContentError, NearestMatch, quote
from indexer.onet.archive import LAYOUTS, OnetError, ReleaseFiles
from indexer.onet.table_rows import ReadState, Row, table_rows

OLDEST_RELEASE, NEWEST_RELEASE = (29, 0), (31, 99)  # older releases are rejected, newer ones get a note
EMPTY_CELLS = ("", "n/a")  # how the text files write an empty cell
TIERS = {"Primary-Short": "primary-short", "Primary-Long": "primary-long", "Supplemental": "supplemental"}
SCALES = {"IM": (1.0, 5.0), "LV": (0.0, 7.0)}
OCCUPATION_CODE = re.compile(r"\d{2}-\d{4}\.\d{2}")
ABILITY_ID = re.compile(r"1\.A\.\d\.[a-z]\.\d{1,2}")
TITLE_FILES = ("reported", "titles")  # at least one is required
MAX_MISSING_AT_END = 5  # occupations that all other files have: if more are missing, the file is truncated
RANK = re.compile("[1-9][0-9]{0,2}")
Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class OnetRelease:
    """The facts of a release in its order, as rows of text.

    The job zone of an occupation is empty if O*NET states none. Only abilities with ratings are included.
    """

    number: str
    occupations: Rows  # code, title, zone, description
    abilities: Rows  # element, name, description
    titles: Rows  # code, title
    ratings: Rows  # code, element, importance, level
    related: Rows  # code, related code, tier, rank
    notes: tuple[str, ...]


def read_release(files: ReleaseFiles, on_bytes: Callable[[int], None], number: str = "") -> OnetRelease:
    """Read all files; raise ContentError with every problem, or OnetError if the release is unreadable."""
    release = release_number(files.release, number)
    missing = [table for table in LAYOUTS if table not in files.members]
    if required := [LAYOUTS[table].stems[0] for table in missing if table not in TITLE_FILES]:
        names = ", ".join(required)
        raise OnetError(f"The release is incomplete: file {names} (.csv or .txt) is missing. Nothing was changed.")
    if set(TITLE_FILES) <= set(missing):
        raise OnetError("The release is incomplete: it has no job titles. Nothing was changed.")
    state = ReadState(files, on_bytes)
    for table in missing:
        absent, present = (LAYOUTS[name].stems[0] for name in (table, *(set(TITLE_FILES) - {table})))
        state.notes.append(f"this release has no file {absent}; all job titles are from {present}")
    if parse_release(release) > NEWEST_RELEASE:
        state.notes.append(f"release {release} is newer than the supported releases; check the result")
    occupations = dict(_occupations(state))
    abilities = dict(_abilities(state))
    zones = dict(_zones(state, occupations))
    ratings = _ratings(state, occupations, abilities)
    related = tuple(_related(state, occupations))
    titles = tuple(_titles(state, occupations))
    _check_truncation(state, occupations)
    if state.problems:
        raise ContentError(sorted(state.problems))
    rated = {element for _, element, *_ in ratings}
    return OnetRelease(
        number=release,
        occupations=tuple((code, title, zones.get(code, ""), text) for code, (title, text) in occupations.items()),
        abilities=tuple((element, *ability) for element, ability in abilities.items() if element in rated),
        titles=titles,
        ratings=ratings,
        related=related,
        notes=tuple(state.notes),
    )


def release_number(stated: str, option: str) -> str:
    """Return the release number; raise OnetError if it is unknown, not that of the option, or too old."""
    if stated and option and stated != option:
        raise OnetError(f"The files are O*NET {stated}, not {option}.")
    release = stated or option
    if not release:
        message = "The release number is unknown: there is no Read Me and no name like db_30_3_csv. Use --release 30.3."
        raise OnetError(message)
    if parse_release(release) < OLDEST_RELEASE:
        oldest = ".".join(map(str, OLDEST_RELEASE))
        raise OnetError(f"O*NET {release} is not supported; the oldest supported release is {oldest}.")
    return release


def parse_release(release: str) -> tuple[int, int]:
    """Return `30.3` as (30, 3)."""
    major, _, minor = release.partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        raise OnetError(f"{quote(release)} is not a release number such as 30.3.")
    return int(major), int(minor)


def _occupations(state: ReadState) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield title and description by code."""
    first = dict[str, int]()
    for line, row in table_rows(state, "occupations"):
        code = row["code"]
        if not OCCUPATION_CODE.fullmatch(code):
            state.add_problem("occupations", line, f"{quote(code)} is not an O*NET-SOC code such as 11-1011.00")
        elif code in first:
            state.add_problem("occupations", line, f"duplicate occupation {code}; first on line {first[code]}")
        elif not (row["title"] and row["description"]):
            state.add_problem(
                "occupations", line, f"occupation {code} has no {'description' if row['title'] else 'title'}"
            )
        else:
            first[code] = line
            yield code, (row["title"], row["description"])


def _abilities(state: ReadState) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield name and description of the abilities of the content model by element id."""
    for line, row in table_rows(state, "elements"):
        if ABILITY_ID.fullmatch(row["element"]):
            if row["name"]:
                yield row["element"], (row["name"], row["description"])
            else:
                state.add_problem("elements", line, f"element {row['element']} has no name")


def _rows_of_occupations(state: ReadState, table: str, occupations: Mapping[str, object]) -> Iterator[Row]:
    nearest, codes = NearestMatch(occupations), state.occupations[table]
    for line, row in table_rows(state, table):
        code = row["code"]
        if code in occupations:
            if code not in codes:
                codes.add(code)
                state.last_occupations[table] = max(state.last_occupations.get(table, ("", 0)), (code, line))
            yield line, row
        elif occupations:
            state.add_problem(table, line, f"unknown occupation {quote(code)}{nearest.hint(code)}")


def _zones(state: ReadState, occupations: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    first = dict[str, int]()
    for line, row in _rows_of_occupations(state, "zones", occupations):
        if row["zone"] not in {"1", "2", "3", "4", "5"}:
            state.add_problem("zones", line, f"job zone is {quote(row['zone'])}; valid: 1 to 5")
        elif row["code"] in first:
            state.add_problem("zones", line, f"duplicate occupation {row['code']}; first on line {first[row['code']]}")
        else:
            first[row["code"]] = line
            yield row["code"], row["zone"]


def _ratings(state: ReadState, occupations: Mapping[str, object], abilities: Mapping[str, object]) -> Rows:
    nearest = NearestMatch(abilities)
    values: dict[tuple[str, str], dict[str, tuple[str, int]]] = {}
    for line, row in _rows_of_occupations(state, "ratings", occupations):
        element, scale, value = row["element"], row["scale"], row["value"]
        if element not in abilities:
            state.add_problem("ratings", line, f"unknown ability {quote(element)}{nearest.hint(element)}")
        elif scale not in SCALES:
            note = f"{state.files.members['ratings'].name}: ignored rows of unknown scale {quote(scale)}"
            state.notes += [note] if note not in state.notes else []
        elif not FORMATS["number"].pattern.fullmatch(value) or not SCALES[scale][0] <= float(value) <= SCALES[scale][1]:
            low, high = SCALES[scale]
            state.add_problem(
                "ratings", line, f"{scale} is {quote(value)}; it must be a number from {low:g} to {high:g}"
            )
        elif scale in (pair := values.setdefault((row["code"], element), {})):
            message = f"duplicate {scale} of {element} for {row['code']}; first on line {pair[scale][1]}"
            state.add_problem("ratings", line, message)
        else:
            pair[scale] = (value, line)
    return tuple(_complete_ratings(state, values))


def _complete_ratings(
    state: ReadState, values: Mapping[tuple[str, str], Mapping[str, tuple[str, int]]]
) -> Iterator[tuple[str, ...]]:
    """Yield ratings that have both values. Every rated occupation must be rated for all rated abilities."""
    counts = Counter(code for code, _ in values)
    last: dict[str, int] = {}
    for (code, element), pair in values.items():
        last[code] = max(line for _, line in pair.values())
        if len(pair) == len(SCALES):
            yield code, element, pair["IM"][0], pair["LV"][0]
        else:
            (missing,) = SCALES.keys() - pair
            state.add_problem("ratings", last[code], f"{element} of {code} has no {missing}; the file seems truncated")
    expected = len({element for _, element in values})
    for code, count in counts.items():
        if count < expected:
            message = f"{code} has {count} of {expected} abilities; the file seems truncated"
            state.add_problem("ratings", last[code], message)


def _related(state: ReadState, occupations: Mapping[str, object]) -> Iterator[tuple[str, str, str, str]]:
    nearest, tiers = NearestMatch(occupations), NearestMatch(TIERS)
    first: dict[tuple[str, str], int] = {}
    for line, row in _rows_of_occupations(state, "related", occupations):
        code, related, tier, rank = row["code"], row["related"], row["tier"], row["rank"]
        if related not in occupations:
            state.add_problem("related", line, f"unknown occupation {quote(related)}{nearest.hint(related)}")
        elif related == code:
            state.add_problem("related", line, f"{code} is related to itself")
        elif tier not in TIERS:
            state.add_problem("related", line, f"unknown tier {quote(tier)}{tiers.hint(tier)}")
        elif not RANK.fullmatch(rank):
            state.add_problem("related", line, f"index {quote(rank)} is not a rank; ranks count from 1")
        elif (known := first.setdefault((code, related), line)) != line:
            state.add_problem("related", line, f"duplicate: {code} and {related}; first on line {known}")
        else:
            yield code, related, TIERS[tier], rank


def _titles(state: ReadState, occupations: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield reported titles, then others with their short forms, each once and never the occupation's name."""
    seen = {(code, title.casefold()) for code, (title, _) in occupations.items()}
    for table in filter(state.files.members.get, TITLE_FILES):
        for line, row in _rows_of_occupations(state, table, occupations):
            if row["title"] in EMPTY_CELLS:
                state.add_problem(table, line, f"a title of {row['code']} is empty")
            for text in (row["title"], row.get("short", "")):
                key = (row["code"], text.casefold())
                if text not in EMPTY_CELLS and key not in seen:
                    seen.add(key)
                    yield row["code"], text


def _check_truncation(state: ReadState, occupations: Mapping[str, object]) -> None:
    """Report files that end early: a file truncated between two lines has no other error."""
    for table, (last_code, line) in state.last_occupations.items():
        others = [codes for name, codes in state.occupations.items() if name != table]
        missing = [code for code in occupations if code > last_code and all(code in codes for codes in others)]
        if len(missing) > MAX_MISSING_AT_END:
            message = f"ends at {last_code}, but the other files continue to {max(missing)}; the file seems truncated"
            state.add_problem(table, line, message)
