"""The rows of changes."""

from akg.reports.releases import EdgeChange, EntityChange, edge_changes, entity_changes
from indexer.release.changes import Changes

CHANGES = Changes(
    {"product:pen": "Pen"},
    {"product": {"added": ["product:pen"], "changed": [], "removed": ["product:old"]}},
    {"sold_by": {"added": [("sold_by", "product:pen", "vendor:pool")], "changed": [], "removed": []}},
)
WORDS = {"added": "added", "changed": "changed", "removed": "hidden"}


def test_each_change_is_a_row_with_the_word_for_its_kind() -> None:
    assert entity_changes(CHANGES, WORDS) == [
        EntityChange(id="product:pen", name="Pen", type="product", change="added"),
        EntityChange(id="product:old", name="product:old", type="product", change="hidden"),
    ]
    assert edge_changes(CHANGES, WORDS) == [
        EdgeChange(edge="sold_by", source="product:pen", target="vendor:pool", change="added")
    ]
