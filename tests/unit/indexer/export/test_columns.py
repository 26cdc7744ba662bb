"""The columns of the exported tables."""

from api.models import EdgeFacts
from indexer.export.columns import EDGE_FACTS


def test_every_edge_fact_of_a_response_has_a_column() -> None:
    facts = set(EdgeFacts.model_fields) - {"weight", "basis", "sources"}
    assert facts == {column.name for column in EDGE_FACTS}
