"""The explorer through the edge, with and without TLS."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, expect

from tests.support.edge import Edge, edge

BAD_REQUEST = 400


@pytest.fixture(scope="module")
def front(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    with edge(site, tmp_path_factory.mktemp("edge")) as found:
        yield found


@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
async def test_a_question_is_answered_and_its_links_work(browser: Browser, front: Edge, *, secure: bool) -> None:
    problems: list[str] = []
    context = await browser.new_context(ignore_https_errors=True)  # the certificate is for trials
    page = await context.new_page()
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("response", lambda response: problems.append(response.url) if response.status >= BAD_REQUEST else None)
    await page.goto(front.tls_url if secure else front.url)
    await page.locator("input[name=query]").first.fill("memory")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/explore/search?*")
    await page.locator("main a[href^='/explore/']").first.click()
    await expect(page.locator("h1")).to_be_visible()
    await page.goto(f"{front.tls_url if secure else front.url}/explore/disability/multiple-sclerosis/graph")
    await expect(page.locator("h1")).to_be_visible()
    await context.close()
    assert problems == []
