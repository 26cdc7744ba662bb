"""MkDocs hook: renders Mermaid blocks to inline SVG at build time, so that the pages need no script of another host."""

from __future__ import annotations

import re
from typing import Any

from mermaidx import render

BLOCK = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RENDERED_ID = "my-svg"  # of every diagram; ids on one page must differ


def on_page_markdown(markdown: str, **_: Any) -> str:  # noqa: ANN401 - MkDocs passes page, config and files
    """Replace each Mermaid block with its SVG; a block that does not parse ends the build."""
    numbers = iter(range(1, 1 + len(BLOCK.findall(markdown))))

    def svg(block: re.Match[str]) -> str:
        text: str = render(block[1]).svg()
        return f'<div class="diagram">{text.replace(RENDERED_ID, f"diagram-{next(numbers)}")}</div>'

    return BLOCK.sub(svg, markdown)
