"""Findings and visits of market verification, about one product of the test world."""

from indexer.content.rows import Content, Finding
from indexer.market.schedule import Visit, market_pages
from schema.market_rules import MARKET_RULES

FAIR = "https://fair.example.org/"
BAND, BAND_URL = "product:hushband-headset", f"{FAIR}hushband"
HEADER = "entity,status,checked,rule,address,evidence\n"


def finding(rule: str, checked: str = "2026-11-01", entity: str = BAND, address: str = BAND_URL) -> Finding:
    return Finding(entity, MARKET_RULES[rule].status or "verified", checked, rule, address, address)


def visit(content: Content, rule: str, day: str = "2026-11-21", url: str = BAND_URL) -> Visit:
    (page,) = (page for page in market_pages(content) if page.url == url)
    return Visit(url, day, page.fingerprint, {entity.id: rule for entity in page.entities}, url)
