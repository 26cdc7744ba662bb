"""Parsing pages: encodings, offers, limits, and no exception whatever a page is made of."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.market.page import MAX_BLOCKS, MAX_CHARACTERS, MAX_TEXT_LENGTH, parse_page
from indexer.market.rules import decide
from schema.market_rules import MARKET_RULES
from tests.support.fuzzing import fuzzed

MAX_NESTED = 1_024  # that orjson parses
CHARSETS = (
    *("", "utf-8", "utf-16", "latin-1", "windows-1252", "gb18030", "iso2022_jp", "shift_jis", "no-such-charset", "ü"),
    *("undefined", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "zlib", "hex", "rot13", "mbcs"),
)
TEXTS = st.text(max_size=20) | st.sampled_from(("https://schema.org/InStock", "Discontinued", "\ufdfa" * 9, "\0"))
DOCUMENTS: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(("availability", "offers", "a")), inner, max_size=3)
    ),
    max_leaves=15,
)
TAGS = st.sampled_from(("p", "div", "h1", "h2", "title", "span", "li", "a", "form", "svg", "template", "table", "b"))


def script(document: bytes) -> bytes:
    return b'<title>Time Timer</title><script type="application/ld+json">' + document + b"</script>"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("<title>Gerät Größe</title>".encode("latin-1"), "iso-8859-1"),
        ('<meta charset="windows-1252"><title>Gerät Größe</title>'.encode("cp1252"), ""),
        ("<title>Gerät Größe</title>".encode(), ""),
        # Neither an encoding of the web: the next declaration counts.
        ("<title>Gerät Größe</title>".encode(), "no-such-charset"),
        ("<title>Gerät Größe</title>".encode(), "undefined"),
        ("<title>Gerät Größe</title>".encode(), "idna"),
        ("<title>Gerät Größe</title>".encode(), "punycode"),
        ('<meta charset="idna"><title>Gerät Größe</title>'.encode(), "undefined"),
        ('<meta charset="windows-1252"><title>Gerät Größe</title>'.encode("cp1252"), "undefined"),
    ],
)
def test_decodes_a_page_in_its_declared_encoding(body: bytes, charset: str) -> None:
    assert parse_page(body, charset).titles == ("Gerät Größe",)


@pytest.mark.parametrize("depth", [1, 900, MAX_NESTED - 1])
def test_reads_offers_at_any_depth(depth: int) -> None:
    inner = b'{"availability": "https://schema.org/Discontinued"}'
    for document in (b"[" * depth + inner + b"]" * depth, b'{"a":' * depth + inner + b"}" * depth):
        assert parse_page(script(document), "").offers == ("discontinued",)


def test_ignores_json_that_is_nested_too_deep() -> None:
    page = parse_page(script(b"[" * 100_000 + b"]" * 100_000), "")
    assert (page.titles, page.offers) == (("Time Timer",), ())


def test_offers_are_in_document_order() -> None:
    document = [{"availability": "InStock"}, {"offers": [{"availability": "SoldOut"}], "x": {"availability": "y"}}]
    assert parse_page(script(orjson.dumps(document)), "").offers == ("instock", "soldout", "y")


@pytest.mark.parametrize(
    "element",
    ["<div>x", "<span>x", "<p>word </p>", "<h1><div>x", "<h2>\ufdfa</h2>", "<li>" + "\ufdfa" * 5_000 + "</li>"],
)
def test_limits_the_text_of_a_page(element: str) -> None:
    body = element * min(4_000, 3_000_000 // len(element.encode()))
    page = parse_page(f"<title>Time Timer</title>{body}".encode(), "")
    texts = [*page.titles, *page.headings, *page.blocks]
    assert page.titles[0] == "Time Timer"
    assert len(page.blocks) <= MAX_BLOCKS
    assert max(map(len, texts)) <= 2 * MAX_TEXT_LENGTH + 1
    assert sum(map(len, texts)) <= MAX_CHARACTERS + 4 * MAX_TEXT_LENGTH


def test_reads_ordinary_pages_in_full() -> None:
    paragraphs = [f"Paragraph {number} about the timer. " + "word " * 60 for number in range(500)]
    page = parse_page("".join(f"<div><p>{text}</p></div>" for text in paragraphs).encode(), "")
    assert page.blocks == tuple(text.strip() for text in paragraphs)


@fuzzed(150)
@given(st.binary(max_size=400), st.sampled_from(CHARSETS))
def test_no_bytes_raise(body: bytes, charset: str) -> None:
    assert decide(parse_page(body, charset), ("Time Timer",), "product") in MARKET_RULES


@fuzzed(100)
@given(st.text(alphabet=st.characters(codec="ascii"), max_size=40), st.binary(max_size=60))
def test_no_name_of_a_charset_raises(charset: str, body: bytes) -> None:
    declared = b'<meta charset="' + charset.encode() + b'">'
    assert decide(parse_page(declared + body, charset), ("Time Timer",), "product") in MARKET_RULES


@fuzzed(100)
@given(DOCUMENTS, st.integers(0, MAX_NESTED + 10), st.binary(max_size=3))
def test_no_json_raises(document: object, depth: int, junk: bytes) -> None:
    nested = b"[" * depth + orjson.dumps(document) + b"]" * depth + junk
    assert decide(parse_page(script(nested), ""), ("Time Timer",), "product") in MARKET_RULES


@fuzzed(100)
@given(st.lists(st.tuples(TAGS, st.booleans(), TEXTS), max_size=30))
def test_no_elements_raise(elements: list[tuple[str, bool, str]]) -> None:
    body = "".join(f"<{'/' * is_end}{tag}>{text}" for tag, is_end, text in elements)
    page = parse_page(body.encode(), "utf-8")
    assert decide(page, ("Time Timer",), "vendor") in MARKET_RULES
    orjson.dumps(page)  # as a worker does
