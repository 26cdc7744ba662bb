"""Every error that editors can make in the tables, with its exact message. No bytes raise."""

import pytest

from tests.support.world_files import FILES, Errors, problems, replaced

CLOSING = "limitation:vision-impairment,limitation:blind,source,atlas\n"
TITLE = "occupation:15-1252.00,software engineer,lay,atlas\n"
ERRORS: Errors = {
    # columns and rows
    "missing column": ("vendors.csv", "slug,name,short,url,sources\n", "slug,name,short,sources\n",
        "vendors.csv:1: missing column 'url'",
        "vendors.csv:2: row has 5 cells; the header has 4",
        "vendors.csv:3: row has 5 cells; the header has 4"),
    "unknown column": ("vendors.csv", "slug,name,short", "slug,nmae,short",
        "vendors.csv:1: missing column 'name'",
        "vendors.csv:1: unknown column 'nmae'; nearest: 'name'"),
    "duplicate column": ("broader.csv", "basis,sources", "basis,basis",
        "broader.csv:1: duplicate column 'basis'",
        "broader.csv:1: missing column 'sources'"),
    "too few cells": ("broader.csv", "source,atlas\nlimitation:low", "source\nlimitation:low",
        "broader.csv:3: row has 3 cells; the header has 4"),
    "too many cells": ("vendors.csv", "Quiet Works,", "Quiet, Works,",
        "vendors.csv:3: row has 6 cells; the header has 5"),
    "blank line": ("vendors.csv", "quiet-works,Quiet", "\nquiet-works,Quiet", "vendors.csv:3: blank line"),
    "open quote": ("vendors.csv", "Quiet Works", '"Quiet Works',
        "vendors.csv:3: a quote opened here is never closed"),
    "stray quote": ("vendors.csv", "Quiet Works", '"Quiet" Works',
        "vendors.csv:3: invalid CSV: ',' expected after '\"'"),
    # bytes
    "bad UTF-8": ("vendors.csv", "Brightline Access", b"Bright\xe9 Access", "vendors.csv:2: byte 0xE9 is not UTF-8"),
    "NUL byte": ("vendors.csv", "Quiet Works", "Quiet\0 Works", "vendors.csv:3: contains a NUL byte"),
    "byte order mark": ("vendors.csv", "slug,name", "\N{BOM}slug,name",
        "vendors.csv:1: starts with a byte order mark; save the file as UTF-8 without it"),
    "carriage return": ("redirects.csv", "solution:telework\n", "solution:telework\r\n",
        "redirects.csv:3: contains a carriage return; end lines with a line feed only"),
    # types and limits
    "not an integer": ("related_occupations.csv", "primary-short,1,", "primary-short,first,",
        "related_occupations.csv:2: 'rank' is 'first', not an integer"),
    "not a number": ("occupation_abilities.csv", "3.12,3.25", "nan,3.25",
        "occupation_abilities.csv:2: 'importance' is 'nan', not a number such as 3.25"),
    "not a date": ("sources.csv", "2026-02-20", "2026-02-30",
        "sources.csv:4: 'retrieved' is '2026-02-30', not a date such as 2026-01-31"),
    "not an address": ("vendors.csv", "https://fair.example.org/quiet-works", "fair.example.org",
        "vendors.csv:3: 'url' is 'fair.example.org', not an address such as https://example.org/"),
    "importance too high": ("occupation_abilities.csv", "3.12,3.25", "5.5,3.25",
        "occupation_abilities.csv:2: 'importance' is 5.5; it must be at most 5"),
    "importance too low": ("occupation_abilities.csv", "3.12,3.25", "0,3.25",
        "occupation_abilities.csv:2: 'importance' is 0; it must be at least 1"),
    "level too high": ("occupation_abilities.csv", "3.12,3.25", "3.12,7.1",
        "occupation_abilities.csv:2: 'level' is 7.1; it must be at most 7"),
    "level too low": ("occupation_abilities.csv", "3.12,3.25", "3.12,-1",
        "occupation_abilities.csv:2: 'level' is -1; it must be at least 0"),
    "no strength": ("limitation_abilities.csv", ",0.9,", ",0,",
        "limitation_abilities.csv:3: 'strength' is 0; it must be more than 0"),
    "too much strength": ("limitation_abilities.csv", ",0.9,", ",1.01,",
        "limitation_abilities.csv:3: 'strength' is 1.01; it must be at most 1"),
    "value not in the list": ("aliases.csv", "ADHD,abbreviation", "ADHD,abbrev",
        "aliases.csv:2: 'kind' is 'abbrev'; nearest: 'abbreviation'"),
    "value like none in the list": ("products.csv", "Hearing,ergonomic", "Hearing,toy",
        "products.csv:3: 'family' is 'toy'; valid: 'assistive', 'ergonomic', 'mainstream', 'protective'"),
    "bad slug": ("vendors.csv", "quiet-works,Quiet Works,Makes", "Quiet_Works,Quiet Works,Makes",
        "product_vendors.csv:2: unknown vendor 'quiet-works'; nearest: 'Quiet_Works'",
        "product_vendors.csv:3: unknown vendor 'quiet-works'; nearest: 'Quiet_Works'",
        "vendors.csv:3: 'slug' is 'Quiet_Works', which does not match [a-z0-9]+(-[a-z0-9]+)*; nearest: 'quiet-works'"),
    "bad code": ("occupations.csv", "15-1252.00,", "53-99,pilots,Pilots,4,,jobbook\n15-1252.00,",
        "occupations.csv:2: 'code' is '53-99', which does not match [0-9]{2}-[0-9]{4}\\.[0-9]{2}"),
    "empty name": ("vendors.csv", "Quiet Works,", ",", "vendors.csv:3: 'name' is empty"),
    "blank name": ("vendors.csv", "Quiet Works,", "  ,", "vendors.csv:3: 'name' is blank"),
    "leading whitespace": ("vendors.csv", "Quiet Works,", " Quiet Works,",
        "vendors.csv:3: 'name' has leading whitespace; write 'Quiet Works'"),
    "trailing whitespace": ("vendors.csv", "Quiet Works,", "Quiet Works ,",
        "vendors.csv:3: 'name' has trailing whitespace; write 'Quiet Works'"),
    "double whitespace": ("vendors.csv", "Quiet Works,", "Quiet  Works,",
        "vendors.csv:3: 'name' has double whitespace; write 'Quiet Works'"),
    "no-break space": ("vendors.csv", "Quiet Works,", "Quiet\N{NO-BREAK SPACE}Works,",
        "vendors.csv:3: 'name' has unusual (U+00A0) whitespace; write 'Quiet Works'"),
    "invisible character": ("vendors.csv", "Quiet Works,", "Quiet\N{ZERO WIDTH SPACE}Works,",
        "vendors.csv:3: 'name' contains the invisible character U+200B"),
    "short too long": ("vendors.csv", "Makes tools for calm and ordered work.", "Makes tools. " * 15 + "Makes them.",
        "vendors.csv:3: 'short' has 206 characters; the maximum is 200"),
    # keys
    "duplicate slug": ("vendors.csv", "quiet-works,Quiet", "brightline-access,Light,,,fair\nquiet-works,Quiet",
        "vendors.csv:3: duplicate slug: 'brightline-access'; first on line 2"),
    "duplicate code": ("abilities.csv", "1.A.4.a.1,", "1.A.3.b.1,breath,Breath,physical,,jobbook\n1.A.4.a.1,",
        "abilities.csv:4: duplicate code: '1.A.3.b.1'; first on line 3"),
    "duplicate row": ("disability_limitations.csv", "low-vision,blind,editors", "low-vision,low-vision,editors",
        "disability_limitations.csv:7: duplicate disability, limitation: 'low-vision', 'low-vision'; first on line 6"),
    "duplicate redirect": ("redirects.csv", "solution:working-from-home", "disability:add",
        "redirects.csv:3: duplicate old: 'disability:add'; first on line 2"),
    # references
    "unknown reference": ("product_vendors.csv", "hushband-headset", "hushband-headsets",
        "product_vendors.csv:3: unknown product 'hushband-headsets'; nearest: 'hushband-headset'"),
    "slug in place of a code": ("occupation_titles.csv", "15-1252.00", "software-developers",
        "occupation_titles.csv:2: unknown occupation 'software-developers'; nearest: '15-1252.00'"),
    "unknown entity": ("aliases.csv", "disability:crohns-disease", "disability:crohn-disease",
        "aliases.csv:4: unknown disability 'crohn-disease'; nearest: 'crohns-disease'"),
    "unknown type": ("aliases.csv", "disability:crohns-disease", "disabilty:crohns-disease",
        "aliases.csv:4: unknown type 'disabilty' in 'disabilty:crohns-disease'; nearest: 'disability'"),
    "no type": ("aliases.csv", "disability:crohns-disease", "crohns-disease",
        "aliases.csv:4: 'entity' is 'crohns-disease', not of the form type:key; nearest: 'disability:crohns-disease'"),
    "no key": ("aliases.csv", "disability:crohns-disease", "disability:",
        "aliases.csv:4: 'entity' is 'disability:'; the key after the colon is missing"),
    "wrong type for an edge": ("recommendations.csv", "workrelatedfunction:communicate", "solution:telework",
        "recommendations.csv:7: 'solution:telework' is a solution; 'via' accepts limitation or workrelatedfunction"),
    "pair that an edge does not connect": ("broader.csv", "disability:multiple-sclerosis", "limitation:low-vision",
        ("broader.csv:2: broader connects disability to disability or limitation to limitation, not disability to "
         "limitation")),
    "unknown source": ("aliases.csv", "ADHD,abbreviation,atlas", "ADHD,abbreviation,atlass",
        "aliases.csv:2: unknown source 'atlass'; nearest: 'atlas'"),
    "product without a source": ("products.csv", "hushband,fair", "hushband,",
        "products.csv:3: product without a source"),
    "relation without a source": ("product_vendors.csv", "headset,quiet-works,fair", "headset,quiet-works,",
        "product_vendors.csv:3: sold_by relation without a source"),
    "duplicate source": ("aliases.csv", "atlas|editors", "atlas|atlas",
        "aliases.csv:11: 'sources' lists 'atlas' twice"),
    "empty source": ("aliases.csv", "atlas|editors", "atlas|",
        "aliases.csv:11: 'sources' has an empty value next to '|'"),
    "whitespace around a source": ("aliases.csv", "atlas|editors", "atlas | editors",
        "aliases.csv:11: 'sources' has whitespace next to '|'; write 'atlas'",
        "aliases.csv:11: 'sources' has whitespace next to '|'; write 'editors'"),
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


@pytest.mark.parametrize("name", ERRORS)
def test_reports_an_error_with_its_line_and_the_nearest_value(name: str) -> None:
    file, old, new, *expected = ERRORS[name]
    assert problems({file: replaced(file, old, new)}) == expected


def test_counts_the_lines_inside_quoted_cells() -> None:
    # The first of the two long texts with line breaks covers lines 3 to 5.
    changes = {"disabilities.csv": replaced("disabilities.csv", "guillain-barre-syndrome,Gu", "crohns-disease,Gu")}
    assert "disabilities.csv:6: duplicate slug: 'crohns-disease'; first on line 3" in problems(changes)


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n"])
def test_reports_the_expected_header_of_an_empty_table(data: bytes) -> None:
    first = problems({"redirects.csv": data})[0]
    assert first == "redirects.csv:1: missing header; the first line must be: old,new"


def test_valid_tables_have_no_problems() -> None:
    assert problems({}) == []


def test_reports_the_problems_of_all_tables_together() -> None:
    same = "'low-vision', 'low-vision'; first on line 6"
    duplicate = f"disability_limitations.csv:7: duplicate disability, limitation: {same}"
    chosen = [
        *(ERRORS[name] for name in ("cycle", "redirect chain", "bad UTF-8")),
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


def test_lists_the_first_redirects_of_a_long_chain() -> None:
    rows = "".join(f"solution:old-{number},solution:old-{number + 1}\n" for number in range(3_000))
    messages = problems({"redirects.csv": FILES["redirects.csv"] + rows.encode()})
    first = " → ".join(f"solution:old-{number}" for number in range(21))
    assert f"redirects.csv:4: redirect chain: {first} → …; redirect to the last entity" in messages
    assert len(messages) == 3_000


def test_finds_the_nearest_of_many_values() -> None:
    slugs = [
        f"{kind}-{material}-{number}" for kind in ("lamp", "mat") for material in ("oak", "tin") for number in range(50)
    ]
    rows = [f"{slug},{slug},Software,assistive,,,fair\n" for slug in slugs]
    links = [f"checklists,{slug}x,,source,fair\n" for slug in slugs]
    changes = {
        "products.csv": FILES["products.csv"] + "".join(rows).encode(),
        "solution_products.csv": FILES["solution_products.csv"] + "".join(links).encode(),
    }
    messages = problems(changes)
    assert messages[0] == "solution_products.csv:6: unknown product 'lamp-oak-0x'; nearest: 'lamp-oak-0'"
    assert len(messages) == len(slugs)
