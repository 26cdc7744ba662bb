"""The content with the facts of an O*NET release: what is added, replaced and omitted, and the summaries of jobs."""

import dataclasses
from pathlib import Path

from indexer.content.rows import Alias, Content, Rating, RelatedOccupation
from indexer.graph.coverage import counts
from indexer.onet.merge import OccupationSummaries, attribution, merge_onet
from tests.support.onet_samples import sample_tables


def test_merging_the_same_facts_changes_descriptions_and_sources_only(tmp_path: Path, content: Content) -> None:
    merged = merge_onet(content, sample_tables(tmp_path, "db_30_3_csv")).content
    before = {entity.id: entity for entity in content.entities}
    after = {entity.id: entity for entity in merged.entities}
    driver = after["occupation:53-3032.00"]
    assert driver.short == before["occupation:53-3032.00"].short
    assert driver.long == "Drive trucks of great weight over long roads, and see to load and papers."
    assert (driver.slug, driver.sources) == ("heavy-and-tractor-trailer-truck-drivers", ("onet-30.3",))
    assert after["ability:1.A.3.b.1"].long == "The power to go on with bodily work for hours."
    assert after["ability:1.A.3.b.1"].short == before["ability:1.A.3.b.1"].short
    assert [rating[:4] for rating in merged.ratings] == [rating[:4] for rating in content.ratings]
    assert merged.related_occupations[0] == RelatedOccupation(
        "occupation:15-1252.00", "occupation:43-4051.00", "primary-short", 1, ("onet-30.3",)
    )
    others = [entity for entity in content.entities if entity.type not in ("occupation", "ability")]
    assert merged.entities[: len(others)] == tuple(others)
    assert merged.links == content.links


def test_merging_a_newer_release_adds_and_omits_occupations_with_notes(tmp_path: Path, content: Content) -> None:
    result = merge_onet(content, sample_tables(tmp_path, "db_31_0_csv"))
    merged, entities = result.content, {entity.id: entity for entity in result.content.entities}
    assert counts(merged)["occupation"] == 3
    assert "occupation:53-3032.00" not in entities
    assert result.notes == (
        "occupations without ratings and relations, omitted: 1, such as occupation:53-7199.00",
        "occupations that the content does not have, added: 1, such as occupation:51-9197.00",
        "occupations of the content that this release does not have, omitted: 1, such as occupation:53-3032.00",
    )
    kite_mender = entities["occupation:51-9197.00"]
    assert (kite_mender.slug, kite_mender.name) == ("kite-menders", "Kite Menders")
    assert kite_mender.facts == {"job_zone": "2"}
    leading = "near vision, hearing sensitivity and stamina"
    assert kite_mender.short == f"An occupation in job zone 2 that relies most on {leading}."
    care = entities["occupation:43-4051.00"]
    assert (care.slug, care.name) == ("customer-service-representatives", "Customer Care Representatives")
    assert care.short.startswith("An occupation in job zone 3 that relies most on near vision, ")
    assert entities["ability:1.A.4.b.1"].slug == "hearing-sensitivity"
    assert entities["ability:1.A.4.b.1"].facts == {"group": "sensory"}
    assert Rating("occupation:51-9197.00", "ability:1.A.4.b.1", 2.62, 2.5, ("onet-31.0",)) in merged.ratings
    assert Alias("occupation:43-4051.00", "Customer Service Representatives", "title", ("onet-31.0",)) in merged.aliases
    assert not [alias for alias in merged.aliases if alias.entity == "occupation:53-3032.00"]
    related = {edge.occupation for edge in merged.related_occupations}
    assert related == {"occupation:15-1252.00", "occupation:51-9197.00"}


def test_the_source_is_the_release_with_its_attribution(tmp_path: Path, content: Content) -> None:
    for sample in ("db_30_3_csv", "db_31_0_csv"):
        content = merge_onet(content, sample_tables(tmp_path, sample)).content
    (onet,) = (source for source in content.sources if source.id.startswith("onet-"))
    assert (onet.id, onet.title, onet.retrieved) == ("onet-31.0", "O*NET 31.0 Database", "2026-11-21")
    assert onet.attribution == attribution("31.0")
    assert onet.core
    assert "includes information from the O*NET 31.0 Database by" in onet.attribution


def test_an_import_of_version_0_1_0_gets_the_address_of_its_licence(tmp_path: Path, content: Content) -> None:
    tables = sample_tables(tmp_path, "db_31_0_csv")
    source = {name: value for name, value in tables.source.items() if name != "licence_url"}
    for imported in (tables, dataclasses.replace(tables, source=source)):
        merged = merge_onet(content, imported).content.sources
        assert merged[-1].licence_url == "https://creativecommons.org/licenses/by/4.0/"


def test_a_duplicate_slug_gets_the_code_as_suffix(tmp_path: Path, content: Content) -> None:
    release = sample_tables(tmp_path, "db_31_0_csv")
    renamed = [
        ("51-9197.00", "Software Developers", "2", "Others.") if row[0] == "51-9197.00" else row
        for row in release.occupations
    ]
    merged = merge_onet(content, dataclasses.replace(release, occupations=tuple(renamed))).content
    slugs = {entity.id: entity.slug for entity in merged.entities if entity.type == "occupation"}
    assert slugs["occupation:15-1252.00"] == "software-developers"
    assert slugs["occupation:51-9197.00"] == "software-developers-51-9197-00"


def test_summarizes_occupations_by_their_abilities() -> None:
    names = {"a": "Reach", "b": "Grip", "c": "Sight", "d": "Sound", "e": "Speech"}
    high = {"a": 4.0, "b": 4.0, "c": 3.5, "d": 3.25, "e": 3.0}
    summaries = OccupationSummaries({"one": high, "two": {**high, "e": 1.0}, "three": {"a": 2.0, "b": 1.0}}, names)
    assert [
        summaries.summary("one", "Tailors", "2"),
        summaries.summary("three", "Sitters", ""),
        summaries.summary("four", "Dancers", "3"),
        summaries.summary("five", "Workers, All Other", ""),
    ] == [
        "An occupation in job zone 2 that relies most on reach, grip and sight, and more than most jobs on speech.",
        "An occupation that relies most on reach and grip.",
        "An occupation that O*NET does not rate for abilities, in job zone 3.",
        "A group of jobs that O*NET counts together and does not rate for abilities.",
    ]
