"""The built site under `/docs/` in a real Chromium: accessible in both schemes, with keys, and without other hosts."""

import os
import re
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, expect

from api.about import VERSION
from api.explorer.documentation import BUILT
from tests.support.axe import axe_violations

PAGES = {
    "start": "",
    "tutorial": "docs/tutorials/first-answers.html",
    "runbook": "docs/how-to/runbook.html",
    "tables": "docs/reference/settings.html",
    "diagrams": "docs/explanation/architecture.html",
    "plots": "docs/explanation/benchmarks.html",
}
RUNBOOK = re.compile(r"/runbook\.html")


@pytest.fixture(scope="module")
def documentation(site_without_engine: str) -> str:
    """Return the URL of the site. Without a built one, skip; fail in CI."""
    if not (BUILT / "index.html").exists():
        reason = "the site is not built: make docs"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return f"{site_without_engine}/docs/"


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context(viewport={"width": 1200, "height": 800})
    yield await context.new_page()
    await context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
async def test_a_page_is_accessible_and_loads_nothing_else(
    documentation: str, page: Page, name: str, scheme: str
) -> None:
    problems: list[str] = []
    hosts: set[str | None] = set()
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
    await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type] # light or dark
    response = await page.goto(f"{documentation}{PAGES[name]}", wait_until="networkidle")
    assert response is not None
    assert response.ok
    assert await axe_violations(page) == []
    assert problems == []
    assert hosts == {urlsplit(documentation).hostname}
    await expect(page.locator("footer")).to_contain_text(f"Version {VERSION}")


async def test_keys_reach_the_text_and_the_search_finds_a_page(documentation: str, page: Page) -> None:
    await page.goto(documentation, wait_until="networkidle")
    await page.keyboard.press("Tab")
    await expect(page.locator(":focus")).to_have_text("Skip to content")
    await page.keyboard.press("/")
    await page.keyboard.type("certificate expires")
    # Results of the first letters stand there until the whole query was typed.
    await expect(page.locator(".md-search-result__link").first).to_have_attribute("href", RUNBOOK)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/runbook.html*")


@pytest.mark.parametrize("query", ["what data is kept about visitors", "personal data"])
async def test_the_search_finds_the_page_on_privacy(documentation: str, page: Page, query: str) -> None:
    await page.goto(documentation, wait_until="networkidle")
    await page.keyboard.press("/")
    await page.keyboard.type(query)
    await expect(page.locator(".md-search-result__link").first).to_have_attribute("href", re.compile("privacy.html"))


async def test_a_page_leads_back_to_the_explorer(documentation: str, page: Page) -> None:
    await page.goto(f"{documentation}docs/explanation/privacy.html")
    await page.get_by_role("link", name="Use the explorer").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Find accommodations|unavailable"))
