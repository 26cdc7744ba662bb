"""Market verification: types, statuses, and rules with their sentences, which docs/reference/market-rules.md lists."""

from dataclasses import dataclass
from typing import Literal, get_args

MarketStatus = Literal["verified", "unverified", "unavailable", "discontinued"]
MARKET_STATUSES: tuple[MarketStatus, ...] = get_args(MarketStatus)
MARKET_TYPES = ("product", "vendor")
WITHDRAWN: tuple[MarketStatus, ...] = ("unavailable", "discontinued")


@dataclass(frozen=True, slots=True)
class MarketRule:
    """What a finding by a rule means. An editor's finding may have any status, so its rule has none."""

    status: MarketStatus | Literal[""]
    sentence: str


MARKET_RULES = {
    "named-in-title": MarketRule("verified", "The page exists, and its title or a heading names it."),
    "named-in-text": MarketRule("verified", "The page exists, and its text names it."),
    "gone": MarketRule("unavailable", "The server responds that the page is gone (404 or 410)."),
    "discontinued": MarketRule("discontinued", "The page says that it is no longer made, sold or maintained."),
    "perhaps-ended": MarketRule("unverified", "The page exists and says that something ended, but not clearly this."),
    "not-named": MarketRule("unverified", "The page exists, but does not name it."),
    "says-missing": MarketRule("unverified", "The server responds, but the page says that it was not found."),
    "parked": MarketRule("unverified", "The domain is for sale or parked."),
    "front-page": MarketRule("unverified", "The address now redirects to the front page of a site."),
    "not-a-page": MarketRule("unverified", "The server responds with something other than a web page."),
    "too-large": MarketRule("unverified", "The page exceeds the size limit."),
    "too-slow": MarketRule("unverified", "The page exceeds the time limit."),
    "redirects": MarketRule("unverified", "The address redirects in a loop or too many times."),
    "refused": MarketRule("unverified", "The site rejects automated visitors."),
    "robots": MarketRule("unverified", "The site's robots.txt disallows automated visitors."),
    "busy": MarketRule("unverified", "The site is busy and requests a later visit."),
    "no-answer": MarketRule("unverified", "The site did not respond."),
    "private": MarketRule("unverified", "The address leads into a private network, which is never visited."),
    "address": MarketRule("unverified", "The address is not a public web address."),
    "editor": MarketRule("", "An editor checked the page."),
}
# An inconclusive visit says nothing about a product, so it does not replace a conclusive finding.
INCONCLUSIVE_RULES = ("no-answer", "busy", "robots", "refused", "too-slow")
EDITOR_RULE = "editor"
