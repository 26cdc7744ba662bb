"""Overlays hide, change and add; what they state again gets both sources."""

from pathlib import Path

import pytest

from indexer.content.datapackage_schema import Package
from indexer.content.rows import Content
from indexer.overlays.apply import apply_overlay
from indexer.overlays.folder import read_overlay_files
from indexer.overlays.reader import read_overlay
from schema.vocabulary import Vocabulary
from tests.support.overlay_folders import write_overlay


@pytest.fixture
def applied(tmp_path: Path, content: Content, package: Package, vocabulary: Vocabulary) -> "Applied":
    return Applied(tmp_path, content, package, vocabulary)


class Applied:
    """Applies overlays one after the other to the test world."""

    def __init__(self, folder: Path, content: Content, package: Package, vocabulary: Vocabulary) -> None:
        self._folder, self.content, self._package, self._vocabulary = folder, content, package, vocabulary

    def __call__(self, name: str = "campus", **tables: str) -> Content:
        """Write the tables, apply them, and return the content."""
        source = f"id,title,licence\n{name},Loans,CC BY 4.0\n"
        files = read_overlay_files(write_overlay(self._folder / name, source, **tables))
        overlay = read_overlay(files, self.content, self._package, self._vocabulary)
        self.content = apply_overlay(self.content, overlay)
        return self.content


def entity(content: Content, id_: str) -> tuple[str, str, str, tuple[str, ...]]:
    (found,) = [row for row in content.entities if row.id == id_]
    return found.name, found.short, found.plain, found.sources


def aliases(content: Content, id_: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {row.text: (row.kind, row.sources) for row in content.aliases if row.entity == id_}


def test_a_change_keeps_what_it_leaves_empty_and_the_old_name_as_an_alias(applied: Applied) -> None:
    _, short, plain, _ = entity(applied.content, "solution:telework")
    content = applied(changes="id,name,short,plain\nsolution:telework,Remote Work,,\n")
    assert entity(content, "solution:telework") == ("Remote Work", short, plain, ("atlas", "campus"))
    assert aliases(content, "solution:telework")["Telework"] == ("synonym", ("atlas",))


def test_of_two_overlays_the_later_one_wins(applied: Applied) -> None:
    applied(changes="id,name,short\nsolution:telework,Remote Work,First.\n")
    content = applied("library", changes="id,name\nsolution:telework,Working from Home\n")
    changed = ("Working from Home", "First.", "", ("atlas", "campus", "library"))
    assert entity(content, "solution:telework") == changed
    assert aliases(content, "solution:telework").keys() == {"Telework", "Remote Work"}


def test_a_later_overlay_sees_what_earlier_ones_added_and_hid(applied: Applied) -> None:
    applied(vendors="slug,name,short\npool,Pool,A pool.\n", hidden="id\nvendor:quiet-works\n")
    content = applied("library", changes="id,name\nvendor:pool,The Pool\n")
    assert entity(content, "vendor:pool") == ("The Pool", "A pool.", "", ("campus", "library"))
    again = applied("shop", vendors="slug,name,short\nquiet-works,Quiet Works,Ours.\n")
    assert entity(again, "vendor:quiet-works") == ("Quiet Works", "Ours.", "", ("shop",))


def test_rows_that_exist_get_both_sources(applied: Applied) -> None:
    content = applied(
        product_vendors="product,vendor\nlargeview-pocket,brightline-access\n",
        recommendations="disability,via,solution\n"
        "attention-deficit-hyperactivity-disorder,limitation:memory-loss,checklists\n",
        aliases="entity,text,kind\nsolution:telework,working from home,synonym\n",
    )
    (link,) = [row for row in content.links if row.source == "product:largeview-pocket" and row.edge == "sold_by"]
    assert link.sources == ("fair", "campus")
    (listed,) = [
        row
        for row in content.recommendations
        if row[:3]
        == ("disability:attention-deficit-hyperactivity-disorder", "limitation:memory-loss", "solution:checklists")
    ]
    assert (listed.sources, listed.group) == (("atlas", "campus"), "Memory")
    assert aliases(content, "solution:telework") == {"working from home": ("synonym", ("atlas", "editors", "campus"))}


def test_a_rating_replaces_that_of_another_source(applied: Applied) -> None:
    first = applied.content.ratings[0]
    job, ability = (id_.partition(":")[2] for id_ in (first.occupation, first.ability))
    content = applied(occupation_abilities=f"occupation,ability,importance,level\n{job},{ability},1.5,2\n")
    assert content.ratings[0] == first._replace(importance=1.5, level=2.0, sources=("campus",))
    assert len(content.ratings) == len(set(content.ratings))


def test_the_source_is_added_once(applied: Applied, content: Content) -> None:
    assert [source.id for source in applied().sources] == [*(source.id for source in content.sources), "campus"]
