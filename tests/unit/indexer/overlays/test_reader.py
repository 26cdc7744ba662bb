"""Every problem of an overlay has its file, its line and the nearest valid value."""

from pathlib import Path

import pytest

from indexer.content.datapackage_schema import Package
from indexer.content.rows import Content
from indexer.overlays.apply import Overlay
from indexer.overlays.folder import OverlayError, read_overlay_files
from indexer.overlays.reader import read_overlay
from schema.vocabulary import Vocabulary
from tests.support.overlay_folders import SOURCE, write_overlay

PEN = "slug,name,category,family,short\nloan-pen,Pen to Borrow,Smart pen,assistive,A pen to borrow.\n"
FURTHER_SOURCE = f"{SOURCE}more,More,More,https://more.example.org/,CC0,,From more.\n"
CONDITION = "slug,name,short,plain\nmist,Mist,A mist.,It passes.\n"

# Tables, and the beginning of each problem in order.
PROBLEMS: list[tuple[dict[str, str], list[str]]] = [
    ({"source": "id,title,publisher,licence,attribution\n"}, ["source.csv:1: has no row"]),
    ({"source": "id,title\ncampus,\n"}, ["source.csv:1: missing column 'licence'", "source.csv:2: 'title' is empty"]),
    ({"source": FURTHER_SOURCE}, ["source.csv:3: second source"]),
    ({"source": SOURCE.replace("campus,", "atlas,")}, ["source.csv:2: source 'atlas' exists below this overlay"]),
    ({"prodcts": PEN}, ["prodcts.csv:1: an overlay has no such table; nearest: 'products.csv'"]),
    ({"market": "entity\n"}, ["market.csv:1: an overlay has no such table"]),
    (
        {"products": PEN.replace("family", "famly")},
        ["products.csv:1: missing column 'family'", "products.csv:1: unknown"],
    ),
    (
        {"products": PEN.replace("assistive", "asistive")},
        ["products.csv:2: 'family' is 'asistive'; nearest: 'assistive'"],
    ),
    ({"products": PEN.replace("short", "short,sources")}, ["products.csv:1: unknown column 'sources'"]),
    ({"products": f"# a comment\n\n{PEN},,,,\nloan-pen\n"}, ["products.csv:6: row has 1 cells; the header has 5"]),
    (
        {"products": PEN.replace("loan-pen", "largeview-pocket")},
        ["products.csv:2: 'product:largeview-pocket' exists below this overlay; changes.csv changes its name"],
    ),
    (
        {"occupations": "code,slug,name,short\n99-0001.00,software-developers,Web People,People of the web.\n"},
        ["occupations.csv:2: slug 'software-developers' is that of 'occupation:15-1252.00'"],
    ),
    (
        {"product_vendors": "product,vendor\nlargevew-pocket,quiet-works\n"},
        ["product_vendors.csv:2: unknown product 'largevew-pocket'; nearest: 'largeview-pocket'"],
    ),
    (
        {"aliases": "entity,text,kind\nsolution:telewrk,home,lay\n"},
        ["aliases.csv:2: unknown solution 'telewrk'; nearest: 'telework'"],
    ),
    (
        {"aliases": "entity,text,kind\nsolution:telework,Telework,lay\n"},
        ["aliases.csv:2: alias 'Telework' repeats the name of 'solution:telework'"],
    ),
    (
        {"changes": "id,name\nsolution:telewrk,Home\n"},
        ["changes.csv:2: unknown solution 'telewrk'; nearest: 'telework'"],
    ),
    (
        {"changes": "id,name\ntelework,Home\n"},
        ["changes.csv:2: 'id' is 'telework', not of the form type:key; nearest: "],
    ),
    ({"changes": "id,name\nsolution:telework,\n"}, ["changes.csv:2: changes nothing of 'solution:telework'; fill one"]),
    ({"changes": f"id,short\nsolution:telework,{'a' * 201}\n"}, ["changes.csv:2: 'short' has 201 characters"]),
    (
        {"changes": "id,name\nsolution:telework,A\nsolution:telework,B\n"},
        ["changes.csv:3: duplicate id: 'solution:telework'; first on line 2"],
    ),
    (
        {"products": PEN, "changes": "id,name\nproduct:loan-pen,Pen\n"},
        ["changes.csv:2: 'product:loan-pen' is of this overlay; change "],
    ),
    ({"hidden": "id\nvendor:quiet-work\n"}, ["hidden.csv:2: unknown vendor 'quiet-work'; nearest: 'quiet-works'"]),
    (
        {"products": PEN, "hidden": "id\nproduct:loan-pen\n"},
        ["hidden.csv:2: 'product:loan-pen' is of this overlay; delete its row in "],
    ),
    (
        {"hidden": "id\nvendor:quiet-works\n", "product_vendors": "product,vendor\nlargeview-pocket,quiet-works\n"},
        ["product_vendors.csv:2: 'vendor:quiet-works' is hidden by hidden.csv of this overlay"],
    ),
    (
        {"hidden": "id\nsolution:telework\n", "changes": "id,name\nsolution:telework,Home\n"},
        ["changes.csv:2: 'solution:telework' is hidden by hidden.csv of this overlay"],
    ),
    (
        {
            "broader": "entity,broader\n"
            "disability:multiple-sclerosis,disability:relapsing-remitting-multiple-sclerosis\n"
        },
        ["broader.csv:2: cycle in broader: disability:multiple-sclerosis → "],
    ),
    ({"narrower_conditions": CONDITION}, ["narrower_conditions.csv:2: 'disability:mist' is below no main condition"]),
    (
        {"hidden": "id\ndisability:low-vision\ndisability:multiple-sclerosis\n"},
        [
            "hidden.csv:2: 2 narrower conditions, such as 'disability:chronic-optic-neuritis', are below nothing else",
            "hidden.csv:3: 2 narrower conditions, such as ",
        ],
    ),
]


@pytest.fixture
def read(tmp_path: Path, content: Content, package: Package, vocabulary: Vocabulary) -> "Read":
    return Read(tmp_path / "campus", content, package, vocabulary)


class Read:
    """Reads an overlay on the test world."""

    def __init__(self, folder: Path, content: Content, package: Package, vocabulary: Vocabulary) -> None:
        self.folder, self._below = folder, (content, package, vocabulary)

    def __call__(self, **tables: str) -> Overlay:
        """Write the tables and read them."""
        write_overlay(self.folder, **tables)
        return self.again()

    def again(self) -> Overlay:
        """Read the folder as it is."""
        return read_overlay(read_overlay_files(self.folder), *self._below)


@pytest.mark.parametrize(("tables", "expected"), PROBLEMS, ids=[problems[0][:60] for _, problems in PROBLEMS])
def test_a_problem_has_file_line_and_nearest_value(read: Read, tables: dict[str, str], expected: list[str]) -> None:
    with pytest.raises(OverlayError) as raised:
        read(**tables)
    shown = [f"{Path(problem.file).name}:{problem.line}: {problem.message}" for problem in raised.value.problems]
    assert len(shown) >= len(expected)
    assert [found for found in expected if not any(line.startswith(found) for line in shown)] == []
    assert str(raised.value).endswith(f"The overlay {read.folder} cannot be used: {REMEDY}.")


REMEDY = "correct it, or take it out of AKG_OVERLAYS"


def test_a_folder_without_a_source_is_a_problem(read: Read) -> None:
    write_overlay(read.folder)
    (read.folder / "source.csv").unlink()
    (read.folder / "notes.txt").write_text("ignored")
    with pytest.raises(OverlayError, match=r"source\.csv:1: missing table"):
        read.again()


def test_every_row_carries_the_source_and_its_basis(read: Read) -> None:
    overlay = read(
        products=PEN,
        solution_products="solution,product,reason\nchecklists,loan-pen,it lists\n",
        product_vendors="product,vendor\nloan-pen,quiet-works\n",
        aliases="entity,text,kind\nproduct:loan-pen,loaner,lay\n",
        recommendations="disability,via,solution\nlow-vision,limitation:low-vision,telework\n",
        school_recommendations="entity,solution\ndisability:low-vision,checklists\n",
    )
    added = overlay.additions
    entities, links = (row.sources for row in added.entities), (row.sources for row in added.links)
    listed, school = (row.sources for row in added.recommendations), (row.sources for row in added.school)
    assert {*entities, *links, *listed, *school, added.aliases[0].sources} == {("campus",)}
    assert {added.school[0].basis, *(row.basis for row in added.links)} == {"source"}
    (pen,) = added.entities
    assert (pen.id, dict(pen.facts)) == ("product:loan-pen", {"category": "Smart pen", "family": "assistive"})
    assert (overlay.source.id, overlay.source.title, overlay.source.core) == ("campus", "Campus Loans", False)
    assert str(overlay) == "1 entities, 1 other names and 4 edges added, 0 entities changed, 0 hidden"


def test_tables_of_spreadsheets_are_read(read: Read) -> None:
    write_overlay(read.folder)
    text = "# Products,,,,\r\n" + PEN.replace("\n", "\r\n") + ",,,,\r\n"
    (read.folder / "products.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    overlay = read.again()
    assert [entity.id for entity in overlay.additions.entities] == ["product:loan-pen"]


def test_narrower_conditions_are_hidden_with_the_last_condition_above_them(read: Read) -> None:
    hidden = "id,narrower\ndisability:low-vision,true\ndisability:multiple-sclerosis,true\n"
    names = ("low-vision", "multiple-sclerosis", "optic-neuritis", "chronic-optic-neuritis")
    assert read(hidden=hidden).hidden == {f"disability:{name}" for name in names}
    assert read(hidden="id,narrower\ndisability:low-vision,true\n").hidden == {"disability:low-vision"}
