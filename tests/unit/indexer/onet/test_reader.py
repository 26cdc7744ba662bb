"""Reading O*NET releases: facts, notes and the exact message of every error."""

from itertools import pairwise
from pathlib import Path

import pytest

from indexer.content.problems import ContentError
from indexer.onet.archive import open_release
from indexer.onet.reader import read_release
from tests.support.onet_samples import CSV, NEWER, TEXT, error_message, read


def problems(source: Path) -> list[str]:
    with pytest.raises(ContentError) as raised:
        read(source)
    return [str(problem) for problem in raised.value.problems]


def edit(copy: Path, file: str, old: str, new: str) -> Path:
    path = copy / f"{file}.csv"
    text = path.read_bytes()
    assert old.encode() in text
    path.write_bytes(text.replace(old.encode(), new.encode(), 1))
    return copy


def test_text_and_csv_releases_have_the_same_facts() -> None:
    old, new = read(TEXT), read(CSV)
    assert (old.number, new.number) == ("29.3", "30.3")
    assert (old.notes, new.notes) == ((), ())
    for part in ("occupations", "abilities", "ratings", "titles", "related"):
        assert getattr(old, part) == getattr(new, part), part


def test_reads_all_facts() -> None:
    release = read(CSV)
    assert release.occupations[1] == (
        "43-4051.00",
        "Customer Service Representatives",
        "2",
        'Answer customers who ask or complain, "first" by phone, then in writing.',
    )
    assert [zone for code, _, zone, _ in release.occupations if code == "53-7199.00"] == [""]
    assert release.abilities[1] == ("1.A.3.b.1", "Stamina", "The power to go on with bodily work for hours.")
    assert [element for element, *_ in release.abilities] == ["1.A.1.d.1", "1.A.3.b.1", "1.A.4.a.1"]
    assert release.ratings[0] == ("15-1252.00", "1.A.1.d.1", "3.12", "3.25")
    assert len(release.ratings) == 9
    assert release.titles == (
        ("15-1252.00", "Software Engineer"),
        ("43-4051.00", "Call Center Agent"),
        ("53-3032.00", "Long-Haul Trucker"),
        ("15-1252.00", "Application Developer (App Developer)"),
        ("15-1252.00", "App Developer"),
        ("53-3032.00", "Semi Driver"),
        ("53-7199.00", "Dock Hand"),
    )
    assert release.related[1] == ("43-4051.00", "15-1252.00", "primary-long", "6")


def test_ignores_an_unknown_column_with_a_note() -> None:
    release = read(NEWER)
    assert release.notes == ("db_31_0_csv/abilities.csv: ignored unknown column 'Data Quality'",)
    assert ("51-9197.00", "1.A.4.b.1", "2.62", "2.50") in release.ratings


def test_reports_the_number_of_bytes_read() -> None:
    counts: list[int] = []
    with open_release(CSV) as files:
        read_release(files, counts.append)
    assert sum(counts) == sum(member.size for member in files.members.values())


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("abilities", "Data Value", "Value", "abilities.csv:1: missing column 'Data Value'"),
        (
            "job_titles",
            ",Job Title,",
            ",Name,",
            "job_titles.csv:1: missing column 'Job Title' (in older releases 'Alternate Title')",
        ),
        ("job_zones", "Title,Job Zone", "Job Zone,Job Zone", "job_zones.csv:1: duplicate column 'Job Zone'"),
        ("occupation_data", "15-1252.00", "15-1252", "not an O*NET-SOC code such as 11-1011.00"),
        ("occupation_data", "43-4051.00", "15-1252.00", "duplicate occupation 15-1252.00; first on line 2"),
        ("occupation_data", "Software Developers,", ",", "occupation_data.csv:2: occupation 15-1252.00 has no title"),
        ("job_zones", ",4,", ",7,", "job_zones.csv:2: job zone is '7'; valid: 1 to 5"),
        ("job_zones", "15-1252.00", "15-1253.00", "unknown occupation '15-1253.00'; nearest: '15-1252.00'"),
        ("abilities", "1.A.1.d.1", "1.A.1.d.9", "unknown ability '1.A.1.d.9'; nearest: '1.A.1.d.1'"),
        ("abilities", "3.12", "5.12", "abilities.csv:2: IM is '5.12'; it must be a number from 1 to 5"),
        ("abilities", "3.25", "much", "abilities.csv:3: LV is 'much'; it must be a number from 0 to 7"),
        ("abilities", "3.25", "nan", "abilities.csv:3: LV is 'nan'; it must be a number from 0 to 7"),
        ("abilities", "LV,Level,3.25", "IM,Level,3.25", "duplicate IM of 1.A.1.d.1 for 15-1252.00; first on line 2"),
        ("abilities", "LV,Level,3.25", "XX,Level,3.25", "1.A.1.d.1 of 15-1252.00 has no LV; the file seems truncated"),
        ("related_occupations", "Primary-Short", "Primary", "unknown tier 'Primary'; nearest: 'Primary-Long'"),
        ("related_occupations", "Primary-Short,1", "Primary-Short,0", "index '0' is not a rank; ranks count from 1"),
        ("related_occupations", "43-4051.00", "15-1252.00", ":2: 15-1252.00 is related to itself"),
        ("sample_of_reported_titles", "Software Engineer", "", ":2: a title of 15-1252.00 is empty"),
        ("job_zones", ",Analyst", "", "job_zones.csv:2: row has 4 cells; the header has 5"),
        ("occupation_data", '"Plan', 'Plan "', "occupation_data.csv:2: row has 5 cells; the header has 3"),
    ],
)
def test_reports_every_error_with_its_line(copy: Path, file: str, old: str, new: str, message: str) -> None:
    assert any(message in line for line in problems(edit(copy, file, old, new))), problems(copy)


def test_reports_the_errors_of_all_files_and_at_most_50_per_file(copy: Path) -> None:
    edit(copy, "job_zones", ",4,", ",7,")
    (copy / "occupation_data.csv").write_bytes(b"O*NET-SOC Code,Title,Description\r\n" + b"x,Y,Z\r\n" * 60)
    messages = problems(copy)
    assert sum("not an O*NET-SOC code" in message for message in messages) == 50
    assert "db_30_3_csv/occupation_data.csv:52: more problems follow; only the first 50 are listed" in messages


@pytest.mark.parametrize(
    ("file", "length", "message"),
    [
        ("abilities", -2, "abilities.csv:19: the last line has no line ending; the file seems truncated"),
        ("abilities", -60, "the last line has no line ending; the file seems truncated"),
        ("occupation_data", 150, "the last line has no line ending; the file seems truncated"),
        ("job_zones", 0, "job_zones.csv:1: missing column"),
    ],
)
def test_rejects_a_truncated_file(copy: Path, file: str, length: int, message: str) -> None:
    path = copy / f"{file}.csv"
    path.write_bytes(path.read_bytes()[:length])
    assert any(message in line for line in problems(copy)), problems(copy)


def test_rejects_a_file_truncated_between_lines(copy: Path) -> None:
    path = copy / "abilities.csv"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    truncated = "db_30_3_csv/abilities.csv:17: 53-3032.00 has 2 of 3 abilities; the file seems truncated"
    assert problems(copy) == [truncated]


def test_rejects_a_file_truncated_between_occupations(tmp_path: Path) -> None:
    codes = [f"11-10{number}.00" for number in range(20, 40)]
    tables = {
        "occupation_data": ["O*NET-SOC Code,Title,Description", *(f"{code},T {code},D" for code in codes)],
        "content_model_reference": ["Element ID,Element Name,Description", "1.A.1.a.1,Hearing,Of words"],
        "job_zones": ["O*NET-SOC Code,Job Zone", *(f"{code},3" for code in codes)],
        "abilities": [
            "O*NET-SOC Code,Element ID,Scale ID,Data Value",
            *(f"{code},1.A.1.a.1,{scale},3" for code in codes[:14] for scale in ("IM", "LV")),
        ],
        "related_occupations": [
            "O*NET-SOC Code,Related O*NET-SOC Code,Relatedness Tier,Index",
            *(f"{code},{related},Supplemental,1" for code, related in pairwise([*codes, codes[0]])),
        ],
        "job_titles": ["O*NET-SOC Code,Job Title", *(f"{code},Job {code}" for code in codes)],
    }
    folder = tmp_path / "db_31_0_csv"
    folder.mkdir()
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    (problem,) = problems(folder)
    assert problem == (
        "db_31_0_csv/abilities.csv:28: ends at 11-1033.00, but the other files continue to 11-1039.00; "
        "the file seems truncated"
    )


def test_reports_undecodable_bytes_with_their_line(copy: Path) -> None:
    path = copy / "job_zones.csv"
    path.write_bytes(path.read_bytes().replace(b"Analyst", b"An\xe4lyst", 1))
    assert problems(copy) == ["db_30_3_csv/job_zones.csv:2: byte 0xE4 is not UTF-8"]
    path.write_bytes(path.read_bytes().replace(b"\xe4", b"\0", 1))
    assert problems(copy) == ["db_30_3_csv/job_zones.csv:2: contains a NUL byte"]


def test_ignores_an_unknown_scale_with_one_note(copy: Path) -> None:
    path = copy / "abilities.csv"
    more = "".join(f"15-1252.00,T,1.A.1.d.1,M,XX,X,{n},8,0,1,2,N,N,08/2023,Analyst\r\n" for n in (1, 2))
    path.write_bytes(path.read_bytes() + more.encode())
    assert read(copy).notes == ("db_30_3_csv/abilities.csv: ignored rows of unknown scale 'XX'",)


def test_requires_one_of_the_two_title_files(copy: Path) -> None:
    (copy / "job_titles.csv").unlink()
    release = read(copy)
    assert release.notes == ("this release has no file job_titles; all job titles are from sample_of_reported_titles",)
    assert len(release.titles) == 3
    (copy / "sample_of_reported_titles.csv").unlink()
    assert error_message(copy) == "The release is incomplete: it has no job titles. Nothing was changed."


def test_requires_a_supported_release_number(copy: Path) -> None:
    assert error_message(copy, "31.0") == "The files are O*NET 30.3, not 31.0."
    (copy / "Read Me.txt").write_text("O*NET 28.2 Database\n")
    assert error_message(copy) == "O*NET 28.2 is not supported; the oldest supported release is 29.0."
    (copy / "Read Me.txt").write_text("O*NET 33.1 Database\n")
    assert read(copy).notes == ("release 33.1 is newer than the supported releases; check the result",)
    (copy / "Read Me.txt").unlink()
    unnamed = copy.rename(copy.parent / "some files")
    assert error_message(unnamed).startswith("The release number is unknown")
    assert error_message(unnamed, "soon") == "'soon' is not a release number such as 30.3."
    assert read(unnamed, "30.2").number == "30.2"
