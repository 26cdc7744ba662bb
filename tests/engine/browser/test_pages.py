"""Every page in a real Chromium: nothing that keeps anyone out, every task by keys alone, light to load, still."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import expect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser, Page

LONG = "a+very+long+question+about+" + "+".join(["electroencephalographically"] * 12)
PAGES = {
    "first": "/",
    "search": "/explore/search",
    "results": "/explore/search?query=memory",
    "corrected": "/explore/search?query=telwork",
    "none": "/explore/search?query=zzzzqqqq",
    "long": f"/explore/search?query={LONG}",
    "list": "/explore/solution?setting=school",
    "entity": "/explore/disability/multiple-sclerosis",
    "heir": "/explore/disability/relapsing-remitting-multiple-sclerosis",
    "product": "/explore/product/largeview-magnifier",
    "job": "/explore/occupation/software-developers",
    "relation": "/explore/disability/multiple-sclerosis/recommends",
    "graph": "/explore/disability/multiple-sclerosis/graph",
    "question": "/explore/recommend",
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
# Dark and narrow pages hold the elements of the light ones: there axe looks at one page of each make.
AGAIN = frozenset(
    {"first", "results", "entity", "job", "graph", "recommended", "not found", "compared", "release", "usage", "error"}
)
STATUS = {"not found": 422, "error": 404}
# A dark page differs in its colors alone; forced colors are not the page's own.
RULES: dict[str, dict[str, Any]] = {
    "dark": {"runOnly": {"type": "rule", "values": ["color-contrast"]}},
    "narrow, forced colors": {"rules": {"color-contrast": {"enabled": False}}},
}
BUDGET = 150_000  # bytes of the first page with all that it loads
# How far what is seen has moved by itself since the page began to load.
MOVED = """new Promise((done) => {
    new PerformanceObserver((seen) => done(seen.getEntries().reduce((sum, one) => sum + one.value, 0)))
        .observe({type: 'layout-shift', buffered: true});
    setTimeout(done, 300, 0);
})"""
AXE = Axe()


@asynccontextmanager
async def opened(browser: Browser, site: str, **look: Any) -> AsyncIterator[Page]:  # noqa: ANN401 - playwright's own
    """A fresh tab on the site. What its console says of refused or broken scripts fails the test."""
    context = await browser.new_context(base_url=site, **look)
    page = await context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda line: said.append(line.text) if "Content Security Policy" in line.text else None)
    page.on(
        "request", lambda request: said.append(request.url) if not request.url.startswith((site, "data:")) else None
    )
    yield page
    await context.close()
    assert said == []


async def barriers(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    """What axe finds, a line for each kind."""
    found = (await AXE.run(page, options=options)).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


@pytest.mark.parametrize("look", LOOKS)
async def test_no_page_keeps_anyone_out(browser: Browser, site: str, look: str) -> None:
    found = {}
    async with opened(browser, site, **LOOKS[look]) as page:
        for name, path in PAGES.items():
            looked_at = look == "light" or name in AGAIN
            if look == "dark" and not looked_at:
                continue
            response = await page.goto(path)
            assert response is not None
            assert response.status == STATUS.get(name, 200), name
            if name in {"entity", "recommended", "release"}:
                await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            met = await barriers(page, RULES.get(look)) if looked_at else []
            found[name] = [*met, *(["wider than the window"] if wide > 0 else [])]
    assert {name: lines for name, lines in found.items() if lines} == {}


async def test_the_reference_keeps_nobody_out_and_its_calls_can_be_tried(browser: Browser, site: str) -> None:
    async with opened(browser, site) as page:
        await page.goto("/explore/reference")
        await page.locator("#operations-default-search .opblock-summary-control").press("Enter")
        # Until the form holds its example, Execute finds the question missing: no one is as quick as a script.
        await expect(page.locator("[data-param-name=query] input")).to_have_value("adhd")
        await page.locator(".opblock .execute").press("Enter")
        await page.wait_for_selector(".live-responses-table .response-col_status")
        assert await page.locator(".live-responses-table .response .response-col_status").inner_text() == "200"
        assert await barriers(page) == []


async def test_an_engine_that_is_away_is_a_page(browser: Browser, dark_site: str) -> None:
    async with opened(browser, dark_site) as page:
        response = await page.goto("/explore/search?query=memory")
        assert response is not None
        assert response.status == 503
        assert await page.get_by_role("heading", level=1).inner_text() == "The search engine does not answer"
        assert await barriers(page) == []


async def test_search_by_keys_alone(browser: Browser, site: str) -> None:
    async with opened(browser, site) as page:
        await page.goto("/")
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.textContent") == "Skip to the content"
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        box = page.get_by_role("combobox", name=re.compile("^Search conditions"))
        assert await box.evaluate("(one) => one === document.activeElement")
        await page.keyboard.type("multiple scl")
        option = page.get_by_role("option", name=re.compile("^Multiple Sclerosis")).first
        await option.wait_for()
        assert await box.get_attribute("aria-expanded") == "true"
        assert await barriers(page) == []
        await page.keyboard.press("Escape")
        assert await box.get_attribute("aria-expanded") == "false"
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


@pytest.mark.parametrize(
    ("path", "boxes", "button", "shown"),
    [
        ("/explore/recommend", {"Condition": "multiple scl"}, "Show what helps", ".recommended .chain"),
        (
            "/explore/connections",
            {"From": "software dev", "To": "multiple scl"},
            "Show the connection",
            ".connected .chain",
        ),
        (
            "/explore/compare",
            {"First condition": "multiple scl", "Second condition": "low vis"},
            "Compare",
            ".columns b",
        ),
    ],
)
async def test_questions_by_keys_alone(
    browser: Browser, site: str, path: str, boxes: dict[str, str], button: str, shown: str
) -> None:
    async with opened(browser, site) as page:
        await page.goto(path)
        for label, typed in boxes.items():
            await page.get_by_role("combobox", name=label).focus()
            await page.keyboard.type(typed)
            await page.get_by_role("option").first.wait_for()
            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("Enter")
        await page.get_by_role("button", name=button).press("Enter")
        assert await page.locator(shown).count() > 0


async def test_the_picture_by_keys_alone(browser: Browser, site: str) -> None:
    async with opened(browser, site, viewport={"width": 1200, "height": 900}) as page:
        await page.goto("/explore/disability/multiple-sclerosis/graph")
        picture = page.get_by_role("group", name="Picture of the neighborhood of Multiple Sclerosis")
        links = picture.get_by_role("link")
        assert await picture.locator("a[tabindex='0']").count() == 1  # one stop for Tab
        rows = await page.locator("[data-edges] tr[data-id]").evaluate_all("(all) => all.map((one) => one.dataset.url)")
        drawn = await links.evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
        assert sorted(drawn) == sorted({f"/explore{url}" for url in [*rows, "/disability/multiple-sclerosis"]})
        await page.get_by_role("button", name="Add neighbors of the chosen entry").focus()
        await page.keyboard.press("Tab")
        for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
            await page.keyboard.press(key)
        chosen = await page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert chosen.partition(",")[0] in await page.locator("[data-chosen]").inner_text()
        await page.keyboard.press("Home")
        await page.keyboard.press("ArrowRight")
        before = await links.count()
        await page.keyboard.press(" ")
        await page.get_by_text(re.compile("neighbors of .* added")).wait_for()
        assert await links.count() >= before
        assert await barriers(page) == []
        await page.keyboard.press("Enter")
        await page.wait_for_url(re.compile(r"/explore/\w+/[^/]+$"))


async def test_everything_can_be_read_and_asked_without_scripts(browser: Browser, site: str) -> None:
    async with opened(browser, site, java_script_enabled=False) as page:
        await page.goto("/")
        await page.get_by_label(re.compile("^Search conditions")).fill("memory")
        await page.get_by_role("button", name="Search").click()
        assert await page.locator(".hits > li").count() > 0
        await page.goto("/explore/recommend")
        await page.get_by_label("Condition").fill("multiple sclerosis")
        await page.get_by_role("button", name="Show what helps").click()
        assert await page.locator(".recommended > li").count() > 0
        await page.goto("/explore/disability/multiple-sclerosis/graph")
        assert await page.locator("[data-edges] tr[data-id]").count() > 0
        assert not await page.locator("[data-graph]").is_visible()


async def test_the_first_page_is_light_and_nothing_moves(browser: Browser, site: str) -> None:
    async with opened(browser, site) as page:
        sizes: list[int] = []

        async def weigh(response: Any) -> None:  # noqa: ANN401 - playwright's own
            sizes.append(len(await response.body()))

        page.on("response", weigh)
        for path in ("/", "/explore/search?query=memory", "/explore/disability/multiple-sclerosis/graph"):
            await page.goto(path, wait_until="networkidle")
            if path == "/":
                assert 0 < sum(sizes) < BUDGET
            moved = await page.evaluate(MOVED)
            assert moved < 0.01, path


async def test_every_control_has_a_name(browser: Browser, site: str) -> None:
    async with opened(browser, site) as page:
        for path in ("/", "/explore/recommend", "/explore/disability/multiple-sclerosis/graph"):
            await page.goto(path)
            tree = await page.locator("body").aria_snapshot()
            assert re.findall(r"^ *- (?:textbox|combobox|searchbox|button|link|img)(?::|$)", tree, re.MULTILINE) == []
            for landmark in ("banner", 'navigation "Main"', "main", "contentinfo"):
                assert f"- {landmark}" in tree, (path, landmark)
