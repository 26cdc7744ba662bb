"""The rules of market verification, and the status that each gives."""

from schema.market_rules import MARKET_RULES, MARKET_STATUSES


def test_only_a_name_on_the_page_verifies() -> None:
    verifying = {name for name, rule in MARKET_RULES.items() if rule.status == "verified"}
    assert verifying == {"named-in-title", "named-in-text"}
    assert {rule.status for rule in MARKET_RULES.values()} == {*MARKET_STATUSES, ""}
