"""Which rule applies to a page."""

import pytest

from indexer.market.page import parse_page
from indexer.market.rules import decide, normalize, redirects_to_front_page

TIMER = ("Time Timer", "TT-100")


def page(title: str, body: str, head: str = "") -> bytes:
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


@pytest.mark.parametrize(
    ("html", "rule"),
    [
        (page("Time Timer® – the original", ""), "named-in-title"),
        (page("Shop", "<h1>TIME-TIMER</h1>"), "named-in-title"),
        (page("Shop", "", '<meta property="og:title" content="Time Timer">'), "named-in-title"),
        (page("Shop", "<h2>The Time Timer</h2>"), "named-in-title"),
        (page("Shop", "<p>Clocks such as the <a href='/t'>Time Timer</a> help.</p>"), "named-in-text"),
        (page("Shop", "<p>Timers that save time.</p>"), "not-named"),
        (page("Shop", "<p>Overtime timers</p>"), "not-named"),
        (page("Shop", "<nav><li>Time Timer</li></nav><footer><p>Time Timer</p></footer>"), "not-named"),
        (page("Shop", "<script>var a = 'Time Timer'</script>"), "not-named"),
        (b"", "not-named"),
        (page("Page not found – Shop", "<p>Time Timer</p>"), "says-missing"),
        (page("404 | Time Timer", ""), "says-missing"),
        (page("timetimer.example", "<p>This domain is for sale: Time Timer</p>"), "parked"),
        (page("Time Timer", "<h2>Buy this domain</h2>"), "parked"),
    ],
)
def test_a_page_must_name_the_product(html: bytes, rule: str) -> None:
    assert decide(parse_page(html, ""), TIMER, "product") == rule


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("<p>The Time Timer has been discontinued.</p>", "discontinued"),
        ("<p>The Time Timer original is no longer available for purchase.</p>", "discontinued"),
        ("<p>This product is discontinued</p>", "discontinued"),
        ("<p>This item is no longer made.</p>", "discontinued"),
        ("<div>Status: <b>Discontinued</b></div>", "discontinued"),
        ("<span>Utgått</span>", "discontinued"),
        ("<p>Dieses Produkt ist nicht mehr lieferbar.</p>", "discontinued"),
        ("<p>Ce produit n’est plus disponible.</p>", "discontinued"),
        ("<p>This repository was archived by the owner on Jan 3, 2024.</p>", "discontinued"),
        (
            '<div itemprop="offers"><link itemprop="availability" href="https://schema.org/Discontinued"></div>',
            "discontinued",
        ),
        (
            '<script type="application/ld+json">{"offers": [{"availability": "http://schema.org/Discontinued"}]}</script>',
            "discontinued",
        ),
        ('<script type="application/ld+json">{"offers": {"availability": "InStock"}}</script>', "named-in-title"),
        ('<script type="application/ld+json">{not json}</script>', "named-in-title"),
        # Ambiguous sentences are neither discontinued nor verified.
        ("<p>The Time Timer replaces the Old Clock, which has been discontinued.</p>", "perhaps-ended"),
        ("<p>The Time Timer has not been discontinued.</p>", "perhaps-ended"),
        ("<p>The Time Timer app is no longer available for Windows XP.</p>", "perhaps-ended"),
        ("<p>The Time Timer is no longer supported on old phones.</p>", "perhaps-ended"),
        # Sentences about other products change nothing.
        ("<p>With it you no longer lose time.</p>", "named-in-title"),
        ("<p>Discontinued items are in the outlet.</p>", "named-in-title"),
        ("<nav><span>Discontinued</span></nav>", "named-in-title"),
        ("<div><a href='/old'><span>Discontinued</span></a></div>", "named-in-title"),
        ("<form><label>Discontinued</label></form>", "named-in-title"),
    ],
)
def test_a_page_must_say_clearly_that_a_product_ended(body: str, rule: str) -> None:
    assert decide(parse_page(page("Time Timer", body), ""), TIMER, "product") == rule


@pytest.mark.parametrize(
    ("title", "body", "rule"),
    [
        ("Acme", "<p>Acme has ceased trading.</p>", "discontinued"),
        ("Acme", "<p>Our company has permanently closed.</p>", "discontinued"),
        ("Acme", "<p>This product is discontinued.</p>", "named-in-title"),
        ("Acme", "<p>Acme took over Bolt, which is out of business.</p>", "perhaps-ended"),
        ("Shop", "<p>We sell what Acme makes.</p>", "not-named"),
    ],
)
def test_vendors_close_and_products_are_discontinued(title: str, body: str, rule: str) -> None:
    assert decide(parse_page(page(title, body), ""), ("Acme",), "vendor") == rule


@pytest.mark.parametrize(
    ("name", "title", "body", "rule"),
    [
        ("Bear", "Bear – notes", "", "named-in-title"),
        ("Bear", "Notes", "<h2>Bear</h2><p>Bear with us.</p>", "not-named"),
        ("2D", "2D", "", "not-named"),
        ("Crème Pad", "creme pad", "", "named-in-title"),
        ("C++ Keys (large)", "c keys large", "", "named-in-title"),
    ],
)
def test_a_single_word_counts_only_in_titles_and_two_letters_never(name: str, title: str, body: str, rule: str) -> None:
    assert decide(parse_page(page(title, body), ""), (name,), "product") == rule


def test_normalizes_case_accents_and_punctuation() -> None:
    assert normalize("  Éclair-Pad™ 2000 (v1.2)") == "eclair pad 2000 v1 2"


@pytest.mark.parametrize(
    ("requested", "final", "expected"),
    [
        ("/products/timer", "/", True),
        ("/products/timer", "", True),
        ("/products/timer", "/en-us/", True),
        ("/products/timer", "/products/timer-2", False),
        ("/", "/", False),
        ("/en/", "/de/", False),
    ],
)
def test_recognizes_a_redirect_to_the_front_page(requested: str, final: str, *, expected: bool) -> None:
    assert redirects_to_front_page(requested, final) is expected
