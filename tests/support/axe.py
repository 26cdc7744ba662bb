"""Accessibility rules that a page breaks, by axe."""

from typing import Any

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Page

AXE = Axe()


async def axe_violations(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    violations = (await AXE.run(page, options=options)).response["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:120]}" for rule in violations]
