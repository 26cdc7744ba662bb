"""Takes the screenshots of README.md from a running service: `python -m bench.screenshots http://localhost:8080`."""

import asyncio
import shutil
import sys
from pathlib import Path

from playwright.async_api import ViewportSize, async_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MAX_BYTES = 200_000
VIEWPORT: ViewportSize = {"width": 1000, "height": 780}
PAGES = {  # file name: path, and the element that is shown instead of the top of the page
    "recommendations": ("/explore/recommend?question=migraines+from+office+lights", None),
    "graph": ("/explore/disability/multiple-sclerosis/graph", "section.graph"),
}


async def take_screenshots(base: str) -> None:
    """Write one PNG file per page. Raise SystemExit if no browser is installed, a page fails or a file is too large."""
    executable = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if executable is None:
        raise SystemExit(f"None of {', '.join(BROWSERS)} is installed. Install Chromium: apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for name, (path, element) in PAGES.items():
            page = await browser.new_page(viewport=VIEWPORT, color_scheme="light")
            response = await page.goto(f"{base}{path}", wait_until="networkidle")
            if response is None or not response.ok:
                raise SystemExit(f"{path} returned {response.status if response else 'nothing'}.")
            picture = await (page.locator(element).screenshot() if element else page.screenshot())
            if len(picture) > MAX_BYTES:
                raise SystemExit(f"{name}.png has {len(picture)} bytes, more than {MAX_BYTES}. Use a smaller viewport.")
            (FOLDER / f"{name}.png").write_bytes(picture)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(take_screenshots(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"))
