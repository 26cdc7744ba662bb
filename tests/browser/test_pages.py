"""Pages in a real Chromium: accessible, usable with the keyboard alone, small, and without layout shifts."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.support.axe import axe_violations

LONG = "a+very+long+question+about+" + "+".join(["electroencephalographically"] * 12)
PAGES = {
    "home": "/",
    "search": "/explore/search",
    "results": "/explore/search?query=memory",
    "corrected": "/explore/search?query=telwork",
    "none": "/explore/search?query=zzzzqqqq",
    "long": f"/explore/search?query={LONG}",
    "list": "/explore/solution?setting=school",
    "entity": "/explore/disability/multiple-sclerosis",
    "inherited": "/explore/disability/relapsing-remitting-multiple-sclerosis",
    "product": "/explore/product/largeview-magnifier",
    "job": "/explore/occupation/software-developers",
    "relation": "/explore/disability/multiple-sclerosis/recommends",
    "filtered": "/explore/disability/crohns-disease/recommends?source=editors&target_type=solution",
    "linked": "/explore/disability?linked_to=memory-loss&inherited=false",
    "graph": "/explore/disability/multiple-sclerosis/graph",
    "form": "/explore/recommend",
    "recommended": "/explore/recommend?disability=multiple-sclerosis&occupation=software-developers",
    "not found": "/explore/recommend?disability=multipel",
    "connections": "/explore/connections?from=software-developers&to=multiple-sclerosis",
    "compared": "/explore/compare?first=multiple-sclerosis&second=low-vision",
    "release": "/explore/release",
    "usage": "/explore/usage",
    "error": "/explore/disability/low-vison",
}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1200, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1200, "height": 800}},
    "narrow, forced colors": {
        "forced_colors": "active",
        "reduced_motion": "reduce",
        "viewport": {"width": 320, "height": 640},
    },
}
# Dark and narrow pages have the elements of the light ones, so axe checks only one page per layout there.
REPRESENTATIVE = frozenset(
    {
        "home",
        "results",
        "entity",
        "job",
        "filtered",
        "linked",
        "graph",
        "recommended",
        "not found",
        "compared",
        "release",
        "usage",
        "error",
    }
)
STATUS = {"not found": 422, "error": 404}
# A dark page differs only in its colors; forced colors are not set by the page.
RULES: dict[str, dict[str, Any]] = {
    "dark": {"runOnly": {"type": "rule", "values": ["color-contrast"]}},
    "narrow, forced colors": {"rules": {"color-contrast": {"enabled": False}}},
}
MAX_HOME_BYTES = 150_000  # with all styles and scripts
# The cumulative layout shift since the page began to load.
LAYOUT_SHIFT = """new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries().reduce((sum, shift) => sum + shift.value, 0)))
        .observe({type: 'layout-shift', buffered: true});
    setTimeout(done, 300, 0);
})"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OPEN_ALL_DETAILS = "document.querySelectorAll('details').forEach((details) => { details.open = true; })"


@asynccontextmanager
async def new_page(browser: Browser, site: str, **look: Any) -> AsyncIterator[Page]:  # noqa: ANN401 - Playwright's types
    """Open a new tab on the site. Script errors, CSP violations and requests to other hosts fail the test."""
    errors: list[str] = []
    async with await browser.new_context(base_url=site, **look) as context:
        page = await context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
        page.on("request", lambda sent: errors.append(sent.url) if not sent.url.startswith((site, "data:")) else None)
        yield page
    assert errors == []


@pytest.mark.parametrize("look", LOOKS)
async def test_every_page_is_accessible(browser: Browser, site: str, look: str) -> None:
    problems = {}
    async with new_page(browser, site, **LOOKS[look]) as page:
        for name, path in PAGES.items():
            runs_axe = look == "light" or name in REPRESENTATIVE
            if look == "dark" and not runs_axe:
                continue
            response = await page.goto(path)
            assert response is not None
            assert response.status == STATUS.get(name, 200), name
            if name in {"entity", "recommended", "release"}:
                await page.evaluate(OPEN_ALL_DETAILS)
            overflow = await page.evaluate(OVERFLOW)
            violations = await axe_violations(page, RULES.get(look)) if runs_axe else []
            problems[name] = [*violations, *(["wider than the window"] if overflow > 0 else [])]
    assert {name: lines for name, lines in problems.items() if lines} == {}


async def test_the_api_reference_is_accessible_and_runs_calls(browser: Browser, site: str) -> None:
    async with new_page(browser, site) as page:
        await page.goto("/explore/reference")
        await page.locator("#operations-default-search .opblock-summary-control").press("Enter")
        # Execute reports a missing query until the form contains its example; a user cannot be as fast as this script.
        await expect(page.locator("[data-param-name=query] input")).to_have_value("adhd")
        await page.locator(".opblock .execute").press("Enter")
        await expect(page.locator(".live-responses-table .response .response-col_status")).to_have_text("200")
        assert await axe_violations(page) == []


async def test_an_unavailable_engine_is_an_error_page(browser: Browser, site_without_engine: str) -> None:
    async with new_page(browser, site_without_engine) as page:
        response = await page.goto("/explore/search?query=memory")
        assert response is not None
        assert response.status == 503
        assert await page.get_by_role("heading", level=1).inner_text() == "Search is temporarily unavailable"
        assert await axe_violations(page) == []


async def test_search_works_with_the_keyboard(browser: Browser, site: str) -> None:
    async with new_page(browser, site) as page:
        await page.goto("/")
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.textContent") == "Skip to main content"
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        box = page.get_by_role("combobox", name=re.compile("^Search conditions"))
        await expect(box).to_be_focused()
        await page.keyboard.type("multiple scl")
        option = page.get_by_role("option", name=re.compile("^Multiple Sclerosis")).first
        await option.wait_for()
        await expect(box).to_have_attribute("aria-expanded", "true")
        assert await axe_violations(page) == []
        await page.keyboard.press("Escape")
        await expect(box).to_have_attribute("aria-expanded", "false")
        await page.keyboard.press("ArrowDown")
        await option.wait_for()
        await page.keyboard.press("ArrowDown")
        assert await box.get_attribute("aria-activedescendant") == await option.get_attribute("id")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/explore/disability/multiple-sclerosis")
        await page.goto("/explore/search")
        await page.get_by_role("combobox", name="Search").focus()
        await page.keyboard.type("memory")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/explore/search?query=memory*")
        assert await page.locator(".hits .why").first.inner_text()


async def test_text_that_is_pasted_from_a_table_can_be_searched(browser: Browser, site: str) -> None:
    async with new_page(browser, site) as page:
        await page.goto("/explore/search")
        await page.get_by_role("combobox", name="Search").focus()
        await page.keyboard.insert_text("memory\tloss")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/explore/search?query=memory+loss*")
        assert await page.locator(".hits .why").first.inner_text()


CONNECTED = {"From": "software dev", "To": "multiple scl"}
COMPARED = {"First condition": "multiple scl", "Second condition": "low vis"}


@pytest.mark.parametrize(
    ("path", "fields", "button", "results"),
    [
        ("/explore/recommend", {"Condition": "multiple scl"}, "Show recommendations", ".recommended .path"),
        ("/explore/connections", CONNECTED, "Show connections", ".connected .path"),
        ("/explore/compare", COMPARED, "Compare", ".columns b"),
    ],
)
async def test_forms_work_with_the_keyboard(
    browser: Browser, site: str, path: str, fields: dict[str, str], button: str, results: str
) -> None:
    async with new_page(browser, site) as page:
        await page.goto(path)
        for label, typed in fields.items():
            await page.get_by_role("combobox", name=label).focus()
            await page.keyboard.type(typed)
            await page.get_by_role("option").first.wait_for()
            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("Enter")
        await page.get_by_role("button", name=button).press("Enter")
        await page.locator(results).first.wait_for()


async def test_the_graph_works_with_the_keyboard(browser: Browser, site: str) -> None:
    async with new_page(browser, site, viewport={"width": 1200, "height": 900}) as page:
        await page.goto("/explore/disability/multiple-sclerosis/graph")
        graph = page.get_by_role("group", name="Graph of Multiple Sclerosis")
        links = graph.get_by_role("link")
        assert await graph.locator("a[tabindex='0']").count() == 1  # a single tab stop
        table = page.locator("[data-edges] tr[data-id]")
        rows = await table.evaluate_all("(rows) => rows.map((row) => row.dataset.url)")
        hrefs = await links.evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
        assert sorted(hrefs) == sorted({f"/explore{url}" for url in [*rows, "/disability/multiple-sclerosis"]})
        await page.get_by_role("button", name="Add neighbors of the selected entry").focus()
        await page.keyboard.press("Tab")
        for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
            await page.keyboard.press(key)
        selected = await page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert selected.partition(",")[0] in await page.locator("[data-selected]").inner_text()
        await page.keyboard.press("Home")
        await page.keyboard.press("ArrowRight")
        before = await links.count()
        await page.keyboard.press(" ")
        await page.get_by_text(re.compile("neighbors of .* added")).wait_for()
        assert await links.count() >= before
        assert await axe_violations(page) == []
        await page.keyboard.press("Enter")
        await page.wait_for_url(re.compile(r"/explore/\w+/[^/]+$"))


async def test_pages_and_forms_work_without_scripts(browser: Browser, site: str) -> None:
    async with new_page(browser, site, java_script_enabled=False) as page:
        await page.goto("/")
        await page.get_by_label(re.compile("^Search conditions")).fill("memory")
        await page.get_by_role("button", name="Search").click()
        await page.locator(".hits > li").first.wait_for()
        await page.goto("/explore/recommend")
        await page.get_by_label("Condition").fill("multiple sclerosis")
        await page.get_by_role("button", name="Show recommendations").click()
        await page.locator(".recommended > li").first.wait_for()
        await page.goto("/explore/disability/multiple-sclerosis/graph")
        assert await page.locator("[data-edges] tr[data-id]").count() > 0
        assert not await page.locator("[data-graph]").is_visible()


async def test_the_home_page_is_small_and_layouts_do_not_shift(browser: Browser, site: str) -> None:
    async with new_page(browser, site) as page:
        sizes: list[int] = []

        async def add_size(response: Any) -> None:  # noqa: ANN401 - Playwright's types
            sizes.append(len(await response.body()))

        page.on("response", add_size)
        for path in ("/", "/explore/search?query=memory", "/explore/disability/multiple-sclerosis/graph"):
            await page.goto(path, wait_until="networkidle")
            if path == "/":
                assert 0 < sum(sizes) < MAX_HOME_BYTES
            assert await page.evaluate(LAYOUT_SHIFT) < 0.01, path


async def test_every_control_has_a_name(browser: Browser, site: str) -> None:
    async with new_page(browser, site) as page:
        for path in ("/", "/explore/recommend", "/explore/disability/multiple-sclerosis/graph"):
            await page.goto(path)
            tree = await page.locator("body").aria_snapshot()
            assert re.findall(r"^ *- (?:textbox|combobox|searchbox|button|link|img)(?::|$)", tree, re.MULTILINE) == []
            for landmark in ("banner", 'navigation "Main"', "main", "contentinfo"):
                assert f"- {landmark}" in tree, (path, landmark)
