"""Decides which market rule applies to a web page.

Only two rules verify, and both require the name on the page. A page that is not clear stays `unverified`. Menus,
footers, forms and scripts are ignored: a menu that lists "discontinued products" says nothing about this one.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from indexer.market.page import Page

RULES_VERSION = 2  # increment when a page could be judged differently: unchanged pages are then fetched again
MIN_NAME_LENGTH = 3  # letters and digits; shorter names are not searched for
MIN_WORDS_IN_TEXT = 2  # a single word may be in the text by chance, so it counts in titles only
FRONT_PAGE = re.compile(r"/?([a-z]{2}([-_][a-z]{2})?/?)?", re.IGNORECASE)  # `/`, `/en/`, `/en-us`
WORDS = re.compile(r"[^\W_]+")
TRADEMARK_SIGNS = str.maketrans("®™©℠", "    ")  # "Pad™" is not "padtm"
# All patterns are matched against normalized words: no case, accents or punctuation.
PRODUCT_ENDED = (
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
VENDOR_CLOSED = (
    r"ceased (?:trading|operations|business)\b|closed (?:its|our|their) (?:doors|business)\b"
    r"|(?:is|are) no longer in business\b|gone out of business\b|permanently closed\b"
)
THIS_PRODUCT = (
    r"(?:this|the) (?:product|item|model|device|app|application|software|program|project|repository|service)"
    r"|dieses produkt|dieser artikel|dit product|ce produit|este producto|produktet|produkten"
)
THIS_COMPANY = r"(?:we|(?:our|this|the) (?:company|business|shop|store))"
UP_TO_THREE_WORDS = (
    r"\b(?: (?!not\b|never\b)\w+){0,3} "  # "X replaces the Y, which has been discontinued" says nothing about X
)
ENDED_LABEL = re.compile(
    r"(?:status |note )?(?:discontinued|no longer available|out of production|end of life|utgatt|udgaet|utgangen"
    r"|nicht mehr lieferbar|niet meer leverbar)"
)
POSSIBLY_ENDED = re.compile(
    r"\bdiscontinued\b|\bend of life\b|\barchived by\b|\bout of business\b|\bceased\b|\bpermanently closed\b"
    r"|\bno longer (?:available|sold|offered|made|manufactured|produced|maintained|developed|supported|in)\b"
    r"|\butgatt\b|\budgaet\b|\butgangen\b|\b(?:nicht mehr|niet meer|niet langer) \w+bar\b|\bn est plus\b|\bya no\b"
)
PARKED = re.compile(
    r"\bdomain(?: name)? (?:is|may be) (?:for sale|parked)\b|\bbuy this domain\b|\bparked (?:free|domain)\b"
    r"|\bdomain has expired\b|\bdomain ist zu verkaufen\b|\bhugedomains\b"
)
NOT_FOUND = re.compile(
    r"\b404\b|\b(?:page|site|seite|item|product) (?:not|nicht|was not|could not be|cannot be) (?:found|gefunden)\b"
    r"|^not found$|\bpage introuvable\b|\bpage (?:does not|doesn t) exist\b|\bsiden finnes ikke\b"
)


def decide(page: Page, names: Sequence[str], kind: str) -> str:
    """Return the rule that applies to a page for a product or vendor, the `kind`, with these names."""
    titles = [normalize(text) for text in page.titles]
    texts = [*titles, *map(normalize, page.blocks)]
    if any(map(NOT_FOUND.search, titles)):
        return "says-missing"
    if any(map(PARKED.search, texts)):
        return "parked"
    names = [name for name in map(normalize, names) if len(name.replace(" ", "")) >= MIN_NAME_LENGTH]
    in_title = _contains_name(names, titles)
    if ended := _ended_rule(page, texts, names, kind, in_title=in_title):
        return ended
    long_names = [name for name in names if len(name.split()) >= MIN_WORDS_IN_TEXT]
    if in_title or _contains_name(long_names, map(normalize, page.headings)):
        return "named-in-title"
    return "named-in-text" if _contains_name(long_names, texts) else "not-named"


def redirects_to_front_page(requested_path: str, final_path: str) -> bool:
    """Return whether a redirect replaced a page by the front page of a site."""
    return not FRONT_PAGE.fullmatch(requested_path) and bool(FRONT_PAGE.fullmatch(final_path))


def normalize(text: str) -> str:
    """Return the words without case, accents and punctuation, separated by single spaces."""
    decomposed = unicodedata.normalize("NFKD", text.translate(TRADEMARK_SIGNS)).casefold()
    return " ".join(WORDS.findall("".join(char for char in decomposed if not unicodedata.combining(char))))


def _contains_name(names: Sequence[str], texts: Iterable[str]) -> bool:
    """Return whether a text contains all words of a name side by side; both are normalized."""
    return any(f" {name} " in f" {text} " for text in texts for name in names)


def _ended_rule(page: Page, texts: Sequence[str], names: Sequence[str], kind: str, *, in_title: bool) -> str:
    """Return the rule of a page that mentions an end, clearly of this entity or possibly, else an empty string."""
    if not names:
        return ""
    if in_title and page.offers and all(offer == "discontinued" for offer in page.offers):
        return "discontinued"
    generic, ended = (THIS_COMPANY, VENDOR_CLOSED) if kind == "vendor" else (THIS_PRODUCT, PRODUCT_ENDED)
    subjects = "|".join((*map(re.escape, names), *([generic] if in_title else [])))
    sentence = re.compile(rf"\b(?:{subjects}){UP_TO_THREE_WORDS}(?:{ended})")
    if any(map(sentence.search, texts)):
        return "discontinued"
    if in_title and kind == "product" and any(map(ENDED_LABEL.fullmatch, texts)):
        return "discontinued"
    subject = re.compile(rf"\b(?:{subjects})\b")
    return "perhaps-ended" if any(POSSIBLY_ENDED.search(text) and subject.search(text) for text in texts) else ""
