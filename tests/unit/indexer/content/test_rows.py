"""Rows from the tables: full ids, typed values, and every column of each relation."""

from collections import Counter

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
        core=True,
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
        ("pages",),
    )
    assert content.groupings == (grouping,)
    assert content.members == (
        GroupingMember(grouping, adhd, "source", "", ("pages",)),
        GroupingMember(grouping, "disability:crohns-disease", "editorial", "in a flare", ("editors",)),
    )


def test_loads_editorial_judgments(content: Content) -> None:
    assert content.main_needs == (
        MainNeed("disability:multiple-sclerosis", "limitation:decreased-stamina-fatigue", ("editors",)),
    )
    assert content.first_choices == (
        FirstChoice("limitation:memory-loss", "solution:checklists", 0.5, ("editors",)),
        FirstChoice("limitation:memory-loss", "solution:written-instructions", 1.0, ("editors",)),
    )
    assert content.made_for == (MadeFor("solution:noise-canceling-headsets", "occupation:43-4"),)
