"""Releases of O*NET in all their layouts: what is read, what is noted, and the exact sentence for every fault."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from indexer.onet.files import OnetError, opened
from indexer.onet.layout import release_in, stem_of
from indexer.onet.reading import Occupation, OnetRelease, read_release
from indexer.onet.wording import wording
from indexer.problems import ContentError

SAMPLES = Path(__file__).parents[1] / "data" / "onet"
TEXT, CSV, NEWER = (SAMPLES / name for name in ("db_29_3_text", "db_30_3_csv", "db_31_0_csv"))


def ignored(_: int) -> None:
    """Nobody watches the bytes."""


def released(source: Path, number: str = "") -> OnetRelease:
    with opened(source) as files:
        return read_release(files, ignored, number)


def told(source: Path) -> list[str]:
    with pytest.raises(ContentError) as raised:
        released(source)
    return [str(problem) for problem in raised.value.problems]


def refused(source: Path, number: str = "") -> str:
    with pytest.raises(OnetError) as raised:
        released(source, number)
    return str(raised.value)


def zipped(folder: Path, archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(folder.iterdir()):
            made.write(path, f"{folder.name}/{path.name}")
    return archive


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CSV, tmp_path / CSV.name))


def edit(copy: Path, file: str, old: str, new: str) -> Path:
    path = copy / f"{file}.csv"
    text = path.read_bytes()
    assert old.encode() in text
    path.write_bytes(text.replace(old.encode(), new.encode(), 1))
    return copy


def test_text_and_csv_say_the_same() -> None:
    old, new = released(TEXT), released(CSV)
    assert (old.number, new.number) == ("29.3", "30.3")
    assert (old.notes, new.notes) == ((), ())
    for part in ("occupations", "abilities", "ratings", "titles", "related"):
        assert getattr(old, part) == getattr(new, part), part


def test_everything_that_is_taken() -> None:
    found = released(CSV)
    assert found.occupations["43-4051.00"] == Occupation(
        "Customer Service Representatives",
        'Answer customers who ask or complain, "first" by phone, then in writing.',
        "2",
    )
    assert found.occupations["53-7199.00"].zone == ""
    assert found.abilities["1.A.3.b.1"] == ("Stamina", "The power to go on with bodily work for hours.")
    assert list(found.abilities) == ["1.A.1.d.1", "1.A.3.b.1", "1.A.4.a.1"]
    assert found.ratings["15-1252.00", "1.A.1.d.1"] == ("3.12", "3.25")
    assert len(found.ratings) == 9
    assert found.titles == (
        ("15-1252.00", "Software Engineer"),
        ("43-4051.00", "Call Center Agent"),
        ("53-3032.00", "Long-Haul Trucker"),
        ("15-1252.00", "Application Developer (App Developer)"),
        ("15-1252.00", "App Developer"),
        ("53-3032.00", "Semi Driver"),
        ("53-7199.00", "Dock Hand"),
    )
    assert found.related[1] == ("43-4051.00", "15-1252.00", "primary-long", "6")


def test_a_newer_column_is_noted_and_passed_over() -> None:
    found = released(NEWER)
    assert found.notes == ("db_31_0_csv/abilities.csv: unknown column 'Data Quality' was passed over",)
    assert found.ratings["51-9197.00", "1.A.4.b.1"] == ("2.62", "2.50")


def test_an_archive_reads_as_its_folder_does(tmp_path: Path) -> None:
    assert released(zipped(NEWER, tmp_path / "onet.zip")).ratings == released(NEWER).ratings


def test_the_bytes_that_are_read_are_counted() -> None:
    read: list[int] = []
    with opened(CSV) as files:
        read_release(files, read.append)
    assert sum(read) == sum(member.size for member in files.members.values())


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("O*NET 30.3 Database\nMay 2026 Release\n", "30.3"),
        ("O*NET® 31.0 Database", "31.0"),
        ("db_29_1_text/Abilities.txt", "29.1"),
        ("db_30_3_csv.zip", "30.3"),
        ("onet-30.3", ""),
    ],
)
def test_the_release_stands_in_a_read_me_or_a_name(text: str, release: str) -> None:
    assert release_in(text) == release


@pytest.mark.parametrize("name", ["Sample of Reported Titles.txt", "sample_of_reported_titles.csv"])
def test_a_table_has_one_name_in_both_layouts(name: str) -> None:
    assert stem_of(name) == "sample_of_reported_titles"


@pytest.mark.parametrize(
    ("file", "old", "new", "what"),
    [
        ("abilities", "Data Value", "Value", "abilities.csv:1: missing column 'Data Value'"),
        (
            "job_titles",
            ",Job Title,",
            ",Name,",
            "job_titles.csv:1: missing column 'Job Title', called 'Alternate Title' before",
        ),
        ("job_zones", "Title,Job Zone", "Job Zone,Job Zone", "job_zones.csv:1: column 'Job Zone' stands twice"),
        ("occupation_data", "15-1252.00", "15-1252", "no O*NET-SOC code; one looks like 11-1011.00"),
        ("occupation_data", "43-4051.00", "15-1252.00", "duplicate occupation 15-1252.00; first on line 2"),
        ("occupation_data", "Software Developers,", ",", "occupation_data.csv:2: occupation 15-1252.00 has no title"),
        ("job_zones", ",4,", ",7,", "job_zones.csv:2: job zone '7'; valid: 1 to 5"),
        ("job_zones", "15-1252.00", "15-1253.00", "unknown occupation '15-1253.00'; nearest: '15-1252.00'"),
        ("abilities", "1.A.1.d.1", "1.A.1.d.9", "unknown ability '1.A.1.d.9'; nearest: '1.A.1.d.1'"),
        ("abilities", "3.12", "5.12", "abilities.csv:2: IM is '5.12'; it must be a number from 1 to 5"),
        ("abilities", "3.25", "much", "abilities.csv:3: LV is 'much'; it must be a number from 0 to 7"),
        ("abilities", "3.25", "nan", "abilities.csv:3: LV is 'nan'; it must be a number from 0 to 7"),
        ("abilities", "LV,Level,3.25", "IM,Level,3.25", "duplicate IM of 1.A.1.d.1 for 15-1252.00; first on line 2"),
        ("abilities", "LV,Level,3.25", "XX,Level,3.25", "1.A.1.d.1 of 15-1252.00 has no LV; the file seems cut"),
        ("related_occupations", "Primary-Short", "Primary", "unknown tier 'Primary'; nearest: 'Primary-Long'"),
        (
            "related_occupations",
            "Primary-Short,1",
            "Primary-Short,0",
            "index '0' is no place in a list; the first is 1",
        ),
        ("related_occupations", "43-4051.00", "15-1252.00", ":2: 15-1252.00 is related to itself"),
        ("sample_of_reported_titles", "Software Engineer", "", ":2: a title of 15-1252.00 is empty"),
        ("job_zones", ",Analyst", "", "job_zones.csv:2: 4 cells where the header has 5"),
        ("occupation_data", '"Plan', 'Plan "', "occupation_data.csv:2: 5 cells where the header has 3"),
    ],
)
def test_every_fault_is_told_with_its_line(copy: Path, file: str, old: str, new: str, what: str) -> None:
    assert any(what in line for line in told(edit(copy, file, old, new))), told(copy)


def test_faults_of_all_files_are_told_together_and_only_the_first_of_many(copy: Path) -> None:
    edit(copy, "job_zones", ",4,", ",7,")
    (copy / "occupation_data.csv").write_bytes(b"O*NET-SOC Code,Title,Description\r\n" + b"x,Y,Z\r\n" * 60)
    lines = told(copy)
    assert sum("no O*NET-SOC code" in line for line in lines) == 50
    assert "db_30_3_csv/occupation_data.csv:52: and more; the first 50 are listed" in lines


@pytest.mark.parametrize(
    ("file", "keep", "what"),
    [
        ("abilities", -2, "abilities.csv:19: the last line has no end; the file seems cut"),
        ("abilities", -60, "the last line has no end; the file seems cut"),
        ("occupation_data", 150, "the last line has no end; the file seems cut"),
        ("job_zones", 0, "job_zones.csv:1: missing column"),
    ],
)
def test_a_cut_file_is_refused(copy: Path, file: str, keep: int, what: str) -> None:
    path = copy / f"{file}.csv"
    path.write_bytes(path.read_bytes()[:keep])
    assert any(what in line for line in told(copy)), told(copy)


def test_a_file_cut_between_lines_lacks_abilities_or_ends_before_the_others(copy: Path) -> None:
    path = copy / "abilities.csv"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    assert told(copy) == [
        "db_30_3_csv/abilities.csv:17: 53-3032.00 has 2 of 3 abilities; the file seems cut",
    ]


def test_a_file_cut_between_occupations_ends_before_the_others(tmp_path: Path) -> None:
    codes = [f"11-10{number}.00" for number in range(20, 40)]
    files = {
        "occupation_data": "O*NET-SOC Code,Title,Description\n" + "".join(f"{code},T {code},D\n" for code in codes),
        "content_model_reference": "Element ID,Element Name,Description\n1.A.1.a.1,Hearing,Of words\n",
        "job_zones": "O*NET-SOC Code,Job Zone\n" + "".join(f"{code},3\n" for code in codes),
        "abilities": "O*NET-SOC Code,Element ID,Scale ID,Data Value\n"
        + "".join(f"{code},1.A.1.a.1,IM,3\n{code},1.A.1.a.1,LV,3\n" for code in codes[:14]),
        "related_occupations": "O*NET-SOC Code,Related O*NET-SOC Code,Relatedness Tier,Index\n"
        + "".join(f"{one},{other},Supplemental,1\n" for one, other in zip(codes, codes[1:] + codes[:1], strict=True)),
        "job_titles": "O*NET-SOC Code,Job Title\n" + "".join(f"{code},Job {code}\n" for code in codes),
    }
    folder = tmp_path / "db_31_0_csv"
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    assert told(folder) == [
        "db_31_0_csv/abilities.csv:28: ends at 11-1033.00, but the other files go on to 11-1039.00; the file seems cut"
    ]


def test_bytes_that_are_no_text_are_told_with_their_line(copy: Path) -> None:
    path = copy / "job_zones.csv"
    path.write_bytes(path.read_bytes().replace(b"Analyst", b"An\xe4lyst", 1))
    assert told(copy) == ["db_30_3_csv/job_zones.csv:2: byte 0xE4 is not UTF-8"]
    path.write_bytes(path.read_bytes().replace(b"\xe4", b"\0", 1))
    assert told(copy) == ["db_30_3_csv/job_zones.csv:2: has a NUL byte"]


def test_a_scale_that_nobody_knows_is_noted_once(copy: Path) -> None:
    path = copy / "abilities.csv"
    more = "".join(f"15-1252.00,T,1.A.1.d.1,M,XX,X,{n},8,0,1,2,N,N,08/2023,Analyst\r\n" for n in (1, 2))
    path.write_bytes(path.read_bytes() + more.encode())
    assert released(copy).notes == ("db_30_3_csv/abilities.csv: rows of the unknown scale 'XX' were passed over",)


def test_what_is_no_release_is_refused(tmp_path: Path, copy: Path) -> None:
    assert refused(tmp_path / "nowhere") == f"{tmp_path / 'nowhere'} does not exist."
    page = tmp_path / "db_30_3_csv.zip"
    page.write_text("<html>Not here</html>")
    assert refused(page) == "db_30_3_csv.zip is not a whole zip archive: File is not a zip file. Nothing was changed."
    (tmp_path / "empty").mkdir()
    assert "holds no files of an O*NET release" in refused(tmp_path / "empty")
    (tmp_path / "empty" / "Abilities.xlsx").touch()
    assert "It holds the Excel layout; take the text or csv files." in refused(tmp_path / "empty")
    (copy / "job_zones.csv").unlink()
    assert refused(copy) == "The release is not whole: no file job_zones (.csv or .txt). Nothing was changed."


def test_titles_may_come_from_either_file_but_must_come(copy: Path) -> None:
    (copy / "job_titles.csv").unlink()
    found = released(copy)
    assert found.notes == ("no file job_titles in this release; all job titles are from sample_of_reported_titles",)
    assert len(found.titles) == 3
    (copy / "sample_of_reported_titles.csv").unlink()
    assert refused(copy) == "The release is not whole: it has no job titles. Nothing was changed."


def test_two_files_for_one_table_are_one_too_many(copy: Path) -> None:
    (copy / "Job Zones.txt").touch()
    assert refused(copy).startswith("Two files for one table: db_30_3_csv/Job Zones.txt, db_30_3_csv/job_zones.csv.")


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    whole = zipped(CSV, tmp_path / "onet.zip").read_bytes()
    for damaged, what in (
        (whole[: len(whole) // 2], "is not a whole zip archive"),
        (whole.replace(whole[600:640], b"\0" * 40), "is damaged after line"),
    ):
        (tmp_path / "damaged.zip").write_bytes(damaged)
        assert what in refused(tmp_path / "damaged.zip")


def test_the_release_number_must_be_known_and_new_enough(copy: Path) -> None:
    assert refused(copy, "31.0") == "The files say that they are O*NET 30.3, not 31.0."
    (copy / "Read Me.txt").write_text("O*NET 28.2 Database\n")
    assert refused(copy) == "O*NET 28.2 is older than 29.0, the oldest release that is read."
    (copy / "Read Me.txt").write_text("O*NET 33.1 Database\n")
    assert released(copy).notes == ("release 33.1 is newer than those this program knows; look at the result",)
    (copy / "Read Me.txt").unlink()
    unnamed = copy.rename(copy.parent / "some files")
    assert refused(unnamed).startswith("Nothing says which release this is")
    assert refused(unnamed, "soon") == "'soon' is no release number; one looks like 30.3."
    assert released(unnamed, "30.2").number == "30.2"


def test_occupations_are_summed_up_by_what_they_lean_on() -> None:
    names = {"a": "Reach", "b": "Grip", "c": "Sight", "d": "Sound", "e": "Speech"}
    high = {"a": 4.0, "b": 4.0, "c": 3.5, "d": 3.25, "e": 3.0}
    sentence = wording({"one": high, "two": {**high, "e": 1.0}, "three": {"a": 2.0, "b": 1.0}}, names)
    assert [
        sentence("one", "Tailors", "2"),
        sentence("three", "Sitters", ""),
        sentence("four", "Dancers", "3"),
        sentence("five", "Workers, All Other", ""),
    ] == [
        "An occupation in job zone 2 that leans most on reach, grip and sight, and more than most jobs on speech.",
        "An occupation that leans most on reach and grip.",
        "An occupation that O*NET does not rate for abilities, in job zone 3.",
        "A group of jobs that O*NET counts together and does not rate for abilities.",
    ]
