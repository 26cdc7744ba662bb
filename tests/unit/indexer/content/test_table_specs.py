"""The specs of the tables and the vocabulary name the same types and edges."""

import orjson

from indexer.content.table_specs import LINK_TABLES, TABLE_SPECS, key_column
from schema.entity_kinds import NARROWER
from tests.support.project import MAPPINGS
from tests.support.world_files import VOCABULARY


def test_the_table_specs_match_the_vocabulary() -> None:
    types = orjson.loads((MAPPINGS / "vocabulary.json").read_bytes())["types"]
    assert {row["table"]: (row["name"], row["key"]) for row in types} == {
        stem: (spec.type, key_column(spec.type))
        for stem, spec in TABLE_SPECS.items()
        if spec.type and spec.kind != NARROWER
    }
    for stem, (edge, source, target) in LINK_TABLES.items():
        sources, targets = TABLE_SPECS[stem].references[source], TABLE_SPECS[stem].references[target]
        derived = {"broader": "occupation", "condition_broader": "limitation occupation"}.get(stem, "").split()
        pairs = [pair for pair in VOCABULARY.edges[edge].pairs if pair[0] not in derived]
        assert {pair[0] for pair in pairs} == set(sources)
        assert {pair[1] for pair in pairs} == set(targets)
