"""docs/data.md states every rule of market verification with its status and its sentence, and no other."""

from __future__ import annotations

from indexer.market.rules import RULES
from tests.contract.markdown import code, rows, section
from tests.contract.project import DOCS

PAGE = (DOCS / "data.md").read_text("utf-8")
SENTENCE = "what it means, as `note` says it"


def test_every_rule_has_its_row_and_no_row_is_left_over() -> None:
    found = [
        (code(row["`method`"]), row["status"], row[SENTENCE]) for row in rows(section(PAGE, "Market verification"))
    ]
    assert found == [(name, rule.status or "any", rule.says) for name, rule in RULES.items()]
