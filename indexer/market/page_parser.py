"""Parses a web page into the parts that the rules use: titles, headings, text blocks, offers. Pure.

Menus, footers, forms and scripts are ignored: a menu that lists "discontinued products" says nothing about this one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson
from selectolax.lexbor import LexborHTMLParser

from indexer.market.rules import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

DECLARED_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([A-Za-z0-9_-]{2,40})""", re.IGNORECASE)
MAX_DECLARATION_BYTES = 2_048  # from the start of a page, which must declare its encoding
IGNORED_TAGS = ["script", "style", "template", "noscript", "nav", "footer", "aside", "form", "select", "button", "svg"]
BLOCK_TAGS = {
    *("p", "li", "td", "th", "dd", "dt", "div", "section", "article", "main"),
    *("h1", "h2", "h3", "h4", "span", "strong"),
}
TEXT_TAGS = {"p", "li", "td", "dd", "h1", "h2", "h3", "h4"}
MAX_SHORT_BLOCK_LENGTH = 200  # characters: `<div>Status: <b>Discontinued</b></div>`
MAX_BLOCKS = 5_000
AVAILABILITY = re.compile(r"schema\.org/(\w+)", re.IGNORECASE)


def parse_page(body: bytes, charset: str) -> Page:
    """Parse a page; `charset` is that of the response headers, or empty. No page raises."""
    tree = LexborHTMLParser(_decode(body, charset))
    offers = tuple(dict.fromkeys(_offers(tree)))
    titles = [node.text() for node in tree.css("title, h1")]
    titles += [node.attributes.get("content") or "" for node in tree.css('meta[property="og:title"]')]
    tree.strip_tags(IGNORED_TAGS)
    return Page(
        titles=_tidy(titles),
        headings=_tidy([node.text() for node in tree.css("h2, h3")]),
        blocks=_tidy(list(_blocks(tree))),
        offers=offers,
    )


def _decode(body: bytes, charset: str) -> str:
    declared = DECLARED_CHARSET.search(body[:MAX_DECLARATION_BYTES])
    for name in (charset, declared[1].decode("ascii") if declared else "", "utf-8"):
        try:
            return body.decode(name, errors="replace") if name else body.decode()
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("utf-8", errors="replace")


def _blocks(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield the text of each element with direct text, including nested elements in running text and short blocks."""
    body = tree.body
    if body is None:
        return
    for count, node in enumerate(body.traverse(include_text=False)):
        if count >= MAX_BLOCKS:
            return
        if node.tag in BLOCK_TAGS and not _in_link(node) and (direct_text := node.text(deep=False).strip()):
            text = node.text()
            yield text if node.tag in TEXT_TAGS or len(text) <= MAX_SHORT_BLOCK_LENGTH else direct_text


def _in_link(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and parent.tag in ("a", "label", "option")


def _offers(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield the availability of every schema.org offer, without its address and in lower case."""
    for node in tree.css('[itemprop="availability"]'):
        value = node.attributes.get("href") or node.attributes.get("content") or node.text()
        yield from (match[1].casefold() for match in AVAILABILITY.finditer(value or ""))
    for node in tree.css('script[type="application/ld+json"]'):
        try:
            yield from _availability(orjson.loads(node.text()))
        except orjson.JSONDecodeError:
            continue


def _availability(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _availability(item)
    elif isinstance(value, dict):
        availability = value.get("availability")
        if isinstance(availability, str):
            yield availability.rpartition("/")[2].casefold()
        for item in value.values():
            yield from _availability(item)


def _tidy(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tidy for text in texts if (tidy := " ".join(text.split()))))
