"""Loading the content folder, and its version."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import orjson
import pytest

from indexer.content.loader import content_version, load_content, row_counts
from indexer.content.problems import ContentError
from indexer.content.rows import (
    Alias,
    Content,
    Entity,
    FirstChoice,
    Grouping,
    GroupingMember,
    Link,
    MadeFor,
    MainNeed,
    Rating,
    Recommendation,
    RelatedOccupation,
    SchoolRecommendation,
    Source,
)
from indexer.graph.coverage import gaps
from tests.support.project import WORLD
from tests.support.world_files import VOCABULARY, copy_world

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return copy_world(tmp_path / "world")


def problems_of(folder: Path) -> list[str]:
    with pytest.raises(ContentError) as raised:
        load_content(folder, VOCABULARY)
    return list(map(str, raised.value.problems))


def test_loads_every_row(content: Content) -> None:
    assert Counter(link.edge for link in content.links) == {
        "has_limitation": 9,
        "affects": 3,
        "implemented_by": 4,
        "sold_by": 4,
        "limits": 3,
        "broader": 6,
    }
    assert Counter(alias.kind for alias in content.aliases) == {
        "abbreviation": 5,
        "older": 2,
        "lay": 4,
        "hidden": 1,
        "near": 1,
        "synonym": 1,
        "title": 3,
    }
    assert (len(content.sources), len(content.recommendations), len(content.ratings)) == (5, 18, 9)
    assert content.redirects == {
        "disability:add": "disability:attention-deficit-hyperactivity-disorder",
        "solution:working-from-home": "solution:telework",
    }


def test_ids_are_full_and_values_are_typed(content: Content) -> None:
    entities = {entity.id: entity for entity in content.entities}
    assert entities["product:hushband-headset"] == Entity(
        "product:hushband-headset",
        "product",
        "hushband-headset",
        "HushBand Headset",
        "Headphones that cancel noise, for open offices.",
        "",
        "https://fair.example.org/hushband",
        ("fair",),
        {"category": "Hearing", "family": "ergonomic"},
    )
    assert entities["occupation:15-1252.00"].slug == "software-developers"
    assert entities["occupation:15-1252.00"].facts == {"job_zone": "4"}
    assert entities["ability:1.A.3.b.1"].facts == {"group": "physical"}
    assert entities["disability:guillain-barre-syndrome"].name == "Guillain-Barré Syndrome"
    assert entities["disability:crohns-disease"].plain.count("\n") == 2
    assert content.sources[1] == Source(
        "jobbook",
        "The Job Book 7",
        "Office of Jobs",
        "https://jobs.example.org/book",
        "CC-BY-4.0",
        "Includes information from The Job Book 7 by the Office of Jobs.",
        "2026-02-01",
        "https://creativecommons.org/licenses/by/4.0/",
    )


def test_relations_have_the_columns_of_their_tables(content: Content) -> None:
    links = {(link.source, link.target): link for link in content.links}
    magnifier, pocket = "solution:screen-magnification-software", "product:largeview-pocket"
    reason = "It enlarges print that is not on a screen."
    derived = Link("implemented_by", magnifier, pocket, "derived", ("fair", "editors"), None, reason)
    assert links[magnifier, pocket] == derived
    assert links["disability:crohns-disease", "workrelatedfunction:commute"].basis == "source"
    assert links["limitation:low-vision", "limitation:vision-impairment"].edge == "broader"
    assert links["limitation:low-vision", "ability:1.A.4.a.1"].weight == 0.9
    reading = ("disability:low-vision", "limitation:low-vision", magnifier, "Reading", ("atlas", "fair"))
    assert Recommendation(*reading) in content.recommendations
    assert content.ratings[0] == Rating("occupation:15-1252.00", "ability:1.A.1.d.1", 3.12, 3.25, ("jobbook",))
    assert content.related_occupations[1] == RelatedOccupation(
        "occupation:43-4051.00", "occupation:15-1252.00", "primary-long", 6, ("jobbook",)
    )
    assert content.aliases[-1] == Alias("occupation:53-3032.00", "Long-Haul Trucker", "title", ("jobbook",))


def test_school_recommendations_keep_their_page_and_members_their_grouping(content: Content) -> None:
    adhd = "disability:attention-deficit-hyperactivity-disorder"
    assert len(content.school) == 6
    assert content.school[0] == SchoolRecommendation(
        adhd, "solution:checklists", "source", "https://school.example.org/adhd", ("pages",)
    )
    assert content.school[3] == SchoolRecommendation(
        "disability:crohns-disease", "solution:preferential-seating", "editorial", "", ("editors",)
    )
    grouping = Grouping(
        "other-health-impairment",
        "IDEA",
        "Other Health Impairment",
        ("OHI",),
        "A health condition that limits strength or alertness at school.",
    )
    assert content.members == (
        GroupingMember(grouping, adhd, "source", "", ("pages",)),
        GroupingMember(grouping, "disability:crohns-disease", "editorial", "in a flare", ("editors",)),
    )


def test_loads_editorial_judgements(content: Content) -> None:
    assert content.main_needs == (MainNeed("disability:multiple-sclerosis", "limitation:decreased-stamina-fatigue"),)
    assert content.first_choices == (
        FirstChoice("limitation:memory-loss", "solution:checklists", 0.5, ("editors",)),
        FirstChoice("limitation:memory-loss", "solution:written-instructions", 1.0, ("editors",)),
    )
    assert content.made_for == (MadeFor("solution:noise-canceling-headsets", "occupation:43-4"),)


def test_the_basis_of_a_relation_with_only_editors_as_source_is_editorial(world: Path) -> None:
    table = world / "disability_limitations.csv"
    table.write_text(table.read_text().replace("low-vision,blind,editors", "low-vision,blind,editorial"))
    sources = world / "sources.csv"
    sources.write_text(f"{sources.read_text()}editorial,Our editors,Test world,,CC0-1.0,,,\n")
    bases = {(link.source, link.target): link.basis for link in load_content(world, VOCABULARY).links}
    assert bases["disability:low-vision", "limitation:blind"] == "editorial"
    assert bases["disability:low-vision", "limitation:low-vision"] == "source"


@pytest.mark.parametrize("stem", ["limitation_abilities", "main_needs", "first_choices", "made_for"])
def test_tables_of_editorial_judgements_are_optional(world: Path, stem: str) -> None:
    (world / f"{stem}.csv").unlink()
    package = world / "datapackage.json"
    described = orjson.loads(package.read_bytes())
    described["resources"] = [table for table in described["resources"] if table["name"] != stem]
    package.write_bytes(orjson.dumps(described))
    content = load_content(world, VOCABULARY)
    assert ("limits" in {link.edge for link in content.links}) == (stem != "limitation_abilities")
    assert bool(content.main_needs) == (stem != "main_needs")
    assert bool(content.first_choices) == (stem != "first_choices")
    assert bool(content.made_for) == (stem != "made_for")


def test_raises_every_problem(world: Path) -> None:
    (world / "vendors.csv").unlink()
    (world / "redirects.csv").write_text("old,new\nvendor:quiet,solution:teleworking\ndisability:add\n")
    assert problems_of(world) == [
        "world/redirects.csv:2: unknown solution 'teleworking'; nearest: 'telework'",
        "world/redirects.csv:3: row has 1 cells; the header has 2",
        "world/vendors.csv:1: missing table; datapackage.json describes it",
    ]


def test_reports_unreadable_files_and_folders(world: Path) -> None:
    (world / "vendors.csv").unlink()
    (world / "vendors.csv").mkdir()
    assert problems_of(world)[0] == "world/vendors.csv:1: cannot be read: Is a directory"
    assert problems_of(world / "nowhere") == [
        "nowhere/datapackage.json:1: missing file; it describes the tables and their columns"
    ]
    with pytest.raises(ContentError):
        content_version(world / "nowhere")


def test_the_version_changes_with_the_tables_only(world: Path, content: Content) -> None:
    assert content.version.startswith("1.0.0+")
    assert len(content.version) == len("1.0.0+") + 12
    (world / "README.md").write_text("For editors.\n")
    assert content_version(world) == content.version
    table = world / "vendors.csv"
    table.write_bytes(table.read_bytes().replace(b"Quiet Works", b"Quiet Work"))
    assert content_version(world) == load_content(world, VOCABULARY).version != content.version


def test_gaps_list_entities_without_relations(content: Content) -> None:
    assert gaps(content) == {
        "solutions without products": (
            "solution:flexible-schedule",
            "solution:periodic-rest-breaks",
            "solution:preferential-seating",
            "solution:telework",
            "solution:written-instructions",
        ),
        "solutions of kind product without products": (),
        "limitations without solutions": ("limitation:blind", "limitation:vision-impairment"),
        "functions without solutions": (),
        "conditions without solutions of their own": ("disability:relapsing-remitting-multiple-sclerosis",),
        "products without vendors": (),
        "dead ends: entities without relations": (),
    }


def test_counts_the_rows_of_each_table() -> None:
    counts = row_counts(WORLD)
    assert (len(counts), counts["aliases.csv"], counts["disabilities.csv"]) == (30, 10, 6)
