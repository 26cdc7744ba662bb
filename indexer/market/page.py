"""Parses a web page into the parts that the market rules judge.

Every step is bounded, because a page may be written to waste time and memory: text is read up to a number of
characters and nodes per page, and nothing recurses. The HTML parser itself has no such bound: nested elements cost it
quadratic time. Therefore only `page_worker.py` parses pages of the web, in a process that can be stopped.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import orjson
from selectolax.lexbor import LexborHTMLParser, LexborNode

# Encodings of the Encoding Standard by their Python names. Python has more, such as `undefined`, `idna` and `punycode`,
# which raise or take quadratic time.
WEB_ENCODINGS = {
    *("ascii", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"),
    *(f"iso8859-{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)),
    *(f"cp{number}" for number in (866, 874, 932, 949, *range(1250, 1259))),
    *("koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "tis-620"),
    *("gb2312", "gbk", "gb18030", "big5", "big5hkscs", "shift_jis", "euc_jp", "iso2022_jp", "euc_kr"),
}
DECLARED_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([A-Za-z0-9_-]{2,40})""", re.IGNORECASE)
MAX_DECLARATION_BYTES = 2_048  # from the start of a page, which must declare its encoding
IGNORED_TAGS = ["script", "style", "template", "noscript", "nav", "footer", "aside", "form", "select", "button", "svg"]
BLOCK_TAGS = {
    *("p", "li", "td", "th", "dd", "dt", "div", "section", "article", "main"),
    *("h1", "h2", "h3", "h4", "span", "strong"),
}
LINK_TAGS = {"a", "label", "option"}
TEXT_TAGS = {"p", "li", "td", "dd", "h1", "h2", "h3", "h4"}
MAX_SHORT_BLOCK_LENGTH = 200  # characters: `<div>Status: <b>Discontinued</b></div>`
MAX_TEXT_LENGTH = 20_000  # characters of one element
MAX_BLOCKS = 5_000
MAX_CHARACTERS = 500_000  # read from one page, nested elements counted each time
MAX_NODES = 500_000  # visited to read them
MAX_OFFERS = 1_000
MAX_META_TITLES = 10
AVAILABILITY = re.compile(r"schema\.org/(\w{1,40})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of a page: title and main headings, lower headings, text blocks, schema.org availability."""

    titles: tuple[str, ...]
    headings: tuple[str, ...]
    blocks: tuple[str, ...]
    offers: tuple[str, ...] = ()


class _TextReader:
    """Reads the text of elements until the limits of the page are reached; then every text is empty."""

    def __init__(self) -> None:
        self._characters, self._nodes = MAX_CHARACTERS, MAX_NODES

    def text(self, element: LexborNode, max_length: int = MAX_TEXT_LENGTH) -> str:
        """Return the text of an element and all it contains, cut behind the text node that exceeds `max_length`."""
        parts, length = [], 0
        for node in element.traverse(include_text=True):
            self._nodes -= 1
            if self._nodes < 0 or self._characters < 0 or length > max_length:
                break
            if node.tag == "-text" and (part := (node.text_content or "")[: MAX_TEXT_LENGTH + 1]):
                parts.append(part)
                length += len(part)
                self._count(part)
        return "".join(parts)

    def direct_text(self, element: LexborNode) -> str:
        """Return the text of an element without that of nested elements."""
        parts, child = [], element.child
        while child is not None and self._nodes >= 0 and self._characters >= 0:
            self._nodes -= 1
            if child.tag == "-text":
                parts.append((child.text_content or "")[:MAX_TEXT_LENGTH])
                self._count(parts[-1])
            child = child.next
        return "".join(parts).strip()

    def _count(self, text: str) -> None:
        """Count characters as the rules compare them: a single one may become 18."""
        self._characters -= len(text) if text.isascii() else len(unicodedata.normalize("NFKD", text))


def parse_page(body: bytes, charset: str) -> Page:
    """Parse a page; `charset` is that of the response headers, or empty. No page raises."""
    tree, reader = LexborHTMLParser(_decode(body, charset)), _TextReader()
    offers = tuple(dict.fromkeys(islice(_offers(tree, reader), MAX_OFFERS)))
    titles = [reader.text(node) for node in tree.css("title, h1")]
    meta = tree.css('meta[property="og:title"]')
    titles += [(node.attributes.get("content") or "")[:MAX_TEXT_LENGTH] for node in meta[:MAX_META_TITLES]]
    tree.strip_tags(IGNORED_TAGS)
    headings = [reader.text(node) for node in tree.css("h2, h3")]
    return Page(_tidy(titles), _tidy(headings), _tidy(_blocks(tree, reader)), offers)


def _decode(body: bytes, charset: str) -> str:
    declared = DECLARED_CHARSET.search(body[:MAX_DECLARATION_BYTES])
    for name in (charset, declared[1].decode("ascii") if declared else ""):
        if _is_web_encoding(name):
            return body.decode(name, errors="replace")
    return body.decode("utf-8", errors="replace")


def _is_web_encoding(name: str) -> bool:
    try:
        return codecs.lookup(name).name in WEB_ENCODINGS
    except (LookupError, ValueError):  # ValueError: the name cannot be one
        return False


def _blocks(tree: LexborHTMLParser, reader: _TextReader) -> Iterator[str]:
    """Yield the text of each element with direct text, including nested elements in running text and short blocks."""
    for node in islice(tree.body.traverse(include_text=False), MAX_BLOCKS) if tree.body else ():
        is_in_link = node.parent is not None and node.parent.tag in LINK_TAGS
        if node.tag in BLOCK_TAGS and not is_in_link and (direct_text := reader.direct_text(node)):
            max_length = MAX_TEXT_LENGTH if node.tag in TEXT_TAGS else MAX_SHORT_BLOCK_LENGTH
            text = reader.text(node, max_length)
            yield text if node.tag in TEXT_TAGS or len(text) <= MAX_SHORT_BLOCK_LENGTH else direct_text


def _offers(tree: LexborHTMLParser, reader: _TextReader) -> Iterator[str]:
    """Yield the availability of every schema.org offer, without its address and in lower case."""
    for node in tree.css('[itemprop="availability"]'):
        value = node.attributes.get("href") or node.attributes.get("content") or reader.text(node)
        yield from (match[1].casefold() for match in AVAILABILITY.finditer(value))
    for node in tree.css('script[type="application/ld+json"]'):
        try:
            yield from _availability(orjson.loads(node.text()))
        except orjson.JSONDecodeError:
            continue


def _availability(document: object) -> Iterator[str]:
    """Yield each availability in document order, without recursion: JSON may be nested deeper than Python's stack."""
    stack = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            availability = value.get("availability")
            if isinstance(availability, str):
                yield availability.rpartition("/")[2][:MAX_SHORT_BLOCK_LENGTH].casefold()
            stack.extend(reversed(value.values()))
        elif isinstance(value, list):
            stack.extend(reversed(value))


def _tidy(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tidy for text in texts if (tidy := " ".join(text.split()))))
