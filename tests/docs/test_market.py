"""docs/data.md states every rule of market verification with its status and its sentence, and no other."""

from __future__ import annotations

from schema.market_rules import MARKET_RULES
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS

PAGE = (DOCS / "data.md").read_text("utf-8")
SENTENCE = "what it means, as `note` says it"


def test_every_rule_has_its_row_and_no_row_is_left_over() -> None:
    found = [
        (code(row["`method`"]), row["status"], row[SENTENCE]) for row in rows(section(PAGE, "Market verification"))
    ]
    assert found == [(name, rule.status or "any", rule.sentence) for name, rule in MARKET_RULES.items()]
