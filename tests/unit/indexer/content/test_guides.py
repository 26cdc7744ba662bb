"""Problems of the tables of guides are named with their line."""

from indexer.content.csv_table import Table
from indexer.content.guides import guide_problems

GUIDE = {"id": "plan", "title": "Plan", "kind": "school", "country": "US", "text": "One. Two. Three.", "checked": ""}
LINKS = [{"guide": "plan", "title": "t", "publisher": "p", "url": f"https://{host}.example"} for host in "ab"]


def table(stem: str, rows: list[dict[str, str]]) -> Table:
    return Table(f"{stem}.csv", range(2, 2 + len(rows)), {name: [row[name] for row in rows] for name in rows[0]})


def problems(**tables: list[dict[str, str]]) -> list[str]:
    given = {"guides": [GUIDE], "guide_links": LINKS, **tables}
    return [str(problem) for problem in guide_problems({stem: table(stem, rows) for stem, rows in given.items()})]


def test_right_tables_have_no_problems() -> None:
    assert problems(guide_names=[{"guide": "plan", "name": "a plan"}]) == []


def test_an_unknown_guide_is_named_with_the_nearest() -> None:
    (problem,) = problems(guide_names=[{"guide": "plam", "name": "a plan"}])
    assert problem == "guide_names.csv:2: unknown guide 'plam'; nearest: 'plan'"


def test_a_name_belongs_to_one_guide() -> None:
    other = {**GUIDE, "id": "leave"}
    names = [{"guide": "plan", "name": "Time off"}, {"guide": "leave", "name": "time off"}]
    links = [*LINKS, *({**link, "guide": "leave"} for link in LINKS)]
    (problem,) = problems(guides=[GUIDE, other], guide_names=names, guide_links=links)
    assert problem == "guide_names.csv:3: name 'time off' is one of 'plan' too, on line 2"


def test_texts_and_links_have_bounds() -> None:
    (problem,) = problems(guides=[{**GUIDE, "text": "One sentence."}])
    assert problem == "guides.csv:2: a guide has 3 to 6 sentences; this one has 1"
    (problem,) = problems(guide_links=LINKS[:1])
    assert problem == "guides.csv:2: a guide has 2 to 4 links; this one has 1"
