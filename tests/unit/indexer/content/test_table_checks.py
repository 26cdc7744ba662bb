"""Every error that editors can make in hierarchies, redirects, groupings and aliases. No bytes raise."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.content.datapackage_schema import PACKAGE
from tests.support.world_files import FILES, Errors, problems, replaced

CLOSING = "limitation:vision-impairment,limitation:blind,source,atlas\n"
TITLE = "occupation:15-1252.00,software engineer,lay,atlas\n"
ERRORS: Errors = {
    # hierarchies
    "broader than itself": ("broader.csv", "blind,limitation:vision-impairment", "blind,limitation:blind",
        "broader.csv:3: 'limitation:blind' refers to itself"),
    "related to itself": ("related_occupations.csv", "15-1252.00,43-4051.00", "15-1252.00,15-1252.00",
        "related_occupations.csv:2: '15-1252.00' refers to itself"),
    "cycle": ("broader.csv", "atlas\nlimitation:low", "atlas\n" + CLOSING + "limitation:low",
        ("broader.csv:4: cycle in broader: "
         "limitation:vision-impairment → limitation:blind → limitation:vision-impairment")),
    "no main condition": ("condition_broader.csv", "chronic-optic-neuritis,optic-neuritis,source,,atlas\n", "",
        ("narrower_conditions.csv:3: 'chronic-optic-neuritis' is below no main condition; "
         "add a row to condition_broader.csv")),
    "duplicate across tables": ("narrower_conditions.csv", "Chronic Optic Neuritis", "Low vision",
        "narrower_conditions.csv:3: duplicate name: 'Low vision'; first in world/disabilities.csv:7"),
    # redirects
    "redirect of a living id": ("redirects.csv", "disability:add,", "disability:low-vision,",
        "redirects.csv:2: 'disability:low-vision' still exists; only retired ids may redirect"),
    "redirect to nothing": ("redirects.csv", "solution:telework", "solution:teleworking",
        "redirects.csv:3: unknown solution 'teleworking'; nearest: 'telework'"),
    "redirect to itself": ("redirects.csv", "solution:telework", "solution:working-from-home",
        "redirects.csv:3: 'solution:working-from-home' redirects to itself"),
    "redirect of an invalid id": ("redirects.csv", "disability:add", "disabilities:add",
        "redirects.csv:2: unknown type 'disabilities' in 'disabilities:add'; nearest: 'disability'"),
    "redirect chain": ("redirects.csv", "solution:telework\n", "solution:home\nsolution:home,solution:telework\n",
        ("redirects.csv:3: redirect chain: solution:working-from-home → solution:home → solution:telework; "
         "redirect to 'solution:telework'")),
    "redirect loop": ("redirects.csv", "telework\n", "home\nsolution:home,solution:working-from-home\n",
        "redirects.csv:3: redirect loop: solution:working-from-home → solution:home → solution:working-from-home",
        "redirects.csv:4: redirect loop: solution:home → solution:working-from-home → solution:home"),
    # groupings, and where solutions are used
    "unknown grouping": ("grouping_members.csv", "other-health-impairment,disability:crohns",
                         "other-health-impairments,disability:crohns",
        "grouping_members.csv:3: unknown grouping 'other-health-impairments'; nearest: 'other-health-impairment'"),
    "member of another type": ("grouping_members.csv", "disability:crohns-disease", "solution:telework",
        "grouping_members.csv:3: 'solution:telework' is a solution; 'entity' accepts disability or limitation"),
    "unknown setting": ("solutions.csv", "strategy,school|testing", "strategy,school|exams",
        ("solutions.csv:6: 'settings' is 'school|exams', which does not match "
         r"(work|school|testing)(\|(work|school|testing))*")),
    "page that is not an address": ("school_recommendations.csv", "checklists,source,https://", "checklists,source,",
        "school_recommendations.csv:2: 'page' is 'school.example.org/adhd', not an address such as https://example.org/"),
    # aliases
    "alias is the name": ("aliases.csv", "Regional Enteritis", "crohn's disease",
        "aliases.csv:4: alias \"crohn's disease\" repeats the name of 'disability:crohns-disease'"),
    "duplicate alias": ("aliases.csv", "Attention Deficit Disorder", "Adhd",
        ("aliases.csv:3: duplicate alias 'Adhd' of 'disability:attention-deficit-hyperactivity-disorder'; "
         "first on line 2")),
    "alias is a job title": ("aliases.csv", "disability:crohns", TITLE + "disability:crohns",
        ("occupation_titles.csv:2: duplicate alias 'Software Engineer' of 'occupation:15-1252.00'; "
         "first on world/aliases.csv:4")),
}  # fmt: skip
JUNK = st.one_of(st.binary(max_size=60), st.text('",|\n\r\0 a:-é', max_size=40).map(str.encode))


@pytest.mark.parametrize("name", ERRORS)
def test_reports_an_error_with_its_line_and_the_nearest_value(name: str) -> None:
    file, old, new, *expected = ERRORS[name]
    assert problems({file: replaced(file, old, new)}) == expected


def test_valid_tables_have_no_problems() -> None:
    assert problems({}) == []


def test_reports_the_problems_of_all_tables_together() -> None:
    same = "'low-vision', 'low-vision'; first on line 6"
    duplicate = f"disability_limitations.csv:7: duplicate disability, limitation: {same}"
    chosen = [
        *(ERRORS[name] for name in ("cycle", "redirect chain")),
        ("vendors.csv", "Brightline Access", b"Bright\xe9 Access", "vendors.csv:2: byte 0xE9 is not UTF-8"),
        ("disability_limitations.csv", "vision,blind,ed", "vision,low-vision,ed", duplicate),
    ]
    changes = {file: replaced(file, old, new) for file, old, new, *_ in chosen}
    assert problems(changes) == sorted(problem for _, _, _, *expected in chosen for problem in expected)


def test_reports_a_missing_table_once_and_not_for_each_reference() -> None:
    files = {name: data for name, data in FILES.items() if name != "solutions.csv"}
    assert problems({}, files) == ["solutions.csv:1: missing table; datapackage.json describes it"]


def test_does_not_report_references_to_a_table_that_cannot_be_parsed() -> None:
    changes = {"solutions.csv": replaced("solutions.csv", "flexible-schedule,Fl", 'flexible-schedule,"Fl')}
    assert problems(changes) == ["solutions.csv:3: invalid CSV: ',' expected after '\"'"]


def test_reports_an_unknown_table() -> None:
    assert problems({"product.csv": b"slug\n"}) == [
        "product.csv:1: unknown table; datapackage.json does not describe it; nearest: 'products.csv'"
    ]


@settings(max_examples=30, deadline=None, database=None)
@given(
    file=st.sampled_from([name for name in FILES if name != PACKAGE]),
    start=st.integers(0, 400),
    junk=JUNK,
    end=st.integers(0, 400),
)
def test_no_bytes_in_a_table_raise(file: str, start: int, junk: bytes, end: int) -> None:
    for problem in problems({file: FILES[file][:start] + junk + FILES[file][end:]}):
        assert problem.isprintable()
