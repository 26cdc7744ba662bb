"""Decision records are numbered without gaps, and each is one page with the same three headings."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.markdown import sections
from tests.support.project import DOCS, ROOT

RECORDS = sorted(path for path in (DOCS / "decisions").iterdir() if path.name != "README.md")
NAME = re.compile(r"(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md")
# A title is a decision: it begins with a verb in the imperative.
VERBS = (
    "Add|Build|Check|Correct|Count|Demote|Fold|Keep|Limit|Match|Model|Organize|Precompute|"
    "Publish|Query|Rank|Render|Restore|Search|Send|Serve|Store|Use|Verify"
)
LIST = (DOCS / "decisions/README.md").read_text("utf-8")
RELATION = re.compile(
    r"(Supersedes|Superseded by|Amends|Amended by)((?:,?\s(?:and\s)?\[\d{4}\]\([^)]*\))+)", re.IGNORECASE
)
STATUS = re.compile(r"(?:Supersedes|Superseded by|Amends|Amended by|Amended:) \S")
HEADINGS = ["Context", "Decision", "Consequences"]
ONE_PAGE = 60  # lines


def test_records_are_numbered_without_gaps() -> None:
    numbers = [int(name[1]) if (name := NAME.fullmatch(path.name)) else path.name for path in RECORDS]
    assert numbers == [*range(1, len(RECORDS) + 1)]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_record_is_one_page_with_a_decision_as_its_title(path: Path) -> None:
    text = path.read_text("utf-8")
    title, *parts = sections(text)
    assert re.fullmatch(rf"{path.name[:4]}\. ({VERBS}) .+", title.title)
    assert path.stem == re.sub(r"[^a-z0-9]+", "-", title.title.lower())
    assert not title.text.strip() or STATUS.match(title.text.strip())
    assert title.level == 1
    assert [(part.level, part.title) for part in parts] == [(2, heading) for heading in HEADINGS]
    assert all(part.text.strip() for part in parts)
    assert len(text.splitlines()) <= ONE_PAGE


def relations() -> dict[str, dict[str, list[str]]]:
    """The records that each record names below its title, by how they are related."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in RECORDS:
        heading = path.read_text("utf-8").partition("## Context")[0]
        named = found.setdefault(path.name[:4], {})
        for verb, links in RELATION.findall(heading):
            named.setdefault(verb.capitalize(), []).extend(re.findall(r"\[(\d{4})\]", links))
    return found


@pytest.mark.parametrize(("passive", "active"), [("Superseded by", "Supersedes"), ("Amended by", "Amends")])
def test_related_records_link_to_each_other(passive: str, active: str) -> None:
    named = relations()
    later = {(old, new) for old, links in named.items() for new in links.get(passive, ())}
    earlier = {(old, new) for new, links in named.items() for old in links.get(active, ())}
    assert later == earlier
    assert later


def test_the_list_of_decisions_has_the_status_of_each() -> None:
    for number, named in relations().items():
        verb = next((verb for verb in ("Superseded by", "Amended by") if verb in named), None)
        (status,) = re.findall(rf"(?m)^\| \[{number}\].* \| (.+) \|$", LIST)
        others = re.findall(r"\[(\d{4})\]", status)
        assert status.startswith(verb.lower() if verb else ("accepted", "amended"))
        assert others == (named[verb] if verb else [])


def test_the_list_of_decisions_has_every_title() -> None:
    rows = re.findall(r"(?m)^\| \[(\d{4})\]\(\S+\) \| (.+?) \|", LIST)
    titles = [path.read_text("utf-8").partition("\n")[0].removeprefix("# ") for path in RECORDS]
    assert [f"{number}. {title}" for number, title in rows] == titles


def test_the_record_of_libraries_names_each_direct_dependency() -> None:
    (record,) = (path for path in RECORDS if path.name.startswith("0034-"))
    rows = re.findall(r"(?m)^\| ([a-z][a-z0-9-]*) \| \S", record.read_text("utf-8"))
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert [row for row in rows if row != "library"] == sorted(Requirement(text).name for text in dependencies)
