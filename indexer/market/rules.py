"""The rules by which a visit to an address becomes a finding about a product or vendor. Pure.

Only two rules verify, and both need the name on the page. What a rule does not know for certain stays `unverified`.
docs/data.md states every rule in the same words; a test holds the two together.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

VERSION = 1  # raised whenever a page could now be judged otherwise: pages that did not change are then read again
SHORTEST = 3  # letters and digits of a name that can be looked for
ALONE = 2  # words from which on a name counts anywhere in the text; one word can stand there by chance
FRONT = re.compile(r"/?([a-z]{2}([-_][a-z]{2})?/?)?", re.IGNORECASE)  # `/`, `/en/`, `/en-us`


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding by this rule means. An editor's own finding may have any status."""

    status: str
    says: str


RULES = {
    "named-in-title": Rule("verified", "The page is there, and its title or a heading names it."),
    "named-in-text": Rule("verified", "The page is there, and its text names it."),
    "gone": Rule("unavailable", "The address answers that the page is gone (404 or 410)."),
    "discontinued": Rule("discontinued", "The page says that it is no longer made, sold or looked after."),
    "perhaps-ended": Rule("unverified", "The page is there and speaks of an end, but not plainly of this."),
    "not-named": Rule("unverified", "The page is there, but does not name it."),
    "says-missing": Rule("unverified", "The address answers, but the page calls itself not found."),
    "parked": Rule("unverified", "The address is for sale or parked."),
    "front-page": Rule("unverified", "The address now leads to the front page of a site."),
    "not-a-page": Rule("unverified", "The address answers with something other than a web page."),
    "too-large": Rule("unverified", "The page is larger than what is read."),
    "too-slow": Rule("unverified", "The page took longer than what is waited."),
    "redirects": Rule("unverified", "The address leads in a circle or through too many others."),
    "refused": Rule("unverified", "The site does not let automatic visitors in."),
    "robots": Rule("unverified", "The site's robots.txt asks automatic visitors to stay away."),
    "busy": Rule("unverified", "The site asked to come back later."),
    "no-answer": Rule("unverified", "The site did not answer."),
    "private": Rule("unverified", "The address leads into a private network, where nothing is asked."),
    "address": Rule("unverified", "The address is none that can be asked."),
    "editor": Rule("", "An editor looked at the page."),
}
# These teach nothing about a product, so an earlier finding outlasts them.
LEARNED_NOTHING = ("no-answer", "busy", "robots", "refused", "too-slow")


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says: title and main heading, the headings below, blocks of its text, schema.org offers."""

    titles: tuple[str, ...]
    headings: tuple[str, ...]
    blocks: tuple[str, ...]
    offers: tuple[str, ...] = ()


WORDS = re.compile(r"[^\W_]+")
MARKS = str.maketrans("®™©℠", "    ")  # "Pad™" is no "padtm"
# All patterns are matched against plain words: no case, accents or punctuation.
ENDS = (
    r"(?:is|are|was|were|been)(?: now| officially| permanently)? discontinued\b(?! (?:for|on|in(?! \d{4}))\b)"
    r"|(?:is|are) no longer (?:made|manufactured|produced|in production|maintained|developed)\b(?! (?:for|in|with)\b)"
    r"|(?:is|are) no longer (?:available|sold|offered)\b(?: for (?:purchase|sale|order)\b)?"
    r"(?! (?:for|on|in|at|as|to|with|through|via|from)\b)"
    r"|archived by (?:the|its) owner\b"
    r"|(?:er|ar) (?:utgatt|udgaet|utgangen)\b"
    r"|(?:ist|sind|wird) nicht mehr (?:lieferbar|erhaltlich|hergestellt)\b"
    r"|is niet (?:meer|langer) (?:leverbar|verkrijgbaar)\b"
    r"|n est plus (?:disponible|fabriquee?|commercialisee?)\b|ya no (?:esta disponible|se fabrica)\b"
)
CLOSES = (
    r"ceased (?:trading|operations|business)\b|closed (?:its|our|their) (?:doors|business)\b"
    r"|(?:is|are) no longer in business\b|gone out of business\b|permanently closed\b"
)
ITSELF = (
    r"(?:this|the) (?:product|item|model|device|app|application|software|program|project|repository|service)"
    r"|dieses produkt|dieser artikel|dit product|ce produit|este producto|produktet|produkten"
)
COMPANY = r"(?:we|(?:our|this|the) (?:company|business|shop|store))"
AFTER = r"\b(?: (?!not\b|never\b)\w+){0,3} "  # "X replaces the Y, which has been discontinued" says nothing of X
LABEL = re.compile(
    r"(?:status |note )?(?:discontinued|no longer available|out of production|end of life|utgatt|udgaet|utgangen"
    r"|nicht mehr lieferbar|niet meer leverbar)"
)
PERHAPS = re.compile(
    r"\bdiscontinued\b|\bend of life\b|\barchived by\b|\bout of business\b|\bceased\b|\bpermanently closed\b"
    r"|\bno longer (?:available|sold|offered|made|manufactured|produced|maintained|developed|supported|in)\b"
    r"|\butgatt\b|\budgaet\b|\butgangen\b|\b(?:nicht mehr|niet meer|niet langer) \w+bar\b|\bn est plus\b|\bya no\b"
)
PARKED = re.compile(
    r"\bdomain(?: name)? (?:is|may be) (?:for sale|parked)\b|\bbuy this domain\b|\bparked (?:free|domain)\b"
    r"|\bdomain has expired\b|\bdomain ist zu verkaufen\b|\bhugedomains\b"
)
MISSING = re.compile(
    r"\b404\b|\b(?:page|site|seite|item|product) (?:not|nicht|was not|could not be|cannot be) (?:found|gefunden)\b"
    r"|^not found$|\bpage introuvable\b|\bpage (?:does not|doesn t) exist\b|\bsiden finnes ikke\b"
)


def decide(page: Page, names: Sequence[str], kind: str) -> str:
    """The rule that applies to a page for an entity of these names; `kind` is product or vendor."""
    titles = [plain(text) for text in page.titles]
    texts = [*titles, *map(plain, page.blocks)]
    if any(map(MISSING.search, titles)):
        return "says-missing"
    if any(map(PARKED.search, texts)):
        return "parked"
    wanted = [found for name in names if len((found := plain(name)).replace(" ", "")) >= SHORTEST]
    in_title = _named(wanted, titles)
    if ended := _ended(page, texts, wanted, kind, in_title=in_title):
        return ended
    long = [name for name in wanted if len(name.split()) >= ALONE]
    if in_title or _named(long, map(plain, page.headings)):
        return "named-in-title"
    return "named-in-text" if _named(long, texts) else "not-named"


def leads_to_front(asked: str, reached: str) -> bool:
    """Whether the path of an address was given up for a front page."""
    return not FRONT.fullmatch(asked) and bool(FRONT.fullmatch(reached))


def plain(text: str) -> str:
    """Words as they are compared: no case, accents or punctuation, single spaces."""
    spelled = unicodedata.normalize("NFKD", text.translate(MARKS)).casefold()
    return " ".join(WORDS.findall("".join(one for one in spelled if not unicodedata.combining(one))))


def _named(names: Sequence[str], texts: Iterable[str]) -> bool:
    """Whether one of the texts has one of the names, all its words side by side; both are plain."""
    return any(f" {name} " in f" {text} " for text in texts for name in names)


def _ended(page: Page, texts: Sequence[str], names: Sequence[str], kind: str, *, in_title: bool) -> str:
    """Whether the page speaks of an end: plainly of this very thing, or perhaps."""
    if not names:
        return ""
    if in_title and page.offers and all(offer == "discontinued" for offer in page.offers):
        return "discontinued"
    itself, ends = (COMPANY, CLOSES) if kind == "vendor" else (ITSELF, ENDS)
    subjects = "|".join((*map(re.escape, names), *([itself] if in_title else [])))
    plainly = re.compile(rf"\b(?:{subjects}){AFTER}(?:{ends})")
    if any(map(plainly.search, texts)):
        return "discontinued"
    if in_title and kind == "product" and any(map(LABEL.fullmatch, texts)):
        return "discontinued"
    about = re.compile(rf"\b(?:{subjects})\b")
    return "perhaps-ended" if any(PERHAPS.search(text) and about.search(text) for text in texts) else ""
