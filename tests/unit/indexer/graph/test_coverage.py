"""Entities without the relations that they should have."""

from indexer.content.rows import Content
from indexer.graph.coverage import gaps


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
        "entities without relations": (),
    }
