"""The bytes of a web page become what the rules read: titles, headings, blocks of text, offers. Pure.

Menus, footers, forms and scripts are left out: a menu that lists "discontinued products" says nothing of this one.
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

DECLARED = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([A-Za-z0-9_-]{2,40})""", re.IGNORECASE)
BEGINNING = 2_048  # bytes in which a page declares its encoding
LEFT_OUT = ["script", "style", "template", "noscript", "nav", "footer", "aside", "form", "select", "button", "svg"]
BLOCKS = {
    "p",
    "li",
    "td",
    "th",
    "dd",
    "dt",
    "div",
    "section",
    "article",
    "main",
    "h1",
    "h2",
    "h3",
    "h4",
    "span",
    "strong",
}
RUNNING = {"p", "li", "td", "dd", "h1", "h2", "h3", "h4"}
SHORT = 200  # characters: `<div>Status: <b>Discontinued</b></div>`
MOST_BLOCKS = 5_000
OFFER = re.compile(r"schema\.org/(\w+)", re.IGNORECASE)


def read_page(body: bytes, charset: str) -> Page:
    """Read a page; `charset` is what the server says, or empty. Nothing that a page may hold raises."""
    tree = LexborHTMLParser(_text(body, charset))
    offers = tuple(dict.fromkeys(_offers(tree)))
    named = [node.text() for node in tree.css("title, h1")]
    named += [node.attributes.get("content") or "" for node in tree.css('meta[property="og:title"]')]
    tree.strip_tags(LEFT_OUT)
    return Page(
        titles=_tidy(named),
        headings=_tidy([node.text() for node in tree.css("h2, h3")]),
        blocks=_tidy(list(_blocks(tree))),
        offers=offers,
    )


def _text(body: bytes, charset: str) -> str:
    declared = DECLARED.search(body[:BEGINNING])
    for name in (charset, declared[1].decode("ascii") if declared else "", "utf-8"):
        try:
            return body.decode(name, errors="replace") if name else body.decode()
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("utf-8", errors="replace")


def _blocks(tree: LexborHTMLParser) -> Iterator[str]:
    """Text of each element that has some of its own, with all that lies in it where it is running text or short."""
    body = tree.body
    if body is None:
        return
    for count, node in enumerate(body.traverse(include_text=False)):
        if count >= MOST_BLOCKS:
            return
        if node.tag in BLOCKS and not _in_link(node) and (own := node.text(deep=False).strip()):
            whole = node.text()
            yield whole if node.tag in RUNNING or len(whole) <= SHORT else own


def _in_link(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and parent.tag in ("a", "label", "option")


def _offers(tree: LexborHTMLParser) -> Iterator[str]:
    """The availability of every schema.org offer, without its address and in lower case."""
    for node in tree.css('[itemprop="availability"]'):
        value = node.attributes.get("href") or node.attributes.get("content") or node.text()
        yield from (found[1].casefold() for found in OFFER.finditer(value or ""))
    for node in tree.css('script[type="application/ld+json"]'):
        try:
            yield from _availability(orjson.loads(node.text()))
        except orjson.JSONDecodeError:
            continue


def _availability(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _availability(one)
    elif isinstance(value, dict):
        stated = value.get("availability")
        if isinstance(stated, str):
            yield stated.rpartition("/")[2].casefold()
        for one in value.values():
            yield from _availability(one)


def _tidy(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tidy for text in texts if (tidy := " ".join(text.split()))))
